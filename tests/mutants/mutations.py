"""The mutations of a module: small changes, made by rules, that a test should catch.

A mutation replaces one piece of source text, and the rest of the module stays the same. Code without promised behaviour
has no mutations: docstrings, annotations and type declarations, `assert`, `assert_never`, logging, decorators,
`__all__`, `__repr__`, words of messages (texts with blanks), times and sizes (floats, integers above 16 and named
numbers), `strict=` of `zip`, names of tasks and threads, and a bare `sleep(0)`.
"""

from __future__ import annotations

import ast
import itertools
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

LARGEST_INT = 16
"""Larger integers are sizes, limits and codes; a difference of one is not a fault."""

_WIRE_NAME = re.compile(r"[A-Za-z_$][\w$./:-]+")

_COMPARE: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
}
_LOGGERS = frozenset({"_log", "log", "logger", "logging", "_LOG"})
_KEYWORDS_WITHOUT_EFFECT = frozenset({"strict", "name", "encoding", "stacklevel"})
_TYPING_CALLS = frozenset({"TypeVar", "NewType", "NamedTuple", "TypedDict", "ParamSpec", "cast"})


class Mutation(NamedTuple):
    """One change: the bytes from ``start`` to ``end`` of a module become ``new``."""

    module: str
    """The module's path below the package."""

    function: str
    """The function's qualified name; ``""`` outside of functions."""

    kind: str
    old: str
    new: str
    start: int
    end: int
    lines: tuple[int, int]
    """First and last line of the statement, counted from 1; a test must run one of them to catch it."""

    around: tuple[int, int]
    """First and last line of the body of the function, ``(0, 0)`` outside of functions."""

    name: str
    """The name that a statement binds at import, because tests run its uses; otherwise ``""``."""

    nth: int = 0
    """The number of earlier mutations of the function with the same kind and texts."""

    @property
    def key(self) -> tuple[str, str, str, str, str, int]:
        """The values that identify the mutation even if its line moves."""
        return self.module, self.function, self.kind, self.old, self.new, self.nth

    def apply(self, source: bytes) -> bytes:
        """Return the source of the module with the change.

        Raises:
            ValueError: The source has changed since the mutation was found.
        """
        if source[self.start : self.end] != self.old.encode():
            raise ValueError(f"{self.module} has changed since its mutations were listed")
        return source[: self.start] + self.new.encode() + source[self.end :]

    def __str__(self) -> str:
        where = f"{self.module}:{self.lines[0]} {self.function or self.name or 'module'}"
        return f"{where}: {self.kind}: {_short(self.old)} -> {_short(self.new)}"


def _short(code: str) -> str:
    words = " ".join(code.split())
    return words if len(words) <= 60 else words[:57] + "..."


def mutations_of(module: str, source: bytes) -> list[Mutation]:
    """Return the mutations of a module in the order of its text."""
    found = {(each.start, each.end, each.new): each for each in _Finder(module, source).found()}
    seen: Counter[tuple[str, ...]] = Counter()
    mutations: list[Mutation] = []
    for place in sorted(found):
        each = found[place]
        same = each.function, each.kind, each.old, each.new
        mutations.append(each._replace(nth=seen[same]))
        seen[same] += 1
    return mutations


def sample(mutations: Iterable[Mutation], n: int, seed: str) -> list[Mutation]:
    """Choose ``n`` mutations by a seed: one of each kind in turn, so that all kinds occur."""
    by_kind: dict[str, list[Mutation]] = {}
    for each in mutations:
        by_kind.setdefault(each.kind, []).append(each)
    dice = random.Random(seed)
    for kind in sorted(by_kind):
        dice.shuffle(by_kind[kind])
    chosen: list[Mutation] = []
    while len(chosen) < n and any(by_kind.values()):
        for kind in sorted(by_kind):
            if by_kind[kind] and len(chosen) < n:
                chosen.append(by_kind[kind].pop())
    return chosen


def lines_using(files: Iterable[Path]) -> dict[str, list[tuple[Path, int, int]]]:
    """Return the statements in functions that use a name or an attribute, by that name."""
    uses: dict[str, list[tuple[Path, int, int]]] = {}
    for file in files:
        tree = ast.parse(file.read_bytes())
        for function in ast.walk(tree):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                for node in ast.walk(function):
                    if isinstance(node, ast.stmt) and node is not function:
                        first, last = _header(node)
                        for name in _names_in(node):
                            uses.setdefault(name, []).append((file, first, last))
    return uses


class Table(NamedTuple):
    """A name that a module binds outside of functions, and the names in its value."""

    module: str
    name: str
    used: frozenset[str]


def tables_of(module: str, source: bytes) -> list[Table]:
    """Return the names that a module binds outside of functions."""
    return [
        Table(module, _bound_by(statement), frozenset(_names_in(statement)))
        for statement in ast.parse(source).body
        if isinstance(statement, ast.Assign | ast.AnnAssign)
    ]


def made_of(tables: Sequence[Table], module: str, name: str) -> set[tuple[str, str]]:
    """Return a table, by module and name, and all tables derived from it, directly or not.

    A name with a leading underscore belongs to its module; any other name may be imported.
    """
    found = {(module, name)}
    before = 0
    while len(found) > before:
        before = len(found)
        public = {known for _, known in found if not known.startswith("_")}
        for each in tables:
            own = {known for where, known in found if where == each.module}
            if each.name and not each.used.isdisjoint(own | public):
                found.add((each.module, each.name))
    return found


def _names_in(statement: ast.stmt) -> set[str]:
    names = set()
    for node in _header_nodes(statement):
        for part in ast.walk(node):
            if isinstance(part, ast.Name):
                names.add(part.id)
            elif isinstance(part, ast.Attribute):
                names.add(part.attr)
    return names


def _header_nodes(statement: ast.stmt) -> Iterator[ast.AST]:
    for node in ast.iter_child_nodes(statement):
        if not isinstance(node, ast.stmt | ast.ExceptHandler | ast.match_case):
            yield node


def _header(statement: ast.stmt) -> tuple[int, int]:
    """Return the first and last line of a statement, without those of the block that it opens."""
    body = getattr(statement, "body", None)
    if isinstance(body, list) and body:
        return statement.lineno, max(statement.lineno, body[0].lineno - 1)
    if isinstance(statement, ast.Match):
        return statement.lineno, statement.subject.end_lineno or statement.lineno
    return statement.lineno, statement.end_lineno or statement.lineno


class _Finder:
    """Finds the mutations of one module."""

    def __init__(self, module: str, source: bytes) -> None:
        self._module = module
        self._source = source
        self._starts = [0]
        for line in source.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))
        self._path: list[str] = []
        self._function = ""
        self._lines = (1, 1)
        self._around = (0, 0)
        self._name = ""

    def found(self) -> Iterator[Mutation]:
        yield from self._body(ast.parse(self._source).body)

    # -- statements ------------------------------------------------------------------------------------------

    def _body(self, body: list[ast.stmt]) -> Iterator[Mutation]:
        for statement in body:
            match statement:
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    yield from self._def(statement)
                case ast.ClassDef():
                    if not _is_protocol(statement):
                        self._path.append(statement.name)
                        yield from self._body(statement.body)
                        self._path.pop()
                case _:
                    if not _says_nothing(statement):
                        yield from self._statement(statement)

    def _def(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[Mutation]:
        if function.name == "__repr__" or all(map(_is_words, function.body)):
            return
        before = self._function, self._lines, self._around, self._name
        self._path.append(function.name)
        self._function, self._name = ".".join(self._path), ""
        first = function.body[1 if _is_words(function.body[0]) and len(function.body) > 1 else 0]
        self._lines = self._around = (first.lineno, function.end_lineno or first.lineno)
        for default in [*function.args.defaults, *function.args.kw_defaults]:
            if default:
                for each in self._expression(default):
                    yield each._replace(kind="default")
        yield from self._body(function.body)
        self._path.pop()
        self._function, self._lines, self._around, self._name = before

    def _statement(self, statement: ast.stmt) -> Iterator[Mutation]:
        self._lines = _header(statement)
        if not self._function:
            self._name = _bound_by(statement)
            if self._name.isupper() and _is_number(statement):
                return
        yield from self._dropped(statement)
        for node in _header_nodes(statement):
            if not (isinstance(statement, ast.AnnAssign) and node is statement.annotation):
                yield from self._expression(node)
        if isinstance(statement, ast.If | ast.While) and not isinstance(statement.test, ast.Constant):
            yield self._negated(statement.test)
        for blocks in ("body", "orelse", "finalbody"):
            if isinstance(block := getattr(statement, blocks, None), list):
                yield from self._block(statement, block)
        for handler in getattr(statement, "handlers", ()):
            yield from self._body(handler.body)
        for case in getattr(statement, "cases", ()):
            yield from self._case(case)

    def _case(self, case: ast.match_case) -> Iterator[Mutation]:
        self._lines = (case.pattern.lineno, max(case.pattern.lineno, case.body[0].lineno))
        yield from self._expression(case.pattern)
        if case.guard:
            yield from self._expression(case.guard)
            yield self._negated(case.guard)
        yield from self._body(case.body)

    def _block(self, statement: ast.stmt, block: list[ast.stmt]) -> Iterator[Mutation]:
        """Yield the mutations of a block, and drop its exits if the following code would continue."""
        if (
            isinstance(statement, ast.If)
            and block
            and isinstance(last := block[-1], ast.Return | ast.Continue | ast.Break)
        ):
            self._lines = _header(last)
            yield self._make("early exit dropped", last, "pass")
        yield from self._body(block)

    def _dropped(self, statement: ast.stmt) -> Iterator[Mutation]:
        if not self._function:
            return
        match statement:
            case ast.Expr(value=ast.Call() | ast.Await(value=ast.Call())):
                yield self._make("call dropped", statement, "pass")
            case ast.AugAssign() | ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
                if not self._function.endswith("__init__"):
                    yield self._make("assignment dropped", statement, "pass")
            case ast.Raise(exc=ast.AST()):
                yield self._make("raise dropped", statement, "pass")
            case ast.Return(value=ast.Constant(value=bool())) | ast.Return(value=None):
                pass  # a constant is negated as an expression
            case ast.Return(value=ast.Constant(value=None)):
                pass
            case ast.Return(value=value) if value:
                yield self._make("return", value, "None")

    # -- expressions -----------------------------------------------------------------------------------------

    def _expression(self, node: ast.AST) -> Iterator[Mutation]:
        match node:
            case ast.Constant():
                yield from self._constant(node)
            case ast.JoinedStr() | ast.Subscript(value=ast.Name(id="Literal" | "Annotated")):
                pass  # Python 3.11 does not say where the parts of an f-string are
            case ast.Call(func=ast.Name(id="cast"), args=[_, value]):
                yield from self._expression(value)
            case ast.Call(func=ast.Name(id=name)) if name in _TYPING_CALLS:
                pass
            case ast.keyword(arg=name) if name in _KEYWORDS_WITHOUT_EFFECT:
                pass
            case _:
                yield from self._operators(node)
                yield from self._conditions(node)
                for child in ast.iter_child_nodes(node):
                    yield from self._expression(child)

    def _operators(self, node: ast.AST) -> Iterator[Mutation]:
        match node:
            case ast.Compare(ops=[op], left=left, comparators=[right]):
                yield self._between("compare", left, right, *_COMPARE[type(op)])
            case ast.BoolOp(op=op, values=values):
                words = ("and", "or") if isinstance(op, ast.And) else ("or", "and")
                for left, right in itertools.pairwise(values):
                    yield self._between("and/or", left, right, *words)
            case ast.BinOp(op=ast.Add() | ast.Sub() as op, left=left, right=right):
                signs = ("+", "-") if isinstance(op, ast.Add) else ("-", "+")
                yield self._between("arithmetic", left, right, *signs)
            case ast.keyword(arg=str()):
                yield self._without(node)
            case _:
                pass

    def _conditions(self, node: ast.AST) -> Iterator[Mutation]:
        match node:
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                yield self._make("condition", node, f"({self._text(operand)})")
            case ast.IfExp(test=test):
                yield self._negated(test)
            case ast.comprehension(ifs=ifs):
                for test in ifs:
                    yield self._negated(test)
            case _:
                pass

    def _negated(self, test: ast.expr) -> Mutation:
        return self._make("condition", test, f"not ({self._text(test)})")

    def _constant(self, node: ast.Constant) -> Iterator[Mutation]:
        value = node.value
        if isinstance(value, bool):
            yield self._make("true/false", node, str(not value))
        elif isinstance(value, int) and value <= LARGEST_INT:
            yield self._make("off by one", node, str(value + 1))
        elif isinstance(value, str) and _is_wire_name(value) and self._text(node)[:1] in "'\"":
            yield self._make("string", node, f'"XX{value}"')

    # -- places ----------------------------------------------------------------------------------------------

    def _without(self, keyword: ast.keyword) -> Mutation:
        """Leave out a keyword argument, with a comma beside it."""
        start, end = self._span(keyword)
        after = re.compile(rb"\s*,").match(self._source, end)
        if after:
            end = after.end()
        else:
            head = self._source[:start].rstrip()
            start = len(head) - 1 if head.endswith(b",") else start
        return self._replaced("keyword dropped", start, end, "")

    def _between(self, kind: str, left: ast.AST, right: ast.AST, old: str, new: str) -> Mutation:
        """Replace the operator between two operands."""
        start, end = self._span(left)[1], self._span(right)[0]
        pattern = rb"\s+".join(re.escape(word) for word in old.encode().split())
        between = re.sub(rb"#[^\n]*", lambda found: b" " * len(found[0]), self._source[start:end])
        place = re.search(rb"(?<![\w<>=!])" + pattern + rb"(?![\w<>=])", between)
        assert place, f"{self._module}: no {old} between {self._text(left)} and {self._text(right)}"
        return self._replaced(kind, start + place.start(), start + place.end(), new)

    def _make(self, kind: str, node: ast.AST, new: str) -> Mutation:
        return self._replaced(kind, *self._span(node), new)

    def _replaced(self, kind: str, start: int, end: int, new: str) -> Mutation:
        old = self._source[start:end].decode()
        return Mutation(
            self._module, self._function, kind, old, new, start, end, self._lines, self._around, self._name
        )

    def _text(self, node: ast.AST) -> str:
        start, end = self._span(node)
        return self._source[start:end].decode()

    def _span(self, node: ast.AST) -> tuple[int, int]:
        assert isinstance(node, ast.expr | ast.stmt | ast.keyword | ast.pattern)
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return (
            self._starts[node.lineno - 1] + node.col_offset,
            self._starts[node.end_lineno - 1] + node.end_col_offset,
        )


def _is_wire_name(text: str) -> bool:
    return bool(_WIRE_NAME.fullmatch(text)) and not text.startswith("__")


def _is_words(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Pass) or (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    )


def _says_nothing(statement: ast.stmt) -> bool:
    """Whether a statement cannot change behaviour: see the module's docstring."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name)))):
            return name in _LOGGERS
        case ast.Raise(exc=ast.Name(id=name) | ast.Call(func=ast.Name(id=name))):
            return name in {"AssertionError", "NotImplementedError"}
        case ast.Expr(value=ast.Call(func=ast.Name(id="assert_never"))):
            return True
        case (
            ast.Import()
            | ast.ImportFrom()
            | ast.Assert()
            | ast.Pass()
            | ast.Global()
            | ast.Nonlocal()
            | ast.Expr(value=ast.Constant())
            | ast.Expr(
                value=ast.Await(
                    value=ast.Call(func=ast.Attribute(attr="sleep"), args=[ast.Constant(value=0)])
                )
            )
            | ast.If(test=ast.Name(id="TYPE_CHECKING"))
            | ast.Assign(targets=[ast.Name(id="__all__" | "__slots__" | "__match_args__")])
            | ast.AnnAssign(annotation=ast.Name(id="TypeAlias"))
        ):
            return True
        case _:
            return False


def _is_protocol(statement: ast.ClassDef) -> bool:
    return any(isinstance(base, ast.Name) and base.id == "Protocol" for base in statement.bases)


def _bound_by(statement: ast.stmt) -> str:
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return name
        case _:
            return ""


def _is_number(statement: ast.stmt) -> bool:
    value = getattr(statement, "value", None)
    return value is not None and all(
        isinstance(node, ast.Constant | ast.BinOp | ast.UnaryOp | ast.operator | ast.unaryop)
        and not (isinstance(node, ast.Constant) and isinstance(node.value, str | bool))
        for node in ast.walk(value)
    )

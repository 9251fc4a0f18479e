"""Find the definitions whose callers an edit concerns: those with another name, other parameters or another result."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import accumulate, takewhile
from typing import TYPE_CHECKING, Literal

from twospeed.syntax.trees.trees import SourceTree, parse_fully
from twospeed.syntax.trees.walks import children_from, children_of
from twospeed.text.code import javascript

from .parameters import CallParameter, accepts_all_calls, parameters_of

if TYPE_CHECKING:  # see trees
    from tree_sitter import Node

LANGUAGE_IDS = frozenset({"python", "go"}) | javascript.LANGUAGE_IDS

MAX_DEFINITIONS = 500
"""Definitions of one scope that are compared; a generated file has more."""

MAX_DEPTH = 60
MAX_SIGNATURE_CHARS = 300
MAX_COMPARED_CHARS = 4_000
"""Characters of two bodies that are compared, in at most 50 ms."""

NEARLY_EQUAL = 0.7
"""Part of two bodies that must be equal for a new definition to be a renamed one."""

DefinitionKind = Literal["function", "method", "class"]


@dataclass(frozen=True, slots=True)
class ChangedSignature:
    """A definition that others must use in another way since an edit.

    Attributes:
        kind: ``class`` if the parameters are those of a constructor.
        within: Names of the enclosing classes and functions, outermost first, as they are now.
        is_public: Whether code outside its parent function can see it.
        is_result_changed: Whether its result is of another type, or must be awaited now.
        is_default: Whether it is the default export of a JavaScript module.
        line: Line of the new name.
    """

    kind: DefinitionKind
    old_name: str
    new_name: str
    old_parameters: tuple[CallParameter, ...]
    new_parameters: tuple[CallParameter, ...]
    old_signature: str
    new_signature: str
    within: tuple[str, ...]
    is_public: bool
    is_result_changed: bool
    is_default: bool
    line: int
    column: int

    @property
    def is_renamed(self) -> bool:
        """Whether callers must use another name."""
        return self.old_name != self.new_name


@dataclass(frozen=True, slots=True)
class _Defined:
    kind: DefinitionKind
    name: str
    within: tuple[str, ...]
    is_local: bool
    is_static: bool
    is_default: bool
    line: int
    column: int
    owner: _Defined | None
    source: SourceTree
    function: Node
    body_node: Node | None

    @property
    def body(self) -> str:
        return "" if self.body_node is None else self.source.text_of(self.body_node)

    @property
    def head(self) -> str:
        """The text above the body: equal heads have equal parameters and results."""
        end = self.function.end_point if self.body_node is None else self.body_node.start_point
        return self.source.text_between(self.function.start_point, end)

    @property
    def is_async(self) -> bool:
        return any(child.type == "async" for child in children_of(self.function, 3))

    @property
    def parameters(self) -> tuple[CallParameter, ...]:
        if self.kind == "class":
            return ()
        parameters = parameters_of(self.source, self.function)
        is_bound = (
            self.kind == "method" and self.source.profile.language_id == "python" and not self.is_static
        )
        return parameters[1:] if is_bound else parameters

    @property
    def result(self) -> str:
        node = self.function.child_by_field_name("return_type") or self.function.child_by_field_name("result")
        return "" if node is None else " ".join(self.source.text_of(node).split()).lstrip(": ").strip("'\"")

    @property
    def path(self) -> tuple[str, ...]:
        return (*self.within, self.name)


def changed_signatures(
    before: Sequence[str],
    after: Sequence[str],
    language_id: str,
    *,
    old: tuple[int, int],
    new: tuple[int, int],
) -> tuple[ChangedSignature, ...]:
    """Return the definitions in the lines of an edit whose callers need another call.

    The document ``before`` has the edit's lines ``old``, and the document ``after`` its lines ``new``.
    Uncertain cases are left out: names that are defined twice, and code that does not parse. Cost: two parses of the
    document, so it is called in a thread.
    """
    if language_id not in LANGUAGE_IDS:
        return ()
    trees = parse_fully(language_id, before), parse_fully(language_id, after)
    if trees[0] is None or trees[1] is None:
        return ()
    was, now = _definitions(trees[0], *old), _definitions(trees[1], *new)
    renamed = _renamed(was, now)
    new_paths = {each.path: renamed.get(each.path, each.path) for each in was}
    found: dict[tuple[str, ...], ChangedSignature] = {}
    once = _once(now)
    for one in _once(was).values():
        path = _path_now(one.path, new_paths)
        other = once.get(path)
        if other and other.kind == one.kind and (changed := _changed(one, other, language_id)):
            found[_target(other)] = _joined(found.get(_target(other)), changed)
    return tuple(found.values())


def _path_now(path: tuple[str, ...], new_paths: dict[tuple[str, ...], tuple[str, ...]]) -> tuple[str, ...]:
    now: tuple[str, ...] = ()
    for depth in range(1, len(path) + 1):
        now = (*now, new_paths.get(path[:depth], path[:depth])[-1])
    return now


def _once(definitions: Sequence[_Defined]) -> dict[tuple[str, ...], _Defined]:
    paths = [each.path for each in definitions]
    return {each.path: each for each in definitions if paths.count(each.path) == 1}


def _target(definition: _Defined) -> tuple[str, ...]:
    """Return the path of what callers name: of the class for its constructor."""
    return definition.within if _is_constructor(definition) else definition.path


def _is_constructor(definition: _Defined) -> bool:
    return definition.kind == "method" and definition.name in ("__init__", "constructor")


def _is_called_by_name(definition: _Defined) -> bool:
    is_special = definition.name.startswith("__") and definition.name.endswith("__")
    return _is_constructor(definition) or not is_special


def _changed(old: _Defined, new: _Defined, language_id: str) -> ChangedSignature | None:
    if not _is_called_by_name(old) or not _is_called_by_name(new):
        return None
    if old.name.startswith("#") or new.name.startswith("#"):
        return None
    if old.name == new.name and old.is_static == new.is_static and old.head == new.head:
        return None
    has_other_result = old.result != new.result and (language_id == "go" or bool(old.result and new.result))
    has_other_result = has_other_result or old.is_async != new.is_async
    is_renamed = old.name != new.name
    if not (is_renamed or has_other_result) and accepts_all_calls(old.parameters, new.parameters):
        return None
    is_constructor = _is_constructor(new)
    named = new.owner if is_constructor and new.owner else new
    names = (old.within[-1], new.within[-1]) if is_constructor else (old.name, new.name)
    if is_constructor:
        has_other_result = False
    shown = [
        _shown(each, name, shows_result=has_other_result)
        for each, name in zip((old, new), names, strict=True)
    ]
    return ChangedSignature(
        kind="class" if is_constructor else new.kind,
        old_name=names[0],
        new_name=names[1],
        old_parameters=old.parameters,
        new_parameters=new.parameters,
        old_signature=shown[0],
        new_signature=shown[1],
        within=named.within,
        is_public=not named.is_local,
        is_result_changed=has_other_result,
        is_default=named.is_default,
        line=named.line,
        column=named.column,
    )


def _shown(definition: _Defined, name: str, *, shows_result: bool) -> str:
    if definition.kind == "class":
        return name
    owner = (
        f"{definition.within[-1]}." if definition.kind == "method" and not _is_constructor(definition) else ""
    )
    listed = ", ".join(each.text for each in definition.parameters)
    result = f" -> {definition.result}" if shows_result and definition.result else ""
    is_async = "async " if shows_result and definition.is_async else ""
    text = f"{is_async}{owner}{name}({listed}){result}"
    return text if len(text) <= MAX_SIGNATURE_CHARS else text[:MAX_SIGNATURE_CHARS] + "…"


def _joined(known: ChangedSignature | None, other: ChangedSignature) -> ChangedSignature:
    """Join what changed of a class and of its constructor."""
    if known is None:
        return other
    return other if other.old_signature.endswith(")") else known


# Renamed definitions


def _renamed(was: Sequence[_Defined], now: Sequence[_Defined]) -> dict[tuple[str, ...], tuple[str, ...]]:
    """Return the new path of each definition that was renamed in its place; classes before their members."""
    found: dict[tuple[str, ...], tuple[str, ...]] = {}
    levels = sorted({len(each.within) for each in was})
    for level in levels:
        for parent in dict.fromkeys(each.within for each in was if len(each.within) == level):
            parent_now = _path_now(parent, found)
            olds = [each for each in was if each.within == parent]
            news = [each for each in now if each.within == parent_now]
            for old, new in _renamed_siblings(olds, news):
                found[old.path] = new.path
    return found


def _renamed_siblings(
    olds: Sequence[_Defined], news: Sequence[_Defined]
) -> Iterator[tuple[_Defined, _Defined]]:
    kept = {each.name for each in olds} & {each.name for each in news}
    old_runs, new_runs = _runs(olds, kept), _runs(news, kept)
    for key, gone in old_runs.items():
        added = new_runs.get(key, [])
        if len(gone) == len(added) == 1 and _is_nearly_equal(gone[0], added[0]):
            yield gone[0], added[0]


def _runs(definitions: Sequence[_Defined], kept: set[str]) -> dict[tuple[str, int], list[_Defined]]:
    """Group the definitions between those that were kept, by the kept one above them."""
    runs: dict[tuple[str, int], list[_Defined]] = {}
    above, n_above = "", 0
    for each in definitions:
        if each.name in kept:
            above, n_above = each.name, n_above + 1
        else:
            runs.setdefault((above, n_above), []).append(each)
    return runs


def _is_nearly_equal(old: _Defined, new: _Defined) -> bool:
    if old.kind != new.kind or old.is_local != new.is_local:
        return False
    one = " ".join(re.sub(rf"\b{re.escape(old.name)}\b", lambda _: new.name, old.body).split())
    other = " ".join(new.body.split())
    if len(other) <= len("return None"):
        names = [[each.name for each in definition.parameters] for definition in (old, new)]
        return one == other and names[0] == names[1]
    if one == other:
        return True
    if max(len(one), len(other)) > MAX_COMPARED_CHARS:
        one, other = one[: MAX_COMPARED_CHARS // 2], other[: MAX_COMPARED_CHARS // 2]
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    return matcher.quick_ratio() >= NEARLY_EQUAL and matcher.ratio() >= NEARLY_EQUAL


# Definitions


def _definitions(source: SourceTree, start: int, end: int) -> list[_Defined]:
    found: list[_Defined] = []
    lines = source.lines[start : end + 1]
    ends = list(accumulate(map(len, lines)))
    words = _WORD_OF_DEFINITION.finditer("".join(lines))
    rows = [start + bisect_right(ends, word.start()) for word in words]
    stack: list[tuple[Node, _Defined | None]] = [(source.root, None)]
    while stack and len(found) < MAX_DEFINITIONS:
        node, owner = stack.pop()
        defined = _defined(source, node, owner)
        if defined and start <= node.start_point.row and node.end_point.row <= end:
            found.append(defined)
        inner = defined.body_node if defined else node
        owner = defined or owner
        if inner is None or (owner and len(owner.within) >= MAX_DEPTH):
            continue
        first, last = inner.start_point.row, inner.end_point.row
        is_class = owner is not None and owner.kind == "class"  # a method of JavaScript begins with its name
        if first >= start and not is_class and not _has_row(rows, first, last):
            continue
        children = takewhile(lambda child: child.start_point.row < end, children_from(inner, start))
        stack += reversed([(child, owner) for child in children if child.end_point.row >= start])
    return found


_WORD_OF_DEFINITION = re.compile("def|class|func|=>")


def _has_row(rows: Sequence[int], first: int, last: int) -> bool:
    at = bisect_left(rows, first)
    return at < len(rows) and rows[at] <= last


def _defined(source: SourceTree, node: Node, owner: _Defined | None) -> _Defined | None:
    within = owner.path if owner else ()
    is_in_class = owner is not None and owner.kind == "class"
    is_local = owner is not None and (owner.is_local or not is_in_class)
    parts = _parts(node, source.profile.language_id)
    if parts is None:
        return None
    kind, name, function = parts
    if kind == "function" and is_in_class:
        kind = "method"
    if kind == "method" and not is_in_class and node.type != "method_declaration":
        return None  # a method of an object literal
    receiver = node.child_by_field_name("receiver")
    if receiver is not None:
        within = (_receiver_type(source, receiver),)
    decorators = _decorators(source, node) if source.profile.language_id == "python" else []
    if any(map(_NOT_CALLED.match, decorators)):
        return None
    line, column = source.place(name.start_point)
    return _Defined(
        kind=kind,
        name=source.text_of(name),
        within=within,
        is_local=is_local,
        is_static="@staticmethod" in decorators,
        is_default=_is_default_export(source, node),
        line=line,
        column=column,
        owner=owner,
        source=source,
        function=function,
        body_node=function.child_by_field_name("body"),
    )


_CLASSES = frozenset({"class_definition", "class_declaration", "abstract_class_declaration"})
_FUNCTIONS = frozenset(
    {"function_definition", "function_declaration", "generator_function_declaration", "function_signature"}
)
_METHODS = frozenset(
    {"method_definition", "method_declaration", "method_signature", "abstract_method_signature"}
)
_FIELDS = frozenset({"field_definition", "public_field_definition"})
_VALUES = frozenset({"arrow_function", "function_expression", "generator_function"})


def _parts(node: Node, language_id: str) -> tuple[DefinitionKind, Node, Node] | None:
    """Return the kind, the name and the function of a node that defines one."""
    name = node.child_by_field_name("name") or node.child_by_field_name("property")
    if name is None:
        return None
    kinds: tuple[tuple[frozenset[str], DefinitionKind], ...] = (
        (_CLASSES, "class"),
        (_FUNCTIONS, "function"),
        (_METHODS, "method"),
    )
    for types, kind in kinds:
        if node.type in types:
            is_accessor = any(child.type in ("get", "set") for child in children_of(node, 4))
            return None if is_accessor else (kind, name, node)
    value = node.child_by_field_name("value") if language_id in javascript.LANGUAGE_IDS else None
    if value is None or value.type not in _VALUES:
        return None
    if node.type == "variable_declarator":
        return ("function", name, value) if name.type == "identifier" else None
    return ("method", name, value) if node.type in _FIELDS else None


def _receiver_type(source: SourceTree, receiver: Node) -> str:
    text = source.text_of(receiver).strip("() ")
    return text.split()[-1].lstrip("*").partition("[")[0] if text else ""


_NOT_CALLED = re.compile(
    r"@(?:\w+\.)*(?:\w*property|setter|getter|deleter|overload|fixture|singledispatch)\b|@\w+\.register\b"
)
"""Decorators of a method that code reads instead of calling it, and of functions with several signatures."""


def _decorators(source: SourceTree, node: Node) -> list[str]:
    """Return the lines of the decorators above a Python function."""
    found: list[str] = []
    for number in range(node.start_point.row - 1, max(-1, node.start_point.row - 10), -1):
        text = source.lines[number].strip()
        if not text.startswith("@"):
            break
        found.append(text)
    return found


def _is_default_export(source: SourceTree, node: Node) -> bool:
    line = source.lines[node.start_point.row][: source.column(node.start_point)]
    return line.split() == ["export", "default"]

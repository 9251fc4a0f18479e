"""Rewrite a Python function so that it does the same, by one function for each rewriting.

``REWRITINGS`` names them. Each takes the function's tree, which it may change, and a seeded generator of numbers, and
says whether it found anything to rewrite. `rewritten` puts that around source text and sees that the result compiles.
They are written with ``ast`` and know nothing of the fingerprints that are tried with them.
"""

from __future__ import annotations

import ast
import builtins
import textwrap
from collections.abc import Callable, Iterator
from random import Random

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
Rewriting = Callable[[FunctionNode, Random], bool]

_LOOKS_AT_NAMES = {"locals", "vars", "eval", "exec", "dir", "globals", "super"}


def rewritten(source: str, rewriting: Rewriting, seed: int) -> str | None:
    """Rewrite one function.

    Args:
        source: The function, indented or not.
        rewriting: One of ``REWRITINGS``.
        seed: For what is chosen.

    Returns:
        The function's new text, ``None`` where there is nothing to rewrite in it.
    """
    try:
        module = ast.parse(textwrap.dedent(source))
    except SyntaxError:
        return None
    (function,) = module.body
    assert isinstance(function, FunctionNode)
    before = ast.dump(function)
    if not rewriting(function, Random(seed)):
        return None
    if ast.dump(function) == before and rewriting is not comment:
        return None
    text = ast.unparse(ast.fix_missing_locations(module))
    if rewriting is comment:
        text = _with_comments(text, Random(seed))
    compile(text, "rewritten", "exec")
    return text


def rename(function: FunctionNode, random: Random) -> bool:
    """Call the function, its parameters and its variables something else."""
    names = _local_names(function)
    if not names or _looks_at_names(function):
        return False
    fresh = {name: f"{random.choice(_STEMS)}_{number}" for number, name in enumerate(sorted(names))}
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and node.id in fresh:
            node.id = fresh[node.id]
        elif isinstance(node, ast.arg) and node.arg in fresh:
            node.arg = fresh[node.arg]
        elif isinstance(node, ast.ExceptHandler) and node.name in fresh:
            node.name = fresh[node.name]
        elif isinstance(node, ast.Nonlocal):
            node.names = [fresh.get(name, name) for name in node.names]
        elif isinstance(node, FunctionNode) and node.name in fresh:
            node.name = fresh[node.name]
    own, function.name = function.name, f"{function.name}_again"
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and node.id == own:
            node.id = function.name
    return True


def reorder(function: FunctionNode, random: Random) -> bool:
    """Let neighbours change places that have nothing to do with each other."""
    places = [
        (body, number)
        for body in _bodies(function)
        for number in range(len(body) - 1)
        if _are_independent(body[number], body[number + 1])
    ]
    random.shuffle(places)
    moved: set[int] = set()
    for body, number in places:
        if not {id(body[number]), id(body[number + 1])} & moved:
            moved |= {id(body[number]), id(body[number + 1])}
            body[number], body[number + 1] = body[number + 1], body[number]
    return bool(moved)


def for_to_counting_while(function: FunctionNode, _random: Random) -> bool:
    """``for x in xs`` as a ``while`` over the places of ``xs``."""
    return _each_statement(function, _as_counting_while)


def for_to_iterator_while(function: FunctionNode, _random: Random) -> bool:
    """``for x in xs`` as a ``while True`` over ``next(…)``."""
    return _each_statement(function, _as_iterator_while)


def comprehension_to_for(function: FunctionNode, _random: Random) -> bool:
    """``[e for x in xs]`` as a loop that appends, likewise sets, dictionaries and sums."""
    return _each_statement(function, _as_for)


def for_to_comprehension(function: FunctionNode, _random: Random) -> bool:
    """A loop that only appends, as a comprehension."""
    changed = False
    for body in _bodies(function):
        for number in range(len(body) - 1):
            if number + 1 < len(body) and (one := _as_comprehension(body[number], body[number + 1])):
                body[number : number + 2] = [one]
                changed = True
    return changed


def comment(_function: FunctionNode, _random: Random) -> bool:
    """Add comments; a tree has none, so `rewritten` does it in the text."""
    return True


def document(function: FunctionNode, _random: Random) -> bool:
    """Add a docstring, or take it away."""
    if ast.get_docstring(function) is not None:
        if len(function.body) == 1:
            return False
        del function.body[0]
    else:
        function.body.insert(
            0, ast.Expr(ast.Constant("Do what the name says.\n\nArgs:\n    self: as ever.\n"))
        )
    return True


def annotate(function: FunctionNode, random: Random) -> bool:
    """Give parameters, variables and the result types, or take them away."""
    arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    has_types = any(argument.annotation for argument in arguments) or function.returns is not None
    for argument in arguments:
        argument.annotation = None if has_types else ast.parse(random.choice(_TYPES), mode="eval").body
    function.returns = None if has_types else ast.parse(random.choice(_TYPES), mode="eval").body
    declared = {
        name
        for node in ast.walk(function)
        if isinstance(node, ast.Global | ast.Nonlocal)
        for name in node.names
    }
    for body in _bodies(function):
        for number, node in enumerate(body):
            if isinstance(node, ast.Assign) and len(node.targets) == 1:
                target = node.targets[0]
                if isinstance(target, ast.Name) and target.id not in declared and not has_types:
                    annotation = ast.parse(random.choice(_TYPES), mode="eval").body
                    body[number] = ast.AnnAssign(target, annotation, node.value, simple=1)
            elif isinstance(node, ast.AnnAssign) and node.value and has_types:
                body[number] = ast.Assign([node.target], node.value)
    return True


def everything(function: FunctionNode, random: Random) -> bool:
    """All of them, one after the other."""
    steps = [comprehension_to_for, for_to_counting_while, reorder, rename, annotate, document]
    changed = False
    for step in steps:
        changed |= step(function, random)
        (again,) = ast.parse(ast.unparse(ast.fix_missing_locations(function))).body
        vars(function).update(vars(again))  # nodes made by hand lack what parsing gives them
    return changed


REWRITINGS: dict[str, Rewriting] = {
    "renamed": rename,
    "reordered": reorder,
    "for → while, counting": for_to_counting_while,
    "for → while, iterator": for_to_iterator_while,
    "comprehension → for": comprehension_to_for,
    "for → comprehension": for_to_comprehension,
    "comments": comment,
    "docstring": document,
    "type annotations": annotate,
    "all of these": everything,
}

_STEMS = ["value", "item", "thing", "part", "current", "data"]
_TYPES = ["int", "str | None", "list[str]", "dict[str, object]", "Iterable[tuple[int, ...]]"]


def _local_names(function: FunctionNode) -> set[str]:
    names: set[str] = set()
    shared: set[str] = set()
    for node in ast.walk(function):
        match node:
            case ast.arg(arg=name):
                names.add(name)
            case ast.Name(id=name, ctx=ast.Store()):
                names.add(name)
            case ast.ExceptHandler(name=str(name)):
                names.add(name)
            case ast.Global(names=declared):
                shared |= set(declared)
            case ast.alias(name=name, asname=other):
                shared.add(other or name.partition(".")[0])
            case ast.ClassDef(name=name):
                shared |= {name, *_local_to_class(node)}
            case ast.FunctionDef(name=name) if node is not function:
                names.add(name)
            case ast.MatchAs() | ast.MatchStar() | ast.MatchMapping():
                return set()
            case _:
                pass
    keywords = {node.arg for node in ast.walk(function) if isinstance(node, ast.keyword) and node.arg}
    inner = {
        argument.arg
        for node in ast.walk(function)
        if isinstance(node, FunctionNode) and node is not function
        for argument in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    }
    return names - shared - (inner & keywords) - set(dir(builtins)) - {"self", "cls", "__class__"}


def _local_to_class(node: ast.ClassDef) -> set[str]:
    return {
        inner.id
        for inner in ast.walk(node)
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store)
    } | {inner.name for inner in ast.walk(node) if isinstance(inner, FunctionNode)}


def _looks_at_names(function: FunctionNode) -> bool:
    return any(isinstance(node, ast.Name) and node.id in _LOOKS_AT_NAMES for node in ast.walk(function))


def _bodies(function: FunctionNode) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(function):
        for name in ("body", "orelse", "finalbody"):
            body = getattr(node, name, None)
            if (
                isinstance(body, list)
                and body
                and isinstance(body[0], ast.stmt)
                and not isinstance(node, ast.ClassDef)
            ):
                yield body


def _are_independent(one: ast.stmt, other: ast.stmt) -> bool:
    """Two assignments of plain names, of which at most one calls anything, and neither has what the other sets."""
    if not all(isinstance(each, ast.Assign | ast.AnnAssign | ast.AugAssign) for each in (one, other)):
        return False
    names = [_names(each) for each in (one, other)]
    if any(written is None for _, written in names):
        return False
    (reads, writes), (other_reads, other_writes) = names
    assert writes is not None and other_writes is not None  # noqa: PT018
    if writes & (other_reads | other_writes) or other_writes & reads:
        return False
    return sum(_has_effects(each) for each in (one, other)) <= 1


def _names(node: ast.stmt) -> tuple[set[str], set[str] | None]:
    written = {
        inner.id
        for inner in ast.walk(node)
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store)
    }
    read = {
        inner.id
        for inner in ast.walk(node)
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load)
    }
    if isinstance(node, ast.AugAssign):
        read |= written
    is_plain = not any(
        isinstance(inner, ast.Attribute | ast.Subscript) and isinstance(inner.ctx, ast.Store)
        for inner in ast.walk(node)
    )
    return read, (written if is_plain else None)


def _has_effects(node: ast.AST) -> bool:
    kinds = ast.Call | ast.Await | ast.Yield | ast.YieldFrom | ast.NamedExpr | ast.Attribute | ast.Subscript
    return any(isinstance(inner, kinds) for inner in ast.walk(node))


def _each_statement(function: FunctionNode, write: Callable[[ast.stmt, int], list[ast.stmt] | None]) -> bool:
    changed = 0
    for body in list(_bodies(function)):
        for node in list(body):
            if (others := write(node, changed)) is not None:
                at = next(number for number, each in enumerate(body) if each is node)
                body[at : at + 1] = others
                changed += 1
    return changed > 0


def _continues(node: ast.For) -> bool:
    waiting: list[ast.AST] = list(node.body)
    while waiting:
        inner = waiting.pop()
        if isinstance(inner, ast.Continue):
            return True
        if not isinstance(inner, ast.For | ast.While | ast.AsyncFor | FunctionNode | ast.Lambda):
            waiting += ast.iter_child_nodes(inner)
    return False


def _as_counting_while(node: ast.stmt, number: int) -> list[ast.stmt] | None:
    if not isinstance(node, ast.For) or node.orelse:
        return None
    counter = f"index_{number}"
    first = ast.parse(f"{counter} = 0").body
    walked = node.iter
    step = ast.parse(f"{counter} += 1").body
    if isinstance(walked, ast.Call) and isinstance(walked.func, ast.Name) and walked.func.id == "range":
        if len(walked.args) != 1 or _continues(node):
            return None
        loop = ast.While(
            _compared(counter, walked.args[0]),
            [*_stored(node.target, ast.Name(counter)), *node.body, *step],
            [],
        )
        return [*first, loop]
    if not isinstance(walked, ast.Name | ast.Attribute):
        return None
    length = ast.Call(ast.Name("len"), [walked], [])
    value = ast.Subscript(walked, ast.Name(counter))
    return [
        *first,
        ast.While(_compared(counter, length), [*_stored(node.target, value), *step, *node.body], []),
    ]


def _as_iterator_while(node: ast.stmt, number: int) -> list[ast.stmt] | None:
    if not isinstance(node, ast.For) or node.orelse:
        return None
    name = f"iterator_{number}"
    taken = _stored(node.target, ast.Call(ast.Name("next"), [ast.Name(name)], []))
    handler = ast.ExceptHandler(ast.Name("StopIteration"), None, [ast.Break()])
    begun = ast.Assign([ast.Name(name)], ast.Call(ast.Name("iter"), [node.iter], []))
    return [begun, ast.While(ast.Constant(value=True), [ast.Try(taken, [handler], [], []), *node.body], [])]


def _compared(counter: str, end: ast.expr) -> ast.expr:
    return ast.Compare(ast.Name(counter), [ast.Lt()], [end])


def _stored(target: ast.expr, value: ast.expr) -> list[ast.stmt]:
    return [ast.Assign([target], value)]


def _as_for(node: ast.stmt, number: int) -> list[ast.stmt] | None:
    """Rewrite ``return [… for …]`` and ``name = [… for …]``."""
    match node:
        case ast.Return(value=ast.expr() as value):
            name, end = f"found_{number}", ast.parse(f"return found_{number}", mode="exec").body
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            end = []
        case _:
            return None
    parts = _comprehended(value, name)
    if parts is None or any(isinstance(each, ast.Name) and each.id == name for each in ast.walk(value)):
        return None
    first, innermost, generators = parts
    if any(generator.is_async for generator in generators):
        return None
    for generator in reversed(generators):
        for test in reversed(generator.ifs):
            innermost = ast.If(test, [innermost], [])
        innermost = ast.For(generator.target, generator.iter, [innermost], [])
    return [*ast.parse(f"{name} = {first}").body, innermost, *end]


def _comprehended(value: ast.expr, name: str) -> tuple[str, ast.stmt, list[ast.comprehension]] | None:
    """Say what a loop in a comprehension's place begins with, what it does each time, and what it walks over."""
    match value:
        case ast.ListComp(elt=elt, generators=generators):
            return "[]", _with_value(f"{name}.append(_)", elt), generators
        case ast.SetComp(elt=elt, generators=generators):
            return "set()", _with_value(f"{name}.add(_)", elt), generators
        case ast.DictComp(key=key, value=elt, generators=generators):
            return "{}", ast.Assign([ast.Subscript(ast.Name(name), key)], elt), generators
        case ast.Call(func=ast.Name(id="sum"), args=[ast.GeneratorExp(elt=elt, generators=generators)]):
            return "0", _with_value(f"{name} += _", elt), generators
        case _:
            return None


def _with_value(statement: str, value: ast.expr) -> ast.stmt:
    (node,) = ast.parse(statement).body
    changed = _Put(value).visit(node)
    assert isinstance(changed, ast.stmt)
    return changed


class _Put(ast.NodeTransformer):
    """Put an expression where ``_`` stands."""

    def __init__(self, value: ast.expr) -> None:
        self._value = value

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._value if node.id == "_" else node


def _as_comprehension(first: ast.stmt, loop: ast.stmt) -> ast.stmt | None:
    """Rewrite ``name = []`` and a loop that only appends to it."""
    match first:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.List(elts=[])):
            pass
        case _:
            return None
    generators: list[ast.comprehension] = []
    node = loop
    while True:
        match node:
            case ast.For(target=target, iter=walked, body=[inner], orelse=[]):
                generators.append(ast.comprehension(target, walked, [], 0))
                node = inner
            case ast.If(test=test, body=[inner], orelse=[]) if generators:
                generators[-1].ifs.append(test)
                node = inner
            case ast.Expr(
                ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr="append"), args=[value])
            ) if generators and owner == name:
                break
            case _:
                return None
    if any(isinstance(each, ast.Name) and each.id == name for each in ast.walk(value)):
        return None
    if any(isinstance(each, ast.Yield | ast.YieldFrom | ast.Await) for each in ast.walk(loop)):
        return None
    return ast.Assign([ast.Name(name)], ast.ListComp(value, generators))


def _with_comments(text: str, random: Random) -> str:
    lines: list[str] = []
    is_in_string = False
    for line in text.split("\n"):
        is_statement = line.rstrip().endswith(":") or line.endswith(")")
        if not is_in_string and is_statement and random.random() < 0.4:
            lines.append(f"{line}  # {random.choice(_STEMS)}: as it was")
        else:
            lines.append(line)
        if line.count('"""') % 2:
            is_in_string = not is_in_string
    return "\n".join(lines)

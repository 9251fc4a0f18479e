"""Find the functions and classes around a place of a tree.

A definition is a function-like or class-like node with the declarations around it that belong to it: decorators,
``export``, ``const f =``, a class field, an object's key, ``a.b =``. A cursor on those means the definition, and
one in the doc comment or the decorators on the lines above means it too.
A function is named by itself or by the declaration around it; one that has neither name is left to the caller
(lambdas, callbacks). Trees may be hostile: only paths are followed, never ``parent``, never by recursion.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from twospeed.text.lines import body_of

from .trees import SourceTree

if TYPE_CHECKING:  # see trees
    from tree_sitter import Node

_MAX_LEADING = 500
"""Comments and decorators followed above a definition; the limit keeps a hostile document from being slow."""

_SHEBANG = "#!"


@dataclass(frozen=True, slots=True)
class Definition:
    """A function or class with what belongs to it.

    Attributes:
        kind: What it is.
        name: As the code shows it, ``None`` where it has none.
        node: The function or class.
        outer: The outermost declaration around it; the same node where there is none.
    """

    kind: Literal["function", "class"]
    name: str | None
    node: Node
    outer: Node


def definitions_at(source: SourceTree, line: int, column: int) -> list[Definition]:
    """Find what encloses the character at a place, outermost first.

    The comments and decorators directly above a definition belong to it.

    Args:
        source: The document.
        line: 0-based line.
        column: Code points; of a character that is not white space, or what is found is only what spans the place.
    """
    path = source.path_to(line, column)
    found = list(_definitions_on(source, path))
    if below := _place_below_leading(source, path):
        known = {definition.node.id for definition in found}
        there = _definitions_on(source, source.path_to(*below))
        new = [other for other in there if other.node.id not in known][:1]
        found += [other for other in new if first_line_of(source, other) <= line]
    return found


def first_line_of(source: SourceTree, definition: Definition) -> int:
    """Return the line a definition begins at, with the doc comment and decorators directly above it."""
    leading = leading_of(source, definition.outer)
    return (leading[-1] if leading else definition.outer).start_point.row


def leading_of(source: SourceTree, outer: Node) -> list[Node]:
    """List the comments and decorators on the lines directly above a definition, from the bottom up."""
    line, column = source.place(outer.start_point)
    found: list[Node] = []
    while len(found) < _MAX_LEADING:
        above = _last_column(source, line - 1)
        if above is None or (leading := _leading_on(source, source.path_to(line - 1, above))) is None:
            break
        if source.column(leading.start_point) > column or leading.end_point > outer.start_point:
            break  # the last words of the body above, or a decorator that the definition stands in
        found.append(leading)
        line = leading.start_point.row
    return found


def name_of(source: SourceTree, node: Node, wrappers: Sequence[Node]) -> str | None:
    """Name a definition by itself or else by the innermost declaration that gives a name."""
    if name := node.child_by_field_name("name"):
        return _on_one_line(source, name)
    for wrapper in reversed(wrappers):
        binder = source.profile.binders.get(wrapper.type)
        if binder and (name := wrapper.child_by_field_name(binder)):
            return _on_one_line(source, name)
        if wrapper.type == "export_statement":
            return "default"  # ECMA-262, "Exports": an anonymous default export is named so
    return None


def _wrapped_by(
    source: SourceTree, wrapper: Node, known: Sequence[Node] = ()
) -> tuple[Node, list[Node]] | None:
    """Follow a wrapper down to the function or class it wraps.

    Args:
        source: The document.
        wrapper: Where to begin.
        known: Path to prefer where a declaration wraps several definitions; begins below ``wrapper``.

    Returns:
        The function or class, and the wrappers on the way, ``wrapper`` first; ``None`` where it wraps neither.
    """
    wrappers = [wrapper]
    while True:
        ahead = known[len(wrappers) - 1] if len(wrappers) <= len(known) else None
        node = ahead if ahead is not None and _is_step(source, ahead) else _step_down(source, wrappers[-1])
        if node is None:
            return None
        if _is_definition(source, node):
            return node, wrappers
        if node is not ahead:
            known = ()
        wrappers.append(node)


def _definitions_on(source: SourceTree, path: Sequence[Node]) -> Iterator[Definition]:
    profile = source.profile
    seen: int | None = None
    run_until = 0
    for depth, node in enumerate(path):
        if node.type in profile.wrappers and depth >= run_until:
            run_until = _end_of_run(source, path, depth)
            if wrapped := _wrapped_by(source, node, path[depth + 1 : run_until + 1]):
                inner, wrappers = wrapped
                seen = inner.id
                yield _definition(source, inner, wrappers)
        elif _is_definition(source, node) and node.id != seen:
            yield _definition(source, node, [])


def _definition(source: SourceTree, node: Node, wrappers: Sequence[Node]) -> Definition:
    kind: Literal["function", "class"] = "function" if node.type in source.profile.functions else "class"
    return Definition(kind, name_of(source, node, wrappers), node, wrappers[0] if wrappers else node)


def _end_of_run(source: SourceTree, path: Sequence[Node], depth: int) -> int:
    while depth < len(path) and path[depth].type in source.profile.wrappers:
        depth += 1
    return depth


def _is_definition(source: SourceTree, node: Node) -> bool:
    # The keyword ``class`` is a node of that type too, but an unnamed one.
    return node.is_named and (node.type in source.profile.functions or node.type in source.profile.classes)


def _is_step(source: SourceTree, node: Node) -> bool:
    return node.type in source.profile.wrappers or _is_definition(source, node)


def _step_down(source: SourceTree, wrapper: Node) -> Node | None:
    for field in source.profile.steps:
        child = wrapper.child_by_field_name(field)
        if child is not None:
            return child if _is_step(source, child) else None
    return next((child for child in wrapper.named_children if _is_step(source, child)), None)


def _place_below_leading(source: SourceTree, path: Sequence[Node]) -> tuple[int, int] | None:
    """Return where the text begins below the comments and decorators that a path ends in."""
    leading = _leading_on(source, path)
    below = None
    for _ in range(_MAX_LEADING):
        if leading is None:
            break
        below = _first_text_after(source, *source.place(leading.end_point))
        if below is None:
            return None
        leading = _leading_on(source, source.path_to(*below))
    return below


def _first_text_after(source: SourceTree, line: int, column: int) -> tuple[int, int] | None:
    """Return the place of the first character after a place, on its line or the next one."""
    for line, text in enumerate(source.lines[line : line + 2], line):  # noqa: B020, PLR1704  # goes on from there
        rest = text[column:].lstrip()
        if rest:
            return line, len(text) - len(rest)
        column = 0
    return None


def _leading_on(source: SourceTree, path: Sequence[Node]) -> Node | None:
    """Find the comment or decorator on a path that has its lines to itself, up to the next definition."""
    node = next((node for node in path if node.type in source.profile.leading), None)
    if node is None:
        return None
    line, column = source.place(node.start_point)
    text = source.lines[line]
    if text[:column].strip() or (line == 0 and text.startswith(_SHEBANG)):
        return None
    return node


def _last_column(source: SourceTree, line: int) -> int | None:
    """Return the column of a line's last character that is not white space."""
    text = body_of(source.lines[line]).rstrip() if line >= 0 else ""
    return len(text) - 1 if text else None


def _on_one_line(source: SourceTree, node: Node) -> str:
    return " ".join(source.text_of(node).split())

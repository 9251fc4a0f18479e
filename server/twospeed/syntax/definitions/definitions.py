"""Find functions and classes in a tree: their names, first and last lines.

A definition is a function-like or class-like node with the declarations that belong to it: decorators,
``export``, ``const f =``, a class field, an object's key. Trees may be hostile, so only paths are followed:
no ``parent``, no recursion.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from twospeed.syntax.trees.trees import SourceTree
from twospeed.syntax.trees.walks import follow, named_children_of
from twospeed.text.lines import indent_width

from .leading import first_line_above, leading_of, path_near, place_below_leading

if TYPE_CHECKING:  # see trees
    from tree_sitter import Node

_MAX_WRAPPERS = 32
"""``a = b = c = function () {}`` has three."""


@dataclass(frozen=True, slots=True)
class DefinitionNode:
    """A function or class with the declarations that belong to it.

    Attributes:
        wrappers: These declarations, outermost first. ``outer`` is the first, or ``node``.
        path: Nodes around a place in it, outermost first, of which ``depth`` are around ``outer``.
    """

    kind: Literal["function", "class"]
    node: Node
    outer: Node
    wrappers: Sequence[Node]
    path: Sequence[Node]
    depth: int


def definitions_at(source: SourceTree, line: int, column: int) -> list[DefinitionNode]:
    """Return the definitions around the character at a place, outermost first.

    At white space, only definitions that span the place are found.
    """
    path = source.path_to(line, column)
    found = list(_definitions_on(source, path))
    if below := place_below_leading(source, path):
        known = {definition.node.id for definition in found}
        there = _definitions_on(source, path_near(source, *below, path, len(path)))
        new = [other for other in there if other.node.id not in known][:1]
        found += [other for other in new if first_line_of(source, other) <= line]
    return found


def first_line_of(source: SourceTree, definition: DefinitionNode) -> int:
    """Return the first line of a definition, with the doc comment and decorators directly above it."""
    leading = leading_of(source, definition.outer, definition.path, definition.depth)
    return (leading[-1] if leading else definition.outer).start_point.row


def _definitions_on(source: SourceTree, path: Sequence[Node]) -> Iterator[DefinitionNode]:
    seen: int | None = None
    wrapped_until = 0
    for depth, node in enumerate(path):
        if depth >= wrapped_until and is_wrapper(source, node):
            wrapped_until = _end_of_wrappers(source, path, depth)
            if wrapped := wrapped_by(source, node, path[depth + 1 : wrapped_until + 1]):
                inner, wrappers = wrapped
                seen = inner.id
                kind = kind_of(source, inner)
                assert kind
                yield DefinitionNode(kind, inner, node, wrappers, path, depth)
        elif node.id != seen and (kind := kind_of(source, node)):
            yield DefinitionNode(kind, node, node, (), path, depth)


def wrapped_by(
    source: SourceTree, wrapper: Node, known: Sequence[Node] = ()
) -> tuple[Node, list[Node]] | None:
    """Return the function or class inside a wrapper, preferably on the path ``known``, and its wrappers."""
    wrappers = [wrapper]
    while len(wrappers) <= _MAX_WRAPPERS:
        ahead = known[len(wrappers) - 1] if len(wrappers) <= len(known) else None
        if ahead is not None and (not _is_step(source, ahead) or _is_name(source, ahead, wrappers[-1])):
            ahead = None
        node = ahead or _step_down(source, wrappers[-1])
        if node is None:
            return None
        if kind_of(source, node):
            return node, wrappers
        if node is not ahead:
            known = ()
        wrappers.append(node)
    return None


def _end_of_wrappers(source: SourceTree, path: Sequence[Node], depth: int) -> int:
    while depth < len(path) and is_wrapper(source, path[depth]):
        depth += 1
    return depth


def kind_of(source: SourceTree, node: Node) -> Literal["function", "class"] | None:
    """Return whether a node is a function or a class, without its wrappers."""
    if not node.is_named:
        return None  # the keyword ``class`` is an unnamed node of that type
    profile, kind = source.profile, node.type
    condition = profile.conditions.get(kind)
    is_met = condition is None or condition.holds_for(node)
    if kind in profile.functions and is_met:
        return "function"
    if kind in profile.classes and (is_met or kind in profile.functions):
        return "class"
    return None


def is_wrapper(source: SourceTree, node: Node) -> bool:
    """Return whether a node may be a declaration that belongs to a definition."""
    kind = node.type
    if kind not in source.profile.wrappers:
        return False
    opening = node.child(1) if kind in source.profile.groups else None
    return opening is None or opening.type != "("


def _is_step(source: SourceTree, node: Node) -> bool:
    return is_wrapper(source, node) or kind_of(source, node) is not None


def _is_name(source: SourceTree, node: Node, wrapper: Node) -> bool:
    binder = source.profile.binders.get(wrapper.type)
    return binder is not None and wrapper.child_by_field_name(binder) == node


def _step_down(source: SourceTree, wrapper: Node) -> Node | None:
    has_field = False
    for field in source.profile.steps:
        child = wrapper.child_by_field_name(field)
        if child is not None and _is_step(source, child):
            return child
        has_field = has_field or child is not None
    if has_field:
        return None
    return next((child for child in named_children_of(wrapper) if _is_step(source, child)), None)


_MAX_NAME_BYTES = 500
"""A longer text is no name: in ``{[function () { … }]: f}`` it may be a whole document."""


def name_of(source: SourceTree, node: Node, wrappers: Sequence[Node]) -> str | None:
    """Return the name of a definition, or of the innermost declaration around it that has one, on one line."""
    for declaration in (node, *reversed(wrappers)):
        binder = source.profile.binders.get(declaration.type)
        if binder and (name := follow(declaration, binder)):
            return _name_text(source, unwrapped(source, name))
        if declaration is node and (name := node.child_by_field_name("name")):
            return _name_text(source, name)
        if declaration.type == "export_statement":
            return "default"  # ECMA-262, "Exports": the name of an anonymous default export
    return None


def unwrapped(source: SourceTree, node: Node | None) -> Node | None:
    """Return the name inside nested declarators."""
    while node and node.type in source.profile.around_names:
        inner = node.child_by_field_name("declarator")
        node = inner or (node.named_child(node.named_child_count - 1) if node.named_child_count else None)
    return node


def _name_text(source: SourceTree, node: Node | None) -> str | None:
    if node is None or node.end_byte - node.start_byte > _MAX_NAME_BYTES:
        return None
    text = source.text_of(node)
    if rest := _part_after_name(source, node):
        text = text.encode()[: rest.start_byte - node.start_byte].decode("utf-8", "ignore")
    return " ".join(text.split()) or None


def _part_after_name(source: SourceTree, node: Node) -> Node | None:
    cuts = source.profile.cut_names
    while cuts and node.type not in cuts and (inner := node.child_by_field_name("name")):
        node = inner
    return unwrapped(source, node.child_by_field_name(cuts[node.type])) if node.type in cuts else None


_MAX_CLAUSES = 500
"""Limit of neighbours on either side. It bounds the time for hostile documents."""

_AROUND_OPERATORS = "()`"


def end_of(source: SourceTree, node: Node) -> int:
    """Return the line after a node, without trailing blank lines and the comments of the next definition."""
    first = node.start_point.row
    last, column = source.place(node.end_point)
    end = last + 1 if last < len(source.lines) and source.lines[last][:column].strip() else last
    if end < len(source.lines) and source.lines[end].strip():
        end = first_line_above(source, end, indent_width(source.lines[end]))
    while end > first + 1:
        above = end - 1
        if source.lines[above].strip():
            above = end
            if source.profile.is_indented:
                above = first_line_above(source, end, indent_width(source.lines[first]))
            if above == end:
                break
        end = above
    return max(end, first + 1)


def clauses_of(source: SourceTree, definition: DefinitionNode) -> tuple[Node, Node]:
    """Return the first and the last clause of a function written as several nodes: Haskell's equations."""
    first = last = definition.outer
    if first.type in source.profile.clauses:
        first = _last_clause(source, definition, step=-1)
        last = _last_clause(source, definition, step=1)
    return first, last


def _last_clause(source: SourceTree, definition: DefinitionNode, *, step: int) -> Node:
    around = definition.path[definition.depth - 1]
    name = _without_operator_brackets(name_of(source, definition.node, ()))
    found = at = definition.outer
    for _ in range(_MAX_CLAUSES):
        place = _nearest_text(source, at, step)
        near = path_near(source, *place, (source.root, around), 2) if place else []
        if len(near) == 1 or around not in near[:1]:
            break
        at = near[1]
        if at.type in source.profile.clauses and _without_operator_brackets(name_of(source, at, ())) == name:
            found = at
        elif at.type not in source.profile.leading:
            break
    return found


def _nearest_text(source: SourceTree, node: Node, step: int) -> tuple[int, int] | None:
    end = end_of(source, node)
    numbers = range(node.start_point.row - 1, -1, -1) if step < 0 else range(end, len(source.lines))
    number = next((number for number in numbers if source.lines[number].strip()), None)
    if number is None:
        return None
    text = source.lines[number]
    return number, (len(text.rstrip()) - 1 if step < 0 else indent_width(text))


def _without_operator_brackets(name: str | None) -> str | None:
    return name.strip(_AROUND_OPERATORS) if name else None

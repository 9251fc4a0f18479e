"""Find the functions and classes around a place of a tree.

A definition is a function-like or class-like node with the declarations that belong to it: decorators,
``export``, ``template <…>``, ``const f =``, a class field, an object's key, ``a.b =``. A cursor on those, or
on the doc comment and the decorators above, means the definition. The name is that of the function or of the
declaration around it; nameless ones (lambdas, callbacks) are left to the caller. Trees may be hostile, so
only paths are followed: no ``parent``, no recursion.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from twospeed.syntax.trees.trees import SourceTree
from twospeed.syntax.trees.walks import named_children_of

from .leading import leading_of, path_near, place_below_leading

if TYPE_CHECKING:  # see trees
    from tree_sitter import Node

_MAX_WRAPPERS = 32
"""Declarations around one definition that are followed: ``a = b = c = function () {}`` has three."""


@dataclass(frozen=True, slots=True)
class DefinitionNode:
    """A function or class with the declarations that belong to it.

    Attributes:
        outer: The outermost declaration that belongs to it, or ``node``.
        wrappers: All of these declarations, outermost first.
        path: Nodes around a place in it, outermost first.
        depth: Number of path nodes around ``outer``.
    """

    kind: Literal["function", "class"]
    node: Node
    outer: Node
    wrappers: Sequence[Node]
    path: Sequence[Node]
    depth: int


def definitions_at(source: SourceTree, line: int, column: int) -> list[DefinitionNode]:
    """Return the definitions around the character at a place, outermost first.

    The comments and decorators directly above a definition belong to it.

    Args:
        source: The document.
        line: 0-based line.
        column: Code points, of a character that is not white space. Otherwise only definitions that span the place are found.
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
    """Return the first line of a definition, including the doc comment and decorators directly above it."""
    leading = leading_of(source, definition.outer, definition.path, definition.depth)
    return (leading[-1] if leading else definition.outer).start_point.row


def _definitions_on(source: SourceTree, path: Sequence[Node]) -> Iterator[DefinitionNode]:
    seen: int | None = None
    run_until = 0
    for depth, node in enumerate(path):
        if depth >= run_until and is_wrapper(source, node):
            run_until = _end_of_run(source, path, depth)
            if wrapped := wrapped_by(source, node, path[depth + 1 : run_until + 1]):
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
    """Return the function or class inside a wrapper.

    Args:
        source: The document.
        wrapper: The outermost declaration.
        known: Preferred path below ``wrapper``, if a declaration contains several definitions.

    Returns:
        The function or class, and the wrappers around it, ``wrapper`` first. ``None`` if there is none.
    """
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


def _end_of_run(source: SourceTree, path: Sequence[Node], depth: int) -> int:
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

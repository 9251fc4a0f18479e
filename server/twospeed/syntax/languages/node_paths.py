"""Follow paths of fields and node types down a tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # tree_sitter is loaded by the first parse, not by the import of this room
    from tree_sitter import Node


def follow(node: Node, path: str) -> Node | None:
    """Return the first node at the end of a path such as ``"variable_list name"``, or ``None``.

    Args:
        node: The start.
        path: Fields or node types of children, each one level below the other, separated by spaces.
    """
    return next(_follow(node, path.split()), None)


def first_child(node: Node, types: Sequence[str] | frozenset[str]) -> Node | None:
    """Return the first child of a node that has one of some types."""
    return next(_children(node, types), None)


def _follow(node: Node, steps: Sequence[str]) -> Iterator[Node]:
    if not steps:
        yield node
        return
    step, below = steps[0], steps[1:]
    child = node.child_by_field_name(step)
    for inner in (child,) if child is not None else _children(node, (step,)):
        yield from _follow(inner, below)  # recursion as deep as the path is long


def _children(node: Node, types: Sequence[str] | frozenset[str]) -> Iterator[Node]:
    cursor = node.walk()  # a node may have too many children for a list
    is_there = cursor.goto_first_child()
    while is_there:
        if cursor.node and cursor.node.type in types:
            yield cursor.node
        is_there = cursor.goto_next_sibling()

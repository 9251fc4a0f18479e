"""Follow a tree's nodes down by their fields and types."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # tree_sitter is loaded by the first parse, not by the import of this room
    from tree_sitter import Node


def follow(node: Node, way: str) -> Node | None:
    """Go from a node down a way, ``"variable_list name"``.

    Args:
        node: Where to begin.
        way: Fields or node types of children, one below the other, separated by spaces.

    Returns:
        The first node at the end of the way, ``None`` where there is none.
    """
    return next(_follow(node, way.split()), None)


def first_child(node: Node, types: Sequence[str] | frozenset[str]) -> Node | None:
    """Return a node's first child of some types."""
    return next(_children(node, types), None)


def _follow(node: Node, steps: Sequence[str]) -> Iterator[Node]:
    if not steps:
        yield node
        return
    step, below = steps[0], steps[1:]
    child = node.child_by_field_name(step)
    for inner in (child,) if child is not None else _children(node, (step,)):
        yield from _follow(inner, below)  # as deep as the way is long


def _children(node: Node, types: Sequence[str] | frozenset[str]) -> Iterator[Node]:
    cursor = node.walk()  # a node may have more children than one wants to list
    is_there = cursor.goto_first_child()
    while is_there:
        if cursor.node and cursor.node.type in types:
            yield cursor.node
        is_there = cursor.goto_next_sibling()

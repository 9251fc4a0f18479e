"""Walk over trees with limits, however deep, flat or broken a tree is.

Each cursor step takes the same time and releases the GIL. Lists of children are not used: 500,000
children take 100 ms without a release.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # see trees
    from tree_sitter import Node, TreeCursor

MAX_NODES = 80_000
"""Nodes that a walk visits, in 15 ms for little work at each. 5,000 lines of code have about 60,000."""

MAX_CHILDREN = 10_000
"""Children of one node that are visited. A file of 50,000 lines has about 5,000 statements."""


class Walk:
    """The first ``limit`` nodes below a node in document order, parents first.

    Nodes that end above ``row`` are skipped. ``is_cut`` is whether the limit ended the walk.
    """

    def __init__(self, node: Node, limit: int = MAX_NODES, *, row: int = 0) -> None:
        self._cursor = node.walk()
        self._limit = limit
        self._row = row
        self._enters = True
        self.is_cut = False

    def skip(self) -> None:
        """Skip the children of the last node."""
        self._enters = False

    def __iter__(self) -> Iterator[Node]:
        cursor = self._cursor
        for _ in range(self._limit):
            node = cursor.node
            assert node
            begins_above = self._row > 0 and node.start_point.row < self._row
            yield node
            enters, self._enters = self._enters, True
            if enters:
                enters = _enter(cursor, self._row if begins_above else 0)
            while not enters:
                enters = cursor.goto_next_sibling()
                if not enters and not cursor.goto_parent():
                    return
        self.is_cut = True


def _enter(cursor: TreeCursor, row: int) -> bool:
    """Move a cursor to the first child that ends in a row or below; return whether there is one."""
    if row == 0:
        return cursor.goto_first_child()
    if cursor.goto_first_child_for_point((row, 0)) is not None:
        return True
    # It finds no child for a blank before a hidden token, such as the line end of a statement in Go.
    if not cursor.goto_first_child():
        return False
    for _ in range(MAX_CHILDREN):
        if cursor.node and cursor.node.end_point.row >= row:
            return True
        if not cursor.goto_next_sibling():
            break
    cursor.goto_parent()
    return False


def children_of(node: Node, limit: int = MAX_CHILDREN) -> Iterator[Node]:
    """Yield the first children of a node."""
    return children_from(node, 0, limit)


def children_from(node: Node, row: int, limit: int = MAX_CHILDREN) -> Iterator[Node]:
    """Yield the first children of a node from one on that ends in a row or below."""
    cursor = node.walk()
    if not _enter(cursor, row):
        return
    for _ in range(limit):
        child = cursor.node
        assert child
        yield child
        if not cursor.goto_next_sibling():
            return


def named_children_of(node: Node, limit: int = MAX_CHILDREN) -> Iterator[Node]:
    """Yield the first named children of a node."""
    return (child for child in children_of(node, limit) if child.is_named)


def follow(node: Node, path: str) -> Node | None:
    """Return the first node at the end of a path, or ``None``.

    A path such as ``"variable_list name"`` has a field or node type for each level.
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

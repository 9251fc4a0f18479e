"""Walks over trees that visit a limited number of nodes, however deep, flat or broken a tree is.

Each step of a cursor takes the same time and releases the GIL afterwards. Lists of children are not used: for
500,000 children they take 100 ms without a release.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # tree_sitter is loaded by the first parse, not by the import of this room
    from tree_sitter import Node

MAX_NODES = 80_000
"""Nodes that a walk visits: 15 ms for little work at each. 5,000 lines of ordinary code have about 60,000."""

MAX_CHILDREN = 10_000
"""Children of one node that are visited. A file of 50,000 lines has about 5,000 statements."""


class Walk:
    """The nodes below a node in document order, parents first.

    Args:
        node: The first node.
        limit: Number of nodes to visit.
        row: First row of interest. Nodes that end above it are skipped.

    Attributes:
        is_cut: Whether the limit ended the walk.
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
        cursor, place = self._cursor, (self._row, 0)
        for _ in range(self._limit):
            node = cursor.node
            assert node
            begins_above = self._row > 0 and node.start_point.row < self._row
            yield node
            enters, self._enters = self._enters, True
            if enters and begins_above:
                enters = cursor.goto_first_child_for_point(place) is not None
            elif enters:
                enters = cursor.goto_first_child()
            while not enters:
                enters = cursor.goto_next_sibling()
                if not enters and not cursor.goto_parent():
                    return
        self.is_cut = True


def children_of(node: Node, limit: int = MAX_CHILDREN) -> Iterator[Node]:
    """Yield the first children of a node."""
    cursor = node.walk()
    if not cursor.goto_first_child():
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

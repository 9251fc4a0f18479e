"""Count syntax errors, to tell whether an edit has broken something."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from .trees import parse

if TYPE_CHECKING:  # see trees
    from tree_sitter import Node, Tree


def count_errors(lines: Sequence[str], language_id: str) -> int | None:
    """Count what the parser could not read, and what it had to imagine.

    Args:
        lines: The document's lines, with their line ends.
        language_id: LSP language id.

    Returns:
        The number of ``ERROR`` and ``MISSING`` nodes, ``None`` where the document cannot be parsed.
    """
    source = parse(language_id, lines)
    return None if source is None else sum(1 for _ in errors_in(source.tree))


def errors_in(tree: Tree) -> Iterator[Node]:
    """Yield the ``ERROR`` and ``MISSING`` nodes of a tree; parts without any are not entered."""
    cursor = tree.walk()
    while True:
        node = cursor.node
        assert node
        if node.is_error or node.is_missing:
            yield node
        if node.has_error and cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return

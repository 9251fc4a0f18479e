"""Find the doc comments, decorators and attributes above a definition, which belong to it.

The search starts from known nodes instead of the root: in a hostile document the path from there has 50,000
nodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from twospeed.syntax.trees.trees import SourceTree
from twospeed.text.lines import body_of

if TYPE_CHECKING:  # see trees
    from tree_sitter import Node

_MAX_LEADING = 500
"""Limit of comments and decorators above a definition. It bounds the time for hostile documents."""

_MAX_SIBLINGS = 500_000
"""Limit of sibling nodes in sum: tree-sitter visits those before a place one by one, 200 in a microsecond."""

_SHEBANG = "#!"


def leading_of(source: SourceTree, outer: Node, path: Sequence[Node] = (), depth: int = 0) -> list[Node]:
    """Return the comments and decorators directly above a definition, from the bottom up.

    Args:
        source: The document.
        outer: The definition with its declarations.
        path: Known nodes around it, outermost first. They save time.
        depth: Number of path nodes to use.
    """
    line, column = source.place(outer.start_point)
    found: list[Node] = []
    limit = _n_followed(path[depth - 1] if depth else source.root)
    while len(found) < limit:
        above = _last_column(source, line - 1)
        if above is None:
            break
        leading = _leading_on(source, path_near(source, line - 1, above, path, depth))
        if leading is None:
            break
        if source.column(leading.start_point) > column or leading.end_point > outer.start_point:
            break  # the end of the body above, or a decorator around it
        found.append(leading)
        line = leading.start_point.row
    return found


def place_below_leading(source: SourceTree, path: Sequence[Node]) -> tuple[int, int] | None:
    """Return the start of the text below the comments and decorators at the end of a path.

    Args:
        source: The document.
        path: Nodes around a place, outermost first.

    Returns:
        A line and a column, or ``None`` if the path ends in none or no text follows.
    """
    leading = _leading_on(source, path)
    around = next((above for above, node in pairwise(path) if node == leading), source.root)
    below = None
    for _ in range(_n_followed(around)):
        if leading is None:
            break
        below = _first_text_after(source, *source.place(leading.end_point))
        if below is None:
            return None
        leading = _leading_on(source, path_near(source, *below, path, len(path)))
    return below


def _n_followed(around: Node) -> int:
    """Return how many comments and decorators among the children of a node are followed."""
    return min(_MAX_LEADING, 10 + _MAX_SIBLINGS // max(around.child_count, 1))


def path_near(source: SourceTree, line: int, column: int, path: Sequence[Node], depth: int) -> list[Node]:
    """Return the nodes around the character at a place, from the innermost known one that contains it.

    Args:
        source: The document.
        line: 0-based line.
        column: Code points from the start of the line.
        path: Nodes around a nearby place, outermost first.
        depth: Number of path nodes to use.

    Returns:
        As `SourceTree.path_to`, without the nodes above the first one.
    """
    return source.path_to(line, column, (path[at] for at in range(depth - 1, 0, -1)))


def _first_text_after(source: SourceTree, line: int, column: int) -> tuple[int, int] | None:
    """Return the first character after a place, on its line or the next one."""
    for number in range(line, min(line + 2, len(source.lines))):
        text = source.lines[number]
        rest = text[column:].lstrip()
        if rest:
            return number, len(text) - len(rest)
        column = 0
    return None


def _leading_on(source: SourceTree, path: Sequence[Node]) -> Node | None:
    """Return the comment or decorator on a path that has its lines to itself."""
    node = next((node for node in path if node.type in source.profile.leading), None)
    if node is None:
        return None
    line, column = source.place(node.start_point)
    text = source.lines[line]
    if text[:column].strip() or (line == 0 and text.startswith(_SHEBANG)):
        return None
    return None if text[column:].startswith(source.profile.inner_comments) else node


def _last_column(source: SourceTree, line: int) -> int | None:
    text = body_of(source.lines[line]).rstrip() if line >= 0 else ""
    return len(text) - 1 if text else None

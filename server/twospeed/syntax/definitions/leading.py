"""Find the doc comments, decorators and attributes above a definition, which belong to it.

Grammars attach comments differently, TOML's and Scala's to the code above. So comments are also found by
their marks: for a reader one belongs to the code directly below, unless it is indented deeper. The search by
nodes starts from known ones: in a hostile document the path from the root has 50,000.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from twospeed.syntax.languages import comment_marks
from twospeed.syntax.trees.trees import SourceTree
from twospeed.text.lines import body_of, indent_width

if TYPE_CHECKING:  # see trees
    from tree_sitter import Node

_MAX_LEADING = 500
"""Limit for one definition. It bounds the time for hostile documents."""

_MAX_SIBLINGS = 500_000
"""Limit of sibling nodes in sum: tree-sitter visits those before a place one by one, 200 in a microsecond."""

_SHEBANG = "#!"


def leading_of(source: SourceTree, outer: Node, path: Sequence[Node] = (), depth: int = 0) -> list[Node]:
    """Return the comments and decorators directly above a definition, from the bottom up."""
    line, column = source.place(outer.start_point)
    found: list[Node] = []
    limit = _max_leading(path[depth - 1] if depth else source.root)
    while len(found) < limit:
        above = _last_column(source, line - 1)
        if above is None:
            break
        leading = _leading_node(source, path_near(source, line - 1, above, path, depth))
        if leading is None:
            break
        if source.column(leading.start_point) > column or leading.end_point > outer.start_point:
            break  # the end of the body above, or a decorator around it
        found.append(leading)
        line = leading.start_point.row
    return found


def comment_over_gap(source: SourceTree, line: int, column: int) -> Node | None:
    """Return the comment or decorator above a place that only empty lines separate from it, if any."""
    number = line - 1
    while number >= max(0, line - _MAX_LINES) and _last_column(source, number) is None:
        number -= 1
    above = _last_column(source, number)
    leading = None if above is None else _leading_node(source, path_near(source, number, above, (), 0))
    return leading if leading and source.column(leading.start_point) <= column else None


def place_below_leading(source: SourceTree, path: Sequence[Node]) -> tuple[int, int] | None:
    """Return the place of the text below the comments and decorators at the end of a path."""
    leading = _leading_node(source, path)
    around = next((above for above, node in pairwise(path) if node == leading), source.root)
    below = None
    for _ in range(_max_leading(around)):
        if leading is None:
            break
        below = _first_text_after(source, *source.place(leading.end_point))
        if below is None:
            return None
        leading = _leading_node(source, path_near(source, *below, path, len(path)))
    return below


def _max_leading(around: Node) -> int:
    return min(_MAX_LEADING, 10 + _MAX_SIBLINGS // max(around.child_count, 1))


def path_near(source: SourceTree, line: int, column: int, path: Sequence[Node], depth: int) -> list[Node]:
    """Return the nodes around a place, from the innermost of ``path[:depth]`` that contains it."""
    return source.path_to(line, column, (path[at] for at in range(depth - 1, 0, -1)))


def _first_text_after(source: SourceTree, line: int, column: int) -> tuple[int, int] | None:
    for number in range(line, min(line + 2, len(source.lines))):
        text = source.lines[number]
        rest = text[column:].lstrip()
        if rest:
            return number, len(text) - len(rest)
        column = 0
    return None


def _leading_node(source: SourceTree, path: Sequence[Node]) -> Node | None:
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


_MAX_LINES = 500
"""Limit of comment lines. It bounds the time for hostile documents."""


def first_line_above(source: SourceTree, line: int, column: int) -> int:
    """Return the first line of the comments directly above a line, none of them deeper than ``column``."""
    marks = comment_marks(source.profile.language_id)
    first, number = line, line - 1
    while number >= max(0, line - _MAX_LINES):
        text = source.lines[number].strip()
        opening = next((start for start, end in marks.block if text.endswith(end)), None)
        if opening is not None:
            number = _line_of_opening(source, number, opening)
        elif not text.startswith(marks.line):
            break
        if number < 0 or indent_width(source.lines[number]) > column:
            break
        first = number
        number -= 1
    return first


def first_line_below(source: SourceTree, line: int) -> int | None:
    """Return the first line of text directly below the comments that start at a line, if any."""
    marks = comment_marks(source.profile.language_id)
    openings, closings = (tuple(pair) for pair in zip(*marks.block, strict=True)) if marks.block else ((), ())
    is_inside = False
    for number in range(line, min(line + _MAX_LINES, len(source.lines))):
        text = source.lines[number].strip()
        if not is_inside and not is_comment(source, text):
            return number if text else None
        is_inside = (is_inside or text.startswith(openings)) and not text.endswith(closings)
    return None


def is_comment(source: SourceTree, text: str) -> bool:
    """Return whether a line starts with a comment."""
    marks = comment_marks(source.profile.language_id)
    return text.lstrip().startswith((*marks.line, *(start for start, _ in marks.block)))


def _line_of_opening(source: SourceTree, line: int, opening: str) -> int:
    for number in range(line, max(-1, line - _MAX_LINES), -1):
        if opening in source.lines[number]:
            return number if source.lines[number].lstrip().startswith(opening) else -1
    return -1

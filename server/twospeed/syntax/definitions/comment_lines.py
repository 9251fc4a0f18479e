"""Find comments above and below a line by their marks.

Grammars attach comments differently: TOML's and Scala's to the code above, with everything up to the next
header. For a reader a comment belongs to the code directly below, unless it is indented deeper.
"""

from __future__ import annotations

from twospeed.syntax.languages import comment_marks
from twospeed.syntax.trees.trees import SourceTree
from twospeed.text.lines import indent_width

_MAX_LINES = 500
"""Limit of comment lines that are followed. It bounds the time for hostile documents."""


def first_line_above(source: SourceTree, line: int, column: int) -> int:
    """Return the first line of the comments directly above a line, or ``line`` if there are none.

    Args:
        source: The document.
        line: 0-based.
        column: Column of the text on that line. A deeper comment does not belong to it.
    """
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
    """Return the first line of text below the comments that start at a line.

    Args:
        source: The document.
        line: 0-based, not inside a comment.

    Returns:
        ``line`` itself if no comment starts there. ``None`` if a blank line or nothing follows.
    """
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
    """Return the line on which a block comment starts, or ``-1`` if text precedes it."""
    for number in range(line, max(-1, line - _MAX_LINES), -1):
        if opening in source.lines[number]:
            return number if source.lines[number].lstrip().startswith(opening) else -1
    return -1

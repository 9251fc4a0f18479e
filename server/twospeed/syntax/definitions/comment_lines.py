"""Follow comments as lines, by the marks they are written with.

Grammars hang a comment where they like: TOML's and Scala's at the end of what stands above it, with everything up to
the next header. A reader looks at lines: a comment belongs to what stands directly below it, unless it is indented
deeper.
"""

from __future__ import annotations

from twospeed.syntax.languages import comment_marks
from twospeed.syntax.trees.trees import SourceTree

_MAX_LINES = 500
"""Lines of comments followed; the limit keeps a hostile document from being slow."""


def first_line_above(source: SourceTree, line: int, column: int) -> int:
    """Return the first line of the comments that stand directly above a line.

    Args:
        source: The document.
        line: 0-based.
        column: Of what stands on that line; a comment that is indented deeper is not part of them.

    Returns:
        A line, ``line`` itself where there are none.
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
        if number < 0 or indent_of(source.lines[number]) > column:
            break
        first = number
        number -= 1
    return first


def first_line_below(source: SourceTree, line: int) -> int | None:
    """Return the first line of text below the comments that begin at a line.

    Args:
        source: The document.
        line: 0-based; no line within a comment.

    Returns:
        A line, ``line`` itself where no comment begins; ``None`` where a blank line stands there, or nothing.
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
    """Whether a line begins with a comment."""
    marks = comment_marks(source.profile.language_id)
    return text.lstrip().startswith((*marks.line, *(start for start, _ in marks.block)))


def indent_of(line: str) -> int:
    """Return the column a line's text begins at."""
    return len(line) - len(line.lstrip())


def _line_of_opening(source: SourceTree, line: int, opening: str) -> int:
    """Return the line that a block comment begins at, ``-1`` where text stands before it."""
    for number in range(line, max(-1, line - _MAX_LINES), -1):
        if opening in source.lines[number]:
            return number if source.lines[number].lstrip().startswith(opening) else -1
    return -1

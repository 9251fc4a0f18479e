"""Where the cursor is, or what is selected in the scope, in words for a model.

A scope is wider than a selection: an instruction such as "fix this" is about one line of it.
"""

from __future__ import annotations

from collections.abc import Sequence

MAX_QUOTED_CHARS = 300
"""Of a line that is quoted: enough to find it by."""

_Place = tuple[int, int]
"""A line, 0 for the scope's first, and an index into it in code points."""


def describe_selection(lines: Sequence[str], start: _Place, end: _Place) -> tuple[str, ...]:
    """Say where a cursor is, or what is selected.

    Args:
        lines: The scope's lines without line ends.
        start: Of the selection.
        end: Of the selection; equal to ``start`` for a cursor.

    Returns:
        Some lines of words; none where all of the scope is selected or the selection is outside of it.
    """
    (first, left), (last, right) = start, end
    if 0 <= first < last <= len(lines) and right == 0:  # the end of whole lines is the start of the next one
        last, right = last - 1, len(lines[last - 1])
    if not 0 <= first <= last < len(lines):
        return ()
    line = lines[first]
    if start == end:
        return (f"the cursor is on line {first + 1} of the scope, column {left + 1}: {_quoted(line)}",)
    if first == last and line[left:right].strip() != line.strip():
        return (
            f"selected on line {first + 1} of the scope: {_quoted(line[left:right])}",
            f"all of that line: {_quoted(line)}",
        )
    if (first, last) == (0, len(lines) - 1):
        return ()
    return (
        f"selected are the lines {first + 1} to {last + 1} of the scope, from this one on: {_quoted(line)}",
    )


def _quoted(text: str) -> str:
    return text.strip()[:MAX_QUOTED_CHARS]

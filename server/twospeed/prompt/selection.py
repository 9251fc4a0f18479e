"""Describe the cursor or the selection inside the scope for a model.

A scope is larger than a selection: an instruction such as "fix this" is about one of its lines.
"""

from __future__ import annotations

from collections.abc import Sequence

MAX_QUOTED_CHARS = 300
"""Longest quote of a line."""

_Place = tuple[int, int]
"""A line, 0 for the first of the scope, and an index into it in code points."""


def describe_selection(lines: Sequence[str], start: _Place, end: _Place) -> tuple[str, ...]:
    """Return lines that describe a cursor or a selection.

    Args:
        lines: The scope without line ends.
        start: Start of the selection.
        end: End of the selection. Equal to ``start`` for a cursor.

    Returns:
        Empty if the whole scope is selected or the selection is outside the scope.
    """
    (first, left), (last, right) = start, end
    if 0 <= first < last <= len(lines) and right == 0:  # whole lines end at the start of the next one
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

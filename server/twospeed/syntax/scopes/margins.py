"""Find lines that start inside a string or a comment, where indentation is irrelevant.

An open quote turns everything up to the next one into a string. So a string is not trusted if it contains the
end of a definition, or the start of another one, as a reader sees it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from twospeed.syntax.trees.trees import SourceTree
from twospeed.text.lines import body_of, indent_width

from .scope_code import is_text_or_comment

HEADER = re.compile(r"[ \t]*(?:async[ \t]+)?(?P<kind>def|class)[ \t]+(?P<name>\w+)")

_MAX_LOOKED_UP = 20
_MAX_LEVELS = 20_000
"""Places that are looked up in the tree, and nodes around all of them: 10 ms."""

_LINES_SLICED = 256
"""Slices are ten times faster than single lines. An iterator of `Lines` would start at the first line."""


def lines_below(lines: Sequence[str], start: int, end: int | None = None) -> Iterator[str]:
    """Yield the lines from ``start`` up to ``end``, by default the end of the document."""
    end = len(lines) if end is None else end
    while start < end:
        yield from lines[start : min(start + _LINES_SLICED, end)]
        start += _LINES_SLICED


def lines_above(lines: Sequence[str], end: int) -> Iterator[str]:
    """Yield the lines above a line, nearest first."""
    while end > 0:
        start = max(0, end - _LINES_SLICED)
        yield from reversed(lines[start:end])
        end = start


class Margins:
    """The strings and comments of a document, looked up on demand."""

    def __init__(self, source: SourceTree) -> None:
        self._source = source
        self._n_looked_up = self._n_levels = 0
        self._known: tuple[range, int | None] = (range(0), None)

    def is_inside_text(self, line: int, limit: int) -> bool:
        """Return whether a line starts inside a string or a comment.

        Args:
            line: 0-based line.
            limit: Indentation of a definition that may end here.
        """
        lines, end_column = self._known
        if line not in lines:
            self._known = lines, end_column = self._look_up(line)
        return line in lines and (end_column is None or end_column > limit)

    def _look_up(self, line: int) -> tuple[range, int | None]:
        """Return the lines inside the string at a line, and the lowest indentation of an end in it."""
        if line == 0 or self._n_looked_up == _MAX_LOOKED_UP or self._n_levels > _MAX_LEVELS:
            return range(0), None
        above = line - 1
        path = self._source.path_to(above, len(body_of(self._source.lines[above])))
        self._n_looked_up, self._n_levels = self._n_looked_up + 1, self._n_levels + len(path)
        for node in path:
            first, last = node.start_point.row, node.end_point
            if is_text_or_comment(node) and first < line and last > (line, 0):
                lines = range(first + 1, last.row + 1)
                return lines, min(self._ends(lines), default=None)
        return range(0), None

    def _ends(self, lines: range) -> Iterator[int]:
        profile = self._source.profile
        for text in lines_below(self._source.lines, lines.start, lines.stop):
            is_end = HEADER.match(text) if profile.is_indented else text.lstrip().startswith(profile.closers)
            if is_end:
                yield indent_width(text)

"""Find functions and classes by indentation if a syntax error misleads the parser.

While the user types a line, an open bracket may swallow all later definitions. This module finds what a
reader sees: Python's ``def`` and ``class`` lines with deeper lines below them, and the closing brace at the
indentation of its function. An open quote turns everything up to the next one into a string, so a string is
not trusted if it contains the start or end of a definition.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from twospeed.syntax.trees.trees import SourceTree
from twospeed.text.code.scope import Scope, ScopeKind
from twospeed.text.lines import body_of, indent_width

from .scope_code import is_text_or_comment

_NOT_CODE = ("#", ")", "]", "}")
"""Prefixes of lines whose indentation is irrelevant: comments, the end of a multi-line header."""

_OPENERS = ("{", "(", "[")
_NO_NEIGHBOURS = (*_NOT_CODE, "{", "/", "*", "@", "<")
"""The same for other languages, with directives, attributes, markup and labels."""


def scopes_by_indentation(lines: Sequence[str], line: int, regions: TextRegions) -> Iterator[Scope]:
    """Yield the functions and classes around a line, innermost first."""
    limit = _indent(lines[line]) + (1 if HEADER.match(lines[line]) else 0)
    for number in range(line, -1, -1):
        if limit == 0:
            return
        text = lines[number].strip()
        indent = _indent(lines[number])
        if not text or text.startswith(_NOT_CODE) or indent >= limit:
            continue
        if regions.is_inside_text(number, limit - 1):
            continue
        if match := HEADER.match(lines[number]):
            kind: ScopeKind = "function" if match["kind"] == "def" else "class"
            end = max(end_by_indentation(lines, number, regions), line + 1)
            yield Scope(kind, match["name"], _first_line(lines, number), end)
        limit = indent


def end_by_indentation(lines: Sequence[str], header: int, regions: TextRegions) -> int:
    """Return the line after a body: the first line that is not deeper than its header ends it."""
    limit = _indent(lines[header])
    end = header + 1
    for number, line in enumerate(lines_below(lines, end), end):
        text = line.strip()
        if not text:
            continue
        if _indent(line) <= limit:
            if text.startswith("#"):
                continue  # it may refer to the code below
            is_end_of_header = text.startswith(_NOT_CODE) and _indent(line) == limit
            if not is_end_of_header and not regions.is_inside_text(number, limit):
                break
        end = number + 1
    return end


def end_by_closer(
    lines: Sequence[str], header: int, first: int, end: int, closers: tuple[str, ...], regions: TextRegions
) -> int:
    """Return the end that a reader sees of a definition that may have swallowed its neighbours.

    ``first`` is the line after the one on which its body starts. ``end`` is the parser's, returned by default.
    """
    limit = _indent(lines[header])
    last = first - 1
    for number, line in enumerate(lines_below(lines, header + 1, end), header + 1):
        text = line.strip()
        if not text:
            continue
        if _indent(line) > limit:
            last = max(last, number)
        elif text.rstrip(";,") in closers:
            return number + 1
        elif number < first:
            continue  # a header may have several lines
        elif text.startswith(closers) and not text.endswith(_OPENERS):
            return number + 1
        elif not text.startswith(_NO_NEIGHBOURS) and not text.endswith(":"):
            if not regions.is_inside_text(number, limit):
                return last + 1
            last = number
    return end


def end_beyond_closer(
    lines: Sequence[str], header: int, end: int, closers: tuple[str, ...], regions: TextRegions
) -> int:
    """Return the end of a definition that the parser closed too early: an inner line lacks an opening brace."""
    limit = _indent(lines[header])
    if end <= header + 1 or _indent(lines[end - 1]) <= limit:
        return end
    for number, line in enumerate(lines_below(lines, end), end):
        text = line.strip()
        if not text or _indent(line) > limit:
            continue
        if text.startswith(closers):
            return number + 1 if _indent(line) == limit else end
        if not text.startswith("#") and not text.endswith(":") and not regions.is_inside_text(number, limit):
            return end
    return end


def _first_line(lines: Sequence[str], header: int) -> int:
    first = header
    while first > 0 and _indent(lines[first - 1]) == _indent(lines[header]):
        if not lines[first - 1].lstrip().startswith(("@", "#")):
            break
        first -= 1
    return first


def _indent(line: str) -> int:
    return indent_width(body_of(line))  # of a blank line its spaces without the line end


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


class TextRegions:
    """The strings and comments of a document, looked up on demand."""

    def __init__(self, source: SourceTree) -> None:
        self._source = source
        self._n_looked_up = self._n_levels = 0
        self._known: tuple[range, int | None] = (range(0), None)

    def is_inside_text(self, line: int, limit: int) -> bool:
        """Return whether a line starts inside a string or a comment.

        ``limit`` is the indentation of a definition that may end here.
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

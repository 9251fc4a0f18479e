"""Find functions and classes by indentation if a syntax error misleads the parser.

While the user types a line, the parser may take all later definitions for the inside of an open bracket. This module
finds the ends by indentation: of Python's ``def`` and ``class``, the first line that is not further in; otherwise, the
closing brace at the indentation of the definition. An open quote turns everything up to the next one into a string, so a
string is not trusted if it contains the start or end of a definition.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from twospeed.syntax.trees.trees import SourceTree
from twospeed.text.code.scope import Scope, ScopeKind
from twospeed.text.lines import body_of, indent_width

from .scope_code import is_text_or_comment

HEADER = re.compile(r"[ \t]*(?:async[ \t]+)?(?P<kind>def|class)[ \t]+(?P<name>\w+)")

_IGNORED = ("#", ")", "]", "}")
"""Prefixes of Python lines whose indentation is ignored: of comments, and of the last line of a long header or call."""

_OPENERS = ("{", "(", "[")
_NO_HEADERS = (*_IGNORED, "{", "/", "*", "@", "<")
"""Prefixes of lines that begin no definition in other languages: also of comments, attributes and markup."""

_MAX_LOOKUPS = 20
_MAX_NODES = 20_000
"""Limits of `TextRegions`, 10 ms: lookups in the tree, and nodes on the paths to them."""

_LINES_SLICED = 256
"""Slices are ten times faster than single lines. An iterator of `Lines` would start at the first line."""


def scopes_by_indentation(lines: Sequence[str], line: int, regions: TextRegions) -> Iterator[Scope]:
    """Yield the functions and classes around a line, innermost first."""
    # Only a header indented by less than `limit` encloses the lines below it. A header encloses itself.
    limit = _indent(lines[line]) + (1 if HEADER.match(lines[line]) else 0)
    for number in range(line, -1, -1):
        if limit == 0:
            return
        text = lines[number].strip()
        indent = _indent(lines[number])
        if not text or text.startswith(_IGNORED) or indent >= limit:
            continue
        if regions.is_inside_text(number, limit - 1):
            continue
        if match := HEADER.match(lines[number]):
            kind: ScopeKind = "function" if match["kind"] == "def" else "class"
            end = max(end_by_indentation(lines, number, regions), line + 1)
            yield Scope(kind, match["name"], _first_line(lines, number), end)
        limit = indent


def end_by_indentation(lines: Sequence[str], header: int, regions: TextRegions) -> int:
    """Return the line after a body: the first line that is not indented further than its header ends it."""
    limit = _indent(lines[header])
    end = header + 1
    for number, line in enumerate(lines_below(lines, end), end):
        text = line.strip()
        if not text:
            continue
        if _indent(line) <= limit:
            if text.startswith("#"):
                continue  # a comment may belong to the code below
            is_end_of_header = text.startswith(_IGNORED) and _indent(line) == limit
            if not is_end_of_header and not regions.is_inside_text(number, limit):
                break
        end = number + 1
    return end


def end_by_closer(
    lines: Sequence[str], header: int, inner: int, end: int, closers: tuple[str, ...], regions: TextRegions
) -> int:
    """Return the end of a definition whose end may be too late for the parser: an inner bracket is open.

    ``inner`` is the line below the one on which its body starts. ``end`` is the parser's, returned by default.
    """
    limit = _indent(lines[header])
    last = inner - 1  # the last line known to be inside
    for number, line in enumerate(lines_below(lines, header + 1, end), header + 1):
        text = line.strip()
        if not text:
            continue
        if _indent(line) > limit:
            last = max(last, number)
        elif text.rstrip(";,") in closers:
            return number + 1
        elif number < inner:
            continue  # a header may have several lines
        elif text.startswith(closers) and not text.endswith(_OPENERS):  # as "});", unlike "} else {"
            return number + 1
        elif not text.startswith(_NO_HEADERS) and not text.endswith(":"):  # no label
            if not regions.is_inside_text(number, limit):
                return last + 1  # the next definition begins here
            last = number
    return end


def end_beyond_closer(
    lines: Sequence[str], header: int, end: int, closers: tuple[str, ...], regions: TextRegions
) -> int:
    """Return the end of a definition that the parser ended too early: an inner opening brace is missing."""
    limit = _indent(lines[header])
    if end <= header + 1 or _indent(lines[end - 1]) <= limit:
        return end  # its last line is its own closing brace
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
    return indent_width(body_of(line))  # without the line end, which would count in a blank line


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
        self._n_lookups = self._n_nodes = 0
        self._newest: tuple[range, int | None] = (range(0), None)

    def is_inside_text(self, line: int, indent: int) -> bool:
        """Return whether a line starts inside a string or a comment, unless an open quote makes it seem so.

        A quote is open if the string contains the start or end of a definition indented by at most ``indent``.
        """
        lines, least_indent = self._newest
        if line not in lines:
            self._newest = lines, least_indent = self._look_up(line)
        return line in lines and (least_indent is None or least_indent > indent)

    def _look_up(self, line: int) -> tuple[range, int | None]:
        """Return the lines of the string around a line's start, and the least indentation that `_bounds` finds."""
        if line == 0 or self._n_lookups == _MAX_LOOKUPS or self._n_nodes > _MAX_NODES:
            return range(0), None
        above = line - 1
        path = self._source.path_to(above, len(body_of(self._source.lines[above])))
        self._n_lookups, self._n_nodes = self._n_lookups + 1, self._n_nodes + len(path)
        for node in path:
            first, last = node.start_point.row, node.end_point
            if is_text_or_comment(node) and first < line and last > (line, 0):
                lines = range(first + 1, last.row + 1)
                return lines, min(self._bounds(lines), default=None)
        return range(0), None

    def _bounds(self, lines: range) -> Iterator[int]:
        """Yield the indentation of each line that looks like the start or end of a definition."""
        profile = self._source.profile
        for text in lines_below(self._source.lines, lines.start, lines.stop):
            bound = HEADER.match(text) if profile.is_indented else text.lstrip().startswith(profile.closers)
            if bound:
                yield indent_width(text)

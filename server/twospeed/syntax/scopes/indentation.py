"""Find where functions and classes begin and end by indentation, where a syntax error misleads the parser.

While a line is being written, an open bracket may swallow every definition behind it. What is found here is what
a reader would see: Python's ``def`` and ``class`` lines with less indentation than what stands below them, and the
closing brace that stands where the function with the open one began.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from twospeed.syntax.definitions.comment_lines import indent_of
from twospeed.text.code.scope import Scope, ScopeKind
from twospeed.text.lines import body_of

from .margins import HEADER, Margins

_NOT_CODE = ("#", ")", "]", "}")
"""What begins a line whose indentation says nothing: a comment, the end of a header over several lines."""

_OPENERS = ("{", "(", "[")
_NO_NEIGHBOURS = (*_NOT_CODE, "{", "/", "*", "@", "<")
"""The same in other languages: also directives, attributes, markup. What ends in a colon is a label."""


def scopes_by_indentation(lines: Sequence[str], line: int, margins: Margins) -> Iterator[Scope]:
    """Yield the functions and classes around a line, innermost first."""
    limit = _indent(lines[line]) + (1 if HEADER.match(lines[line]) else 0)
    for number in range(line, -1, -1):
        if limit == 0:
            return
        text = lines[number].strip()
        indent = _indent(lines[number])
        if not text or text.startswith(_NOT_CODE) or indent >= limit:
            continue
        if margins.says_nothing(number, limit - 1):
            continue
        if match := HEADER.match(lines[number]):
            kind: ScopeKind = "function" if match["kind"] == "def" else "class"
            end = max(end_by_indentation(lines, number, margins), line + 1)
            yield Scope(kind, match["name"], _first_line(lines, number), end)
        limit = indent


def end_by_indentation(lines: Sequence[str], header: int, margins: Margins) -> int:
    """Return the line after a body: it ends above the first line with no more indentation than its header."""
    limit = _indent(lines[header])
    end = header + 1
    for number, line in enumerate(islice(lines, end, None), end):
        text = line.strip()
        if not text:
            continue
        if _indent(line) <= limit:
            if text.startswith("#"):
                continue  # it may speak of what stands below
            is_end_of_header = text.startswith(_NOT_CODE) and _indent(line) == limit
            if not is_end_of_header and not margins.says_nothing(number, limit):
                break
        end = number + 1
    return end


def end_by_closer(
    lines: Sequence[str], header: int, first: int, end: int, closers: tuple[str, ...], margins: Margins
) -> int:
    """Find where a definition that may have swallowed its neighbours ends for a reader.

    Args:
        lines: The document's lines.
        header: The definition's first line.
        first: The line below the one its body begins on.
        end: The line after the last that the parser gives it.
        closers: What begins the line that ends a definition, such as ``}``.
        margins: Tells where indentation says nothing.

    Returns:
        The line after the closing one, or after the last that is indented, if there is something else below with
        no more indentation than the header; else ``end``.
    """
    limit = _indent(lines[header])
    last = first - 1
    for number, line in enumerate(islice(lines, header + 1, end), header + 1):
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
            if not margins.says_nothing(number, limit):
                return last + 1
            last = number
    return end


def end_beyond_closer(
    lines: Sequence[str], header: int, end: int, closers: tuple[str, ...], margins: Margins
) -> int:
    """Find where a definition ends that was closed too soon: a line within it has lost what one of its braces closes.

    Args:
        lines: The document's lines.
        header: The definition's first line.
        end: The line after the last that the parser gives it.
        closers: What begins the line that ends a definition.
        margins: Tells where indentation says nothing.

    Returns:
        The line after the closing one below, where the last one is indented deeper than the header and nothing but the
        closing one is not; else ``end``.
    """
    limit = _indent(lines[header])
    if end <= header + 1 or _indent(lines[end - 1]) <= limit:
        return end
    for number, line in enumerate(islice(lines, end, None), end):
        text = line.strip()
        if not text or _indent(line) > limit:
            continue
        if text.startswith(closers):
            return number + 1 if _indent(line) == limit else end
        if not text.startswith("#") and not text.endswith(":") and not margins.says_nothing(number, limit):
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
    return indent_of(body_of(line))  # of a blank line its spaces, and not its end

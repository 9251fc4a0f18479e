"""Find Python's functions and classes by indentation alone, where a syntax error hides them from the parser.

While a line is being written, an open bracket may swallow every definition behind it. What is found here is what
a reader would see: ``def`` and ``class`` lines with less indentation than what stands below them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from twospeed.text.lines import body_of
from twospeed.text.scope import Scope, ScopeKind

_HEADER = re.compile(r"[ \t]*(?:async[ \t]+)?(?P<kind>def|class)[ \t]+(?P<name>\w+)")
_NOT_CODE = ("#", ")", "]", "}")
"""What begins a line whose indentation says nothing: a comment, the end of a header over several lines."""


def scopes_by_indentation(lines: Sequence[str], line: int) -> Iterator[Scope]:
    """Yield the functions and classes around a line, innermost first."""
    limit = _indent(lines[line]) + (1 if _HEADER.match(lines[line]) else 0)
    for number in range(line, -1, -1):
        if limit == 0:
            return
        text = lines[number].strip()
        indent = _indent(lines[number])
        if not text or text.startswith(_NOT_CODE) or indent >= limit:
            continue
        if match := _HEADER.match(lines[number]):
            kind: ScopeKind = "function" if match["kind"] == "def" else "class"
            end = max(_end_of_body(lines, number), line + 1)
            yield Scope(kind, match["name"], _first_line(lines, number), end)
        limit = indent


def _first_line(lines: Sequence[str], header: int) -> int:
    first = header
    while first > 0 and _indent(lines[first - 1]) == _indent(lines[header]):
        if not lines[first - 1].lstrip().startswith(("@", "#")):
            break
        first -= 1
    return first


def _end_of_body(lines: Sequence[str], header: int) -> int:
    end = header + 1
    for number in range(header + 1, len(lines)):
        text = lines[number].strip()
        if not text:
            continue
        if _indent(lines[number]) <= _indent(lines[header]) and not text.startswith(_NOT_CODE):
            break
        end = number + 1
    return end


def _indent(line: str) -> int:
    body = body_of(line)
    return len(body) - len(body.lstrip())

"""Refuse an answer that contains the old lines decorated: numbered, marked as in a diff, or escaped.

Removing the decoration must give exact old lines that are missing from the answer. A single line or a
numbered list may be intended, so at least two lines must match, and the whole answer must be decorated.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Sequence
from itertools import pairwise

from twospeed.stream.aligner import is_trivial

from .evidence import OldText, Refusal

_NUMBERED = re.compile(r"[^\w\s]?[A-Za-z]?(\d{1,7})(?![\w])(.*)")
_MAX_SEPARATOR = 3
"""Characters between a line's number and the line."""

_LIST = (". ", ") ")
"""Text after the number of a list item, which users do request."""

_RAW = re.compile(r"[<>]|&(?!#?\w+;)")
_LINE_END = re.compile(r"(?:\\r)?\\n")

_MIN_OLD_LINES = 2
"""Decorated old lines that are no coincidence."""


def decoration_refusal(lines: Sequence[str], old: OldText) -> Refusal | None:
    """Return a refusal if the answer's code, as written, is decorated."""
    written = [line.rstrip() for line in lines if line.strip()]
    present = {line.strip() for line in written}
    missing = {text for text in old.known if text not in present and not is_trivial(text)}
    if not missing:
        return None
    for is_decorated, message in _DECORATIONS:
        if is_decorated(written, missing, old):
            return Refusal("not-code", message)
    return None


def _are_numbered(lines: Sequence[str], missing: set[str], _: OldText) -> bool:
    rows = [_NUMBERED.fullmatch(line.lstrip()) for line in lines]
    found = [row for row in rows if row]
    if len(found) < len(rows) or any(int(b[1]) - int(a[1]) != 1 for a, b in pairwise(found)):
        return False
    if int(found[0][1]) == 1 and all(row[2].startswith(_LIST) for row in found):
        return False
    n_old = sum(any(row[2][at:].strip() in missing for at in range(_MAX_SEPARATOR + 1)) for row in found)
    return n_old >= _MIN_OLD_LINES


def _are_marked(lines: Sequence[str], missing: set[str], old: OldText) -> bool:
    marks = {line[0] for line in lines}
    if not marks <= {" ", "+", "-"} or marks == {" "}:
        return False

    def count(mark: str, width: int) -> int:
        rows = (line[width:] for line in lines if line[0] == mark)
        return sum(row in old.exact and row.strip() in missing for row in rows)

    widths = (1, 2) if "+" in marks else (1,)  # without an added line, "- " is rather a list item
    if marks == {"+"}:
        return any(count("+", width) >= _MIN_OLD_LINES for width in widths)
    return len(marks) > 1 and any(count("-", width) for width in widths)


def _are_escaped_as_html(lines: Sequence[str], missing: set[str], _: OldText) -> bool:
    if any(_RAW.search(line) for line in lines):
        return False
    found = [line for line in lines if "&" in line and html.unescape(line).strip() in missing]
    return len(found) >= _MIN_OLD_LINES or any("&lt;" in line or "&gt;" in line for line in found)


def _are_in_a_string(lines: Sequence[str], missing: set[str], old: OldText) -> bool:
    # One line contains the old lines joined by ``\\n``, with the first or the last of them.
    for line in lines:
        if "\\n" not in line:
            continue  # most lines
        pieces = [piece.replace('\\"', '"').replace("\\t", "\t").strip() for piece in _LINE_END.split(line)]
        if len(pieces) > _MIN_OLD_LINES and sum(piece in missing for piece in pieces) >= _MIN_OLD_LINES:
            first, last = old.first.strip(), old.last.strip()
            if any(piece.endswith(first) for piece in pieces) or any(map(last.__eq__, pieces)):
                return True
    return False


_DECORATIONS: tuple[tuple[Callable[[Sequence[str], set[str], OldText], bool], str], ...] = (
    (_are_numbered, "the answer has a number before every line"),
    (_are_marked, "the answer is a diff without a header"),
    (_are_escaped_as_html, "the answer's code is escaped as HTML"),
    (_are_in_a_string, "the answer's code is inside a string"),
)

"""Notice an answer that holds the old lines in another dress: numbered, marked as in a diff, or escaped.

Such lines parse in many places, or nothing parses there, and a fence vouches for them. They are known by what is left
when the dress is taken off: old lines, to the letter, that did not come as they were. A single line may be meant that
way, and so may a numbered list; so it takes more than one, and a dress that the whole answer wears.
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
"""What follows the number of a list's item, which people do ask for."""

_RAW = re.compile(r"[<>]|&(?!#?\w+;)")
_LINE_END = re.compile(r"(?:\\r)?\\n")

_ENOUGH = 2
"""Old lines in a dress that are no chance."""


def why_decorated(lines: Sequence[str], old: OldText) -> Refusal | None:
    """Say why an answer's code is not to be taken as it stands, if it is not.

    Args:
        lines: The answer's code, indented as it came.
        old: The scope's lines.
    """
    written = [line.rstrip() for line in lines if line.strip()]
    came = {line.strip() for line in written}
    gone = {text for text in old.known if text not in came and not is_trivial(text)}
    if not gone:
        return None
    for is_worn, what in _DRESSES:
        if is_worn(written, gone, old):
            return Refusal("not-code", what)
    return None


def _are_numbered(lines: Sequence[str], gone: set[str], _: OldText) -> bool:
    """Whether a number that counts up stands before every line."""
    rows = [_NUMBERED.fullmatch(line.lstrip()) for line in lines]
    found = [row for row in rows if row]
    if len(found) < len(rows) or any(int(b[1]) - int(a[1]) != 1 for a, b in pairwise(found)):
        return False
    if int(found[0][1]) == 1 and all(row[2].startswith(_LIST) for row in found):
        return False
    n_old = sum(any(row[2][at:].strip() in gone for at in range(_MAX_SEPARATOR + 1)) for row in found)
    return n_old >= _ENOUGH


def _are_marked(lines: Sequence[str], gone: set[str], old: OldText) -> bool:
    """Whether each line has the mark of a diff's row in front, and old ones are among those taken away or brought."""
    marks = {line[0] for line in lines}
    if not marks <= {" ", "+", "-"} or marks == {" "}:
        return False

    def count(mark: str, width: int) -> int:
        rows = (line[width:] for line in lines if line[0] == mark)
        return sum(row in old.exact and row.strip() in gone for row in rows)

    widths = (1, 2) if "+" in marks else (1,)  # without a line that came, "- " is rather a list's
    if marks == {"+"}:
        return any(count("+", width) >= _ENOUGH for width in widths)
    return len(marks) > 1 and any(count("-", width) for width in widths)


def _are_escaped_for_pages(lines: Sequence[str], gone: set[str], _: OldText) -> bool:
    """Whether the whole answer is written in entities, as on a web page."""
    if any(_RAW.search(line) for line in lines):
        return False
    found = [line for line in lines if "&" in line and html.unescape(line).strip() in gone]
    return len(found) >= _ENOUGH or any("&lt;" in line or "&gt;" in line for line in found)


def _are_in_a_string(lines: Sequence[str], gone: set[str], old: OldText) -> bool:
    r"""Whether one line holds the old ones, a ``\n`` between them, the first or the last among them."""
    for line in lines:
        if "\\n" not in line:
            continue  # most lines
        pieces = [piece.replace('\\"', '"').replace("\\t", "\t").strip() for piece in _LINE_END.split(line)]
        if len(pieces) > _ENOUGH and sum(piece in gone for piece in pieces) >= _ENOUGH:
            first, last = old.first.strip(), old.last.strip()
            if any(piece.endswith(first) for piece in pieces) or any(map(last.__eq__, pieces)):
                return True
    return False


_DRESSES: tuple[tuple[Callable[[Sequence[str], set[str], OldText], bool], str], ...] = (
    (_are_numbered, "the answer has a number before every line"),
    (_are_marked, "the answer is a diff that does not say so"),
    (_are_escaped_for_pages, "the answer's code is escaped, as on a web page"),
    (_are_in_a_string, "the answer has its code in a string"),
)

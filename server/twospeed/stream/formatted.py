"""Take from a formatter's output only what belongs to an answer: the lines of the scope that the answer changed.

The formatter reads the whole document with the answer. Lines outside the scope stay as they are, and so do old lines
that the answer keeps, unless the formatter changes them together with a new line next to them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from twospeed.text.edits import common_ends

from .aligner import aligned
from .ops import Change, Delete, Insert, Keep, Op, without_corrected_changes

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class AnsweredDocument:
    """A document with an answer; lines have no line ends.

    Attributes:
        lines: All lines.
        first: The first line of the scope.
        last: The line after its last.
        ops: The answer, against the old lines of the scope.
    """

    lines: Sequence[str]
    first: int
    last: int
    ops: Sequence[Op]


class _Difference(NamedTuple):
    """Lines ``first`` to ``last`` become lines ``new_first`` to ``new_last``."""

    first: int
    last: int
    new_first: int
    new_last: int


def formatted_scope(document: AnsweredDocument, output: Sequence[str]) -> list[str] | None:
    """Return the lines of the scope in the form of a formatter's output for the whole document.

    Returns:
        ``None`` if the formatter moves lines across the edge of the scope, or changes words and not only form.
    """
    lines, first, last = document.lines, document.first, document.last
    places = _changed_places(document)
    result: list[str] = []
    at = first
    for part in _split_at_edges(_differences(lines, output), first, last):
        is_outside = part.last < first or part.first > last
        # The lines of the part, those next to it, and the gaps between all of these.
        if is_outside or places.isdisjoint(range(2 * part.first - 1, 2 * part.last + 2)):
            continue
        if part.first < first or part.last > last:
            # An insertion at an edge is in the scope. Any other change of lines on both sides cannot be divided.
            if part.last == first or part.first == last:
                continue
            return None
        result += [*lines[at : part.first], *output[part.new_first : part.new_last]]
        at = part.last
    result += lines[at:last]
    return result if _words_of(result) == _words_of(lines[first:last]) else None


def _differences(old: Sequence[str], new: Sequence[str]) -> list[_Difference]:
    head, tail = common_ends(old, new)
    ops = without_corrected_changes(aligned(old[head : len(old) - tail], new[head : len(new) - tail]))
    found: list[_Difference] = []
    at = new_at = first = new_first = head
    for op in ops:
        match op:
            case Keep(until):
                if at > first or new_at > new_first:
                    found.append(_Difference(first, at, new_first, new_at))
                at, new_at = until + head, new_at + until + head - at
                first, new_first = at, new_at
            case Change():
                at, new_at = at + 1, new_at + 1
            case Delete(until):
                at = until + head
            case Insert():  # `without_corrected_changes` left none that keeps an old line
                new_at += 1
    if at > first or new_at > new_first:
        found.append(_Difference(first, at, new_first, new_at))
    return found


def _split_at_edges(parts: Sequence[_Difference], *edges: int) -> list[_Difference]:
    """Divide a change of as many lines as before at the edges of the scope: each line is the form of its old one."""
    divided: list[_Difference] = []
    for part in parts:
        if part.last - part.first != part.new_last - part.new_first:
            divided.append(part)
            continue
        places = sorted({part.first, part.last, *(each for each in edges if part.first < each < part.last)})
        shift = part.new_first - part.first
        divided += [_Difference(one, two, one + shift, two + shift) for one, two in pairwise(places)]
    return divided


def _changed_places(document: AnsweredDocument) -> set[int]:
    """Return the places of the lines that the answer wrote, and of the gaps where it deleted lines."""
    # A line has an odd place, twice its number and one more; the gap above it has the even one before.
    places: set[int] = set()
    old_at, at = 0, document.first
    for op in without_corrected_changes(document.ops):
        match op:
            case Keep(until):
                old_at, at = until, at + until - old_at
            case Delete(until):
                places.add(2 * at)
                old_at = until
            case Change(index, _):
                at += index - old_at  # the lines between are kept
                places.add(2 * at + 1)
                old_at, at = index + 1, at + 1
            case Insert():
                places.add(2 * at + 1)
                at += 1
    return places


def _words_of(lines: Sequence[str]) -> list[str]:
    """Return the words of some lines: a formatter changes spaces, quotes, brackets, commas and the case of numbers."""
    return sorted(_WORD.findall("\n".join(lines).casefold()))

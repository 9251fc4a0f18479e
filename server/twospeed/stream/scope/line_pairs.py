"""Pair the lines before a change of the user with those after it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile, zip_longest

from twospeed.stream.aligner import aligned, is_similar
from twospeed.stream.ops import Change, Delete, Insert, Keep

MAX_ALIGNED, MAX_ALIGNED_CHARS = 2_000, 100_000
"""Lines and characters of a change that are compared; longer ones are paired by position."""


def line_pairs(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int | None, int | None]]:
    """Yield the index of each old line with that of the new line in its place; ``None`` if one has no partner."""
    at_old = at_new = 0
    n_chars = sum(map(len, old)) + sum(map(len, new))
    is_compared = len(old) + len(new) <= MAX_ALIGNED and n_chars <= MAX_ALIGNED_CHARS
    anchors = _anchors(old, new) if is_compared else ()
    for index, place in [*anchors, (len(old), len(new))]:
        n_below = _n_similar_at_end(old[at_old:index], new[at_new:place]) if is_compared else 0
        yield from zip_longest(range(at_old, index - n_below), range(at_new, place - n_below))
        yield from zip(range(index - n_below, index), range(place - n_below, place), strict=True)
        if index < len(old):
            yield index, place
        at_old, at_new = index + 1, place + 1


def _n_similar_at_end(old: Sequence[str], new: Sequence[str]) -> int:
    """Return how many last lines are similar, if a change deletes or inserts lines above them too."""
    if len(old) == len(new):
        return 0
    pairs = takewhile(lambda pair: is_similar(*pair), zip(reversed(old), reversed(new), strict=False))
    return sum(1 for _ in pairs)


def _anchors(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the indices of equal or similar lines."""
    if not old or not new or len(old) == len(new) == 1:
        return
    at_old = at_new = 0
    for op in aligned(old, new):
        match op:
            case Insert():
                at_new += 1
            case Delete(until):
                at_old = until
            case Keep(until):
                n_kept = until - at_old
                yield from zip(range(at_old, until), range(at_new, at_new + n_kept), strict=True)
                at_old, at_new = until, at_new + n_kept
            case Change(index):
                yield index, at_new
                at_old, at_new = index + 1, at_new + 1

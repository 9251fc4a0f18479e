"""Split a splice at the lines that it leaves unchanged.

A client that sends the whole text reports the result, not the keystrokes: edits above and below some lines
arrive as one splice across them. A line that occurs once in the removed and once in the inserted text was
most likely not touched, if the order is kept. The text between two such lines is a change of its own.

Source: Bram Cohen's patience diff, without its recursion.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence

from .document import Splice, trimmed_splice
from .lines import bodies_of

MAX_LINES = 10_000
"""Limit of removed and inserted lines together: splitting takes about 10 ms, less than a keystroke."""

_Pair = tuple[int, int]
_Chain = tuple[_Pair, "_Chain | None"]


def cut_at_landmarks(old: Sequence[str], splice: Splice) -> list[Splice]:
    """Split a splice into splices with the same effect.

    Returns:
        Splices from the top down, each relative to the text that the previous one leaves, at least one line apart.

    Cost: O(n log n) of the lines of the splice. One of more than `MAX_LINES` is returned unchanged.
    """
    removed, inserted = old[splice.start : splice.start + splice.count], splice.lines
    if not removed or not inserted or len(removed) + len(inserted) > MAX_LINES:
        return [splice]
    parts: list[Splice] = []
    at_removed = at_inserted = 0
    for until_removed, until_inserted in [
        *landmarks(bodies_of(removed), bodies_of(inserted)),
        (len(removed), len(inserted)),
    ]:
        if at_removed < until_removed or at_inserted < until_inserted:  # most landmarks are adjacent
            start = splice.start + at_inserted
            part = trimmed_splice(
                removed[at_removed:until_removed], inserted[at_inserted:until_inserted], start
            )
            parts += [part] if part else []
        at_removed, at_inserted = until_removed + 1, until_inserted + 1
    return parts


def landmarks(removed: Sequence[str], inserted: Sequence[str]) -> list[tuple[int, int]]:
    """Match the lines that occur once in each of two texts, as many as keep their order.

    Returns:
        Pairs of an index in ``removed`` and an index in ``inserted``. Both rise.

    Cost: O(n log n) of the lines.
    """
    n_removed, n_inserted = Counter(removed), Counter(inserted)
    place = {line: index for index, line in enumerate(inserted) if n_inserted[line] == 1}
    return _longest_rise(
        [(index, place[line]) for index, line in enumerate(removed) if n_removed[line] == 1 and line in place]
    )


def _longest_rise(pairs: Sequence[_Pair]) -> list[_Pair]:
    """Return the longest subsequence with rising second numbers of pairs sorted by their first ones."""
    lasts: list[int] = []  # lowest last number of a chain of each length
    chains: list[_Chain] = []
    for pair in pairs:
        length = bisect_left(lasts, pair[1])
        lasts[length : length + 1] = [pair[1]]
        chains[length : length + 1] = [(pair, chains[length - 1] if length else None)]
    rise: list[_Pair] = []
    chain = chains[-1] if chains else None
    while chain:
        pair, chain = chain
        rise.append(pair)
    return rise[::-1]

"""Split a splice at the lines that it leaves unchanged (patience diff without its recursion).

A client that sends the whole text reports one splice for changes above and below some lines.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence

from .document import Splice, trimmed_splice
from .lines import bodies_of

MAX_LINES = 10_000
"""Limit of removed and inserted lines together: splitting takes about 10 ms."""

_WORD = re.compile(r"\w")

_Pair = tuple[int, int]
_Chain = tuple[_Pair, "_Chain | None"]


def cut_at_landmarks(old: Sequence[str], splice: Splice) -> list[Splice]:
    """Split a splice into splices with the same effect, each relative to the text after the previous one.

    One of more than `MAX_LINES` is not split. Cost: O(n log n).
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
    """Return indexes of lines that occur once in each of two texts, as many as keep their order.

    Cost: O(n log n). Such lines were most likely not changed. A line without a letter or digit is none: a blank line or a
    bracket is soon inserted elsewhere.
    """
    n_removed, n_inserted = Counter(removed), Counter(inserted)
    place = {
        line: index for index, line in enumerate(inserted) if n_inserted[line] == 1 and _WORD.search(line)
    }
    return _longest_rise(
        [(index, place[line]) for index, line in enumerate(removed) if n_removed[line] == 1 and line in place]
    )


def _longest_rise(pairs: Sequence[_Pair]) -> list[_Pair]:
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

"""Cut a splice at the lines that it leaves as they are.

A client that sends whole texts says what stands there now, not what was done: keys above and below of some lines come
as one splice across them. A line that stands once in what went and once in what came was most likely not touched, as
long as it kept its order among its likes; what lies between two such lines is a change of its own.

Source: Bram Cohen's patience diff, without its recursion: cut once, a change has few lines left to look at.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence

from .document import Splice, trimmed_splice
from .lines import bodies_of

MAX_LINES = 10_000
"""Lines that went and that came, together, up to which a splice is cut: some 10 ms, which a keystroke has time for."""

_Pair = tuple[int, int]
_Chain = tuple[_Pair, "_Chain | None"]


def cut_at_landmarks(old: Sequence[str], splice: Splice) -> list[Splice]:
    """Cut one splice into those that do the same.

    Args:
        old: All lines of the text before the splice.
        splice: What it did, in whole lines.

    Returns:
        Splices from the top down, each against the text that the one before leaves, with at least one line between two.

    Cost: O(n log n) of the splice's lines; one of more than `MAX_LINES` is returned as it is.
    """
    went, came = old[splice.start : splice.start + splice.count], splice.lines
    if not went or not came or len(went) + len(came) > MAX_LINES:
        return [splice]
    parts: list[Splice] = []
    at_went = at_came = 0
    for until_went, until_came in [*landmarks(bodies_of(went), bodies_of(came)), (len(went), len(came))]:
        if at_went < until_went or at_came < until_came:  # most landmarks stand side by side
            start = splice.start + at_came
            part = trimmed_splice(went[at_went:until_went], came[at_came:until_came], start)
            parts += [part] if part else []
        at_went, at_came = until_went + 1, until_came + 1
    return parts


def landmarks(went: Sequence[str], came: Sequence[str]) -> list[tuple[int, int]]:
    """Pair the lines that occur once in each of two texts: as many as keep their order.

    Returns:
        Index in `went` and index in `came` of each pair; both rise.

    Cost: O(n log n) of the lines.
    """
    n_went, n_came = Counter(went), Counter(came)
    place = {line: index for index, line in enumerate(came) if n_came[line] == 1}
    return _longest_rise(
        [(index, place[line]) for index, line in enumerate(went) if n_went[line] == 1 and line in place]
    )


def _longest_rise(pairs: Sequence[_Pair]) -> list[_Pair]:
    """Return the longest part of pairs, sorted by their first numbers, whose second ones rise as well."""
    lasts: list[int] = []  # of the chains of each length: the lowest number one ends in, and that chain
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

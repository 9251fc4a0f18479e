"""Align new lines with old ones while they arrive.

The aligner walks down the old lines (cursor ``i``) and the new ones and decides, as early as is certain, which
old lines stay. Three observations make it exact, early and cheap:

* A new line that equals ``old[i]`` can be kept at once: some longest common subsequence always contains such a
  match. This is the hot path, since most lines of an edit do not change.
* A new line that stands nowhere in ``old[i:]`` is certainly new. If it resembles ``old[i]`` it is shown as that line,
  changed. Should ``old[i]`` itself follow, it is said to be that line, and nothing but the characters of one line
  went twice; to wait for the line after each changed one would cost every edit more.
* A new line that stands further down is ambiguous: the lines between were deleted, or it is a copy. It is held,
  with at most ``MAX_HELD - 1`` more, until the lines after it give enough evidence, weighed against the number of
  lines the jump would delete.

Every constant was tuned on several hundred edits from public histories; any value gives the exact text.

Cost: a new line costs a bounded number of look-ups, and of comparisons no longer than the lines that are held; an
old line costs nothing but its place in an index. So a token costs the same in a scope of any size.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from math import sqrt

from twospeed.text.edits import common_ends

from .ops import Change, Delete, Insert, Keep, Op

MAX_HELD = 8
"""Ambiguous lines held back at most; more costs latency and saves little."""

MAX_PLACES = 4
"""Nearest occurrences of a line that are considered."""

ENOUGH_EVIDENCE = 0.7
"""Score at which a jump to a later old line is taken before the hold is full."""

SIMILAR = 0.4
"""Share of two lines, indentation apart, that must be common for one to read as the other."""

CHANGED = 0.3
"""The same share where the place speaks for it too: a new line where the old one stood."""

UNIQUE_WEIGHT, REPEATED_WEIGHT, TRIVIAL_WEIGHT = 1.0, 0.6, 0.15
"""What a match of a line proves: much if the line is unique, little if it is a bracket."""

FIRST_PRICE, ROOT_PRICE = 0.12, 0.48
"""What a jump over n old lines must prove: so much for each, but no more than so much times the root of n."""

_TWO_WORD_CHARACTERS = re.compile(r"\w\W*\w")


def is_trivial(line: str) -> bool:
    """Whether a line, blank or a lone bracket say, is too common to prove anything."""
    return _TWO_WORD_CHARACTERS.search(line) is None


def is_similar(new: str, old: str, share: float = SIMILAR) -> bool:
    """Whether ``new`` reads as a changed version of ``old``: at least ``share`` of the longer one is common."""
    indent = len(new) - len(new.lstrip())
    core = max(len(new), len(old)) - indent
    if core <= 0:
        return False
    head, tail = common_ends(new, old)
    return max(0, head - indent) + tail >= share * core


class Aligner:
    """Turn new lines into ops against the old ones."""

    def __init__(self, old: Sequence[str]) -> None:
        self._old = old
        self._i = 0
        self._held: list[str] = []
        self._changed = -1  # the old line changed last, while only new lines came since
        self._copied_until = 0
        self._copied_weight = 0.0
        self._ops: list[Op] = []
        self._places: dict[str, list[int]] = {}
        for index, line in enumerate(old):
            self._places.setdefault(line, []).append(index)
        self._forget_chains()

    def receive_line(self, line: str) -> None:
        """Take the next new line."""
        if not self._held and self._i < len(self._old) and self._old[self._i] == line:
            self._keep_to(self._i + 1)
            return
        self._held.append(line)
        self._settle(final=False)

    def finish(self) -> None:
        """Settle what is held; the old lines that are left go."""
        self._settle(final=True)
        self._delete_to(len(self._old))

    def take_ops(self) -> list[Op]:
        """Return the ops decided since the last call, in order."""
        ops, self._ops = self._ops, []
        return ops

    # Steps

    def _keep_to(self, until: int) -> None:
        if self._ops and isinstance(self._ops[-1], Keep):
            self._ops.pop()
        self._ops.append(Keep(until))
        self._i, self._changed = until, -1
        self._copied_weight = 0.0

    def _delete_to(self, until: int) -> None:
        if until > self._i:
            self._ops.append(Delete(until))
            self._i, self._changed = until, -1

    def _change(self, line: str) -> None:
        self._ops.append(Change(self._i, line))
        self._changed = self._i
        self._i += 1
        self._copied_weight = 0.0

    def _insert(self, line: str) -> None:
        """Write a new line, and remember how much of a later run of old lines has been written again.

        The longer the copy, the surer that the lines between were deleted and the run itself is what goes on:
        the weight is added to a later jump, so that a wrong "insert" costs at most its own length again.
        """
        self._ops.append(Insert(line))
        if self._copied_weight and self._is_old(self._copied_until, line):
            self._copied_until += 1
            self._copied_weight += self._weight(line)
        elif places := self._places_below(line):
            self._copied_until = places[0] + 1
            self._copied_weight = self._weight(line)
        else:
            self._copied_weight = 0.0

    # Decisions

    def _settle(self, *, final: bool) -> None:
        while self._held and self._decide(final=final):
            if self._n_chained:
                self._forget_chains()

    def _decide(self, *, final: bool) -> bool:
        """Decide what the first held line is; return whether that was possible."""
        held, line = self._held, self._held[0]
        if self._is_old(self._i, line):
            self._keep_to(self._i + 1)
        elif self._changed >= 0 and self._old[self._changed] == line:
            self._ops.append(Insert(line, self._changed))
            self._changed, self._copied_weight = -1, 0.0
        elif self._places_below(line):
            must_decide = final or len(held) >= MAX_HELD
            score, n_written, place = self._best_jump()
            if score >= ENOUGH_EVIDENCE or (must_decide and score > 0):
                self._jump(n_written, place)
                return True
            if not must_decide:
                return False
            self._insert(line)
        elif not self._reads_as_next(line) or self._old[self._i] in held:  # which still comes, as itself
            self._insert(line)
        else:
            self._change(line)
        del held[0]
        return True

    def _jump(self, n_written: int, place: int) -> None:
        """Keep an old line further down; what is held before it takes the place of the lines between."""
        for line in self._held[:n_written]:
            if self._i < place and self._reads_as_next(line):
                self._change(line)
            else:
                self._insert(line)
        del self._held[: n_written + 1]
        self._delete_to(place)
        self._keep_to(place + 1)

    def _is_old(self, index: int, line: str) -> bool:
        return index < len(self._old) and self._old[index] == line

    def _reads_as_next(self, line: str) -> bool:
        return self._i < len(self._old) and is_similar(line, self._old[self._i], CHANGED)

    def _places_below(self, line: str) -> list[int]:
        places = self._places.get(line)
        if not places or places[-1] < self._i:
            return []
        first = bisect_left(places, self._i)
        return places[first : first + MAX_PLACES]

    def _weight(self, line: str) -> float:
        if is_trivial(line):
            return TRIVIAL_WEIGHT
        return UNIQUE_WEIGHT if len(self._places[line]) == 1 else REPEATED_WEIGHT

    # Evidence

    def _forget_chains(self) -> None:
        self._chains: list[tuple[int, float, tuple[int, int]]] = []
        self._n_chained = 0
        self._best: tuple[float, int, int] = 0.0, 0, 0

    def _best_jump(self) -> tuple[float, int, int]:
        """Find the best chain of matches of the held lines with later old ones.

        Returns:
            Its score, and of its first match the held line's index and the old line's. Score: the weights of the
            matched lines less a concave price for the old lines deleted on the way.
        """
        while self._n_chained < len(self._held):
            self._extend_chains(self._n_chained, self._held[self._n_chained])
            self._n_chained += 1
        return self._best

    def _extend_chains(self, held_index: int, line: str) -> None:
        """Add the matches of one more held line; what the lines before it gave stands as long as all are held."""
        places = self._places_below(line)
        if not places:
            return
        weight = self._weight(line)
        new: list[tuple[int, float, tuple[int, int]]] = []
        for place in places:
            score, first = weight - _price(place - self._i), (held_index, place)
            if held_index == 0 and place == self._copied_until:
                score += self._copied_weight
            for earlier_place, earlier_score, earlier_first in self._chains:
                if earlier_place < place and earlier_score + weight > score:
                    chained = earlier_score + weight - _price(place - earlier_place - 1)
                    if chained > score:
                        score, first = chained, earlier_first
            new.append((place, score, first))
            if score > self._best[0]:
                self._best = score, *first
        self._chains += new


def _price(n_deleted: int) -> float:
    """Evidence needed to skip old lines: linear for a few, then like a square root."""
    return min(FIRST_PRICE * n_deleted, ROOT_PRICE * sqrt(n_deleted))


def aligned(old: Sequence[str], new: Sequence[str]) -> list[Op]:
    """Return the ops that make ``new`` of ``old``; lines without line ends."""
    aligner = Aligner(old)
    for line in new:
        aligner.receive_line(line)
    aligner.finish()
    return aligner.take_ops()

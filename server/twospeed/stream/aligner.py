"""Align new lines with old ones while they arrive, and decide as early as possible which old lines stay.

A new line that equals a later old line may be that line, with the old lines between them deleted: a jump. Or it is a
copy. It is held until the lines after it decide: the score of a jump is the weight of the lines that it matches, minus
the price of the old lines that it deletes.

The constants were tuned on several hundred edits from public histories; with any values the resulting text is the same.
Cost: a bounded number of look-ups for each new line, whatever the size of the scope.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from math import sqrt
from typing import TypeAlias

from twospeed.text.edits import common_ends
from twospeed.text.lines import indent_width

from .ops import Change, Delete, Insert, Keep, Op

MAX_HELD = 8
"""Ambiguous lines held at most; more adds latency and saves few changes."""

MAX_PLACES = 4
"""Nearest later old lines equal to a new line that are considered."""

ENOUGH_EVIDENCE = 0.7
"""Score of a jump that is accepted before the hold is full."""

SIMILAR = 0.4
"""Least share of the longer line, without indentation, that is common to both forms of a changed line."""

CHANGED = 0.3
"""The same share for the aligner: lower, because the new line is already at the position of the old one."""

UNIQUE_WEIGHT, REPEATED_WEIGHT, TRIVIAL_WEIGHT = 1.0, 0.6, 0.15
"""Weight of a match as evidence: high for a unique line, low for a bracket."""

FIRST_PRICE, ROOT_PRICE = 0.12, 0.48
"""Price of deleting n old lines: ``FIRST_PRICE`` * n, but at most ``ROOT_PRICE`` * sqrt(n)."""

_TWO_WORD_CHARACTERS = re.compile(r"\w\W*\w")


def is_trivial(line: str) -> bool:
    """Return whether a line, such as a bracket, is too common to be evidence."""
    return _TWO_WORD_CHARACTERS.search(line) is None


def is_similar(new: str, old: str, share: float = SIMILAR) -> bool:
    """Return whether at least ``share`` of the longer line is common to both."""
    indent = indent_width(new)
    core = max(len(new), len(old)) - indent
    if core <= 0:
        return False
    head, tail = common_ends(new, old)
    return max(0, head - indent) + tail >= share * core


_Chain: TypeAlias = tuple[int, float, tuple[int, int]]
"""Held lines that equal later old lines, both in order: the last old line, the score, the first held and old line.

A plain tuple, because the chains are built for each held line.
"""


class Aligner:
    """Turns new lines into ops against the old ones."""

    def __init__(self, old: Sequence[str]) -> None:
        self._old = old
        self._next_old = 0  # index of the first old line that is not decided
        self._held: list[str] = []
        self._changed = -1  # the old line changed last, if only inserts followed
        self._copied_until = 0  # the old line after the run of old lines that the last inserts equal
        self._copied_weight = 0.0  # the weight of that run; 0 if there is none
        self._ops: list[Op] = []
        self._places: dict[str, list[int]] = {}
        for index, line in enumerate(old):
            self._places.setdefault(line, []).append(index)
        self._forget_chains()

    def receive_line(self, line: str) -> None:
        """Decide the next new line, or hold it."""
        if not self._held and self._next_old < len(self._old) and self._old[self._next_old] == line:
            self._keep_to(self._next_old + 1)
            return
        self._held.append(line)
        self._decide_held(final=False)

    def finish(self) -> None:
        """Decide the held lines, and delete the remaining old lines."""
        self._decide_held(final=True)
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
        self._next_old, self._changed = until, -1
        self._copied_weight = 0.0

    def _delete_to(self, until: int) -> None:
        if until > self._next_old:
            self._ops.append(Delete(until))
            self._next_old, self._changed = until, -1

    def _change(self, line: str) -> None:
        self._ops.append(Change(self._next_old, line))
        self._changed = self._next_old
        self._next_old += 1
        self._copied_weight = 0.0

    def _insert(self, line: str) -> None:
        # If inserted lines equal a run of later old lines, the lines between were probably deleted. Their weight is
        # added to a later jump behind that run, so a wrong insert costs at most its own length again.
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

    def _decide_held(self, *, final: bool) -> None:
        while self._held and self._decide(final=final):
            if self._n_chained:
                self._forget_chains()

    def _decide(self, *, final: bool) -> bool:
        held, line = self._held, self._held[0]
        if self._is_old(self._next_old, line):  # some longest common subsequence contains this match
            self._keep_to(self._next_old + 1)
        elif self._changed >= 0 and self._old[self._changed] == line:
            # The changed old line follows after all: the change was an insert above it.
            self._ops.append(Insert(line, self._changed))
            self._changed, self._copied_weight = -1, 0.0
        elif self._places_below(line):
            # The lines between were deleted, or this line is a copy. It is held until the lines after it
            # outweigh the number of lines that the jump deletes.
            must_decide = final or len(held) >= MAX_HELD
            score, held_index, place = self._best_jump()
            if score >= ENOUGH_EVIDENCE or (must_decide and score > 0):
                self._jump(held_index, place)
                return True
            if not must_decide:
                return False
            self._insert(line)
        elif not self._resembles_next_old(line) or self._old[self._next_old] in held:
            # If the next old line is itself among the held lines, this line cannot be a change of it.
            self._insert(line)
        else:
            # The next line could show that this one is new, but waiting for it costs latency in every edit.
            # If the old line itself follows, the change is corrected at the cost of one line.
            self._change(line)
        del held[0]
        return True

    def _jump(self, held_index: int, place: int) -> None:
        # The held line at ``held_index`` is the old line ``place``; the held lines before it are new.
        for line in self._held[:held_index]:
            if self._next_old < place and self._resembles_next_old(line):
                self._change(line)
            else:
                self._insert(line)
        del self._held[: held_index + 1]
        self._delete_to(place)
        self._keep_to(place + 1)

    def _is_old(self, index: int, line: str) -> bool:
        return index < len(self._old) and self._old[index] == line

    def _resembles_next_old(self, line: str) -> bool:
        return self._next_old < len(self._old) and is_similar(line, self._old[self._next_old], CHANGED)

    def _places_below(self, line: str) -> list[int]:
        places = self._places.get(line)
        if not places or places[-1] < self._next_old:
            return []
        first = bisect_left(places, self._next_old)
        return places[first : first + MAX_PLACES]

    def _weight(self, line: str) -> float:
        if is_trivial(line):
            return TRIVIAL_WEIGHT
        return UNIQUE_WEIGHT if len(self._places[line]) == 1 else REPEATED_WEIGHT

    # Evidence

    def _forget_chains(self) -> None:
        self._chains: list[_Chain] = []
        self._n_chained = 0  # held lines that the chains include
        self._best: tuple[float, int, int] = 0.0, 0, 0  # as `_best_jump` returns it

    def _best_jump(self) -> tuple[float, int, int]:
        """Return the score of the best chain of held lines, and the index of its first held line and old line."""
        while self._n_chained < len(self._held):
            self._extend_chains(self._n_chained, self._held[self._n_chained])
            self._n_chained += 1
        return self._best

    def _extend_chains(self, held_index: int, line: str) -> None:
        # Earlier chains stay valid while all lines are held.
        places = self._places_below(line)
        if not places:
            return
        weight = self._weight(line)
        new: list[_Chain] = []
        for place in places:
            score, first = weight - _price(place - self._next_old), (held_index, place)
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
    return min(FIRST_PRICE * n_deleted, ROOT_PRICE * sqrt(n_deleted))


def aligned(old: Sequence[str], new: Sequence[str]) -> list[Op]:
    """Return the ops that turn ``old`` into ``new``."""
    aligner = Aligner(old)
    for line in new:
        aligner.receive_line(line)
    aligner.finish()
    return aligner.take_ops()

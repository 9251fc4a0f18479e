"""Align new lines with old ones while they arrive.

The aligner walks down the old lines (cursor ``i``) and the new ones and decides, as early as is certain, which
old lines stay. Three observations make it exact, early and cheap:

* A new line that equals ``old[i]`` can be kept at once: some longest common subsequence always contains such a
  match. This is the hot path, since most lines of an edit do not change.
* A new line that stands nowhere in ``old[i:]`` is certainly new. If it resembles ``old[i]`` it is that line,
  changed, unless ``old[i]`` itself follows: one line of look-ahead tells.
* A new line that stands further down is ambiguous: the lines between were deleted, or it is a copy. It is held,
  with at most ``MAX_HELD - 1`` more, until the lines after it give enough evidence, weighed against the number of
  lines the jump would delete.

Every constant was tuned on several hundred edits from public histories; any value gives the exact text.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence

from twospeed.text.edits import common_ends

from .ops import Change, Delete, Insert, Keep, Op

MAX_HELD = 8
"""Ambiguous lines held back at most; more costs latency and saves little."""

MAX_PLACES = 4
"""Nearest occurrences of a line that are considered."""

ENOUGH_EVIDENCE = 0.5
"""Score at which a jump to a later old line is taken before the hold is full."""

SIMILAR = 0.4
"""Share of a line, indentation apart, that must be common for it to count as the old line changed."""

UNIQUE_WEIGHT, REPEATED_WEIGHT, TRIVIAL_WEIGHT = 1.0, 0.6, 0.15
"""What a match of a line proves: much if the line is unique, little if it is a bracket."""

_TWO_WORD_CHARACTERS = re.compile(r"\w\W*\w")


def is_trivial(line: str) -> bool:
    """Whether a line, blank or a lone bracket say, is too common to prove anything."""
    return _TWO_WORD_CHARACTERS.search(line) is None


def is_similar(new: str, old: str) -> bool:
    """Whether ``new`` reads as a changed version of ``old``."""
    longer, shorter = max(len(new), len(old)), min(len(new), len(old))
    if shorter * 2 < longer or not shorter:
        return False
    head, tail = common_ends(new, old)
    indent = len(new) - len(new.lstrip())
    core = longer - indent
    return core > 0 and max(0, head - indent) + tail >= SIMILAR * core


class Aligner:
    """Turn new lines into ops against the old ones."""

    def __init__(self, old: Sequence[str]) -> None:
        self._old = old
        self._i = 0
        self._held: list[str] = []
        self._next_differs = False
        self._copied_until = 0
        self._copied_weight = 0.0
        self._ops: list[Op] = []
        self._places: dict[str, list[int]] = {}
        for index, line in enumerate(old):
            self._places.setdefault(line, []).append(index)

    def receive_line(self, line: str) -> None:
        """Take the next new line."""
        self._next_differs = False
        if not self._held and self._i < len(self._old) and self._old[self._i] == line:
            self._keep_to(self._i + 1)
            return
        self._held.append(line)
        self._settle(final=False)

    def peek(self, partial: str) -> None:
        """Look at the still open next line: often its first characters settle what a held line is."""
        is_single = len(self._held) == 1 and self._i < len(self._old)
        if is_single and partial and not self._old[self._i].startswith(partial):
            self._next_differs = True
            self._settle(final=False)

    @property
    def is_waiting(self) -> bool:
        """Whether a line is held back, so that ``peek`` may help."""
        return bool(self._held)

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
        self._i = until
        self._copied_weight = 0.0

    def _delete_to(self, until: int) -> None:
        if until > self._i:
            self._ops.append(Delete(until))
            self._i = until

    def _write(self, line: str) -> None:
        """Write a line that is not kept: as a change of the old line at the cursor, or as a new one."""
        if self._is_change(line):
            self._ops.append(Change(self._i, line))
            self._i += 1
            self._copied_weight = 0.0
            return
        self._ops.append(Insert(line))
        self._note_copy(line)

    def _is_change(self, line: str) -> bool:
        return (
            self._i < len(self._old)
            and not self._occurrences(line)
            and self._old[self._i] not in self._held[1:]  # it still comes, as itself
            and is_similar(line, self._old[self._i])
        )

    def _note_copy(self, line: str) -> None:
        """Remember how much of a later run of old lines has been written again.

        The longer the copy, the surer that the lines between were deleted and the run itself is what goes on:
        the weight is added to a later jump, so that a wrong "insert" costs at most its own length again.
        """
        if (
            self._copied_weight
            and self._copied_until < len(self._old)
            and self._old[self._copied_until] == line
        ):
            self._copied_until += 1
            self._copied_weight += self._weight(line)
        elif places := self._occurrences(line):
            self._copied_until = places[0] + 1
            self._copied_weight = self._weight(line)
        else:
            self._copied_weight = 0.0

    # Decisions

    def _settle(self, *, final: bool) -> None:
        while self._held:
            line = self._held[0]
            must_decide = final or len(self._held) >= MAX_HELD
            if self._i < len(self._old) and self._old[self._i] == line:
                self._held.pop(0)
                self._keep_to(self._i + 1)
            elif not self._occurrences(line):
                if not final and self._may_become_change(line):
                    return
                self._write(line)
                self._held.pop(0)
            else:
                score, skipped, place = self._best_jump()
                if score >= ENOUGH_EVIDENCE or (must_decide and score > 0):
                    self._jump(skipped, place)
                elif must_decide:
                    self._write(line)
                    self._held.pop(0)
                else:
                    return

    def _may_become_change(self, line: str) -> bool:
        """Whether the next line decides if this one is the old line changed, or one before it."""
        if len(self._held) > 1 or self._next_differs or self._i >= len(self._old):
            return False
        return is_similar(line, self._old[self._i])

    def _jump(self, n_written: int, place: int) -> None:
        for _ in range(n_written):
            self._write(self._held[0])
            self._held.pop(0)
        self._delete_to(place)
        self._held.pop(0)
        self._keep_to(place + 1)

    def _best_jump(self) -> tuple[float, int, int]:
        """Find the best chain of matches of the held lines with later old ones.

        Returns:
            Its score, and of its first match the held line's index and the old line's. Score: the weights of the
            matched lines less a concave price for the old lines deleted on the way.
        """
        chains: list[tuple[int, int, float, tuple[int, int]]] = []
        best, best_first = 0.0, (0, 0)
        for held_index, line in enumerate(self._held):
            places = self._occurrences(line)
            weight = self._weight(line) if places else 0.0
            for place in places:
                score = weight - _price(place - self._i)
                if held_index == 0 and self._copied_weight and place == self._copied_until:
                    score += self._copied_weight
                first = (held_index, place)
                for earlier_held, earlier_place, earlier_score, earlier_first in chains:
                    if earlier_held < held_index and earlier_place < place:
                        chained = earlier_score + weight - _price(place - earlier_place - 1)
                        if chained > score:
                            score, first = chained, earlier_first
                chains.append((held_index, place, score, first))
                if score > best:
                    best, best_first = score, first
        return best, *best_first

    def _weight(self, line: str) -> float:
        if is_trivial(line):
            return TRIVIAL_WEIGHT
        return UNIQUE_WEIGHT if len(self._places[line]) == 1 else REPEATED_WEIGHT

    def _occurrences(self, line: str) -> list[int]:
        places = self._places.get(line)
        if not places or places[-1] < self._i:
            return []
        first = bisect_left(places, self._i)
        return places[first : first + MAX_PLACES]


def _price(n_deleted: int) -> float:
    """Evidence needed to skip old lines: linear for a few, then like a square root."""
    return min(0.12 * n_deleted, 0.48 * float(n_deleted**0.5))

"""Remove lines around the scope that an answer repeats: lines above it first, or lines below it last.

The scope's first or last old line next to them, or a parse, distinguishes them from new code; otherwise the
answer is refused. Blank lines are not compared: models add and omit them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from twospeed.stream.aligner import is_trivial

from .evidence import OldText, Outside, Refusal, balance
from .prose import ProseClassifier

_MAX_STARTS = 8
"""Possible starts of a repetition of the lines below; only repeated lines give several."""

_MIN_UNIQUE_LINES = 2
"""Lines unique in the document whose repetition is no coincidence."""

_UNCLEAR = Refusal("extent", "the answer may repeat lines outside the scope")


class RepeatedLines:
    """Base of both ends; ``refusal`` is set if repeated lines may be code."""

    def __init__(
        self, side: Sequence[str], old: OldText, outside: Outside, classifier: ProseClassifier
    ) -> None:
        self.refusal: Refusal | None = None
        self._lines = side
        self._old = old
        self._outside = outside
        self._classifier = classifier
        self._held: list[str] = []

    @cached_property
    def _side(self) -> list[str]:
        return [text for line in self._lines if (text := line.rstrip())]

    def _has_distinctive(self, lines: Sequence[str]) -> bool:
        texts = [line.strip() for line in lines]
        return any(not is_trivial(text) and text not in self._old.known for text in texts)

    def _fits(self, lines: Sequence[str]) -> bool:
        if self._classifier.detects_prose:
            return self._classifier.fits(lines)
        return balance(lines) == balance(self._old.lines)

    def _unclear(self) -> Sequence[str]:
        self.refusal = _UNCLEAR
        return ()


class RepeatedAbove(RepeatedLines):
    """Removes lines above the scope from the start of an answer."""

    def __init__(
        self, side: Sequence[str], old: OldText, outside: Outside, classifier: ProseClassifier
    ) -> None:
        super().__init__(side, old, outside, classifier)
        self._is_over = not self._side
        self._texts = frozenset(self._side)
        self._places: Sequence[int] | None = None  # None before the first line: any place
        self._n_repeated = 0

    def receive_line(self, line: str) -> Sequence[str]:
        """Return the lines of the scope that are certain after one more line of code."""
        if self._is_over:
            return (line,)
        text = line.rstrip()
        if not text:
            self._held.append(line)
            return ()
        self._held.append(line)
        self._places = self._places_after(text)
        if len(self._side) in self._places:
            self._n_repeated = len(self._held)
        return () if self._places else self._released()

    def finish(self) -> Sequence[str]:
        """Return the held lines of the scope."""
        return () if self._is_over else self._released()

    def _places_after(self, text: str) -> list[int]:
        # Indices after which all lines so far, and `text`, may end.
        side = self._side
        if self._places is not None:
            return [at + 1 for at in self._places if at < len(side) and side[at] == text]
        return [at for at, line in enumerate(side, 1) if line == text] if text in self._texts else []

    def _released(self) -> Sequence[str]:
        self._is_over = True
        repeated, rest = self._held[: self._n_repeated], self._held[self._n_repeated :]
        if not repeated:
            return rest
        first = next((line for line in rest if line.strip()), "")
        may_begin = self._old.may_begin_with(first)
        if not may_begin and any(line.strip() == self._old.first.strip() for line in repeated[:1]):
            return self._held
        if not first:
            return self._unclear()
        if self._has_distinctive(repeated) and may_begin:
            return rest
        if first.strip() == self._old.first.strip() and not is_trivial(first):
            return rest
        is_broken = self._classifier.detects_prose and not self._classifier.fits(
            [*repeated, *self._old.lines]
        )
        return rest if is_broken else self._unclear()


class RepeatedBelow(RepeatedLines):
    """Removes lines below the scope from the end of an answer."""

    def __init__(
        self, side: Sequence[str], old: OldText, outside: Outside, classifier: ProseClassifier
    ) -> None:
        super().__init__(side, old, outside, classifier)
        self._first = next((text for line in side if (text := line.rstrip())), None)
        self._has_blank_first = bool(side) and not side[0].strip()
        self._before: list[str] = []
        self._starts: list[tuple[int, int]] = []

    def receive_line(self, line: str) -> Sequence[str]:
        """Return the lines of the scope that are certain after one more line of code."""
        text = line.rstrip()
        if not self._held and text != self._first:
            self._before.append(line)
            return (line,)
        if text:
            side = self._side
            self._starts = [(at, n + 1) for at, n in self._starts if n < len(side) and side[n] == text]
            if text == self._first and len(self._starts) < _MAX_STARTS:
                self._starts.append((len(self._held), 1))
        self._held.append(line)
        n_certain = self._starts[0][0] if self._starts else len(self._held)
        if not n_certain:
            return ()
        certain, self._held = self._held[:n_certain], self._held[n_certain:]
        self._starts = [(at - n_certain, n) for at, n in self._starts]
        self._before += certain
        return certain

    def finish(self) -> Sequence[str]:
        """Return the held lines of the scope."""
        if not self._held:
            return ()
        starts = [at for at, _ in self._starts if self._is_repetition(at)]
        if len(starts) == 1:
            return self._held[: starts[0]]
        if starts or not self._is_code():
            return self._unclear()
        return self._held

    def _is_repetition(self, at: int) -> bool:
        new, repeated = [*self._before, *self._held[:at]], self._held[at:]
        ends_as_before = self._ends_as_before(new)
        if not any(line.strip() for line in new) or not self._fits(new):
            return False
        may_be_code = self._fits([*new, *repeated])
        if not self._has_distinctive(repeated):
            return not may_be_code or (ends_as_before and not self._ends_as_before(repeated))
        if ends_as_before or not self._classifier.detects_prose:
            return ends_as_before
        return (
            not may_be_code
            or self._is_apart(new)
            or self._outside.count_unique(repeated) >= _MIN_UNIQUE_LINES
        )

    def _is_apart(self, new: Sequence[str]) -> bool:
        # A blank line separates the scope from the lines below, in answer and document.
        return self._has_blank_first and not new[-1].strip()

    def _is_code(self) -> bool:
        # The scope is incomplete without the held lines.
        whole = [*self._before, *self._held]
        if self._has_distinctive(self._held) or not self._fits(whole):
            return False
        return not self._fits(self._before) or (
            self._ends_as_before(whole) and not self._ends_as_before(self._before)
        )

    def _ends_as_before(self, lines: Sequence[str]) -> bool:
        last = next((line for line in reversed(lines) if line.strip()), "")
        return last.strip() == self._old.last.strip()

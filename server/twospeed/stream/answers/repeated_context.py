"""Lines around the scope that an answer repeats: some above it first, or some below it last.

They are told from new code by what stands beside them, the scope's old first or last line, and by what parses. Where
that does not tell, the answer is refused. Blank lines are not compared: models leave some out, or add some.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from twospeed.stream.aligner import is_trivial

from .evidence import OldText, Outside, Refusal, balance
from .prose import ProseClassifier

_MAX_STARTS = 8
"""Places at which an echo of the lines below may begin: only lines that repeat give more than one."""

_ENOUGH = 2
"""Lines that stand but once in the document and are repeated in their order are no chance."""

_UNCLEAR = Refusal("extent", "the answer may repeat lines from outside of what is edited")


class RepeatedLines:
    """What both ends have in common.

    Args:
        side: The lines outside that may be repeated.
        old: The scope's lines.
        outside: What stands in the document but once.
        judgement: What parses.

    Attributes:
        refusal: Set where an echo cannot be told from code.
    """

    def __init__(
        self, side: Sequence[str], old: OldText, outside: Outside, judgement: ProseClassifier
    ) -> None:
        self.refusal: Refusal | None = None
        self._lines = side
        self._old = old
        self._outside = outside
        self._judgement = judgement
        self._held: list[str] = []

    @cached_property
    def _side(self) -> list[str]:
        """The lines outside that are not blank, without white space at their ends."""
        return [text for line in self._lines if (text := line.rstrip())]

    def _tells(self, lines: Sequence[str]) -> bool:
        """Whether lines outside are not old ones as well, nor such as any code might hold."""
        texts = [line.strip() for line in lines]
        return any(not is_trivial(text) and text not in self._old.known for text in texts)

    def _fits(self, lines: Sequence[str]) -> bool:
        if self._judgement.tells:
            return self._judgement.fits(lines)
        return balance(lines) == balance(self._old.lines)

    def _unclear(self) -> Sequence[str]:
        self.refusal = _UNCLEAR
        return ()


class RepeatedAbove(RepeatedLines):
    """Drop lines above the scope that an answer begins with."""

    def __init__(
        self, side: Sequence[str], old: OldText, outside: Outside, judgement: ProseClassifier
    ) -> None:
        super().__init__(side, old, outside, judgement)
        self._is_over = not self._side
        self._texts = frozenset(self._side)
        self._places: Sequence[int] | None = None  # before the first line: all of them
        self._n_echoed = 0

    def receive_line(self, line: str) -> Sequence[str]:
        """Take a line of code; return those that are the scope's."""
        if self._is_over:
            return (line,)
        text = line.rstrip()
        if not text:
            self._held.append(line)
            return ()
        self._held.append(line)
        self._places = self._places_behind(text)
        if len(self._side) in self._places:
            self._n_echoed = len(self._held)
        return () if self._places else self._released()

    def finish(self) -> Sequence[str]:
        """Take the end of the code; return what was held of it."""
        return () if self._is_over else self._released()

    def _places_behind(self, text: str) -> list[int]:
        """Return where in the lines outside all that came so far, and ``text`` behind it, may end."""
        side = self._side
        if self._places is not None:
            return [at + 1 for at in self._places if at < len(side) and side[at] == text]
        return [at for at, line in enumerate(side, 1) if line == text] if text in self._texts else []

    def _released(self) -> Sequence[str]:
        self._is_over = True
        echo, rest = self._held[: self._n_echoed], self._held[self._n_echoed :]
        if not echo:
            return rest
        first = next((line for line in rest if line.strip()), "")
        may_begin = self._old.may_begin_with(first)
        if not may_begin and any(line.strip() == self._old.first.strip() for line in echo[:1]):
            return self._held
        if not first:
            return self._unclear()
        if self._tells(echo) and may_begin:
            return rest
        if first.strip() == self._old.first.strip() and not is_trivial(first):
            return rest
        is_broken = self._judgement.tells and not self._judgement.fits([*echo, *self._old.lines])
        return rest if is_broken else self._unclear()


class RepeatedBelow(RepeatedLines):
    """Drop lines below the scope that an answer ends with."""

    def __init__(
        self, side: Sequence[str], old: OldText, outside: Outside, judgement: ProseClassifier
    ) -> None:
        super().__init__(side, old, outside, judgement)
        self._first = next((text for line in side if (text := line.rstrip())), None)
        self._has_blank_first = bool(side) and not side[0].strip()
        self._before: list[str] = []
        self._starts: list[tuple[int, int]] = []

    def receive_line(self, line: str) -> Sequence[str]:
        """Take a line of code; return those that are the scope's."""
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
        """Take the end of the code; return what was held of it."""
        if not self._held:
            return ()
        readings = [at for at, _ in self._starts if self._is_echo(at)]
        if len(readings) == 1:
            return self._held[: readings[0]]
        if readings or not self._is_code():
            return self._unclear()
        return self._held

    def _is_echo(self, at: int) -> bool:
        """Whether the held lines from this one on are certainly no code of the scope."""
        new, echo = [*self._before, *self._held[:at]], self._held[at:]
        ends_as_before = self._ends_as_before(new)
        if not any(line.strip() for line in new) or not self._fits(new):
            return False
        may_be_code = self._fits([*new, *echo])
        if not self._tells(echo):
            return not may_be_code or (ends_as_before and not self._ends_as_before(echo))
        if ends_as_before or not self._judgement.tells:
            return ends_as_before
        return not may_be_code or self._is_apart(new) or self._outside.count_alone(echo) >= _ENOUGH

    def _is_apart(self, new: Sequence[str]) -> bool:
        """Whether a blank line parts the scope from what is below it, here and in the document."""
        return self._has_blank_first and not new[-1].strip()

    def _is_code(self) -> bool:
        """Whether the held lines are certainly code of the scope: without them it is not whole, or ends otherwise."""
        whole = [*self._before, *self._held]
        if self._tells(self._held) or not self._fits(whole):
            return False
        return not self._fits(self._before) or (
            self._ends_as_before(whole) and not self._ends_as_before(self._before)
        )

    def _ends_as_before(self, lines: Sequence[str]) -> bool:
        last = next((line for line in reversed(lines) if line.strip()), "")
        return last.strip() == self._old.last.strip()

"""Measure the times of one edit: its turn, first text, duration, tokens a second."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from twospeed.models.base import Usage

from .values import Stats


class Stopwatch:
    """Runs from the moment it is made.

    Args:
        clock: Monotonic seconds.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._start = clock()
        self._turn: float | None = None
        self._first_text: float | None = None
        self._begun = self._last_text = 0.0
        self._has_text = False
        self._usage = Usage()

    def note_turn(self) -> None:
        """Record that no other edit is in the way."""
        self._turn = self._clock()

    def note_request(self) -> None:
        """Record that an answer is requested, perhaps in place of a stopped one."""
        self._has_text = False
        self._usage = Usage()

    def note_text(self) -> None:
        """Record that text of the answer arrived."""
        self._last_text = self._clock()
        if not self._has_text:
            self._has_text, self._begun = True, self._last_text
        if self._first_text is None:
            self._first_text = self._last_text

    def note_usage(self, usage: Usage) -> None:
        """Record the token counts of the provider."""
        self._usage = usage

    def stopped(self, stats: Stats) -> Stats:
        """Return the statistics with times filled in."""
        return replace(
            stats,
            ttft_ms=None if self._first_text is None else _ms(self._first_text - self._start),
            queued_ms=None if self._turn is None else _ms(self._turn - self._start),
            duration_ms=_ms(self._clock() - self._start),
            tokens_per_second=self._rate(),
        )

    def _rate(self) -> float | None:
        """Tokens of the answer per second of writing; None without counts or a measurable time."""
        n_tokens = self._usage.output_tokens - self._usage.reasoning_tokens
        if not self._has_text or n_tokens <= 1 or self._last_text <= self._begun:
            return None
        return round(n_tokens / (self._last_text - self._begun), 1)


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 2)

"""Measure time: the loop's own, and of one answer its first text, duration, tokens a second."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from twospeed.models.base import Usage

from .values import Stats


def loop_time() -> float:
    """Return the time of the running loop, in monotonic seconds."""
    return asyncio.get_running_loop().time()


class Stopwatch:
    """Runs from the moment it is made.

    Args:
        clock: Monotonic seconds.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._start = clock()
        self._first_text: float | None = None
        self._last_text = 0.0
        self._usage = Usage()

    def note_text(self) -> None:
        """A piece of the answer came."""
        self._last_text = self._clock()
        if self._first_text is None:
            self._first_text = self._last_text

    def note_usage(self, usage: Usage) -> None:
        """The provider counted."""
        self._usage = usage

    def stopped(self, stats: Stats) -> Stats:
        """Return the statistics with times and tokens filled in."""
        return replace(
            stats,
            ttft_ms=None if self._first_text is None else _ms(self._first_text - self._start),
            duration_ms=_ms(self._clock() - self._start),
            input_tokens=self._usage.input_tokens,
            output_tokens=self._usage.output_tokens,
            cached_tokens=self._usage.cached_tokens,
            reasoning_tokens=self._usage.reasoning_tokens,
            tokens_per_second=self._rate(),
        )

    def _rate(self) -> float | None:
        """Tokens of the answer a second of writing, where the provider counted and there was time to measure."""
        n_tokens = self._usage.output_tokens - self._usage.reasoning_tokens
        if self._first_text is None or n_tokens <= 1 or self._last_text <= self._first_text:
            return None
        return round(n_tokens / (self._last_text - self._first_text), 1)


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 2)

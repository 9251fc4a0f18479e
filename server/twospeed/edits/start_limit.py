"""Limit how fast edits start: a token bucket allows a burst and stops a loop."""

from __future__ import annotations

import time
from collections.abc import Callable

from twospeed.errors import LimitReached

STARTS_PER_S = 16.0
BURST = 128
"""A person starts an edit every few seconds; an editor that starts hundreds is broken, and each may cost money."""


class StartLimit:
    """Allows ``burst`` starts at once, and ``per_s`` more each second of the monotonic ``clock``."""

    def __init__(
        self,
        *,
        per_s: float = STARTS_PER_S,
        burst: int = BURST,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._per_s = per_s
        self._burst = burst
        self._clock = clock
        self._n_left = float(burst)
        self._counted_at = clock()

    def take(self, n: int = 1) -> None:
        """Count ``n`` starts: all or none.

        Raises:
            LimitReached: Too many edits were started.
        """
        now = self._clock()
        self._n_left = min(self._burst, self._n_left + (now - self._counted_at) * self._per_s)
        self._counted_at = now
        if self._n_left < n:
            raise LimitReached(f"edits are started too fast; {self._per_s:g} a second are taken")
        self._n_left -= n

    def give_back(self, n: int = 1) -> None:
        """Uncount ``n`` starts that cost nothing."""
        self._n_left = min(self._burst, self._n_left + n)

"""How fast edits may be started: a bucket of tokens, so that a burst is fine and a loop is not."""

from __future__ import annotations

import time
from collections.abc import Callable

from twospeed.errors import LimitReached

STARTS_PER_S = 16.0
BURST = 128
"""A person starts one edit in some seconds; an editor that starts hundreds has gone wild, and each may cost money."""


class StartLimit:
    """Allow ``burst`` starts at once, and ``per_s`` more each second.

    Args:
        per_s: How fast the bucket fills.
        burst: How much it holds.
        clock: Monotonic seconds.
    """

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
        self._seen_at = clock()

    def take(self, n: int = 1) -> None:
        """Count some starts: all of them, or none.

        Raises:
            LimitReached: Too many have been started just now.
        """
        now = self._clock()
        self._n_left = min(self._burst, self._n_left + (now - self._seen_at) * self._per_s)
        self._seen_at = now
        if self._n_left < n:
            raise LimitReached(f"edits are started too fast; {self._per_s:g} a second are taken")
        self._n_left -= n

    def give_back(self, n: int = 1) -> None:
        """Forget some starts that cost nothing."""
        self._n_left = min(self._burst, self._n_left + n)

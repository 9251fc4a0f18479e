"""Detect that the machine slept: its idle connections are probably dead, without any notification.

The monotonic clock stops during sleep (Linux, macOS) and the wall clock does not. On Windows both continue.
Setting the wall clock forward looks the same and costs only a new connection.
"""

from __future__ import annotations

import time
from typing import Final

_MIN_SLEEP_S: Final = 60.0
"""Servers and routers keep idle connections for at least a minute."""


class SleepWatch:
    """Detects sleep since its creation."""

    def __init__(self) -> None:
        self._ahead_s = _ahead_s()

    @property
    def has_slept(self) -> bool:
        """Whether the machine slept long enough to lose an idle connection."""
        return _ahead_s() - self._ahead_s > _MIN_SLEEP_S


def _ahead_s() -> float:
    """Return the seconds from monotonic time to wall time; sleep increases them."""
    return time.time() - time.monotonic()

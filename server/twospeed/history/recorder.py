"""Write rows in a thread, so that a slow disk or a locked or broken file never delays an edit.

If the file is locked, rows wait for the next write; if it is broken, nothing is stored and one log line says
so.
"""

from __future__ import annotations

import logging
import queue
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Final

from twospeed.errors import HistoryBusy, HistoryUnusable

from .rows import EditRow

if TYPE_CHECKING:
    from .file import HistoryFile

logger = logging.getLogger(__name__)

# Limit of rows waiting for the file; the oldest are dropped.
MAX_WAITING: Final = 1000


class Recorder:
    """Queues rows and writes them in a thread."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._queue: queue.SimpleQueue[EditRow | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._waiting: dict[str, EditRow] = {}
        self._file: HistoryFile | None = None
        self._is_broken = self._has_complained = False

    def record(self, row: EditRow) -> None:
        """Queue a row, which replaces one with the same id; never blocks."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="twospeed-history", daemon=True)
            self._thread.start()
        self._queue.put(row)

    def close(self, limit_s: float) -> bool:
        """Write the queued rows and end the thread; return whether it ended within ``limit_s``."""
        if self._thread is None:
            return True
        self._queue.put(None)
        self._thread.join(limit_s)
        return not self._thread.is_alive()

    def _work(self) -> None:
        is_open = True
        while is_open:
            is_open = self._drain_queue()
            if not self._is_broken and self._waiting:
                self._write()
        if self._file:
            self._file.close()

    def _drain_queue(self) -> bool:
        row = self._queue.get()
        while row is not None:
            self._waiting.pop(row.id, None)
            self._waiting[row.id] = row
            if len(self._waiting) > MAX_WAITING:
                del self._waiting[next(iter(self._waiting))]
            if self._queue.empty():
                return True
            row = self._queue.get()
        return False

    def _write(self) -> None:
        from .file import HistoryFile  # noqa: PLC0415  # imports sqlite3, in this thread

        try:
            if self._file is None:
                self._file = HistoryFile(self._path)
            self._file.write(self._waiting.values())
        except HistoryBusy as error:
            self._log_once(error)
        except HistoryUnusable as error:
            self._is_broken = True
            self._log_once(error)
        else:
            self._waiting.clear()
            return
        if self._is_broken:
            self._waiting.clear()

    def _log_once(self, error: HistoryUnusable) -> None:
        if not self._has_complained:
            self._has_complained = True
            logger.warning("the history of edits cannot be written: %s", error)

"""stdin and stdout as a transport."""

from __future__ import annotations

import asyncio
import contextlib
import os
import stat
import sys
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable

from .connection import MAX_QUEUED_BYTES, BytesProtocol

_CHUNK_BYTES = 64 * 1024


@contextlib.asynccontextmanager
async def reading_stdin(receive: Callable[[bytes], None], at_end: Callable[[], None]) -> AsyncIterator[None]:
    """Pass bytes to ``receive`` as they arrive; call ``at_end`` at the end of input."""
    if not _is_pollable(sys.stdin.fileno()):
        _read_in_thread(receive, at_end)
        yield
        return
    loop = asyncio.get_running_loop()
    transport, _ = await loop.connect_read_pipe(lambda: BytesProtocol(receive, at_end), sys.stdin.buffer)
    try:
        yield
    finally:
        transport.close()
        await asyncio.sleep(0)  # the transport closes in the next iteration of the loop


def _is_pollable(descriptor: int) -> bool:
    mode = os.fstat(descriptor).st_mode
    return sys.platform != "win32" and (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode))


def _read_in_thread(receive: Callable[[bytes], None], at_end: Callable[[], None]) -> None:
    # A daemon thread: one that waits for input must not keep the process alive.
    loop = asyncio.get_running_loop()

    def read() -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed
            with contextlib.suppress(OSError):
                while data := os.read(sys.stdin.fileno(), _CHUNK_BYTES):
                    loop.call_soon_threadsafe(receive, data)
            loop.call_soon_threadsafe(at_end)

    threading.Thread(target=read, name="stdin", daemon=True).start()


class StdoutWriter:
    """Queues frames for the original stdout; a closed pipe, or more than ``MAX_QUEUED_BYTES``, calls ``at_end``.

    An output that cannot be polled (a file, a terminal, Windows) is written blocking.
    """

    def __init__(self, at_end: Callable[[], None]) -> None:
        self._at_end = at_end
        self._descriptor = os.dup(sys.stdout.fileno())
        sys.stdout.flush()
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # a stray print must not break the protocol
        self._is_pollable = _is_pollable(self._descriptor)
        if self._is_pollable:
            os.set_blocking(self._descriptor, False)
        self._waiting: deque[memoryview] = deque()
        self._n_waiting = 0
        self._is_empty = asyncio.Event()
        self._is_empty.set()
        self._is_broken = False

    def write(self, frame: bytes) -> None:
        """Write or queue one frame; do nothing after ``at_end``."""
        if self._is_broken:
            return
        self._waiting.append(memoryview(frame))
        self._n_waiting += len(frame)
        if self._is_empty.is_set():
            self._write_waiting()
        if self._n_waiting > MAX_QUEUED_BYTES:
            self._abandon()

    async def flush(self, limit_s: float) -> None:
        """Wait at most ``limit_s`` until everything is written."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(limit_s):
                await self._is_empty.wait()

    def close(self) -> None:
        """Restore and close the descriptor."""
        self._stop_polling()
        with contextlib.suppress(OSError):
            if self._is_pollable:
                os.set_blocking(self._descriptor, True)  # the parent process may share it
            os.close(self._descriptor)

    def _write_waiting(self) -> None:
        try:
            while self._waiting:
                n_written = os.write(self._descriptor, self._waiting[0])
                self._n_waiting -= n_written
                self._waiting[0] = self._waiting[0][n_written:]
                if not self._waiting[0]:
                    self._waiting.popleft()
        except BlockingIOError:
            if self._is_empty.is_set():
                self._is_empty.clear()
                asyncio.get_running_loop().add_writer(self._descriptor, self._write_waiting)
        except OSError:
            self._abandon()
        else:
            self._stop_polling()

    def _stop_polling(self) -> None:
        if not self._is_empty.is_set():
            self._is_empty.set()
            asyncio.get_running_loop().remove_writer(self._descriptor)

    def _abandon(self) -> None:
        self._is_broken = True
        self._waiting.clear()
        self._n_waiting = 0
        self._stop_polling()
        self._at_end()

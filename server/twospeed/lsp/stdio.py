"""Frames over this process's stdin and stdout, until the editor says ``exit`` or goes away."""

from __future__ import annotations

import asyncio
import contextlib
import os
import stat
import sys
import threading
from collections.abc import Callable, Coroutine

_CHUNK_BYTES = 64 * 1024


async def read_stdin(receive: Callable[[bytes], None], *, stop: asyncio.Event) -> None:
    """Hand over bytes as they arrive, until the stream ends or ``stop`` is set.

    Pipes and sockets are read by the event loop itself, where it can; anything else by a thread.
    """
    mode = os.fstat(sys.stdin.fileno()).st_mode
    is_pollable = sys.platform != "win32" and (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode))
    read = await _loop_reader() if is_pollable else _thread_reader()
    stopped = asyncio.ensure_future(stop.wait())
    try:
        while not stop.is_set():
            reading = asyncio.ensure_future(read())
            await asyncio.wait([reading, stopped], return_when=asyncio.FIRST_COMPLETED)
            if not reading.done():
                reading.cancel()
                return
            if not (data := reading.result()):
                return
            receive(data)
    finally:
        stopped.cancel()


async def _loop_reader() -> Callable[[], Coroutine[None, None, bytes]]:
    reader = asyncio.StreamReader(limit=_CHUNK_BYTES)
    protocol = asyncio.StreamReaderProtocol(reader)
    await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, sys.stdin.buffer)
    return lambda: reader.read(_CHUNK_BYTES)


def _thread_reader() -> Callable[[], Coroutine[None, None, bytes]]:
    """Read in a daemon thread: one that waits for input must not keep the process alive."""
    loop, chunks = asyncio.get_running_loop(), asyncio.Queue[bytes]()

    def read() -> None:
        data = b"x"
        while data:
            data = os.read(sys.stdin.fileno(), _CHUNK_BYTES)
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody listens any more
                loop.call_soon_threadsafe(chunks.put_nowait, data)

    threading.Thread(target=read, name="stdin", daemon=True).start()
    return chunks.get


class StdoutWriter:
    """Write frames to the descriptor that was stdout, whole and in order; prints of others go to stderr."""

    def __init__(self) -> None:
        self._descriptor = os.dup(sys.stdout.fileno())
        sys.stdout.flush()
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # a stray print must not break the protocol
        self.is_broken = False

    def write(self, frame: bytes) -> None:
        """Write one frame; silently nothing once the editor is gone."""
        view = memoryview(frame)
        while view and not self.is_broken:
            try:
                view = view[os.write(self._descriptor, view) :]
            except BlockingIOError:
                _wait_writable(self._descriptor)
            except OSError:
                self.is_broken = True

    def close(self) -> None:
        """Give the descriptor back."""
        with contextlib.suppress(OSError):
            os.close(self._descriptor)


def _wait_writable(descriptor: int) -> None:
    import select  # noqa: PLC0415 - needed only where the editor made the pipe non-blocking and reads slowly

    select.select([], [descriptor], [])

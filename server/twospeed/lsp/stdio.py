"""Frames over this process's stdin and stdout, until the editor says ``exit`` or goes away."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import Callable

from .framing import FrameDecoder, FramingError

_CHUNK_BYTES = 64 * 1024


async def read_stdin(receive: Callable[[bytes], None], *, stop: asyncio.Event) -> None:
    """Hand over bytes as they arrive, until the stream ends or ``stop`` is set.

    Read by the event loop itself where the platform can (pipes and sockets on Unix), else by a thread.
    """
    loop = asyncio.get_running_loop()
    descriptor = sys.stdin.buffer.fileno()
    reader = asyncio.StreamReader(limit=_CHUNK_BYTES)
    try:
        transport, _ = await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), sys.stdin.buffer
        )
    except (ValueError, NotImplementedError):  # a file, or Windows
        await _read_in_thread(descriptor, receive, stop)
        return
    stopped = asyncio.ensure_future(stop.wait())
    try:
        while not stop.is_set():
            read = asyncio.ensure_future(reader.read(_CHUNK_BYTES))
            await asyncio.wait([read, stopped], return_when=asyncio.FIRST_COMPLETED)
            if not read.done():
                read.cancel()
                break
            if not (data := read.result()):
                break
            receive(data)
    finally:
        stopped.cancel()
        transport.close()


async def _read_in_thread(descriptor: int, receive: Callable[[bytes], None], stop: asyncio.Event) -> None:
    loop = asyncio.get_running_loop()
    while not stop.is_set():
        data = await loop.run_in_executor(None, os.read, descriptor, _CHUNK_BYTES)
        if not data:
            return
        receive(data)


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


__all__ = ["FrameDecoder", "FramingError", "StdoutWriter", "read_stdin"]

"""A real Vim in a terminal: keys go through the terminal, and its state is read through a channel (``:help channel``)."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import itertools
import json
import os
import pty
import shutil
import struct
import termios
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

LIMIT_S = 20.0
LINES, COLUMNS = 60, 120
TYPED = "\x1b[24~"
"""F12, which the configuration maps to an event."""

PLUGIN = Path("/usr/share/vim/vimfiles/pack/dist-bundle/opt/ale")
"""Where the package vim-ale of Debian and Ubuntu puts ALE."""

INSTALL = "make test-editors"


def program() -> str | None:
    """Return the path of the Vim named in TWOSPEED_VIM, None if there is none or if ALE is missing."""
    return shutil.which(os.environ.get("TWOSPEED_VIM", "")) if PLUGIN.exists() else None


class Vim:
    """One running Vim."""

    def __init__(self, terminal: int) -> None:
        self._terminal = terminal
        self._ids = itertools.count(-1, -1)
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._writer: asyncio.StreamWriter | None = None
        self._n_typed = 0
        self._changed = asyncio.Condition()
        self._has_ended = asyncio.Event()

    async def connected(self) -> None:
        """Wait until its configuration has opened the channel."""
        async with asyncio.timeout(LIMIT_S), self._changed:
            await self._changed.wait_for(lambda: self._writer is not None)

    async def eval(self, expression: str) -> Any:
        """Return the value of an expression; Vim evaluates it while it waits for a key."""
        assert self._writer
        number = next(self._ids)
        future = self._waiting[number] = asyncio.get_running_loop().create_future()
        self._writer.write(json.dumps(["expr", expression, number]).encode() + b"\n")
        async with asyncio.timeout(LIMIT_S):
            return await future

    async def keys(self, keys: str) -> None:
        """Type keys; return before they are handled."""
        data = keys.encode()
        while data:
            data = data[await asyncio.to_thread(os.write, self._terminal, data[:512]) :]

    async def typed(self, keys: str) -> None:
        """Type keys, and wait until they are handled."""
        n_before = self._n_typed
        await self.keys(keys + TYPED)
        async with asyncio.timeout(LIMIT_S), self._changed:
            await self._changed.wait_for(lambda: self._n_typed > n_before)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with self._changed:
            self._writer = writer
            self._changed.notify_all()
        with contextlib.closing(writer):
            await self._read(reader)
        self._has_ended.set()

    async def _read(self, reader: asyncio.StreamReader) -> None:
        data = b""
        while part := await reader.read(65536):
            data += part
            *lines, data = data.split(b"\n")
            for line in filter(None, lines):
                await self._receive(*json.loads(line))

    async def _receive(self, number: int, value: Any) -> None:
        if number in self._waiting:
            self._waiting.pop(number).set_result(value)
            return
        async with self._changed:
            self._n_typed += value == "typed"
            self._changed.notify_all()


@contextlib.asynccontextmanager
async def vim(init: Path, folder: Path, environment: Mapping[str, str]) -> AsyncIterator[Vim]:
    """Start Vim with `init` as its only configuration; it has ended when the context closes.

    Args:
        init: A Vim script, which opens a channel to the socket in ``TWOSPEED_CHANNEL``.
        folder: The folder of the socket.
        environment: The environment of Vim.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
    opened = Vim(ours)
    path = folder / "channel"
    loop = asyncio.get_running_loop()
    server = await asyncio.start_unix_server(opened._serve, path)
    process = await asyncio.create_subprocess_exec(
        *[str(program()), "-N", "-u", str(init), "-i", "NONE", "-n"],
        env={**environment, "TERM": "xterm-256color", "LANG": "C.UTF-8", "TWOSPEED_CHANNEL": str(path)},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    loop.add_reader(ours, _discard, ours, loop)
    try:
        await opened.connected()
        yield opened
        await opened.keys("\x1b\x1b:qall!\r")
        async with asyncio.timeout(LIMIT_S):
            await process.wait()
            await opened._has_ended.wait()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
        loop.remove_reader(ours)
        os.close(ours)
        server.close()


def _discard(terminal: int, loop: asyncio.AbstractEventLoop) -> None:
    """Read what Vim draws, so that the terminal does not fill up."""
    try:
        has_ended = not os.read(terminal, 65536)
    except OSError:  # Vim has closed the terminal
        has_ended = True
    if has_ended:
        loop.remove_reader(terminal)

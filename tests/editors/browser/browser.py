"""A page in a real Chromium, controlled by `page_process.mjs` over a pipe."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import shutil
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

LIMIT_S = 30.0
END_S = 10.0
_PAGE_PROCESS = Path(__file__).with_name("page_process.mjs")

FrameHandler = Callable[[dict[str, Any]], Awaitable[None]]


class BrowserError(Exception):
    """A call failed; the message is the error of Playwright."""


class BrowserTimeout(BrowserError, TimeoutError):
    """A call exceeded the time limit of Playwright."""


class Browser:
    """One page.

    Args:
        process: The process of `page_process.mjs`.
        on_frame: Called for each message on a WebSocket of the page.
    """

    def __init__(self, process: Process, on_frame: FrameHandler | None) -> None:
        self._process = process
        self._on_frame = on_frame
        self._ids = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._reader = asyncio.create_task(self._read())

    async def call(self, path: str, *arguments: object) -> Any:
        """Call a method of Playwright's ``Page``, such as ``mouse.click``, and return its result."""
        assert self._process.stdin
        call_id = next(self._ids)
        future = self._waiting[call_id] = asyncio.get_running_loop().create_future()
        line = json.dumps({"id": call_id, "path": path, "args": arguments})
        self._process.stdin.write(line.encode() + b"\n")
        async with asyncio.timeout(LIMIT_S):
            return await future

    async def js(self, function: str, *arguments: object) -> Any:
        """Call a JavaScript function in the page, and return its result."""
        return await self.call("evaluate", f"({function})(...{json.dumps(arguments)})")

    async def press(self, keys: str, times: int = 1) -> None:
        """Press keys together, such as ``Control+Shift+L``."""
        for _ in range(times):
            await self.call("keyboard.press", keys)

    async def type(self, text: str) -> None:
        """Type text; characters without a key are inserted as by an input method."""
        await self.call("keyboard.type", text)

    async def see(self, selector: str) -> None:
        """Wait until an element that matches the selector is visible."""
        await self.call("waitForSelector", selector)

    async def _read(self) -> None:
        assert self._process.stdout
        while line := await self._process.stdout.readline():
            message = json.loads(line)
            if "id" not in message:
                assert self._on_frame
                await self._on_frame(message)
                continue
            future = self._waiting.pop(message["id"])
            if future.done():
                continue
            if "error" in message:
                is_late = message["error"].startswith("TimeoutError")
                future.set_exception((BrowserTimeout if is_late else BrowserError)(message["error"]))
            else:
                future.set_result(message["result"])
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(BrowserError("the browser has ended"))

    async def _end(self) -> None:
        assert self._process.stdin
        self._process.stdin.close()
        try:
            async with asyncio.timeout(END_S):
                await self._process.wait()
        finally:
            if self._process.returncode is None:
                self._process.kill()
            await self._reader
            await self._process.wait()


def is_installed() -> bool:
    """Return whether two variables name a browser and Playwright, and Node.js is installed."""
    return {"TWOSPEED_CHROMIUM", "TWOSPEED_PLAYWRIGHT"} <= set(os.environ) and shutil.which(
        "node"
    ) is not None


@contextlib.asynccontextmanager
async def browser(
    environment: Mapping[str, str], on_frame: FrameHandler | None = None
) -> AsyncIterator[Browser]:
    """Start Chromium with an empty page; end it when the context closes."""
    frames = {"TWOSPEED_FRAMES": "1"} if on_frame else {}
    process = await asyncio.create_subprocess_exec(
        "node",
        str(_PAGE_PROCESS),
        env={**environment, **frames},
        stdin=PIPE,
        stdout=PIPE,
        limit=64 * 1024 * 1024,
    )
    opened = Browser(process, on_frame)
    try:
        yield opened
    finally:
        await opened._end()

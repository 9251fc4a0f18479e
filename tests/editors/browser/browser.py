"""A page in a real Chromium: `hands.mjs` has it, and does what it is told on a pipe."""

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
_HANDS = Path(__file__).with_name("hands.mjs")

Hear = Callable[[dict[str, Any]], Awaitable[None]]


class BrowserError(Exception):
    """The page could not do it; says what Playwright said."""


class BrowserTimeout(BrowserError, TimeoutError):
    """The page had not done it when its time was over."""


class Browser:
    """One page.

    Args:
        process: Of the hands.
        hear: Is told of every message on a WebSocket of the page.
    """

    def __init__(self, process: Process, hear: Hear | None) -> None:
        self._process = process
        self._hear = hear
        self._ids = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._reader = asyncio.create_task(self._read())

    async def call(self, path: str, *arguments: object) -> Any:
        """Call a method of Playwright's ``Page``, such as ``mouse.click``, and give its result."""
        assert self._process.stdin
        call_id = next(self._ids)
        future = self._waiting[call_id] = asyncio.get_running_loop().create_future()
        line = json.dumps({"id": call_id, "path": path, "args": arguments})
        self._process.stdin.write(line.encode() + b"\n")
        async with asyncio.timeout(LIMIT_S):
            return await future

    async def js(self, function: str, *arguments: object) -> Any:
        """Call a function of JavaScript in the page."""
        return await self.call("evaluate", f"({function})(...{json.dumps(arguments)})")

    async def press(self, keys: str, times: int = 1) -> None:
        """Press keys together, such as ``Control+Shift+L``."""
        for _ in range(times):
            await self.call("keyboard.press", keys)

    async def type(self, text: str) -> None:
        """Press a key for each character; one that no key has comes as from an input method."""
        await self.call("keyboard.type", text)

    async def see(self, selector: str) -> None:
        """Wait until such an element is visible."""
        await self.call("waitForSelector", selector)

    async def _read(self) -> None:
        assert self._process.stdout
        while line := await self._process.stdout.readline():
            told = json.loads(line)
            if "id" not in told:
                assert self._hear
                await self._hear(told)
                continue
            future = self._waiting.pop(told["id"])
            if future.done():
                continue
            if "error" in told:
                is_late = told["error"].startswith("TimeoutError")
                future.set_exception((BrowserTimeout if is_late else BrowserError)(told["error"]))
            else:
                future.set_result(told["result"])
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
    """Tell whether there are a browser, Node.js and Playwright; two variables name the first and the last."""
    return {"TWOSPEED_CHROMIUM", "TWOSPEED_PLAYWRIGHT"} <= set(os.environ) and shutil.which(
        "node"
    ) is not None


@contextlib.asynccontextmanager
async def browser(environment: Mapping[str, str], hear: Hear | None = None) -> AsyncIterator[Browser]:
    """Start Chromium with an empty page; it has ended when the block is left."""
    frames = {"TWOSPEED_FRAMES": "1"} if hear else {}
    process = await asyncio.create_subprocess_exec(
        "node", str(_HANDS), env={**environment, **frames}, stdin=PIPE, stdout=PIPE, limit=64 * 1024 * 1024
    )
    opened = Browser(process, hear)
    try:
        yield opened
    finally:
        await opened._end()

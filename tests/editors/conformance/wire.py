"""What an editor and its server said to one another, as the tap between them tells it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from tests.editors.conformance.json_lines import Lines, listening

APPLY = ("twospeed/applyEdit", "workspace/applyEdit")
TWOSPEED = (sys.executable, "-P", "-m", "twospeed")
_TAP = Path(__file__).with_name("tap.py")


@dataclass(frozen=True, slots=True)
class Said:
    """One message.

    Attributes:
        sender: ``editor`` or ``server``.
        at: When it passed, in seconds of the machine's clock.
        session: Of which run of the server, from 1.
    """

    sender: str
    at: float
    session: int
    message: dict[str, Any]


class Wire:
    """Every message, oldest first.

    Attributes:
        pids: The server's processes, oldest first.
        newest_session: How much was said before the newest of them began.
    """

    def __init__(self, path: Path) -> None:
        self.said: list[Said] = []
        self.pids: list[int] = []
        self.newest_session = 0
        self._path = path
        self._news = asyncio.Condition()

    @property
    def command(self) -> list[str]:
        """What an editor has to start as its server."""
        return [sys.executable, "-S", str(_TAP), str(self._path), *TWOSPEED, "serve", "--stdio"]

    def from_server(self, method: str, since: int = 0) -> list[dict[str, Any]]:
        """Give the params of what the server sent or asked by this name, from the message of this number on."""
        return self._by_name("server", method, since)

    def from_editor(self, method: str, since: int = 0) -> list[dict[str, Any]]:
        """Give the params of what the editor sent or asked."""
        return self._by_name("editor", method, since)

    def _by_name(self, sender: str, method: str, since: int) -> list[dict[str, Any]]:
        return [
            each.message.get("params") or {}
            for each in self.said[since:]
            if each.sender == sender and each.message.get("method") == method
        ]

    def round_trips_ms(self, since: int = 0) -> list[float]:
        """Give how long the editor took to answer each edit it was sent."""
        asked: dict[tuple[int, object], float] = {}
        took: list[float] = []
        for each in self.said[since:]:
            key = (each.session, each.message.get("id"))
            if each.sender == "server" and each.message.get("method") in APPLY:
                asked[key] = each.at
            elif each.sender == "editor" and "method" not in each.message and key in asked:
                took.append(1000 * (each.at - asked.pop(key)))
        return took

    async def until(self, condition: Callable[[], bool], limit_s: float) -> None:
        """Wait until a message makes a condition true."""
        async with asyncio.timeout(limit_s), self._news:
            await self._news.wait_for(condition)

    async def next(self, limit_s: float) -> None:
        """Wait for the next message, no longer than so many seconds."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(limit_s), self._news:
                await self._news.wait()

    def kill_server(self) -> None:
        """Kill the newest server, as the system does that runs out of memory."""
        os.kill(self.pids[-1], signal.SIGKILL)

    async def begin_session(self, pid: int) -> int:
        """Take note of a new server; give the number of its session."""
        self.pids.append(pid)
        self.newest_session = len(self.said)
        await self._tell()
        return len(self.pids)

    async def hear(self, said: Said) -> None:
        """Take note of a message."""
        self.said.append(said)
        await self._tell()

    async def _tell(self) -> None:
        async with self._news:
            self._news.notify_all()

    async def _read(self, lines: Lines) -> None:
        session = 0
        async for told in lines:
            if "pid" in told:
                session = await self.begin_session(told["pid"])
            else:
                await self.hear(Said(told["from"], told["at"], session, told["message"]))


@contextlib.asynccontextmanager
async def wire(folder: Path) -> AsyncIterator[Wire]:
    """Listen, on a socket in this folder."""
    told = Wire(folder / "tap")
    async with listening(told._path, told._read):
        yield told


def middle(values: list[float]) -> float:
    """Give the median; 0 where there is none."""
    return median(values) if values else 0.0

"""A program at a pseudo-terminal: what it shows, and what a user types."""

from __future__ import annotations

import asyncio
import os
import pty
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

LIMIT_S = 60


class Terminal:
    """An async context manager that runs a program at a terminal of its own, which is also its controlling one."""

    def __init__(self, command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> None:
        self._command, self._folder, self._environment = command, folder, environment
        self._grew = asyncio.Event()
        self._seen = 0
        self.shown = ""

    async def __aenter__(self) -> Self:
        self._master, line = pty.openpty()
        self._process = await asyncio.create_subprocess_exec(
            *self._command, cwd=self._folder, env=self._environment, stdin=line, stdout=line, stderr=line,
            start_new_session=True, preexec_fn=lambda: os.close(os.open(os.ttyname(0), os.O_RDWR)),
        )  # fmt: skip
        os.close(line)
        asyncio.get_running_loop().add_reader(self._master, self._read)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.returncode is None:
            self._process.kill()
            await self._process.wait()
        asyncio.get_running_loop().remove_reader(self._master)
        os.close(self._master)

    def _read(self) -> None:
        try:
            self.shown += os.read(self._master, 65536).decode("utf-8", "replace")
        except OSError:  # the program closed the terminal
            asyncio.get_running_loop().remove_reader(self._master)
        self._grew.set()

    async def until(self, text: str) -> None:
        """Wait until the program shows a text after the last one that was waited for."""
        async with asyncio.timeout(LIMIT_S):
            while (at := self.shown.find(text, self._seen)) < 0:
                self._grew.clear()
                await self._grew.wait()
        self._seen = at + len(text)

    def type(self, text: str) -> None:
        """Type text, of which ``\\x03`` is Ctrl+C and ``\\x04`` the end of input."""
        os.write(self._master, text.encode())

    async def status(self) -> int:
        """Wait for the end of the program; return its exit status."""
        async with asyncio.timeout(LIMIT_S):
            return await self._process.wait()

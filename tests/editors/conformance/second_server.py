"""The documents of the second language server of an editor, as `second_server_process.py` reports them."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator
from pathlib import Path

from tests.editors.conformance.json_lines import Lines, listening


class SecondServer:
    """The texts of its documents by URI, with ``\\n`` as line end."""

    def __init__(self, path: Path) -> None:
        self.texts: dict[str, str] = {}
        self._path = path
        self._changed = asyncio.Condition()

    @property
    def command(self) -> list[str]:
        """The command that starts the second server."""
        return [
            sys.executable,
            "-P",
            str(Path(__file__).with_name("second_server_process.py")),
            str(self._path),
        ]

    async def has(self, path: Path, text: str, limit_s: float) -> None:
        """Wait until its text of the file equals `text`. Raises AssertionError after `limit_s` seconds."""
        wanted = text.replace("\r\n", "\n")
        try:
            async with asyncio.timeout(limit_s), self._changed:
                await self._changed.wait_for(lambda: self.texts.get(path.as_uri()) == wanted)
        except TimeoutError:
            actual = self.texts.get(path.as_uri(), "nothing")
            raise AssertionError(f"the second server has another text:\n{actual}") from None

    async def _read(self, lines: Lines) -> None:
        async for document in lines:
            self.texts[document["uri"]] = document["text"].replace("\r\n", "\n")
            async with self._changed:
                self._changed.notify_all()


@contextlib.asynccontextmanager
async def second_server(folder: Path) -> AsyncIterator[SecondServer]:
    """Listen on a socket in this folder while the context is open."""
    server = SecondServer(folder / "second_server")
    async with listening(server._path, server._read):
        yield server

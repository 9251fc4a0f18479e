"""What the second server of an editor has of its documents, as it tells (`neighbour_server`)."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path


class Neighbour:
    """Texts of the documents that the second server has, by URI; line ends as ``\\n``."""

    def __init__(self, path: Path) -> None:
        self.texts: dict[str, str] = {}
        self._path = path
        self._news = asyncio.Condition()
        self._lines: dict[asyncio.Task[None], asyncio.StreamWriter] = {}

    @property
    def command(self) -> list[str]:
        """What an editor has to start."""
        return [sys.executable, "-P", str(Path(__file__).with_name("neighbour_server.py")), str(self._path)]

    async def has(self, path: Path, text: str, limit_s: float) -> None:
        """Wait until it has this text of a file."""
        wanted = text.replace("\r\n", "\n")
        try:
            async with asyncio.timeout(limit_s), self._news:
                await self._news.wait_for(lambda: self.texts.get(path.as_uri()) == wanted)
        except TimeoutError:
            have = self.texts.get(path.as_uri(), "nothing")
            raise AssertionError(f"the server beside ours has another text:\n{have}") from None

    async def _read(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self._lines[task] = writer
        try:
            while line := await reader.readline():
                told = json.loads(line)
                self.texts[told["uri"]] = told["text"].replace("\r\n", "\n")
                async with self._news:
                    self._news.notify_all()
        finally:
            del self._lines[task]
            writer.close()

    async def _close(self) -> None:
        readers = tuple(self._lines)
        for writer in self._lines.values():
            writer.close()
        await asyncio.gather(*readers, return_exceptions=True)


@contextlib.asynccontextmanager
async def neighbour(folder: Path) -> AsyncIterator[Neighbour]:
    """Listen, on a socket in this folder."""
    listening = Neighbour(folder / "neighbour")
    server = await asyncio.start_unix_server(listening._read, listening._path, limit=64 * 1024 * 1024)
    try:
        yield listening
    finally:
        server.close()
        await listening._close()

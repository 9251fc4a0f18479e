"""What the second server of an editor has of its documents, as it tells (`neighbour_server`)."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator
from pathlib import Path

from tests.editors.conformance.json_lines import Lines, listening


class Neighbour:
    """Texts of the documents that the second server has, by URI; line ends as ``\\n``."""

    def __init__(self, path: Path) -> None:
        self.texts: dict[str, str] = {}
        self._path = path
        self._news = asyncio.Condition()

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

    async def _read(self, lines: Lines) -> None:
        async for told in lines:
            self.texts[told["uri"]] = told["text"].replace("\r\n", "\n")
            async with self._news:
                self._news.notify_all()


@contextlib.asynccontextmanager
async def neighbour(folder: Path) -> AsyncIterator[Neighbour]:
    """Listen, on a socket in this folder."""
    told = Neighbour(folder / "neighbour")
    async with listening(told._path, told._read):
        yield told

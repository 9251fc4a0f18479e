"""A port that forwards everything to another one and counts its connections."""

from __future__ import annotations

import asyncio
import contextlib
from types import TracebackType
from typing import Self

_CHUNK_BYTES = 64 * 1024


class Relay:
    """``async with Relay(port) as relay``: the same server at ``relay.base_url``.

    Attributes:
        n_opened: Connections made to it.
        n_closed: Those that the client has closed.
        n_bytes: What clients have sent.
    """

    def __init__(self, target_port: int) -> None:
        self._target_port = target_port
        self._news = asyncio.Condition()
        self._writers: set[asyncio.StreamWriter] = set()
        self._forgotten: set[asyncio.StreamWriter] = set()
        self._server: asyncio.Server | None = None
        self.base_url = ""
        self.n_opened = self.n_closed = self.n_bytes = 0

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.base_url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/v1"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        self.hang_up()

    def hang_up(self) -> None:
        """Close every connection, as servers do with idle ones."""
        for writer in tuple(self._writers):
            writer.close()

    def forget(self) -> None:
        """Stop forwarding on the open connections, without closing them."""
        self._forgotten |= self._writers

    async def wait_until(self, *, n_opened: int = 0, n_closed: int = 0, n_bytes: int = 0) -> None:
        """Wait until so many connections were opened and closed and so many bytes were sent."""
        async with asyncio.timeout(60), self._news:
            await self._news.wait_for(
                lambda: self.n_opened >= n_opened and self.n_closed >= n_closed and self.n_bytes >= n_bytes
            )

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        behind, ahead = await asyncio.open_connection("127.0.0.1", self._target_port)
        self.n_opened += 1
        await self._tell()
        answers = asyncio.create_task(self._pass_on(behind, writer))
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(_CHUNK_BYTES):
                self.n_bytes += len(data)
                if writer not in self._forgotten:
                    ahead.write(data)
                await self._tell()
        answers.cancel()
        ahead.close()
        writer.close()
        self._writers.discard(writer)
        self.n_closed += 1
        await self._tell()

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(_CHUNK_BYTES):
                writer.write(data)
        writer.close()

    async def _tell(self) -> None:
        async with self._news:
            self._news.notify_all()

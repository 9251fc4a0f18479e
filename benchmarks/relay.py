"""A port that passes on to another one on this machine what comes, both ways."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager

CHUNK_BYTES = 64 * 1024

Way = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Coroutine[None, None, None]]
"""Passes on what it reads until there is no more, then closes what it writes to."""


@asynccontextmanager
async def relay(
    target_port: int, *, there: Way, back: Way, tls: ssl.SSLContext | None = None
) -> AsyncIterator[int]:
    """Give the port.

    Args:
        target_port: Where connections lead.
        there: Passes on what a client says.
        back: Passes on what it is answered.
        tls: How clients are spoken with; in plain text where it is left out.
    """
    ways: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        behind, ahead = await asyncio.open_connection("127.0.0.1", target_port)
        for way in (asyncio.create_task(there(reader, ahead)), asyncio.create_task(back(behind, writer))):
            ways.add(way)
            way.add_done_callback(ways.discard)

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=tls)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for way in tuple(ways):
            way.cancel()
        await asyncio.gather(*ways, return_exceptions=True)

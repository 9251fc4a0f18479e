"""A port that forwards to another one on this machine, both ways."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager

CHUNK_BYTES = 64 * 1024

Way = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Coroutine[None, None, None]]
"""Forwards bytes until the end, then closes the writer."""


@asynccontextmanager
async def relay(
    target_port: int, *, there: Way, back: Way, tls: ssl.SSLContext | None = None
) -> AsyncIterator[int]:
    """Yield the port.

    Args:
        target_port: Where connections lead.
        there: Forwards the client's bytes.
        back: Forwards the server's bytes.
        tls: TLS context for clients; plain text without one.
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

"""Lines of JSON on a Unix socket, from processes that editors start."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

_LONGEST_LINE = 64 * 1024 * 1024

Lines = AsyncIterator[Any]


@contextlib.asynccontextmanager
async def listening(path: Path, read: Callable[[Lines], Awaitable[None]]) -> AsyncIterator[None]:
    """Listen until the block is left.

    Args:
        path: Where the socket is made.
        read: Is given what comes on each connection, until its end.
    """
    connections: dict[asyncio.Task[None], asyncio.StreamWriter] = {}

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        connections[task] = writer
        try:
            await read(_lines(reader))
        finally:
            del connections[task]
            writer.close()

    server = await asyncio.start_unix_server(serve, path, limit=_LONGEST_LINE)
    try:
        yield
    finally:
        server.close()
        readers = tuple(connections)
        for writer in connections.values():
            writer.close()
        await asyncio.gather(*readers, return_exceptions=True)


async def _lines(reader: asyncio.StreamReader) -> Lines:
    while line := await reader.readline():
        yield json.loads(line)

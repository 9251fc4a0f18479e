"""A Unix socket that receives lines of JSON from processes that editors start."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

_MAX_LINE_BYTES = 64 * 1024 * 1024

Lines = AsyncIterator[Any]


@contextlib.asynccontextmanager
async def listening(path: Path, read: Callable[[Lines], Awaitable[None]]) -> AsyncIterator[None]:
    """Listen while the context is open.

    Args:
        path: The socket to create.
        read: Called once per connection with an iterator over its lines.
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

    server = await asyncio.start_unix_server(serve, path, limit=_MAX_LINE_BYTES)
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

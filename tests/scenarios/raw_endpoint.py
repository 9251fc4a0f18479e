"""A provider that reads a request and then writes arbitrary bytes."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

import orjson

Talk = Callable[[asyncio.StreamWriter], Awaitable[None]]

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"


def text_event(text: str) -> bytes:
    return b"data: " + orjson.dumps({"choices": [{"delta": {"content": text}}]}) + b"\n\n"


def answer_of(text: str) -> bytes:
    """Return a whole answer as one event and its end."""
    return (
        HEAD
        + text_event(text)
        + b'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
    )


@asynccontextmanager
async def endpoint(talks: list[Talk], *, context: ssl.SSLContext | None = None) -> AsyncIterator[str]:
    """Serve each connection by the next of ``talks``; yield the base URL."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            head = await reader.readuntil(b"\r\n\r\n")
            length = next(
                int(line.split(b":")[1])
                for line in head.splitlines()
                if line.lower().startswith(b"content-length")
            )
            await reader.readexactly(length)
            await talks.pop(0)(writer)
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context, limit=2**20)
    try:
        scheme = "https" if context else "http"
        yield f"{scheme}://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    finally:
        server.close()
        with suppress(ConnectionError):
            await server.wait_closed()


def saying(*parts: bytes) -> Talk:
    """Write these parts, then close."""

    async def talk(writer: asyncio.StreamWriter) -> None:
        for part in parts:
            writer.write(part)
            await writer.drain()

    return talk

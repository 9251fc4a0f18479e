"""An endpoint that does not speak HTTP ends in one typed error, without a hang."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import closing, suppress

import pytest

from twospeed.errors import ModelError, ModelOverloaded, ModelProtocolError, ModelUnavailable, RateLimited
from twospeed.models.base import Finished, ModelEvent, TextDelta
from twospeed.models.http import http_model

Talk = Callable[[asyncio.StreamWriter], Awaitable[None]]
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
UNTIL_CLOSED = b"HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
TEXT = b'data: {"choices":[{"delta":{"content":"a"}}]}\n\n'
ENDING = b'data: {"choices":[{"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'


@pytest.fixture
async def serve() -> AsyncIterator[Callable[[Talk], Awaitable[str]]]:
    """``await serve(talk)``: a server that reads a request and lets ``talk`` answer; return its base URL."""
    servers: list[asyncio.Server] = []
    answering: list[asyncio.Task[None]] = []

    async def start(talk: Talk) -> str:
        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            with closing(writer), suppress(ConnectionError, asyncio.IncompleteReadError):
                await reader.readuntil(b"\r\n\r\n")
                await talk(writer)

        def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            answering.append(asyncio.create_task(answer(reader, writer)))

        servers.append(await asyncio.start_server(connected, "127.0.0.1", 0))
        return f"http://127.0.0.1:{servers[-1].sockets[0].getsockname()[1]}"

    yield start
    for server in servers:
        server.close()
    for task in answering:
        task.cancel()
    await asyncio.gather(*answering, return_exceptions=True)


def saying(data: bytes) -> Talk:
    async def talk(writer: asyncio.StreamWriter) -> None:
        writer.write(data)
        await writer.drain()

    return talk


def reset_after(data: bytes) -> Talk:
    async def talk(writer: asyncio.StreamWriter) -> None:
        sock = writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.write(data)
        await writer.drain()
        writer.transport.abort()

    return talk


async def byte_by_byte(writer: asyncio.StreamWriter) -> None:
    for byte in UNTIL_CLOSED + b"\xef\xbb\xbf" + TEXT + ENDING:
        writer.write(bytes([byte]))
        await writer.drain()


@pytest.mark.parametrize(
    "talk",
    [
        saying(UNTIL_CLOSED + TEXT + ENDING),
        saying(HEAD + b"Content-Length: %d\r\n\r\n" % len(TEXT + ENDING) + TEXT + ENDING),
        saying(CHUNKED + b"%x\r\n%s\r\n0\r\n\r\n" % (len(TEXT + ENDING), TEXT + ENDING)),
        saying(b"HTTP/1.1 100 Continue\r\n\r\n" * 100 + UNTIL_CLOSED + TEXT + ENDING),
        saying(UNTIL_CLOSED + (TEXT + ENDING).replace(b"\n", b"\r")),
        saying(UNTIL_CLOSED + b"\n" * 200_000 + b": ping\r\n\r" * 20_000 + TEXT + ENDING),
        saying(UNTIL_CLOSED + b"data:\n\ndata: \n\n" + TEXT + b"event: ping\ndata:\n\n" + ENDING),
        byte_by_byte,
        saying(HEAD + b"Content-Encoding: none\r\nConnection: close\r\n\r\n" + TEXT + ENDING),
        saying(HEAD + b"Content-Encoding:\r\nConnection: close\r\n\r\n" + TEXT + ENDING),
    ],
    ids=[
        "HTTP/1.0",
        "with its length",
        "chunked",
        "many 1xx",
        "CR alone",
        "empty events",
        "events of empty data",
        "byte by byte",
        "no coding, by name",
        "no coding, without one",
    ],
)
async def test_an_unusual_complete_answer_is_read(ask, serve, talk: Talk) -> None:
    async with asyncio.timeout(60):
        assert await ask(await serve(talk)) == [TextDelta("a"), Finished("stop")]


@pytest.mark.security("R10.3")
@pytest.mark.parametrize(
    ("talk", "expected"),
    [
        (saying(b""), ModelUnavailable),
        (saying(b"hello\r\n\r\n"), ModelProtocolError),
        (saying(b"SSH-2.0-OpenSSH_9.9\r\n"), ModelProtocolError),
        (saying(b"HTTP/1.1 200\x00 OK\r\n\r\n"), ModelProtocolError),
        (saying(b"HTTP/1.1 99999 OK\r\n\r\n"), ModelProtocolError),
        (saying(HEAD + b"Content-Length: -1\r\n\r\n" + TEXT), ModelProtocolError),
        (saying(HEAD + b"X: 1\r\n" * 100_000 + b"\r\n" + TEXT), ModelProtocolError),
        (saying(HEAD[:-2]), ModelError),
        (saying(UNTIL_CLOSED + TEXT), ModelProtocolError),
        (saying(UNTIL_CLOSED), ModelProtocolError),
        (saying(CHUNKED + b"%x\r\n%s\r\n" % (len(TEXT), TEXT)), ModelProtocolError),
        (saying(CHUNKED + b"zz\r\n" + TEXT), ModelProtocolError),
        (saying(CHUNKED + b"ffffffffffffffffff\r\n" + TEXT), ModelProtocolError),
        (saying(HEAD + b"Content-Length: 999\r\n\r\n" + TEXT), ModelProtocolError),
        (reset_after(b""), ModelUnavailable),
        (reset_after(UNTIL_CLOSED), ModelError),
        (reset_after(CHUNKED + b"%x\r\n%s\r\n" % (len(TEXT), TEXT)), ModelError),
    ],
    ids=[
        "nothing",
        "not HTTP",
        "SSH",
        "NUL",
        "status 99999",
        "negative length",
        "100,000 headers",
        "half a head",
        "cut until closed",
        "head alone",
        "cut chunked",
        "odd chunk size",
        "endless chunk",
        "short of its length",
        "reset at once",
        "reset after the head",
        "reset in the text",
    ],
)
async def test_an_invalid_answer_is_one_typed_error(
    ask, serve, talk: Talk, expected: type[ModelError]
) -> None:
    events: list[ModelEvent] = []
    async with asyncio.timeout(60):
        with pytest.raises(expected):
            await ask(await serve(talk), into=events)
    assert Finished("stop") not in events


@pytest.mark.parametrize("reset", [False, True])
async def test_the_status_of_a_truncated_error_counts(ask, serve, reset: bool) -> None:
    cut = b'HTTP/1.1 429 Slow\r\nRetry-After: 7\r\nContent-Length: 999\r\n\r\n{"error": {"mess'
    async with asyncio.timeout(60):
        with pytest.raises(RateLimited, match="for 7 s"):
            await ask(await serve(reset_after(cut) if reset else saying(cut)))


async def test_a_missing_error_body_is_not_awaited(ask, serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_model, "_TAIL_S", 0.05)

    async def talk(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 503 No\r\nContent-Length: 999\r\n\r\n")
        await asyncio.Event().wait()

    async with asyncio.timeout(60):
        with pytest.raises(ModelOverloaded):
            await ask(await serve(talk))


async def test_pings_after_the_whole_text_do_not_delay_the_end(
    ask, serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_model, "_TAIL_S", 0.05)

    async def talk(writer: asyncio.StreamWriter) -> None:
        writer.write(UNTIL_CLOSED + TEXT + ENDING.replace(b"data: [DONE]\n\n", b""))
        while True:  # until the connection is closed
            writer.write(b": ping\n\n")
            await writer.drain()
            await asyncio.sleep(0.001)

    async with asyncio.timeout(60):
        assert await ask(await serve(talk)) == [TextDelta("a"), Finished("stop")]

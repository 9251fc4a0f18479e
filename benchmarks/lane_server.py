"""Play a provider of all protocols over TLS, in its own process, with answers made beforehand.

So an answer costs the client nothing and arrives as fast as it is read: only the client is measured. The name
of the model selects the kind of answer: `Manner`. Every event is an HTTP chunk of its own, as model servers
send them, or a WebSocket message. The process prints its port on stdout, and ends when its stdin closes.
"""

from __future__ import annotations

import asyncio
import json
import sys
from base64 import b64encode
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager, suppress
from functools import cache
from hashlib import sha1
from itertools import chain
from typing import Literal

from benchmarks import samples
from benchmarks.certificate import server_context

from twospeed.models.codecs.sse import SseSplitter
from twospeed.testing import script_chat, script_messages, script_responses
from twospeed.testing.script import Inject, Script, Token

Manner = Literal["a-word", "full-records", "record-a-token"]
"""One word; or `LONG`, in full TLS records, or one record for each token, as a server that flushes each."""

WORD = Script("pass")
LONG = Script("\n".join(samples.function(1_804)))
_SCRIPTS: dict[str, Script] = {"a-word": WORD, "full-records": LONG, "record-a-token": LONG}
_WAYS = {
    "/v1/chat/completions": lambda script: script_chat.streamed(script, model="m", with_usage=True),
    "/v1/responses": lambda script: script_responses.streamed(script, model="m"),
    "/v1/messages": lambda script: script_messages.streamed(script, model="m"),
}
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
_UPGRADE = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n"
_SOCKET_ID = (
    b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"  # RFC 6455, section 1.3; what a frame begins with is in 5.2
)
_SAYS, _CLOSES, _PINGS, _PONGS = 0x81, 0x88, 0x89, 0x8A


@asynccontextmanager
async def lane_server() -> AsyncIterator[str]:
    """Start the process; yield its base URL."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "benchmarks.lane_server", stdin=pipe, stdout=pipe
    )
    assert process.stdin
    assert process.stdout
    try:
        port = int(await asyncio.wait_for(process.stdout.readline(), 60))
        yield f"https://localhost:{port}/v1"
    finally:
        process.stdin.close()
        await asyncio.wait_for(process.wait(), 10)


@cache
def http_answer(path: str, manner: str) -> list[bytes]:
    """Yield the response, one piece for each TLS record."""
    chunks = (b"%x\r\n%b\r\n" % (len(event), event) for event in _events(path, manner))
    return _records(chain([_HEAD], chunks, [b"0\r\n\r\n"]), manner)


@cache
def socket_answer(manner: str, lane: str) -> list[bytes]:
    """Yield the same as WebSocket frames, each event with the name of its stream."""
    events = SseSplitter().receive_bytes(b"".join(_events("/v1/responses", manner)))
    name = {"stream_id": lane} if lane else {}
    values = (json.dumps({**json.loads(event.data), **name}, separators=(",", ":")) for event in events)
    return _records(map(_frame, map(str.encode, values)), manner)


def _events(path: str, manner: str) -> Iterator[bytes]:
    for step in _WAYS[path](_SCRIPTS[manner]):
        assert isinstance(step, Token | Inject)  # nothing goes wrong here
        yield step.data


def _records(pieces: Iterable[bytes], manner: str) -> list[bytes]:
    return list(pieces) if manner == "record-a-token" else [b"".join(pieces)]


def _frame(payload: bytes) -> bytes:
    """Frame a message of text."""
    size = len(payload)
    if size < 126:
        return bytes((_SAYS, size)) + payload
    width, mark = (2, 126) if size < 2**16 else (8, 127)
    return bytes((_SAYS, mark)) + size.to_bytes(width) + payload


async def _serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError, asyncio.IncompleteReadError):
        while True:
            start, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")[:-2]
            headers = {
                name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)
            }
            if "sec-websocket-key" in headers:
                await _serve_socket(reader, writer, headers["sec-websocket-key"])
                break
            body = json.loads(await reader.readexactly(int(headers["content-length"])))
            writer.writelines(http_answer(start.split()[1], body["model"]))
            await writer.drain()
    writer.close()


async def _serve_socket(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, key: str) -> None:
    accept = b64encode(sha1(key.encode() + _SOCKET_ID, usedforsecurity=False).digest()).decode()
    writer.write((_UPGRADE % accept).encode())
    while (frame := await _read_frame(reader))[0] != _CLOSES:
        if frame[0] == _PINGS:
            writer.write(bytes((_PONGS, len(frame[1]))) + frame[1])
        elif frame[0] == _SAYS:
            request = json.loads(frame[1])
            writer.writelines(socket_answer(request["model"], request.get("stream_id", "")))
        await writer.drain()


async def _read_frame(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    """Read a client's masked frame; messages are never longer here."""
    kind, size = await reader.readexactly(2)
    size &= 0x7F
    if size >= 126:
        size = int.from_bytes(await reader.readexactly(2 if size == 126 else 8))
    mask, masked = await reader.readexactly(4), await reader.readexactly(size)
    plain = int.from_bytes(masked) ^ int.from_bytes((mask * (size // 4 + 1))[:size])
    return kind, plain.to_bytes(size)


async def main() -> None:
    """Run the process."""
    server = await asyncio.start_server(_serve, "127.0.0.1", 0, ssl=server_context())
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.to_thread(sys.stdin.read)
    server.close()


if __name__ == "__main__":
    asyncio.run(main())

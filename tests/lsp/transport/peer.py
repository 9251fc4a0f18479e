"""The other end of a socket: sends messages or bytes, and waits for the response."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any, Self

import orjson

from twospeed.lsp.wire.framing import FrameDecoder, encode_frame

LIMIT_S = 20.0
"""Seconds; far more than any step takes on a busy machine."""


def initialize(token: str | None = None, **options: object) -> dict[str, Any]:
    if token is not None:
        options["token"] = token
    params = {
        "processId": None,
        "rootUri": None,
        "capabilities": {},
        "initializationOptions": options or None,
    }
    return {"jsonrpc": "2.0", "id": "init", "method": "initialize", "params": params}


def request(message_id: object, method: str, params: object = None) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": message_id, "method": method, "params": params}


def notification(method: str, params: object = None) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": method, "params": params}


def opening(uri: str, text: str) -> dict[str, Any]:
    item = {"uri": uri, "languageId": "python", "version": 1, "text": text}
    return notification("textDocument/didOpen", {"textDocument": item})


class Peer:
    """A client that sends and receives frames over a stream."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer
        self.received: list[dict[str, Any]] = []
        self._decoder = FrameDecoder()

    @classmethod
    async def over_tcp(cls, port: int) -> Self:
        return cls(*await asyncio.open_connection("127.0.0.1", port))

    @classmethod
    async def over_pipe(cls, path: str) -> Self:
        return cls(*await asyncio.open_unix_connection(path))

    def send(self, *messages: dict[str, Any]) -> None:
        self.send_raw(b"".join(encode_frame(orjson.dumps(message)) for message in messages))

    def send_raw(self, data: bytes) -> None:
        self.writer.write(data)

    async def reply_to(self, message_id: object) -> dict[str, Any]:
        """Wait for the response to a request; ``received`` keeps the messages before it."""
        async with asyncio.timeout(LIMIT_S):
            while True:
                for message in self.received:
                    if message.get("id") == message_id and "method" not in message:
                        return message
                data = await self.reader.read(1 << 16)
                assert data, "the server closed the connection"
                self.received += map(orjson.loads, self._decoder.receive_bytes(data))

    async def rest(self) -> list[dict[str, Any]]:
        """Wait for the end of the connection; return the messages before it."""
        async with asyncio.timeout(LIMIT_S):
            try:
                while data := await self.reader.read(1 << 16):
                    self.received += map(orjson.loads, self._decoder.receive_bytes(data))
            except ConnectionResetError:
                pass
        return self.received

    async def close(self) -> None:
        self.writer.close()
        with contextlib.suppress(ConnectionError):
            await self.writer.wait_closed()

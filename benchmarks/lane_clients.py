"""Clients of `lane_server`: ours, the providers' SDKs, httpx, and one that only reads the bytes.

Each yields an answer's text in pieces; the last one, which parses nothing, yields empty pieces.
"""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import anthropic
import httpx2
import openai
from benchmarks.lane_server import LONG, Manner

from twospeed.lanes.open_model import open_model
from twospeed.models.base import EditTask, Limits, Message, ModelRequest, ProviderSettings, TextDelta
from twospeed.models.http.connections import Connections
from twospeed.models.keys.key_store import KeyStore

OURS, SDK, HTTPX, FLOOR = "twospeed", "official SDK", "httpx, lines", "bytes alone"
CHAT, RESPONSES, SOCKET, MESSAGES = "chat", "responses", "responses, WebSocket", "messages"

Ask = Callable[[Manner], AsyncGenerator[str, None]]
Clients = Mapping[str, Mapping[str, Ask]]
"""Keyed by transport and name."""

_PROMPT = "x = 1  # code\n" * 100
_MOST_TOKENS = 2 * LONG.output_tokens
_READ_BYTES = 256 * 1024  # as much as asyncio reads at once


@asynccontextmanager
async def clients_of(base_url: str) -> AsyncIterator[Clients]:
    """Connect all clients."""
    root = base_url.removesuffix("/v1")
    async with AsyncExitStack() as stack:
        enter = stack.enter_async_context
        connections = Connections()
        stack.push_async_callback(connections.aclose)
        gpt = await enter(openai.AsyncOpenAI(base_url=base_url, api_key="lab", max_retries=0))
        claude = await enter(anthropic.AsyncAnthropic(base_url=root, api_key="lab", max_retries=0))
        gpt_socket = await enter(gpt.responses.connect())
        plain = await enter(httpx2.AsyncClient())

        def ours(api: Any, *, websocket: bool = False) -> Ask:
            settings = ProviderSettings(f"{api} {websocket}", api, base_url, websocket=websocket)
            return partial(_ask_ours, connections, settings)

        async def floor(path: str) -> Ask:
            bare = await enter(_Bare.connected(base_url))
            return partial(bare.ask, f"/v1{path}")

        async def socket_floor() -> Ask:
            bare = await enter(_Bare.connected(base_url))
            await bare.upgrade("/v1/responses")
            return bare.ask_on_socket

        return_url = partial("{}{}".format, base_url)
        yield {
            CHAT: {
                OURS: ours("chat"),
                SDK: partial(_ask_chat, gpt),
                HTTPX: partial(_ask_httpx, plain, return_url("/chat/completions"), _text_of_chat),
                FLOOR: await floor("/chat/completions"),
            },
            RESPONSES: {
                OURS: ours("responses"),
                SDK: partial(_ask_responses, gpt),
                HTTPX: partial(_ask_httpx, plain, return_url("/responses"), _text_of_responses),
                FLOOR: await floor("/responses"),
            },
            SOCKET: {
                OURS: ours("responses", websocket=True),
                SDK: partial(_ask_socket, gpt_socket),
                FLOOR: await socket_floor(),
            },
            MESSAGES: {
                OURS: ours("messages"),
                SDK: partial(_ask_messages, claude),
                HTTPX: partial(_ask_httpx, plain, return_url("/messages"), _text_of_messages),
                FLOOR: await floor("/messages"),
            },
        }


async def _ask_ours(
    connections: Connections, provider: ProviderSettings, manner: Manner
) -> AsyncGenerator[str, None]:
    """Send a request as in an edit, with deadlines."""
    request = ModelRequest(
        (Message("system", "You edit code."), Message("user", _PROMPT)),
        EditTask("", "python", "", lambda _: True),
        max_output_tokens=_MOST_TOKENS,
    )
    model = open_model(provider, manner, limits=Limits(), connections=connections, keys=KeyStore({}))
    async with aclosing(model.stream(request)) as events:
        async for event in events:
            if isinstance(event, TextDelta):
                yield event.text


async def _ask_chat(client: openai.AsyncOpenAI, manner: Manner) -> AsyncGenerator[str, None]:
    chunks = await client.chat.completions.create(
        model=manner, messages=[{"role": "user", "content": _PROMPT}], stream=True
    )
    async for chunk in chunks:
        for choice in chunk.choices:
            if choice.delta.content:
                yield choice.delta.content


async def _ask_responses(client: openai.AsyncOpenAI, manner: Manner) -> AsyncGenerator[str, None]:
    async for event in await client.responses.create(model=manner, input=_PROMPT, stream=True):
        if event.type == "response.output_text.delta":
            yield event.delta


async def _ask_socket(connection: Any, manner: Manner) -> AsyncGenerator[str, None]:
    await connection.response.create(model=manner, input=_PROMPT)
    while (event := await connection.recv()).type != "response.completed":
        if event.type == "response.output_text.delta":
            yield event.delta


async def _ask_messages(client: anthropic.AsyncAnthropic, manner: Manner) -> AsyncGenerator[str, None]:
    events = await client.messages.create(
        model=manner, max_tokens=_MOST_TOKENS, messages=[{"role": "user", "content": _PROMPT}], stream=True
    )
    async for event in events:
        if event.type == "content_block_delta" and event.delta.type == "text_delta":
            yield event.delta.text


async def _ask_httpx(
    client: httpx2.AsyncClient, url: str, text_of: Callable[[Any], str], manner: Manner
) -> AsyncGenerator[str, None]:
    async with client.stream("POST", url, json=_body(manner)) as response:
        async for line in response.aiter_lines():
            if line.startswith("data: {") and (text := text_of(json.loads(line[6:]))):
                yield text


def _text_of_chat(chunk: Any) -> str:
    return chunk["choices"][0]["delta"].get("content", "") if chunk["choices"] else ""


def _text_of_responses(event: Any) -> str:
    return event["delta"] if event["type"] == "response.output_text.delta" else ""


def _text_of_messages(event: Any) -> str:
    return event["delta"]["text"] if event["type"] == "content_block_delta" else ""


def _body(manner: Manner) -> dict[str, object]:
    return {"model": manner, "messages": [{"role": "user", "content": _PROMPT}], "stream": True}


class _Bare:
    """A connection that writes a request and reads the bytes of its answer."""

    def __init__(self, host: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._host = host
        self._reader = reader
        self._writer = writer

    @classmethod
    @asynccontextmanager
    async def connected(cls, base_url: str) -> AsyncIterator[_Bare]:
        """Connect to ``base_url``."""
        address = urlsplit(base_url)
        reader, writer = await asyncio.open_connection(
            address.hostname, address.port, ssl=ssl.create_default_context(), limit=_READ_BYTES
        )
        try:
            yield cls(address.netloc, reader, writer)
        finally:
            writer.close()

    async def ask(self, path: str, manner: Manner) -> AsyncGenerator[str, None]:
        """Post a request."""
        body = json.dumps(_body(manner)).encode()
        head = f"POST {path} HTTP/1.1\r\nHost: {self._host}\r\nContent-Length: {len(body)}\r\n\r\n"
        self._writer.write(head.encode() + body)
        async for piece in self._read(b"\r\n0\r\n\r\n"):
            yield piece

    async def upgrade(self, path: str) -> None:
        """Upgrade to a WebSocket."""
        self._writer.write(
            f"GET {path} HTTP/1.1\r\nHost: {self._host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode()
        )
        await self._reader.readuntil(b"\r\n\r\n")

    async def ask_on_socket(self, manner: Manner) -> AsyncGenerator[str, None]:
        """Send a message, under a mask of zeros (RFC 6455, section 5.2)."""
        message = json.dumps({**_body(manner), "type": "response.create"}).encode()
        self._writer.write(b"\x81\xfe" + len(message).to_bytes(2) + bytes(4) + message)
        async for piece in self._read(b"}}"):
            yield piece

    async def _read(self, end: bytes) -> AsyncGenerator[str, None]:
        last = b""
        while not last.endswith(end):
            last = last[-len(end) :] + await self._reader.read(_READ_BYTES)
            yield ""

"""WebSockets: authentication, and one JSON message in each text frame."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import orjson
import pytest
from tests.lsp.transport.peer import LIMIT_S, initialize, notification, opening, request
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Origin, Subprotocol

from twospeed.lsp.transport.auth import Authenticator
from twospeed.lsp.transport.connection_limit import MAX_CONNECTIONS, MAX_UNAUTHENTICATED
from twospeed.lsp.transport.socket_server import ListeningServer
from twospeed.lsp.transport.websocket import listening_on_websocket

URI = "file:///project/shop.py"


@dataclass
class RunningServer:
    port: int
    token: str
    listening_server: ListeningServer
    stack: contextlib.AsyncExitStack

    async def connect(self, token: str | None = None, origin: str | None = None) -> ClientConnection:
        protocol = Subprotocol(f"twospeed.token.{self.token if token is None else token}")
        opened = connect(
            f"ws://127.0.0.1:{self.port}/",
            subprotocols=[protocol],
            origin=Origin(origin) if origin else None,
            max_size=None,
            compression="deflate",
            proxy=None,
        )
        return await self.stack.enter_async_context(opened)

    async def client(self) -> ClientConnection:
        websocket = await self.connect()
        await websocket.send(orjson.dumps(initialize()), text=True)
        assert "result" in await reply_to(websocket, "init")
        return websocket

    async def raw(self, head: str) -> bytes:
        """Send the exact text of an HTTP request; return the whole response."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(head.replace("\n", "\r\n").encode())
        async with asyncio.timeout(LIMIT_S):
            answer = await reader.read()
        writer.close()
        await writer.wait_closed()
        return answer


async def reply_to(websocket: ClientConnection, message_id: object) -> dict[str, Any]:
    async with asyncio.timeout(LIMIT_S):
        while True:
            message = await websocket.recv()
            assert isinstance(message, str), "a binary frame"
            answer = orjson.loads(message)
            if answer.get("id") == message_id:
                return answer


@contextlib.asynccontextmanager
async def opened(*, refusal_s: float = 0.01, **options: float) -> AsyncIterator[RunningServer]:
    listening_server, authenticator = ListeningServer({}, refusal_s=refusal_s, **options), Authenticator()
    async with (
        listening_on_websocket(0, listening_server, authenticator) as address,
        contextlib.AsyncExitStack() as stack,
    ):
        assert address.startswith("ws://127.0.0.1:")
        yield RunningServer(int(address.rpartition(":")[2]), authenticator.token, listening_server, stack)


@pytest.fixture
async def server() -> AsyncIterator[RunningServer]:
    async with opened(handshake_s=LIMIT_S) as server:
        yield server


def head(server: RunningServer, *lines: str, path: str = "/") -> str:
    key = "dGhlIHNhbXBsZSBub25jZQ=="
    fixed = [
        "Upgrade: websocket",
        "Connection: Upgrade",
        f"Sec-WebSocket-Key: {key}",
        "Sec-WebSocket-Version: 13",
    ]
    return "\n".join(
        [f"GET {path} HTTP/1.1", *fixed, *(line.format(server=server) for line in lines), "", ""]
    )


HOST = "Host: 127.0.0.1:{server.port}"
TOKEN = "Sec-WebSocket-Protocol: twospeed.token.{server.token}"


@pytest.mark.security("R6.2")
@pytest.mark.parametrize(
    ("lines", "status"),
    [
        ((HOST,), 401),
        ((HOST, "Sec-WebSocket-Protocol: twospeed.token.x"), 401),
        ((HOST, TOKEN + "0"), 401),
        ((HOST, TOKEN + ", twospeed.token.x"), 401),
        ((HOST, TOKEN, TOKEN), 401),
        ((HOST, "Sec-WebSocket-Protocol: ;;;"), 401),
        ((HOST, "Authorization: Bearer {server.token}"), 401),
        ((HOST, "Cookie: token={server.token}"), 401),
        ((TOKEN,), 403),
        ((HOST, HOST, TOKEN), 403),
        ((HOST, "Host: evil.example", TOKEN), 403),
        (("Host: evil.example:{server.port}", TOKEN), 403),
        (("Host: 127.0.0.1", TOKEN), 403),
        ((HOST, TOKEN, "Origin: null"), 403),
        ((HOST, TOKEN, "Origin: https://evil.example"), 403),
        ((HOST, TOKEN, "Origin: http://127.0.0.1:{server.port}.evil.example"), 403),
        ((HOST, TOKEN, "Origin: http://127.0.0.1"), 403),
        (
            (HOST, TOKEN, "Origin: http://127.0.0.1:{server.port}", "Origin: http://127.0.0.1:{server.port}"),
            403,
        ),
    ],
)
async def test_a_refused_handshake_gets_only_a_status(
    server: RunningServer, lines: tuple[str, ...], status: int
) -> None:
    answer = await server.raw(head(server, *lines))
    start, _, body = answer.partition(b"\r\n\r\n")
    assert start.startswith(b"HTTP/1.1 %d " % status)
    assert body == b""
    assert server.token.encode() not in answer
    assert not server.listening_server._connections


@pytest.mark.security("R6.2")
@pytest.mark.parametrize("path", ["/?token={server.token}", "/?twospeed.token.{server.token}"])
async def test_a_token_in_the_query_is_refused(server: RunningServer, path: str) -> None:
    answer = await server.raw(head(server, HOST, path=path.format(server=server)))
    assert answer.startswith(b"HTTP/1.1 403 ")
    assert answer.endswith(b"\r\n\r\n")


@pytest.mark.security("R6.2")
@pytest.mark.parametrize(
    "text",
    [
        "GET / HTTP/1.1\nHost: 127.0.0.1:{server.port}\n\n",
        "POST / HTTP/1.1\nHost: 127.0.0.1:{server.port}\nContent-Length: 2\n\n{{}}",
        "Content-Length: 2\n\n{{}}",
    ],
)
async def test_an_invalid_upgrade_opens_no_connection(server: RunningServer, text: str) -> None:
    answer = await server.raw(text.format(server=server))
    assert b" 101 " not in answer
    assert answer.partition(b"\r\n\r\n")[2] == b""
    assert not server.listening_server._connections


@pytest.mark.security("R6.2")
@pytest.mark.parametrize("origin", [None, "http://127.0.0.1:{port}", "http://localhost:{port}"])
async def test_the_right_token_is_accepted_and_echoed(server: RunningServer, origin: str | None) -> None:
    websocket = await server.connect(origin=origin and origin.format(port=server.port))
    assert websocket.subprotocol == f"twospeed.token.{server.token}"
    await websocket.send(orjson.dumps(initialize()), text=True)
    assert "result" in await reply_to(websocket, "init")


@pytest.mark.security("R6.2")
async def test_responses_to_wrong_tokens_are_delayed_and_block_no_right_token() -> None:
    async with opened(refusal_s=LIMIT_S) as server:
        guessing = [asyncio.create_task(server.connect("0" * 64)) for _ in range(40)]
        await server.client()
        assert not any(guess.done() for guess in guessing)
        for guess in guessing:
            guess.cancel()
        await asyncio.gather(*guessing, return_exceptions=True)


@pytest.mark.security("R6.4")
async def test_at_most_eight_of_sixty_simultaneous_clients_are_accepted(server: RunningServer) -> None:
    opened = await asyncio.gather(*(server.connect() for _ in range(60)), return_exceptions=True)
    assert sum(isinstance(each, ClientConnection) for each in opened) == MAX_CONNECTIONS


@pytest.mark.security("R6.4")
@pytest.mark.parametrize("said", [b"", b"GET / HTTP/1.1\r\nHost: 127"])
async def test_clients_without_the_token_do_not_block_one_with_the_token(
    server: RunningServer, said: bytes
) -> None:
    for _ in range(MAX_UNAUTHENTICATED + 20):
        _, writer = await asyncio.open_connection("127.0.0.1", server.port)
        server.stack.callback(writer.close)
        writer.write(said)
    await server.client()
    assert len(server.listening_server.limit._unauthenticated) <= MAX_UNAUTHENTICATED


@pytest.mark.security("R6.4")
async def test_a_binary_frame_ends_the_connection(server: RunningServer) -> None:
    websocket = await server.client()
    await websocket.send(b"{}")
    with pytest.raises(ConnectionClosed) as closed:
        await reply_to(websocket, "never")
    assert closed.value.rcvd
    assert closed.value.rcvd.code == 1003


@pytest.mark.security("R6.4")
async def test_nothing_is_compressed(server: RunningServer) -> None:
    websocket = await server.connect()
    assert websocket.protocol.extensions == []


@pytest.mark.security("R6.4")
async def test_a_document_of_megabytes_is_received_whole(server: RunningServer) -> None:
    websocket = await server.client()
    text = "# 😀 some text\n" * 200_000
    await websocket.send(orjson.dumps(opening(URI, text)), text=True)
    params = {"textDocument": {"uri": URI, "version": 1}, "position": {"line": 1, "character": 0}}
    await websocket.send(orjson.dumps(request(1, "twospeed/scopes", params)), text=True)
    assert "result" in await reply_to(websocket, 1)


@pytest.mark.security("R6.4")
async def test_two_clients_have_sessions_of_their_own(server: RunningServer) -> None:
    first, second = await server.client(), await server.client()
    await first.send(orjson.dumps(request(1, "twospeed/setMode", {"mode": "deep"})), text=True)
    assert (await reply_to(first, 1))["result"]["mode"] == "deep"
    await second.send(orjson.dumps(request(1, "twospeed/status", {})), text=True)
    assert (await reply_to(second, 1))["result"]["mode"] == "lightning"
    await first.close()
    await second.send(orjson.dumps(request(2, "twospeed/status", {})), text=True)
    assert "result" in await reply_to(second, 2)


@pytest.mark.security("R6.4")
async def test_a_ninth_connection_is_refused(server: RunningServer) -> None:
    for _ in range(MAX_CONNECTIONS):
        await server.client()
    with pytest.raises(InvalidStatus) as refused:
        await server.connect()
    assert refused.value.response.status_code == 503


@pytest.mark.security("R6.4")
async def test_a_connection_without_a_session_is_closed_in_time() -> None:
    async with opened(handshake_s=0.05) as server:
        websocket = await server.connect()
        with pytest.raises(ConnectionClosed):
            await reply_to(websocket, "never")


@pytest.mark.security("R6.4")
async def test_exit_ends_the_process_after_earlier_responses(server: RunningServer) -> None:
    websocket = await server.client()
    for message in (request(1, "shutdown"), notification("exit")):
        await websocket.send(orjson.dumps(message), text=True)
    assert (await reply_to(websocket, 1))["result"] is None
    async with asyncio.timeout(LIMIT_S):
        assert await server.listening_server.exited == 0

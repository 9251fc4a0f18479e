"""TCP sockets: a token is required, and each connection has its own session."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.lsp.transport.peer import LIMIT_S, Peer, initialize, notification, opening, request

from twospeed.errors import SettingsError
from twospeed.lsp.transport.auth import Authenticator
from twospeed.lsp.transport.connection import MAX_UNAUTHENTICATED_BYTES, Connection
from twospeed.lsp.transport.connection_limit import MAX_CONNECTIONS, MAX_UNAUTHENTICATED
from twospeed.lsp.transport.socket_server import (
    ListeningServer,
    bound_to_loopback,
    listening_on_pipe,
    listening_on_tcp,
    parse_port,
)
from twospeed.lsp.wire.framing import encode_frame

TEXT = "def total(items):\n    result = 0\n    return result\n"
URI = "file:///project/shop.py"


@dataclass
class RunningServer:
    """A listening server, and the connections to close at the end."""

    port: int
    token: str
    listening_server: ListeningServer
    stack: contextlib.AsyncExitStack

    async def connect(self) -> Peer:
        peer = await Peer.over_tcp(self.port)
        self.stack.push_async_callback(peer.close)
        return peer

    async def client(self) -> Peer:
        peer = await self.connect()
        peer.send(initialize(self.token))
        assert "result" in await peer.reply_to("init")
        peer.send(notification("initialized", {}))
        return peer

    async def wait_for_one_end(self) -> None:
        await asyncio.wait(self.listening_server._tasks, timeout=LIMIT_S, return_when=asyncio.FIRST_COMPLETED)


@contextlib.asynccontextmanager
async def opened(*, handshake_s: float = LIMIT_S, refusal_s: float = 0.01) -> AsyncIterator[RunningServer]:
    listening_server = ListeningServer({}, handshake_s=handshake_s, refusal_s=refusal_s)
    authenticator = Authenticator()
    async with (
        contextlib.AsyncExitStack() as stack,
        listening_on_tcp(0, listening_server, authenticator) as address,
    ):
        assert address.startswith("tcp://127.0.0.1:")
        server = RunningServer(int(address.rpartition(":")[2]), authenticator.token, listening_server, stack)
        yield server
        await stack.aclose()
    assert not listening_server._connections


@pytest.fixture
async def server() -> AsyncIterator[RunningServer]:
    async with opened() as server:
        yield server


@pytest.mark.security("R6.2")
async def test_the_right_token_opens_a_session_and_is_removed_from_the_settings(
    server: RunningServer,
) -> None:
    peer = await server.client()
    peer.send(request(1, "twospeed/status", {}))
    assert (await peer.reply_to(1))["result"]["mode"] == "lightning"
    assert not any(message.get("method") == "window/showMessage" for message in peer.received)


@pytest.mark.security("R6.2")
@pytest.mark.parametrize("token", [None, "", "0" * 64])
async def test_a_client_with_a_wrong_token_gets_an_error_and_is_disconnected(
    server: RunningServer, token: str | None
) -> None:
    peer = await server.connect()
    peer.send(initialize(token), request(2, "twospeed/status", {}))
    (answer,) = await peer.rest()
    assert (answer["id"], answer["error"]["code"]) == ("init", -32803)
    assert server.token not in str(answer)


@pytest.mark.security("R6.2")
@pytest.mark.parametrize(
    "first",
    [
        request(1, "twospeed/status", {}),
        request(1, "shutdown"),
        notification("exit"),
        notification("initialize", {"initializationOptions": {}}),
        notification("initialized", {}),
        opening(URI, TEXT),
        {"jsonrpc": "2.0", "id": 1, "result": None},
    ],
)
async def test_no_request_but_initialize_gets_a_response_before_the_token(
    server: RunningServer, first: dict
) -> None:
    peer = await server.connect()
    peer.send(first)
    assert await peer.rest() == []
    assert not server.listening_server.exited.done()


@pytest.mark.security("R6.2")
@pytest.mark.parametrize("body", [b"{", b"[]", b"\xff", b"[" * 600, b'{"id":{},"method":"initialize"}'])
async def test_malformed_messages_before_the_token_get_no_response(
    server: RunningServer, body: bytes
) -> None:
    peer = await server.connect()
    peer.send_raw(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    assert await peer.rest() == []


@pytest.mark.security("R6.3")
@pytest.mark.parametrize(
    "data",
    [
        b"GET / HTTP/1.1\r\n",
        b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: https://evil.example\r\nContent-Length: 2\r\n\r\n{}",
        b"OPTIONS * HTTP/1.1\r\n",
        b"Host: 127.0.0.1\r\n",
        b"\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"Content-Length: 99999999999\r\n\r\n",
    ],
)
async def test_an_http_client_is_disconnected_without_response(server: RunningServer, data: bytes) -> None:
    peer = await server.connect()
    peer.send_raw(data)
    assert await peer.rest() == []
    assert (await server.client()).received, "other clients are still served"


@pytest.mark.security("R6.2")
async def test_responses_to_wrong_tokens_are_delayed_and_block_no_right_token() -> None:
    async with opened(refusal_s=LIMIT_S) as server:
        guessing = [await server.connect() for _ in range(40)]
        for number, peer in enumerate(guessing):
            peer.send(initialize(f"{number:064x}"))
        await server.client()
        assert not any(peer.received for peer in guessing)


@pytest.mark.security("R6.4")
async def test_at_most_eight_of_sixty_simultaneous_clients_are_accepted(server: RunningServer) -> None:
    peers = await asyncio.gather(*(server.connect() for _ in range(60)))
    for peer in peers:
        peer.send(initialize(server.token))
    answers = await asyncio.gather(*(peer.reply_to("init") for peer in peers))
    assert sum("result" in answer for answer in answers) == MAX_CONNECTIONS
    refused = next(answer for answer in answers if "error" in answer)
    assert "8 editors are connected, the maximum; close one" in refused["error"]["message"]


@pytest.mark.security("R6.4")
@pytest.mark.parametrize("said", [b"", b"Content-Length: 5000\r\n\r\n{"])
async def test_clients_without_the_token_do_not_block_one_with_the_token(
    server: RunningServer, said: bytes
) -> None:
    strangers = [await server.connect() for _ in range(MAX_UNAUTHENTICATED + 20)]
    for stranger in strangers:
        stranger.send_raw(said)
    await server.client()
    await asyncio.gather(*(stranger.rest() for stranger in strangers[:20]))
    assert len(server.listening_server.limit._unauthenticated) <= MAX_UNAUTHENTICATED
    clients = [await server.client() for _ in range(MAX_CONNECTIONS - 1)]
    for _ in range(MAX_UNAUTHENTICATED):
        await server.connect()
    clients[0].send(request(1, "twospeed/status", {}))
    assert "result" in await clients[0].reply_to(1)


@pytest.mark.security("R6.4")
async def test_a_client_is_accepted_while_others_keep_connecting(server: RunningServer) -> None:
    async def connect_without_a_message() -> None:
        while True:
            await server.connect()

    floods = [asyncio.create_task(connect_without_a_message()) for _ in range(20)]
    for _ in range(3):
        await server.client()
    for flood in floods:
        flood.cancel()
    await asyncio.gather(*floods, return_exceptions=True)
    assert len(server.listening_server.limit._unauthenticated) <= MAX_UNAUTHENTICATED


@pytest.mark.security("R6.4")
async def test_silent_clients_of_a_pipe_block_no_client(tmp_path: Path) -> None:
    path = str(tmp_path / "pipe")
    async with (
        listening_on_pipe(path, ListeningServer({}, handshake_s=LIMIT_S)),
        contextlib.AsyncExitStack() as stack,
    ):
        for _ in range(MAX_UNAUTHENTICATED + 20):
            stack.push_async_callback((await Peer.over_pipe(path)).close)
        editors = [await Peer.over_pipe(path) for _ in range(MAX_CONNECTIONS + 1)]
        for editor in editors:
            stack.push_async_callback(editor.close)
            editor.send(initialize())
        answers = [await editor.reply_to("init") for editor in editors]
    assert ["result" in answer for answer in answers] == [True] * MAX_CONNECTIONS + [False]


@pytest.mark.security("R6.2")
async def test_a_silent_connection_is_closed_in_time() -> None:
    async with opened(handshake_s=0.05) as server:
        silent = await server.connect()
        assert await silent.rest() == []
        halting = await server.connect()
        halting.send_raw(b"Content-Length: 5000\r\n\r\n{")
        assert await halting.rest() == []


@pytest.mark.security("R11.1")
async def test_an_unauthenticated_client_has_a_smaller_message_limit(server: RunningServer) -> None:
    stranger = await server.connect()
    stranger.send_raw(b"Content-Length: %d\r\n\r\n" % (MAX_UNAUTHENTICATED_BYTES + 1))
    assert await stranger.rest() == []
    client = await server.client()
    client.send(opening(URI, "x = 1\n" * MAX_UNAUTHENTICATED_BYTES), request(1, "twospeed/status", {}))
    assert "result" in await client.reply_to(1)


@pytest.mark.security("R6.4")
async def test_a_ninth_connection_is_refused_until_another_has_closed(server: RunningServer) -> None:
    clients = [await server.client() for _ in range(MAX_CONNECTIONS)]
    ninth = await server.connect()
    ninth.send(initialize(server.token))
    assert ["error" in message for message in await ninth.rest()] == [True]
    await clients[0].close()
    await server.wait_for_one_end()
    await server.client()


@pytest.mark.security("R6.4")
async def test_two_clients_see_nothing_of_each_other(server: RunningServer) -> None:
    first, second = await server.client(), await server.client()
    first.send(opening(URI, TEXT))
    first.send(request(1, "twospeed/setMode", {"mode": "deep"}))
    assert (await first.reply_to(1))["result"]["mode"] == "deep"
    place = {"line": 1, "character": 0}
    params = {"textDocument": {"uri": URI, "version": 1}, "position": place}
    second.send(request(1, "twospeed/scopes", params), request(2, "twospeed/status", {}))
    assert "not open" in (await second.reply_to(1))["error"]["message"]
    assert (await second.reply_to(2))["result"]["mode"] == "lightning"
    first.send(request(2, "twospeed/scopes", params))
    assert (await first.reply_to(2))["result"]["scopes"][0]["name"] == "total"
    assert {message["id"] for message in second.received if "id" in message} == {"init", 1, 2}
    await first.close()
    second.send(request(3, "twospeed/status", {}))
    assert "result" in await second.reply_to(3)


@pytest.mark.security("R6.4")
async def test_the_session_of_a_client_that_went_away_is_closed_and_the_process_continues(
    server: RunningServer,
) -> None:
    peer = await server.client()
    (connection,) = server.listening_server._connections
    session = connection.protocol.session
    assert session
    peer.send(opening(URI, TEXT))
    where = {"line": 1, "character": 0}
    params = {
        "textDocument": {"uri": URI, "version": 1},
        "range": {"start": where, "end": where},
        "instruction": "rename result to amount",
    }
    peer.send(request(1, "twospeed/edit", params))
    peer.writer.transport.abort()
    await server.wait_for_one_end()
    assert not session.tasks._running
    assert not session.scheduler._tasks
    assert not server.listening_server.exited.done()
    await server.client()


@pytest.mark.parametrize(("is_shut_down", "status"), [(True, 0), (False, 1)])
async def test_exit_of_the_last_connection_ends_the_process(
    server: RunningServer, is_shut_down, status
) -> None:
    first, last = await server.client(), await server.client()
    first.send(notification("exit"))
    await first.rest()
    assert not server.listening_server.exited.done()
    if is_shut_down:
        last.send(request(1, "shutdown"))
        await last.reply_to(1)
    last.send(notification("exit"))
    async with asyncio.timeout(LIMIT_S):
        assert await server.listening_server.exited == status


async def test_bytes_after_exit_are_no_error() -> None:
    connection = Connection({}, lambda _: None)
    connection.receive_bytes(encode_frame(b'{"jsonrpc":"2.0","method":"exit"}'))
    connection.receive_bytes(b"half of something")
    assert connection.error is None
    await connection.aclose()


async def test_a_request_sees_the_version_it_was_sent_with_in_one_write(server: RunningServer) -> None:
    peer = await server.client()
    at = {"line": 0, "character": 0}
    change = {"textDocument": {"uri": URI, "version": 2}, "contentChanges": [{"text": "x = 1\n"}]}
    params = {"textDocument": {"uri": URI, "version": 1}, "position": at}
    peer.send(
        opening(URI, TEXT),
        request(1, "twospeed/scopes", params),
        notification("textDocument/didChange", change),
        request(2, "twospeed/scopes", {**params, "textDocument": {"uri": URI, "version": 2}}),
    )
    assert (await peer.reply_to(1))["result"]["version"] == 1
    assert (await peer.reply_to(2))["result"]["version"] == 2


@pytest.mark.security("R6.1")
@pytest.mark.parametrize(
    "text",
    ["", "-1", "65536", "99999", "0.0.0.0:80", "127.0.0.1:80", ":80", "[::]:80", "80 ", "8e3", "٣", "²", "x"],
)
def test_an_address_other_than_a_port_is_refused(text: str) -> None:
    with pytest.raises(SettingsError, match=r"--tcp: .*loopback only"):
        parse_port(text, source="--tcp")


@pytest.mark.security("R6.1")
async def test_only_loopback_is_bound(server: RunningServer) -> None:
    for family, address in ((socket.AF_INET, "127.0.0.2"), (socket.AF_INET6, "::1")):
        with pytest.raises(OSError, match=r"refused|Cannot assign"), socket.socket(family) as other:
            other.connect((address, server.port))


@pytest.mark.parametrize(("text", "expected"), [("0", 0), ("80", 80), ("00080", 80), ("65535", 65535)])
def test_a_port_is_a_number(text: str, expected: int) -> None:
    assert parse_port(text, source="--tcp") == expected


@pytest.mark.skipif(os.name != "posix", reason="elsewhere it would let others take our port")
def test_a_port_can_be_used_again_at_once() -> None:
    with bound_to_loopback(0, source="--tcp") as listener:
        assert listener.getsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR)
        assert listener.getsockname()[0] == "127.0.0.1"


def test_an_error_names_a_port_in_use() -> None:
    with bound_to_loopback(0, source="--tcp") as taken:
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(SettingsError, match=f"--ws: port {port} cannot be used"):
            bound_to_loopback(port, source="--ws")

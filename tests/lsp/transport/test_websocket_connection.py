"""Options for the WebSocket library, and the queue of messages for a client, without a socket."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosedOK
from websockets.frames import CloseCode

from twospeed.lsp.transport import websocket
from twospeed.lsp.transport.auth import Authenticator
from twospeed.lsp.transport.connection import Connection
from twospeed.lsp.transport.connection_limit import ACCEPTED_AT_ONCE
from twospeed.lsp.transport.socket_server import ListeningServer
from twospeed.lsp.transport.websocket import _Outbox, _read, _serve_endpoint, listening_on_websocket
from twospeed.lsp.wire.framing import MAX_BODY_BYTES


class Server:
    def __init__(self) -> None:
        self.calls: list[str] = []

    def close(self) -> None:
        self.calls.append("close")

    async def wait_closed(self) -> None:
        self.calls.append("wait_closed")


async def test_the_library_compresses_nothing_and_has_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    options_of_serve: dict[str, Any] = {}
    server = Server()

    async def serve(*_: object, **options: object) -> Server:
        options_of_serve.update(options)
        return server

    monkeypatch.setattr(websocket, "serve", serve)
    async with listening_on_websocket(0, ListeningServer({}), Authenticator()) as address:
        port = options_of_serve["sock"].getsockname()[1]
        assert address == f"ws://127.0.0.1:{port}"
        assert server.calls == []
    assert server.calls == ["close", "wait_closed"]
    expected = {
        "compression": None,
        "max_size": MAX_BODY_BYTES,
        "max_queue": 16,
        "ping_interval": 20.0,
        "ping_timeout": 20.0,
        "open_timeout": 5.0,
        "close_timeout": 0.4,
        "server_header": None,
        "backlog": ACCEPTED_AT_ONCE,
    }
    assert {name: options_of_serve[name] for name in expected} == expected
    assert options_of_serve["logger"].disabled
    assert options_of_serve["logger"].name == "twospeed.lsp.transport.websocket.library"


class Transport:
    def __init__(self) -> None:
        self.n_aborts = 0

    def abort(self) -> None:
        self.n_aborts += 1


class FakeWebSocket:
    """A WebSocket with scripted messages; it records what is sent while ``reads`` is set."""

    def __init__(self, *messages: str | bytes) -> None:
        self.messages = list(messages)
        self.got: list[object] = []
        self.closed_with: list[int] = []
        self.transport = Transport()
        self.reads = asyncio.Event()
        self.reads.set()
        self.is_gone = False

    def __aiter__(self) -> FakeWebSocket:
        return self

    async def __anext__(self) -> str | bytes:
        if self.is_gone and not self.messages:
            raise ConnectionClosedOK(None, None)
        if not self.messages:
            raise StopAsyncIteration
        return self.messages.pop(0)

    async def send(self, message: object, *, text: bool | None = None) -> None:
        await self.reads.wait()
        if self.is_gone:
            raise ConnectionClosedOK(None, None)
        self.got.append((message, text))

    async def close(self, code: int) -> None:
        self.closed_with.append(code)


def outbox_of(fake: Any) -> _Outbox:
    return _Outbox(fake)


async def settle() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


async def test_messages_are_sent_as_text_in_their_order_and_the_last_ones_after_the_close() -> None:
    fake = FakeWebSocket()
    outbox = outbox_of(fake)
    sending = asyncio.ensure_future(outbox.send_all())
    outbox.put(b"one")
    await settle()
    assert fake.got == [(b"one", True)]
    fake.reads.clear()
    for body in (b"two", b"three"):
        outbox.put(body)
    await settle()
    outbox.close()
    await settle()
    assert not sending.done()
    fake.reads.set()
    await asyncio.wait_for(sending, 60)
    assert fake.got == [(b"one", True), (b"two", True), (b"three", True)]


async def test_sending_ends_with_the_close_and_with_the_client() -> None:
    outbox = outbox_of(FakeWebSocket())
    sending = asyncio.ensure_future(outbox.send_all())
    await settle()
    assert not sending.done()
    outbox.close()
    await asyncio.wait_for(sending, 60)
    fake = FakeWebSocket()
    fake.is_gone = True
    outbox = outbox_of(fake)
    outbox.put(b"one")
    await asyncio.wait_for(outbox.send_all(), 60)


async def test_a_client_that_exceeds_the_pending_limit_is_closed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(websocket, "MAX_QUEUED_BYTES", 10)
    fake = FakeWebSocket()
    outbox = outbox_of(fake)
    sending = asyncio.ensure_future(outbox.send_all())
    for _ in range(3):  # what was sent waits no more
        outbox.put(b"x" * 6)
        await settle()
    fake.reads.clear()
    outbox.put(b"x" * 4)
    outbox.put(b"x" * 6)
    await settle()
    assert fake.transport.n_aborts == 0
    outbox.put(b"x")
    assert fake.transport.n_aborts == 1
    sending.cancel()
    await asyncio.wait([sending])


@pytest.mark.parametrize("is_gone", [True, False])
async def test_a_session_ends_with_its_websocket(is_gone: bool) -> None:
    fake: Any = FakeWebSocket('{"id":1,"method":"twospeed/status"}')
    fake.is_gone = is_gone
    sent: list[bytes] = []
    connection = Connection({}, sent.append, encode=bytes)
    await _read(fake, connection)
    assert len(sent) == 1
    assert connection.ended.done()
    await connection.aclose()


async def test_a_binary_message_ends_a_websocket_before_later_messages() -> None:
    fake: Any = FakeWebSocket(b"{}", '{"id":1,"method":"twospeed/status"}')
    sent: list[bytes] = []
    connection = Connection({}, sent.append, encode=bytes)
    await _read(fake, connection)
    assert (fake.closed_with, sent, connection.ended.done()) == ([CloseCode.UNSUPPORTED_DATA], [], True)
    await connection.aclose()
    other: Any = FakeWebSocket("a", b"b", "c")
    await _serve_endpoint(other, str.upper)
    assert (other.got, other.closed_with) == ([("A", None)], [CloseCode.UNSUPPORTED_DATA])


async def test_a_closed_websocket_gets_no_response() -> None:
    fake: Any = FakeWebSocket("a")
    fake.is_gone = True
    await _serve_endpoint(fake, str.upper)
    assert fake.got == []

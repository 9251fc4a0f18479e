"""One connection: its input reaches its server, and it ends once, with a status."""

from __future__ import annotations

import asyncio
import os
from typing import Any

import orjson
import pytest
from tests.lsp.transport.peer import initialize, notification, request

from twospeed.lsp.transport import connection as connection_module
from twospeed.lsp.transport.auth import Authenticator
from twospeed.lsp.transport.connection import (
    MAX_UNAUTHENTICATED_BYTES,
    BytesProtocol,
    Connection,
    write_or_abort,
)
from twospeed.lsp.wire.framing import FramingError, encode_frame

BARE: dict[str, Any] = {"rootUri": None, "capabilities": {}}


class Talk:
    def __init__(self, **options: Any) -> None:
        self.sent: list[dict[str, Any]] = []
        self.connection = Connection({}, self._write, encode=bytes, **options)

    def _write(self, body: bytes) -> None:
        self.sent.append(orjson.loads(body))

    def say(self, *messages: dict[str, Any]) -> None:
        self.connection.receive_bytes(b"".join(encode_frame(orjson.dumps(each)) for each in messages))


@pytest.mark.parametrize(
    ("messages", "status"),
    [
        ([], None),
        ([initialize(), request(1, "shutdown")], None),
        ([initialize(), notification("exit")], 1),
        ([notification("exit")], 1),
        ([initialize(), request(1, "shutdown"), notification("exit")], 0),
    ],
)
async def test_exit_ends_a_connection_with_a_status(
    messages: list[dict[str, Any]], status: int | None
) -> None:
    talk = Talk()
    talk.say(*messages, request("after", "shutdown"))
    assert talk.connection.exit_status == status
    assert talk.connection.ended.done() is (status is not None)
    answered = [each["id"] for each in talk.sent]
    assert ("after" in answered) is (status is None)
    talk.connection.receive_body(orjson.dumps(request("later", "shutdown")))
    assert ("later" in [each["id"] for each in talk.sent]) is (status is None)
    talk.connection.end()
    talk.connection.end()
    assert talk.connection.ended.done()
    await talk.connection.aclose()


async def test_bytes_that_are_no_frame_end_a_connection_with_an_error() -> None:
    talk = Talk()
    talk.connection.receive_bytes(b"GET / HTTP/1.1\r\n\r\n")
    assert isinstance(talk.connection.error, FramingError)
    assert talk.connection.ended.done()
    talk.connection.receive_bytes(b"GET / HTTP/1.1\r\n\r\n")
    assert talk.connection.exit_status is None
    await talk.connection.aclose()


@pytest.mark.parametrize(
    ("process_id", "is_kept"),
    [(os.getpid(), True), (None, False), (0, False), (-1, False), (2**22 + 1, False), (1, True)],
    ids=["this process", "none", "0", "-1", "above the largest", "the first"],
)
async def test_the_client_process_is_reported_if_alive(process_id: int | None, is_kept: bool) -> None:
    talk = Talk()
    params = {**BARE, "processId": process_id}
    talk.say({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
    assert talk.connection.opened.result() == (process_id if is_kept else None)
    await talk.connection.aclose()


@pytest.mark.parametrize("is_guest", [True, False])
async def test_an_unauthenticated_message_has_a_smaller_limit(is_guest: bool) -> None:
    authenticator = Authenticator("secret")
    talk = Talk(authenticate=authenticator.authenticate)
    if is_guest:
        talk.say(initialize("secret"))
        assert "result" in talk.sent[0]
    body = orjson.dumps(notification("$/x", "x" * MAX_UNAUTHENTICATED_BYTES))
    talk.connection.receive_bytes(encode_frame(body))
    assert (talk.connection.error is None) is is_guest
    await talk.connection.aclose()


async def test_a_wrong_token_is_refused_and_ends_the_connection() -> None:
    talk = Talk(authenticate=Authenticator("secret").authenticate)
    talk.say(initialize("guess"), request("after", "shutdown"))
    assert [each["id"] for each in talk.sent] == ["init"]
    assert talk.sent[0]["error"]["code"] == -32803
    assert talk.connection.ended.done()
    assert not talk.connection.opened.done()
    await talk.connection.aclose()


async def test_closing_ends_the_session_within_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_module, "CLOSE_S", 0.01)
    talk = Talk()
    closed: list[bool] = []

    async def hang() -> None:
        closed.append(True)
        await asyncio.Event().wait()

    monkeypatch.setattr(talk.connection.protocol, "aclose", hang)
    await asyncio.wait_for(talk.connection.aclose(), 60)
    assert closed == [True]
    assert talk.connection.ended.done()


async def test_a_feed_passes_bytes_and_reports_the_end() -> None:
    got: list[object] = []
    feed = BytesProtocol(got.append, lambda: got.append("end"))
    feed.data_received(b"a")
    assert feed.eof_received() is True
    assert not feed.lost.is_set()
    feed.connection_lost(None)
    assert feed.lost.is_set()
    assert got == [b"a", "end", "end"]


class FakeTransport:
    """A transport that keeps what is written."""

    def __init__(self) -> None:
        self.written = b""
        self.calls: list[str] = []
        self.is_gone = False

    def is_closing(self) -> bool:
        return self.is_gone

    def write(self, data: bytes) -> None:
        self.written += data

    def get_write_buffer_size(self) -> int:
        return len(self.written)

    def abort(self) -> None:
        self.calls.append("abort")


def test_a_socket_that_exceeds_the_pending_limit_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_module, "MAX_QUEUED_BYTES", 10)
    transport: Any = FakeTransport()
    write_or_abort(transport, b"x" * 10)
    assert transport.calls == []
    write_or_abort(transport, b"x")
    assert transport.calls == ["abort"]
    transport.is_gone = True
    write_or_abort(transport, b"y")
    assert (transport.written, transport.calls) == (b"x" * 11, ["abort"])

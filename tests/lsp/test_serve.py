"""When a serving process exits, and with which status: each cause by itself, in memory."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any, cast

import pytest

from twospeed.lsp import serve
from twospeed.lsp.transport.connection_limit import MAX_CONNECTIONS, ConnectionLimit
from twospeed.lsp.transport.websocket import _Outbox
from twospeed.lsp.wire.framing import FramingError


@pytest.fixture
def ends(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Collect the statuses with which the process would end at the latest."""
    ends: list[int] = []
    monkeypatch.setattr(serve, "_force_exit_later", ends.append)
    return ends


# Many connections


@pytest.mark.parametrize(
    ("over", "is_stopped", "expected"), [(None, True, 0), (1, False, 1), (0, False, 0), (1, True, 1)]
)
async def test_a_listening_process_ends_after_its_last_client_or_a_stop(
    over: int | None, is_stopped: bool, expected: int, ends: list[int]
) -> None:
    rooms: list[Any] = []
    announced: list[tuple[str, str]] = []
    closed: list[bool] = []

    @contextlib.asynccontextmanager
    async def listen(*room: Any) -> AsyncIterator[str]:
        rooms.extend(room)
        yield "tcp://here"
        closed.append(True)

    stop = asyncio.Event()
    environ = {"A": "b"}
    serving = asyncio.create_task(
        serve._serve_listener(environ, stop, listen, lambda *said: announced.append(cast("Any", said)))
    )
    for _ in range(3):
        await asyncio.sleep(0)
    listening_server, authenticator = rooms
    assert listening_server.environ is environ
    assert (announced, serving.done(), closed) == ([("tcp://here", authenticator.token)], False, [])
    if over is not None:
        listening_server.exited.set_result(over)
    if is_stopped:
        stop.set()
    assert (await serving, ends, closed) == (expected, [expected], [True])
    await asyncio.sleep(0)
    assert asyncio.all_tasks() == {asyncio.current_task()}


# One connection


class FakeConnection:
    """A connection as `serve` sees it."""

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self.ended: asyncio.Future[None] = loop.create_future()
        self.opened: asyncio.Future[int | None] = loop.create_future()
        self.error: FramingError | None = None
        self.exit_status: int | None = None
        self.n_closed = 0

    async def aclose(self) -> None:
        self.n_closed += 1


@pytest.mark.parametrize(
    ("end", "exit_status", "error", "expected"),
    [
        ("ended", None, None, 0),
        ("ended", 0, None, 0),
        ("ended", 1, None, 1),
        ("ended", None, "no Content-Length", serve.PROTOCOL_ERROR),
        ("ended", 1, "no Content-Length", serve.PROTOCOL_ERROR),
        ("stop", None, None, 0),
        ("dead", None, None, 0),
    ],
)
async def test_a_process_with_one_connection_ends_with_it_a_stop_or_the_clients_process(
    end: str,
    exit_status: int | None,
    error: str | None,
    expected: int,
    ends: list[int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said: list[str] = []
    died: list[int] = []

    async def exit_of(process_id: int) -> None:
        died.append(process_id)

    monkeypatch.setattr(serve, "_print", said.append)
    monkeypatch.setattr(serve, "exit_of", exit_of)
    connection, stop = FakeConnection(), asyncio.Event()
    conversation = asyncio.create_task(serve._run_connection(cast("Any", connection), stop))
    for _ in range(3):
        await asyncio.sleep(0)
    connection.opened.set_result(7 if end == "dead" else None)
    for _ in range(3):
        await asyncio.sleep(0)
    assert conversation.done() is False or end == "dead"
    connection.exit_status, connection.error = exit_status, FramingError(error) if error else None
    if end == "ended":
        connection.ended.set_result(None)
    elif end == "stop":
        stop.set()
    assert (await conversation, ends, connection.n_closed) == (expected, [expected], 1)
    assert died == ([7] if end == "dead" else [])
    assert said == ([f"{error}; this is not the language server protocol"] if error else [])
    assert not connection.opened.cancelled()
    await asyncio.sleep(0)
    assert asyncio.all_tasks() == {asyncio.current_task()}


# Signals, and what is said


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
async def test_signals_stop_the_process_and_old_handlers_are_restored(number: signal.Signals) -> None:
    before = [signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)]
    kept = signal.signal(number, lambda *_: None)
    try:
        mine, stop = signal.getsignal(number), asyncio.Event()
        with serve._stopped_by_signals(stop):
            os.kill(os.getpid(), number)
            async with asyncio.timeout(60):
                await stop.wait()
        assert signal.getsignal(number) is mine
    finally:
        signal.signal(number, kept)
    assert [signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)] == before


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other signals")
async def test_sighup_does_not_end_a_process_started_by_nohup() -> None:
    kept = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with serve._stopped_by_signals(asyncio.Event()):
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
            assert signal.getsignal(signal.SIGTERM) is not kept
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, kept)


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="Windows has other signals")
async def test_windows_handles_no_sighup(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve, "sys", SimpleNamespace(platform="win32"))
    kept = [signal.getsignal(each) for each in (signal.SIGHUP, signal.SIGTERM)]
    with serve._stopped_by_signals(asyncio.Event()):
        within = [signal.getsignal(each) for each in (signal.SIGHUP, signal.SIGTERM)]
    assert within[0] is kept[0]
    assert within[1] is not kept[1]


def test_each_kind_of_connection_has_a_separate_limit() -> None:
    limit = ConnectionLimit()
    assert all(limit.admit(number) for number in range(MAX_CONNECTIONS - 1))
    assert limit.admit("last", "editor")
    assert not limit.admit("more")
    assert not limit.admit("more", "editor")
    assert limit.admit("more", "/files")
    limit.remove(0)
    assert limit.admit("more")


def test_the_process_is_forced_to_exit_if_closing_hangs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    timers: list[Any] = []

    class Timer:
        daemon = False

        def __init__(self, *args: Any) -> None:
            self.args, self.n_started = args, 0
            timers.append(self)

        def start(self) -> None:
            assert self.daemon
            self.n_started += 1

    monkeypatch.setattr(serve, "threading", SimpleNamespace(Timer=Timer))
    serve._force_exit_later(3)
    assert [(timer.args, timer.n_started) for timer in timers] == [((serve.EXIT_S, os._exit, [3]), 1)]


def test_process_messages_are_single_lines_on_stderr(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    serve._print_address("tcp://here", "secret")
    serve._print_address_and_token("tcp://there\ud800", "secret")
    read = capfd.readouterr()
    assert read.out == ""
    assert read.err == (
        "twospeed: listening on tcp://here\n"
        "twospeed: listening on tcp://there\\ud800\n"
        "twospeed: token: secret\n"
    )
    monkeypatch.setattr(serve, "_STDERR", 987_654)
    serve._print("nothing is read any more")


# The queue of a WebSocket


class SlowWebSocket:
    """A WebSocket that sends while the test opens its gate."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []
        self.gate = asyncio.Event()
        self.n_aborted = 0
        self.transport = self

    async def send(self, body: bytes, *, text: bool) -> None:
        assert text
        await self.gate.wait()
        self.sent.append(body)

    def abort(self) -> None:
        self.n_aborted += 1


async def test_frames_are_sent_in_order_and_flushed_at_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("twospeed.lsp.transport.websocket.MAX_QUEUED_BYTES", 10)
    websocket = SlowWebSocket()
    outbox = _Outbox(cast("Any", websocket))
    sending = asyncio.create_task(outbox.send_all())
    outbox.put(b"12345")
    outbox.put(b"67890")
    assert websocket.n_aborted == 0, "ten bytes may wait"
    websocket.gate.set()
    for _ in range(9):
        await asyncio.sleep(0)
    assert (websocket.sent, sending.done()) == ([b"12345", b"67890"], False)
    websocket.gate.clear()
    outbox.put(b"1234567890")
    await asyncio.sleep(0)
    assert websocket.n_aborted == 0, "frames that were sent are not counted"
    outbox.close()
    websocket.gate.set()
    await sending
    assert websocket.sent[-1] == b"1234567890"
    outbox.put(b"12345678901")
    assert websocket.n_aborted == 1

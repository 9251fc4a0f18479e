"""Streams of one WebSocket connection, event by event, on a fake socket."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import aiohttp
import orjson
import pytest

from twospeed.models.codecs.openai_responses import Item, ResponsesFields
from twospeed.models.websocket import response_stream
from twospeed.models.websocket.response_stream import (
    ForgottenError,
    NoSocketError,
    RememberedResponse,
    ResponseRequest,
    ResponseStream,
    SocketLostError,
    code_of,
)
from twospeed.models.websocket.responses_socket import ResponsesConnection

FIELDS: ResponsesFields = {"model": "gpt-6-luna", "store": False, "prompt_cache_key": "k"}


def said(text: str) -> Item:
    return {"type": "message", "role": "user", "content": text}


def request(*texts: str, generates: bool = True, model: str = "gpt-6-luna") -> ResponseRequest:
    return ResponseRequest(
        {**FIELDS, "model": model}, [said(text) for text in texts], 512, generates=generates
    )


def created(name: str) -> dict[str, object]:
    return {"type": "response.created", "response": {"id": name}}


def failed(code: str, kind: str = "error") -> dict[str, object]:
    return {"type": kind, "error": {"code": code}}


def completed(name: str) -> dict[str, object]:
    return {"type": "response.completed", "response": {"id": name, "output": []}}


THOUGHT = {"type": "response.reasoning_text.delta", "delta": "hm"}
WORD = {"type": "response.output_text.delta", "delta": "a"}


class Wire:
    """A connection whose messages come from the test."""

    def __init__(self) -> None:
        self.sent: list[dict[str, object]] = []
        self.received: asyncio.Queue[aiohttp.WSMessage] = asyncio.Queue()
        self.close_code: int | None = None
        self.n_closed = 0

    async def send_str(self, data: str) -> None:
        self.sent.append(orjson.loads(data))

    async def receive(self) -> aiohttp.WSMessage:
        return await self.received.get()

    async def close(self) -> None:
        self.n_closed += 1

    def say(self, *events: object, stream: str | None = None) -> None:
        for event in events:
            named = {**event, "stream_id": stream} if isinstance(event, dict) and stream else event
            data = event if isinstance(event, str) else orjson.dumps(named).decode()
            self.received.put_nowait(aiohttp.WSMessage(aiohttp.WSMsgType.TEXT, data, None))

    def hang_up(self, code: int | None) -> None:
        self.close_code = code
        self.received.put_nowait(aiohttp.WSMessage(aiohttp.WSMsgType.CLOSED, None, None))


@pytest.fixture
def wire() -> Wire:
    return Wire()


@pytest.fixture
def unsteered() -> set[object]:
    return set()


@pytest.fixture
async def connection(wire: Wire, unsteered: set[object]) -> AsyncIterator[ResponsesConnection]:
    made = ResponsesConnection(wire, unsteered)  # type: ignore[arg-type]  # as much of a connection as it uses
    yield made
    await made.aclose()


@pytest.fixture
def settle(wire: Wire) -> Callable[[], Awaitable[None]]:
    """``await settle()``: wait until all messages have been read."""

    async def wait() -> None:
        for _ in range(wire.received.qsize() + 2):
            await asyncio.sleep(0)

    return wait


def lane_of(
    asked: ResponseRequest, parent: RememberedResponse | None = None, steers: str | None = None
) -> ResponseStream:
    async def send(_message: str) -> None:
        pass

    return ResponseStream("edit-0", asked, parent, send, steers=steers)


async def test_a_stream_returns_events_with_their_bytes_and_then_its_end() -> None:
    stream = lane_of(request("a"))
    await stream.send()
    assert (stream.is_under_way, stream.is_steerable, stream.has_output) == (True, False, False)
    stream.add_event(created("resp_1"), 10, is_last=False)
    stream.add_event(WORD, 20, is_last=False)
    assert stream.response_id == "resp_1"
    assert (stream.has_output, stream.is_over) == (True, False)
    assert await stream.receive() == ([created("resp_1"), WORD], 30)
    waiting = asyncio.create_task(stream.receive())
    await asyncio.sleep(0)
    assert not waiting.done()
    stream.add_event(completed("resp_1"), 5, is_last=True)
    assert await waiting == ([completed("resp_1")], 5)
    assert (stream.is_over, stream.is_under_way) == (True, False)
    stream.record_close(1006)
    stream.fail(NoSocketError())
    with pytest.raises(SocketLostError) as caught:
        await stream.receive()
    assert caught.value.code == 1006


async def test_events_before_the_end_are_returned_first() -> None:
    stream = lane_of(request("a"))
    stream.add_event(WORD, 1, is_last=False)
    stream.record_close(1011)
    assert await stream.receive() == ([WORD], 1)
    with pytest.raises(SocketLostError):
        await stream.receive()


@pytest.mark.parametrize("asks", [True, False])
async def test_a_connection_lost_before_the_first_event_allows_http(asks: bool) -> None:
    stream = lane_of(request("a"))
    if asks:
        await stream.send()
    stream.record_close(1006)
    with pytest.raises(NoSocketError) as caught:
        await stream.receive()
    assert caught.value.was_sent is asks
    assert NoSocketError().was_sent is False


async def test_a_request_that_cannot_be_written_counts_as_sent() -> None:
    async def send(_message: str) -> None:
        raise aiohttp.ClientConnectionResetError

    with pytest.raises(NoSocketError) as caught:
        await ResponseStream("edit-0", request("a"), None, send).send()
    assert caught.value.was_sent


async def test_unread_events_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(response_stream, "_MAX_WAITING_BYTES", 100)
    stream = lane_of(request("a"))
    stream.add_event(WORD, 60, is_last=False)
    stream.add_event(WORD, 40, is_last=False)
    assert await stream.receive() == ([WORD, WORD], 100)
    waiting = asyncio.create_task(stream.receive())
    await asyncio.sleep(0)
    assert not waiting.done(), "it has not ended"
    waiting.cancel()
    stream.add_event(WORD, 60, is_last=False)
    stream.add_event(WORD, 41, is_last=False)
    assert await stream.receive() == ([WORD, WORD], 101)
    with pytest.raises(SocketLostError) as caught:
        await stream.receive()
    assert caught.value.code == aiohttp.WSCloseCode.MESSAGE_TOO_BIG


OF_THE_SOCKET = [
    "websocket_connection_limit_reached",
    "websocket_stream_limit_reached",
    "invalid_stream_id",
    "previous_response_not_found",
]


@pytest.mark.parametrize("code", [*OF_THE_SOCKET, "rate_limit_exceeded"])
@pytest.mark.parametrize("goes_on", [True, False])
@pytest.mark.parametrize("has_begun", [True, False])
async def test_an_error_of_the_socket_is_no_error_of_the_answer(
    code: str, goes_on: bool, has_begun: bool
) -> None:
    parent = RememberedResponse("resp_0", "edit-0", FIELDS, []) if goes_on else None
    stream = lane_of(request("a"), parent)
    begun = [created("resp_1")] if has_begun else []
    for event in begun:
        stream.add_event(event, 1, is_last=False)
    stream.add_event(failed(code), 1, is_last=True)
    assert stream.is_over
    if code not in OF_THE_SOCKET or has_begun:
        assert await stream.receive() == ([*begun, failed(code)], len(begun) + 1)
    elif code == "previous_response_not_found" and goes_on:
        with pytest.raises(ForgottenError):
            await stream.receive()
    else:
        with pytest.raises(NoSocketError) as caught:
            await stream.receive()
        assert caught.value.was_sent


@pytest.mark.parametrize(
    ("event", "speaks"),
    [
        (WORD, True),
        ({"type": "response.refusal.delta"}, True),
        ({"type": "response.output_item.added", "item": {"type": "message"}}, True),
        ({"type": "response.output_item.added", "item": {"type": "reasoning"}}, False),
        ({"type": "response.output_item.done", "item": {"type": "message"}}, False),
        (THOUGHT, False),
        (7, False),
    ],
)
async def test_a_reasoning_response_is_steerable(event: object, speaks: bool) -> None:
    stream = lane_of(request("a"))
    assert not stream.is_steerable, "its name is not known"
    stream.add_event(created("resp_1"), 1, is_last=False)
    assert stream.is_steerable
    stream.add_event(event, 1, is_last=False)
    assert (stream.has_output, stream.is_steerable) == (speaks, not speaks)


async def test_only_answers_of_supporting_models_are_steerable() -> None:
    for asked in (request("a", model="gpt-5.9"), request("a", generates=False)):
        stream = lane_of(asked)
        stream.add_event(created("resp_1"), 1, is_last=False)
        assert not stream.is_steerable


async def test_a_steered_stream_begins_with_the_following_response() -> None:
    stream = lane_of(request("a"), steers="resp_0")
    for event in (THOUGHT, completed("resp_0"), {"type": "response.steer.accepted"}, created(7)):  # type: ignore[arg-type]  # an odd name
        stream.add_event(event, 1, is_last=False)
    stream.add_event(created("resp_1"), 1, is_last=False)
    stream.add_event(created("resp_2"), 2, is_last=False)
    stream.add_event(WORD, 4, is_last=False)
    stream.add_event(THOUGHT, 8, is_last=False)
    assert await stream.receive() == ([created("resp_1"), created("resp_2"), WORD, THOUGHT], 15)
    assert stream.response_id == "resp_1"
    assert stream.has_output


@pytest.mark.parametrize("event", [WORD, {"type": "response.steer.failed"}])
async def test_a_response_that_ignores_steering_is_requested_again(event: object) -> None:
    stream = lane_of(request("a"), steers="resp_0")
    stream.add_event(event, 1, is_last=False)
    with pytest.raises(ForgottenError):
        await stream.receive()


@pytest.mark.parametrize("kind", ["error", "response.failed"])
async def test_an_error_belongs_to_the_steered_stream(kind: str) -> None:
    stream = lane_of(request("a"), steers="resp_0")
    stream.add_event(failed("rate_limit_exceeded", kind), 1, is_last=True)
    assert await stream.receive() == ([failed("rate_limit_exceeded", kind)], 1)


async def test_at_most_sixteen_streams_and_eight_warm_ups_are_open(
    connection: ResponsesConnection, wire: Wire
) -> None:
    contexts = [connection.open_stream(request(f"c{number}", generates=False)) for number in range(8)]
    assert [stream.name for stream in contexts] == [f"context-{number}" for number in range(8)]
    with pytest.raises(NoSocketError):
        connection.open_stream(request("c8", generates=False))
    edits = [connection.open_stream(request(f"e{number}", model="m")) for number in range(8)]
    assert [stream.name for stream in edits] == [f"edit-{number}" for number in range(8)]
    with pytest.raises(NoSocketError):
        connection.open_stream(request("e8"))
    connection.release(edits[3])
    assert connection.open_stream(request("e8")).name == "edit-8", (
        "a released stream is the last in the queue"
    )
    await edits[0].send()
    assert [message["stream_id"] for message in wire.sent] == ["edit-0"]


async def test_a_response_uses_the_stream_of_its_parent(
    connection: ResponsesConnection, wire: Wire, settle: Callable[[], Awaitable[None]]
) -> None:
    first = connection.open_stream(request("file"))
    second = connection.open_stream(request("other"))
    await first.send()
    await second.send()
    wire.say(completed("resp_1"), stream="edit-0")
    wire.say(completed("resp_2"), stream="edit-1")
    await settle()
    connection.release(first)
    connection.release(second)
    next_one = connection.open_stream(request("other", "more"))
    assert (next_one.name, next_one.parent and next_one.parent.id) == ("edit-1", "resp_2")
    connection.release(next_one)
    assert connection.open_stream(request("other", "more")).parent is None, (
        "a reused stream forgets its response"
    )
    of_first = connection.open_stream(request("file", "more"))
    assert (of_first.name, of_first.parent and of_first.parent.id) == ("edit-0", "resp_1")


async def test_a_warm_up_is_continued_on_an_edit_stream(
    connection: ResponsesConnection, wire: Wire, settle: Callable[[], Awaitable[None]]
) -> None:
    warm_up = connection.open_stream(request("file", generates=False))
    await warm_up.send()
    wire.say(completed("resp_1"), stream="context-0")
    await settle()
    connection.release(warm_up)
    streams = [connection.open_stream(request("file", f"{number}")) for number in range(2)]
    assert [(stream.name, stream.parent and stream.parent.id) for stream in streams] == [
        ("edit-0", "resp_1"),
        ("edit-1", "resp_1"),
    ]


async def test_a_forgotten_response_is_not_continued_again(
    connection: ResponsesConnection, wire: Wire, settle: Callable[[], Awaitable[None]]
) -> None:
    warm_up = connection.open_stream(request("file", generates=False))
    await warm_up.send()
    wire.say(completed("resp_1"), stream="context-0")
    await settle()
    connection.release(warm_up)
    stream = connection.open_stream(request("file", "a"))
    await stream.send()
    wire.say(failed("previous_response_not_found"), stream="edit-0")
    await settle()
    assert connection.open_stream(request("file", "b")).parent is None
    with pytest.raises(ForgottenError):
        await stream.receive()


async def test_events_go_to_their_stream_and_an_error_without_one_to_all(
    connection: ResponsesConnection, wire: Wire, settle: Callable[[], Awaitable[None]]
) -> None:
    one, two = connection.open_stream(request("a")), connection.open_stream(request("b"))
    wire.say(created("resp_1"), stream="edit-1")
    wire.say(WORD, stream="edit-9")
    wire.say(failed("server_error"))
    await settle()
    named = {**created("resp_1"), "stream_id": "edit-1"}
    assert await one.receive() == ([failed("server_error")], len(orjson.dumps(failed("server_error"))))
    assert await two.receive() == (
        [named, failed("server_error")],
        len(orjson.dumps(named)) + len(orjson.dumps(failed("server_error"))),
    )
    assert (one.is_over, two.is_over) == (True, True)


async def test_an_endpoint_without_stream_ids_gets_one_response_at_a_time(
    connection: ResponsesConnection, wire: Wire, settle: Callable[[], Awaitable[None]]
) -> None:
    only = connection.open_stream(request("a"))
    wire.say(WORD)
    await settle()
    assert await only.receive() == ([WORD], len(orjson.dumps(WORD)))
    with pytest.raises(NoSocketError):
        connection.open_stream(request("b"))
    connection.release(only)
    assert connection.open_stream(request("b")).name == "edit-0"


async def test_without_stream_ids_events_of_two_streams_are_dropped(
    connection: ResponsesConnection, wire: Wire, settle: Callable[[], Awaitable[None]]
) -> None:
    one, two = connection.open_stream(request("a")), connection.open_stream(request("b"))
    wire.say(WORD)
    await settle()
    wire.hang_up(1000)
    await settle()
    for stream in (one, two):
        with pytest.raises(NoSocketError):
            await stream.receive()


async def test_without_stream_ids_the_first_warm_up_gets_the_first_events(
    connection: ResponsesConnection, wire: Wire, settle: Callable[[], Awaitable[None]]
) -> None:
    warm_up, edit = (
        connection.open_stream(request("a", generates=False)),
        connection.open_stream(request("a", "b")),
    )
    wire.say(created("resp_1"))
    await settle()
    assert warm_up.response_id == "resp_1"
    assert edit.response_id is None


async def test_an_unreadable_event_is_passed_to_the_decoder(
    connection: ResponsesConnection, wire: Wire, settle: Callable[[], Awaitable[None]]
) -> None:
    stream = connection.open_stream(request("a"))
    wire.say("{")
    await settle()
    [error], n_bytes = await stream.receive()
    assert (type(error).__name__, str(error), n_bytes) == (
        "UnreadableEventError",
        "an event that is not JSON",
        1,
    )


async def test_the_end_of_a_connection_ends_every_stream(
    connection: ResponsesConnection, wire: Wire, settle: Callable[[], Awaitable[None]]
) -> None:
    begun, other = connection.open_stream(request("a")), connection.open_stream(request("b"))
    wire.say(WORD, stream="edit-0")
    wire.hang_up(None)
    await settle()
    assert await begun.receive() == ([{**WORD, "stream_id": "edit-0"}], 70)
    with pytest.raises(SocketLostError) as caught:
        await begun.receive()
    assert caught.value.code == aiohttp.WSCloseCode.ABNORMAL_CLOSURE
    with pytest.raises(NoSocketError):
        await other.receive()
    assert (connection.is_closed, connection.is_fresh, wire.n_closed) == (True, False, 1)


async def test_an_abandoned_answer_is_stopped_by_closing_if_no_other_is_active(
    connection: ResponsesConnection,
) -> None:
    one, two = (
        connection.open_stream(request("a", model="m")),
        connection.open_stream(request("b", model="m")),
    )
    await one.send()
    await two.send()
    connection.release(one)
    assert not connection.is_closed, "the other is waited for"
    connection.release(two)
    assert connection.is_closed


async def test_an_abandoned_warm_up_continues(
    connection: ResponsesConnection, wire: Wire, settle: Callable[[], Awaitable[None]]
) -> None:
    warm_up = connection.open_stream(request("a", generates=False))
    await warm_up.send()
    connection.release(warm_up)
    assert not connection.is_closed
    wire.say(created("resp_1"), stream="context-0")
    wire.say(completed("resp_1"), stream="context-0")
    await settle()
    assert connection.memory.is_ready_for(request("a", generates=False))
    names = [connection.open_stream(request(f"{number}", generates=False)).name for number in range(8)]
    assert names == [*(f"context-{number}" for number in range(1, 8)), "context-0"]


async def test_events_of_an_abandoned_answer_are_dropped_until_its_stream_is_free(
    connection: ResponsesConnection, wire: Wire, settle: Callable[[], Awaitable[None]]
) -> None:
    left, other = (
        connection.open_stream(request("a", model="m")),
        connection.open_stream(request("b", model="m")),
    )
    await left.send()
    await other.send()
    connection.release(left)
    wire.say(WORD, completed("resp_1"), stream="edit-0")
    await settle()
    assert not left.is_over, "its events are dropped"
    assert not connection.is_closed
    assert connection.memory.parent_of(request("a", "more", model="m")) is not None
    connection.release(other)
    assert connection.is_closed


@pytest.fixture
def timers(monkeypatch: pytest.MonkeyPatch) -> list[tuple[float, Callable[[], None]]]:
    """Return the timers that are set and not cancelled; they never fire by themselves."""
    waiting: list[tuple[float, Callable[[], None]]] = []

    class Timer:
        def __init__(self, delay_s: float, call: Callable[[], None]) -> None:
            self.entry = (delay_s, call)
            waiting.append(self.entry)

        def cancel(self) -> None:
            if self.entry in waiting:
                waiting.remove(self.entry)

    def call_later(
        _loop: object, delay_s: float, call: Callable[..., None], *args: object, context: object = None
    ) -> Timer:
        return Timer(delay_s, lambda: call(*args))

    monkeypatch.setattr(asyncio.SelectorEventLoop, "call_later", call_later)
    return waiting


async def test_an_unused_connection_is_closed_after_five_minutes(
    timers: list[tuple[float, Callable[[], None]]], connection: ResponsesConnection
) -> None:
    one, two = connection.open_stream(request("a")), connection.open_stream(request("b"))
    connection.release(one)
    assert timers == []
    connection.release(two)
    assert [delay_s for delay_s, _ in timers] == [300.0]
    again = connection.open_stream(request("c"))
    assert timers == []
    connection.release(again)
    [(_, close)] = timers
    close()
    assert connection.is_closed


async def test_an_old_connection_is_closed_after_its_last_answer(
    connection: ResponsesConnection, wire: Wire, settle: Callable[[], Awaitable[None]]
) -> None:
    one, two = connection.open_stream(request("a")), connection.open_stream(request("b"))
    assert connection.is_fresh
    wire.say(failed("websocket_connection_limit_reached"), stream="edit-0")
    await settle()
    assert (connection.has_expired, connection.is_fresh, connection.is_closed) == (True, False, False)
    connection.release(one)
    assert not connection.is_closed
    connection.release(two)
    assert connection.is_closed


async def thinking(
    connection: ResponsesConnection, wire: Wire, settle: Callable[[], Awaitable[None]], *texts: str
) -> ResponseStream:
    stream = connection.open_stream(request(*texts))
    await stream.send()
    wire.say(created("resp_1"), THOUGHT, stream=stream.name)
    await settle()
    return stream


async def test_an_abandoned_reasoning_response_waits_for_new_instructions(
    timers: list[tuple[float, Callable[[], None]]],
    connection: ResponsesConnection,
    wire: Wire,
    settle: Callable[[], Awaitable[None]],
) -> None:
    left = await thinking(connection, wire, settle, "file", "a")
    connection.release(left)
    [(moment_s, stop)] = timers
    assert (moment_s, connection.is_closed) == (0.25, False)
    stop()
    assert connection.is_closed


async def test_new_instructions_use_the_stream_of_the_steered_response(
    timers: list[tuple[float, Callable[[], None]]],
    connection: ResponsesConnection,
    wire: Wire,
    settle: Callable[[], Awaitable[None]],
) -> None:
    left = await thinking(connection, wire, settle, "file", "a")
    connection.release(left)
    connection.expect(request("file", "b"))
    stream = connection.open_stream(request("file", "b"))
    assert (stream.name, stream.parent, stream.steers, timers) == ("edit-0", None, "resp_1", [])
    await stream.send()
    assert wire.sent[-1] == {
        "type": "response.steer",
        "previous_response_id": "resp_1",
        "input": [said("b")],
    }
    wire.say(created("resp_2"), WORD, completed("resp_2"), stream="edit-0")
    await settle()
    assert connection.memory.parent_of(request("file", "b", "c")) is None, "the provider has more in it"
    connection.release(stream)
    assert not connection.is_closed


async def test_another_request_or_the_first_output_ends_the_wait(
    connection: ResponsesConnection, wire: Wire, settle: Callable[[], Awaitable[None]]
) -> None:
    other = connection.open_stream(request("other", model="m"))
    await other.send()
    left = await thinking(connection, wire, settle, "file", "a")
    connection.release(left)
    wire.say(WORD, stream=left.name)
    await settle()
    assert connection.open_stream(request("file", "b")).name == "edit-2", "it is not redirected"


async def test_another_request_stops_the_waiting_response(
    connection: ResponsesConnection, wire: Wire, settle: Callable[[], Awaitable[None]]
) -> None:
    left = await thinking(connection, wire, settle, "file", "a")
    connection.release(left)
    connection.expect(request("another file", "b"))
    assert connection.is_closed


async def test_after_refused_steering_a_model_is_not_awaited_again(
    connection: ResponsesConnection, wire: Wire, settle: Callable[[], Awaitable[None]], unsteered: set[object]
) -> None:
    left = await thinking(connection, wire, settle, "file", "a")
    connection.release(left)
    stream = connection.open_stream(request("file", "b"))
    await stream.send()
    wire.say(failed("steering_not_supported", "response.steer.failed"), stream="edit-0")
    await settle()
    assert unsteered == {"gpt-6-luna"}
    with pytest.raises(ForgottenError):
        await stream.receive()
    connection.release(stream)
    assert connection.is_closed


@pytest.mark.parametrize(
    ("event", "code"),
    [
        ({"error": {"code": "a"}, "code": "b"}, "a"),
        ({"error": {}, "code": "b"}, "b"),
        ({"error": None, "code": "b"}, "b"),
        ({"code": "b"}, "b"),
        ({}, None),
        (7, None),
    ],
)
def test_the_code_of_an_error_is_read_in_each_place(event: object, code: object) -> None:
    assert code_of(event) == code

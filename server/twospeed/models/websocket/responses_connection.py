"""One WebSocket connection of Responses and the streams of responses on it.

Each message is one event. It is parsed once and passed to its stream. The protocol has no cancel. Events of an
abandoned response are dropped; once no other response is active, the connection is closed, which cancels it. A
warm-up generates nothing, so it may continue after it is abandoned.

A response that is abandoned while it reasons may be steered: models that support it get a moment for new
instructions, then reasoning continues with them (``response.steer``), and the output is that of the response
that follows. A response that has begun its output is not steered: the provider would finish it first.
Source: OpenAI's guides "WebSocket mode" and "Mid-turn steering".
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

import aiohttp

from twospeed.models.codecs.decoder import UnreadableEventError, fields_of, loaded
from twospeed.models.http.sleep_watch import SleepWatch

from .response_memory import RememberedResponse, ResponseMemory, ResponseRequest

MAX_LANES: Final = 16
"""The provider's limit of concurrent responses on one connection."""

_MAX_AGE_S: Final = 55 * 60.0
_IDLE_S: Final = 300.0
_N_CONTEXTS: Final = 8
"""Streams of warm-ups, whose responses are kept for later requests. A connection may have 32 streams."""

_MAX_WAITING_BYTES: Final = 16 * 1024 * 1024
"""Limit of unread events: 50,000 tokens. As parsed values they take several times as much."""

_MODELS_TO_STEER: Final = "gpt-6"
"""Prefix of model names that support steering; other providers may treat the message as a fatal error."""

_MOMENT_S: Final = 0.25
"""How long to wait for new instructions: an edit that is steered sends its request at once."""

_LAST_EVENTS: Final = ("response.completed", "response.incomplete", "response.failed", "error")
_FORGOTTEN: Final = "previous_response_not_found"
_OF_THE_SOCKET: Final = (
    "websocket_connection_limit_reached",
    "websocket_stream_limit_reached",
    "invalid_stream_id",
    _FORGOTTEN,
)
"""Errors that the same request over HTTP would not have."""


class NoSocketError(Exception):
    """No socket is available and nothing was received: the request may be sent over HTTP.

    Attributes:
        was_asked: Whether the request was sent.
    """

    def __init__(self, *, was_asked: bool = False) -> None:
        self.was_asked = was_asked


class ForgottenError(Exception):
    """The provider forgot the parent response; nothing was received, and the whole request may be sent."""


class SocketLostError(Exception):
    """The socket was closed during a response; ``code`` says why (RFC 6455, section 7.4)."""

    def __init__(self, code: int) -> None:
        self.code = code


class ResponseStream:
    """One response on a connection.

    Attributes:
        parent: The response that it continues.
        steers: Id of the response that it redirects.
        response_id: The response's id, once known.
        has_spoken: Whether output has begun, after the reasoning.
        is_over: Whether its last event has arrived.
    """

    def __init__(
        self,
        name: str,
        turn: ResponseRequest,
        parent: RememberedResponse | None,
        send: Callable[[str], Awaitable[None]],
        *,
        steers: str | None = None,
    ) -> None:
        self.name = name
        self.turn = turn
        self.steers = steers
        self.response_id: str | None = None
        self.has_spoken = False
        self.is_over = False
        self.parent = parent
        self._send = send
        self._is_asked = False
        self._has_begun = False
        self._events: list[object] = []
        self._waiting_bytes = 0
        self._end: Exception | None = None
        self._news = asyncio.Event()

    @property
    def is_under_way(self) -> bool:
        """Whether events may still arrive."""
        return self._is_asked and not self.is_over

    @property
    def may_be_steered(self) -> bool:
        """Whether the response is still reasoning and its model supports steering."""
        is_one = str(self.turn.fields["model"]).startswith(_MODELS_TO_STEER) and self.turn.generates
        return is_one and self.response_id is not None and not self.has_spoken

    async def ask(self) -> None:
        """Send the request.

        Raises:
            NoSocketError: The connection is closed.
        """
        self._is_asked = True
        try:
            message = (
                self.turn.steer_message(self.steers)
                if self.steers
                else self.turn.message(self.name, self.parent)
            )
            await self._send(message.decode())
        except (aiohttp.ClientError, OSError) as error:
            raise NoSocketError(was_asked=True) from error

    async def receive(self) -> tuple[list[object], int]:
        """Await events; return all received as JSON values, and their total bytes.

        Raises:
            NoSocketError, ForgottenError: Nothing was received, and nothing will be.
            SocketLostError: The rest will not arrive.
        """
        await self._news.wait()
        events, self._events = self._events, []
        n_bytes, self._waiting_bytes = self._waiting_bytes, 0
        if not events and self._end is not None:
            raise self._end
        if self._end is None:
            self._news.clear()
        return events, n_bytes

    def put(self, event: object, n_bytes: int, *, is_last: bool) -> None:
        """Add an event of ``n_bytes`` bytes."""
        if not self.has_spoken and self._is_of_another(fields_of(event)):
            return
        self.is_over |= is_last
        if is_last and not self._has_begun and (code := code_of(event)) in _OF_THE_SOCKET:
            self.end(
                ForgottenError() if code == _FORGOTTEN and self.parent else NoSocketError(was_asked=True)
            )
            return
        self._has_begun = True
        self._events.append(event)
        self._waiting_bytes += n_bytes
        if self._waiting_bytes > _MAX_WAITING_BYTES:
            self.end(SocketLostError(aiohttp.WSCloseCode.MESSAGE_TOO_BIG))
        self._news.set()

    def _is_of_another(self, event: dict[str, object]) -> bool:
        """Track the response up to its first output; return whether an event belongs to the steered response."""
        if self.response_id is None:
            name = fields_of(event.get("response")).get("id")
            if event.get("type") == "response.created" and isinstance(name, str):
                self.response_id = name
            elif self.steers and event.get("type") not in ("error", "response.failed"):
                if _speaks(event) or event.get("type") == "response.steer.failed":
                    self.end(ForgottenError())
                return True
        self.has_spoken = _speaks(event)
        return False

    def lose(self, code: int) -> None:
        """Record that the connection was closed."""
        self.end(SocketLostError(code) if self._has_begun else NoSocketError(was_asked=self._is_asked))

    def end(self, why: Exception) -> None:
        """Record that no more events will arrive."""
        self._end = self._end or why
        self._news.set()


class ResponsesConnection:
    """One open connection, read until it is closed.

    Args:
        unsteered: Names of models that refused steering; extended here.

    Attributes:
        is_closed: Whether it can no longer be used.
        is_worn_out: Whether it reached the provider's time limit; that is not an error.
    """

    def __init__(self, connection: aiohttp.ClientWebSocketResponse, unsteered: set[object]) -> None:
        self._connection = connection
        self._unsteered = unsteered
        self._loop = asyncio.get_running_loop()
        self._fresh_until = self._loop.time() + _MAX_AGE_S
        self._watch = SleepWatch()
        self._free = deque(f"edit-{number}" for number in range(MAX_LANES))
        self._contexts = deque(f"context-{number}" for number in range(_N_CONTEXTS))
        self._lanes: dict[str, ResponseStream] = {}
        self._left: set[str] = set()
        self._waiting: dict[str, asyncio.TimerHandle] = {}
        self._idle: asyncio.TimerHandle | None = None
        self.is_closed = False
        self.is_worn_out = False
        self.memory = ResponseMemory()
        self._reading = asyncio.create_task(self._read())

    @property
    def is_fresh(self) -> bool:
        """Whether it may serve another response."""
        is_over = self.is_closed or self.is_worn_out or self._watch.has_slept
        return not is_over and self._loop.time() < self._fresh_until

    def take_lane(self, turn: ResponseRequest) -> ResponseStream:
        """Open a stream for a request.

        Raises:
            NoSocketError: All streams are in use.
        """
        for name in self._waiting:
            if turn.redirects(self._lanes[name].turn):
                return self._redirected(name, turn)
        free = self._free if turn.generates else self._contexts
        if not free or len(self._lanes) >= MAX_LANES:
            raise NoSocketError
        if self._idle is not None:
            self._idle.cancel()
        parent = self.memory.parent_of(turn)
        if parent and parent.lane in free:
            free.remove(parent.lane)
            free.appendleft(parent.lane)
        lane = ResponseStream(free.popleft(), turn, parent, self._connection.send_str)
        self.memory.forget(lane.name)
        self._lanes[lane.name] = lane
        return lane

    def give_back(self, lane: ResponseStream) -> None:
        """Release a stream; a running response is cancelled, or its events are dropped."""
        if not lane.is_under_way:
            self._free_lane(lane)
            return
        self._left.add(lane.name)
        is_one_to_steer = lane.may_be_steered and lane.turn.fields["model"] not in self._unsteered
        if is_one_to_steer and not self.is_closed:
            self._waiting[lane.name] = self._loop.call_later(_MOMENT_S, self._wait_no_more, lane.name)
        elif lane.turn.generates:
            self._close_if_left()

    def expect(self, turn: ResponseRequest) -> None:
        """Stop waiting for new instructions for an abandoned response, unless ``turn`` has them."""
        for name in list(self._waiting):
            if not turn.redirects(self._lanes[name].turn):
                self._wait_no_more(name)

    def _wait_no_more(self, name: str) -> None:
        self._waiting.pop(name).cancel()
        self._close_if_left()

    def _close_if_left(self) -> None:
        if self._lanes.keys() == self._left and not self._waiting:
            self.close()

    def _redirected(self, name: str, turn: ResponseRequest) -> ResponseStream:
        self._waiting.pop(name).cancel()
        self._left.discard(name)
        old = self._lanes[name]
        self._lanes[name] = lane = ResponseStream(
            name, turn, None, self._connection.send_str, steers=old.response_id
        )
        return lane

    def close(self) -> None:
        """Close the connection without waiting."""
        self.is_closed = True
        self._reading.cancel()

    async def aclose(self) -> None:
        """Close the connection and wait."""
        self.close()
        await asyncio.gather(self._reading, return_exceptions=True)

    async def _read(self) -> None:
        try:
            while (message := await self._connection.receive()).type is aiohttp.WSMsgType.TEXT:
                self._sort(message.data)
        finally:
            self.is_closed = True
            for timer in (self._idle, *self._waiting.values()):
                if timer is not None:
                    timer.cancel()
            self._waiting.clear()
            for lane in self._lanes.values():
                lane.lose(self._connection.close_code or aiohttp.WSCloseCode.ABNORMAL_CLOSURE)
            await self._connection.close()

    def _sort(self, data: str) -> None:
        """Pass an event to its stream. Without a stream id it belongs to the only one; an error, to all.

        An endpoint without stream ids gets one response at a time from then on.
        """
        try:
            event = loaded(data)
        except UnreadableEventError as error:
            event = error  # the decoder raises it
        fields = fields_of(event)
        is_last = fields.get("type") in _LAST_EVENTS
        if is_last:
            self.is_worn_out |= code_of(fields) == "websocket_connection_limit_reached"
        for lane in self._lanes_of(fields):
            is_end = is_last and not lane.is_over
            if lane.name not in self._left:
                lane.put(event, len(data), is_last=is_last)
            elif is_last:
                self._free_lane(lane)
            elif lane.name in self._waiting and _speaks(fields):
                self._wait_no_more(lane.name)
            if is_end or lane.steers:
                self._learn_from(lane, fields)

    def _learn_from(self, lane: ResponseStream, event: dict[str, object]) -> None:
        code = code_of(event)
        if code == "steering_not_supported":
            self._unsteered.add(lane.turn.fields["model"])
        elif code == _FORGOTTEN and lane.parent:
            self.memory.forget(lane.parent.lane)
        elif event.get("type") == "response.completed" and not lane.steers:
            self.memory.keep(lane.name, lane.turn, fields_of(event.get("response")))

    def _lanes_of(self, event: dict[str, object]) -> Sequence[ResponseStream]:
        name = event.get("stream_id")
        if isinstance(name, str):
            lane = self._lanes.get(name)
            return (lane,) if lane else ()
        lanes = list(self._lanes.values())
        if event.get("type") != "error":
            n_answers = sum(lane.turn.generates for lane in lanes)
            while len(self._free) + n_answers > 1 and self._free:
                self._free.pop()
            if lanes and not lanes[0].turn.generates:
                return lanes[:1]  # the oldest one
            return lanes if len(lanes) == 1 else []
        return lanes

    def _free_lane(self, lane: ResponseStream) -> None:
        del self._lanes[lane.name]
        self._left.discard(lane.name)
        if timer := self._waiting.pop(lane.name, None):
            timer.cancel()
        (self._free if lane.turn.generates else self._contexts).append(lane.name)
        if self._lanes.keys() > self._left or self.is_closed:
            return  # other responses are running
        if self.is_fresh and not self._left:
            self._idle = self._loop.call_later(_IDLE_S, self.close)
        elif not self.is_fresh or any(self._lanes[name].turn.generates for name in self._left):
            self.close()


def _speaks(event: dict[str, object]) -> bool:
    """Whether this event begins the output, after the reasoning."""
    kind = event.get("type")
    is_message = fields_of(event.get("item")).get("type") == "message"
    return kind in ("response.output_text.delta", "response.refusal.delta") or (
        kind == "response.output_item.added" and is_message
    )


def code_of(event: object) -> object:
    """Return the code of an error event, top-level or nested."""
    fields = fields_of(event)
    return fields_of(fields.get("error")).get("code", fields.get("code"))

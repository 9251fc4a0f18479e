"""One WebSocket connection of Responses and the streams of responses on it.

The protocol has no cancel. Events of an abandoned response are dropped; once no other response is active, the
connection is closed, which cancels it. A warm-up generates nothing, so it may continue.

A response that is abandoned while it reasons may be steered: for a moment it waits for new instructions, then
reasoning continues with them (``response.steer``), and the output is that of the response that follows. After
its output has begun a response is not steered, because the provider would finish it first.
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

MAX_STREAMS: Final = 16
"""The provider's limit of concurrent responses on one connection."""

_MAX_AGE_S: Final = 55 * 60.0
_IDLE_S: Final = 300.0
_N_WARM_UP_STREAMS: Final = 8
"""Streams of warm-ups, whose responses are kept for later requests. A connection may have 32 streams."""

_MAX_WAITING_BYTES: Final = 16 * 1024 * 1024
"""Limit of unread events: 50,000 tokens. As parsed values they take several times as much."""

_MODELS_TO_STEER: Final = "gpt-6"
"""Prefix of model names that support steering; other providers may treat the message as a fatal error."""

_STEER_WAIT_S: Final = 0.25
"""How long to wait for new instructions: an edit that is steered sends its request at once."""

_LAST_EVENTS: Final = ("response.completed", "response.incomplete", "response.failed", "error")
_FORGOTTEN: Final = "previous_response_not_found"
_SOCKET_ERRORS: Final = (
    "websocket_connection_limit_reached",
    "websocket_stream_limit_reached",
    "invalid_stream_id",
    _FORGOTTEN,
)
"""Errors that the same request over HTTP would not have."""


class NoSocketError(Exception):
    """No socket is available and nothing was received: the request may be sent over HTTP.

    Attributes:
        was_sent: Whether the request was sent.
    """

    def __init__(self, *, was_sent: bool = False) -> None:
        self.was_sent = was_sent


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
        has_output: Whether output has begun, after the reasoning.
        is_over: Whether its last event has arrived.
    """

    def __init__(
        self,
        name: str,
        request: ResponseRequest,
        parent: RememberedResponse | None,
        send: Callable[[str], Awaitable[None]],
        *,
        steers: str | None = None,
    ) -> None:
        self.name = name
        self.request = request
        self.steers = steers
        self.response_id: str | None = None
        self.has_output = False
        self.is_over = False
        self.parent = parent
        self._send = send
        self._is_sent = False
        self._has_begun = False
        self._events: list[object] = []
        self._waiting_bytes = 0
        self._end: Exception | None = None
        self._news = asyncio.Event()

    @property
    def is_under_way(self) -> bool:
        """Whether events may still arrive."""
        return self._is_sent and not self.is_over

    @property
    def is_steerable(self) -> bool:
        """Whether the response is still reasoning and its model supports steering."""
        is_one = str(self.request.fields["model"]).startswith(_MODELS_TO_STEER) and self.request.generates
        return is_one and self.response_id is not None and not self.has_output

    async def ask(self) -> None:
        """Send the request.

        Raises:
            NoSocketError: The connection is closed.
        """
        self._is_sent = True
        try:
            message = (
                self.request.steer_message(self.steers)
                if self.steers
                else self.request.message(self.name, self.parent)
            )
            await self._send(message.decode())
        except (aiohttp.ClientError, OSError) as error:
            raise NoSocketError(was_sent=True) from error

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
        if not self.has_output and self._is_of_another(fields_of(event)):
            return
        self.is_over |= is_last
        if is_last and not self._has_begun and (code := code_of(event)) in _SOCKET_ERRORS:
            self.end(ForgottenError() if code == _FORGOTTEN and self.parent else NoSocketError(was_sent=True))
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
                if _begins_output(event) or event.get("type") == "response.steer.failed":
                    self.end(ForgottenError())
                return True
        self.has_output = _begins_output(event)
        return False

    def lose(self, code: int) -> None:
        """Record that the connection was closed."""
        self.end(SocketLostError(code) if self._has_begun else NoSocketError(was_sent=self._is_sent))

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
        has_expired: Whether it reached the provider's time limit; that is not an error.
    """

    def __init__(self, websocket: aiohttp.ClientWebSocketResponse, unsteered: set[object]) -> None:
        self._websocket = websocket
        self._unsteered = unsteered
        self._loop = asyncio.get_running_loop()
        self._fresh_until = self._loop.time() + _MAX_AGE_S
        self._watch = SleepWatch()
        self._free = deque(f"edit-{number}" for number in range(MAX_STREAMS))
        self._free_warm_ups = deque(f"context-{number}" for number in range(_N_WARM_UP_STREAMS))
        self._streams: dict[str, ResponseStream] = {}
        self._abandoned: set[str] = set()
        self._awaiting_steer: dict[str, asyncio.TimerHandle] = {}
        self._idle: asyncio.TimerHandle | None = None
        self.is_closed = False
        self.has_expired = False
        self.memory = ResponseMemory()
        self._reading = asyncio.create_task(self._read())

    @property
    def is_fresh(self) -> bool:
        """Whether it may serve another response."""
        is_over = self.is_closed or self.has_expired or self._watch.has_slept
        return not is_over and self._loop.time() < self._fresh_until

    def open_stream(self, request: ResponseRequest) -> ResponseStream:
        """Open a stream for a request.

        Raises:
            NoSocketError: All streams are in use.
        """
        for name in self._awaiting_steer:
            if request.redirects(self._streams[name].request):
                return self._steered_by(name, request)
        free = self._free if request.generates else self._free_warm_ups
        if not free or len(self._streams) >= MAX_STREAMS:
            raise NoSocketError
        if self._idle is not None:
            self._idle.cancel()
        parent = self.memory.parent_of(request)
        if parent and parent.stream in free:
            free.remove(parent.stream)
            free.appendleft(parent.stream)
        stream = ResponseStream(free.popleft(), request, parent, self._websocket.send_str)
        self.memory.forget(stream.name)
        self._streams[stream.name] = stream
        return stream

    def release(self, stream: ResponseStream) -> None:
        """Release a stream; a running response is cancelled, or its events are dropped."""
        if not stream.is_under_way:
            self._release_stream(stream)
            return
        self._abandoned.add(stream.name)
        may_be_steered = stream.is_steerable and stream.request.fields["model"] not in self._unsteered
        if may_be_steered and not self.is_closed:
            self._awaiting_steer[stream.name] = self._loop.call_later(
                _STEER_WAIT_S, self._stop_awaiting_steer, stream.name
            )
        elif stream.request.generates:
            self._close_if_abandoned()

    def expect(self, request: ResponseRequest) -> None:
        """Stop waiting for new instructions for an abandoned response, unless ``request`` has them."""
        for name in list(self._awaiting_steer):
            if not request.redirects(self._streams[name].request):
                self._stop_awaiting_steer(name)

    def _stop_awaiting_steer(self, name: str) -> None:
        self._awaiting_steer.pop(name).cancel()
        self._close_if_abandoned()

    def _close_if_abandoned(self) -> None:
        if self._streams.keys() == self._abandoned and not self._awaiting_steer:
            self.close()

    def _steered_by(self, name: str, request: ResponseRequest) -> ResponseStream:
        self._awaiting_steer.pop(name).cancel()
        self._abandoned.discard(name)
        old = self._streams[name]
        self._streams[name] = stream = ResponseStream(
            name, request, None, self._websocket.send_str, steers=old.response_id
        )
        return stream

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
            while (message := await self._websocket.receive()).type is aiohttp.WSMsgType.TEXT:
                self._dispatch(message.data)
        finally:
            self.is_closed = True
            for timer in (self._idle, *self._awaiting_steer.values()):
                if timer is not None:
                    timer.cancel()
            self._awaiting_steer.clear()
            for stream in self._streams.values():
                stream.lose(self._websocket.close_code or aiohttp.WSCloseCode.ABNORMAL_CLOSURE)
            await self._websocket.close()

    def _dispatch(self, data: str) -> None:
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
            self.has_expired |= code_of(fields) == "websocket_connection_limit_reached"
        for stream in self._streams_of(fields):
            is_end = is_last and not stream.is_over
            if stream.name not in self._abandoned:
                stream.put(event, len(data), is_last=is_last)
            elif is_last:
                self._release_stream(stream)
            elif stream.name in self._awaiting_steer and _begins_output(fields):
                self._stop_awaiting_steer(stream.name)
            if is_end or stream.steers:
                self._record_result(stream, fields)

    def _record_result(self, stream: ResponseStream, event: dict[str, object]) -> None:
        code = code_of(event)
        if code == "steering_not_supported":
            self._unsteered.add(stream.request.fields["model"])
        elif code == _FORGOTTEN and stream.parent:
            self.memory.forget(stream.parent.stream)
        elif event.get("type") == "response.completed" and not stream.steers:
            self.memory.keep(stream.name, stream.request, fields_of(event.get("response")))

    def _streams_of(self, event: dict[str, object]) -> Sequence[ResponseStream]:
        name = event.get("stream_id")
        if isinstance(name, str):
            stream = self._streams.get(name)
            return (stream,) if stream else ()
        streams = list(self._streams.values())
        if event.get("type") != "error":
            n_answers = sum(stream.request.generates for stream in streams)
            while len(self._free) + n_answers > 1 and self._free:
                self._free.pop()
            if streams and not streams[0].request.generates:
                return streams[:1]  # the oldest one
            return streams if len(streams) == 1 else []
        return streams

    def _release_stream(self, stream: ResponseStream) -> None:
        del self._streams[stream.name]
        self._abandoned.discard(stream.name)
        if timer := self._awaiting_steer.pop(stream.name, None):
            timer.cancel()
        (self._free if stream.request.generates else self._free_warm_ups).append(stream.name)
        if self._streams.keys() > self._abandoned or self.is_closed:
            return  # other responses are running
        if self.is_fresh and not self._abandoned:
            self._idle = self._loop.call_later(_IDLE_S, self.close)
        elif not self.is_fresh or any(self._streams[name].request.generates for name in self._abandoned):
            self.close()


def _begins_output(event: dict[str, object]) -> bool:
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

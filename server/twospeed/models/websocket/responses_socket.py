"""One shared WebSocket to an endpoint of Responses, with a stream for each response.

The protocol has no cancel: events of an abandoned response are dropped, and once no other response is active,
the connection is closed, which cancels it.
Source: OpenAI's guides "WebSocket mode" and "Mid-turn steering".
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Final

import aiohttp

from twospeed.models.codecs.decoder import UnreadableEventError, fields_of, parse_json
from twospeed.models.http.http_session import SleepWatch

from .response_stream import (
    FORGOTTEN,
    NoSocketError,
    ResponseMemory,
    ResponseRequest,
    ResponseStream,
    begins_output,
    code_of,
)

# The provider's limit of concurrent responses on one connection.
MAX_STREAMS: Final = 16

_PAUSE_S: Final = 60.0  # after a failure
_MAX_AGE_S: Final = 55 * 60.0  # the provider closes a connection after an hour
_IDLE_S: Final = 300.0
# Streams of warm-ups, whose responses are kept for later requests. A connection may have 32 streams.
_N_WARM_UP_STREAMS: Final = 8

# How long to wait for new instructions: an edit that is steered sends its request at once.
_STEER_WAIT_S: Final = 0.25

_LAST_EVENTS: Final = ("response.completed", "response.incomplete", "response.failed", "error")

Connect = Callable[[], Awaitable[aiohttp.ClientWebSocketResponse]]


class ResponsesSocket:
    """The socket to one endpoint, opened on first use and again after it was closed."""

    def __init__(self, connect: Connect) -> None:
        self._connect = connect
        self._opening = asyncio.Lock()
        self._connections: list[ResponsesConnection] = []
        self._paused_until = 0.0
        self._unsteered: set[object] = set()

    @property
    def is_open(self) -> bool:
        """Whether the next response needs no new connection."""
        return any(connection.is_fresh for connection in self._connections)

    def is_ready_for(self, request: ResponseRequest) -> bool:
        """Whether the provider was warmed up for a request on the current connection."""
        return any(
            connection.is_fresh and connection.memory.is_ready_for(request)
            for connection in self._connections
        )

    @asynccontextmanager
    async def stream(self, request: ResponseRequest) -> AsyncIterator[ResponseStream]:
        """Open a stream for one response; leaving before its last event cancels the response.

        Raises NoSocketError without a connection or a free stream.
        """
        connection = await self._fresh_connection(request)
        stream = connection.open_stream(request)
        try:
            yield stream
        except NoSocketError:  # without an event of the response the request may be repeated over HTTP
            if not connection.has_expired:
                self._pause()
            raise
        finally:
            connection.release(stream)

    async def aclose(self) -> None:
        """Close all connections; running responses break off."""
        await asyncio.gather(*(connection.aclose() for connection in self._connections))

    async def _fresh_connection(self, request: ResponseRequest) -> ResponsesConnection:
        async with self._opening:
            for connection in self._connections:
                connection.expect(request)
            if asyncio.get_running_loop().time() < self._paused_until:
                raise NoSocketError
            self._connections = [connection for connection in self._connections if not connection.is_closed]
            for connection in self._connections:
                if connection.is_fresh:
                    return connection
            try:
                websocket = await self._connect()
            except (aiohttp.ClientError, OSError) as error:  # TimeoutError is an OSError
                self._pause()
                raise NoSocketError from error
            connection = ResponsesConnection(websocket, self._unsteered)
            self._connections.append(connection)
            return connection

    def _pause(self) -> None:
        self._paused_until = asyncio.get_running_loop().time() + _PAUSE_S


class ResponsesConnection:
    """One open connection, read until it is closed."""

    def __init__(self, websocket: aiohttp.ClientWebSocketResponse, unsteered: set[object]) -> None:
        self._websocket = websocket
        self._unsteered = unsteered  # models that refused steering; shared with other connections
        self._loop = asyncio.get_running_loop()
        self._fresh_until = self._loop.time() + _MAX_AGE_S
        self._watch = SleepWatch()
        self._free = deque(f"edit-{number}" for number in range(MAX_STREAMS))
        self._free_for_warm_ups = deque(f"context-{number}" for number in range(_N_WARM_UP_STREAMS))
        self._streams: dict[str, ResponseStream] = {}
        self._abandoned: set[str] = set()
        self._awaiting_steer: dict[str, asyncio.TimerHandle] = {}
        self._idle: asyncio.TimerHandle | None = None
        self.is_closed = False
        self.has_expired = False  # it reached the provider's time limit, which is not an error
        self.memory = ResponseMemory()
        self._reading = asyncio.create_task(self._read())

    @property
    def is_fresh(self) -> bool:
        """Whether it may serve another response."""
        is_over = self.is_closed or self.has_expired or self._watch.has_slept
        return not is_over and self._loop.time() < self._fresh_until

    def open_stream(self, request: ResponseRequest) -> ResponseStream:
        """Open a stream for a request; raises NoSocketError if all streams are in use."""
        for name in self._awaiting_steer:
            if request.redirects(self._streams[name].request):
                return self._steered_by(name, request)
        free = self._free if request.generates else self._free_for_warm_ups
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
            # Once its output has begun it is not steered: the provider would finish it first.
            self._awaiting_steer[stream.name] = self._loop.call_later(
                _STEER_WAIT_S, self._stop_awaiting_steer, stream.name
            )
        elif stream.request.generates:  # a warm-up may continue
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
                stream.record_close(self._websocket.close_code or aiohttp.WSCloseCode.ABNORMAL_CLOSURE)
            await self._websocket.close()

    def _dispatch(self, data: str) -> None:
        try:
            event = parse_json(data)
        except UnreadableEventError as error:
            event = error  # the decoder raises it
        fields = fields_of(event)
        is_last = fields.get("type") in _LAST_EVENTS
        if is_last:
            self.has_expired |= code_of(fields) == "websocket_connection_limit_reached"
        for stream in self._streams_of(fields):
            is_end = is_last and not stream.is_over
            if stream.name not in self._abandoned:
                stream.add_event(event, len(data), is_last=is_last)
            elif is_last:
                self._release_stream(stream)
            elif stream.name in self._awaiting_steer and begins_output(fields):
                self._stop_awaiting_steer(stream.name)
            if is_end or stream.steers:
                self._record_result(stream, fields)

    def _record_result(self, stream: ResponseStream, event: dict[str, object]) -> None:
        code = code_of(event)
        if code == "steering_not_supported":
            self._unsteered.add(stream.request.fields["model"])
        elif code == FORGOTTEN and stream.parent:
            self.memory.forget(stream.parent.stream)
        elif event.get("type") == "response.completed" and not stream.steers:
            self.memory.keep(stream.name, stream.request, fields_of(event.get("response")))

    def _streams_of(self, event: dict[str, object]) -> Sequence[ResponseStream]:
        # Without a stream id an event belongs to the only response, and an error to all. Such an endpoint gets one
        # response at a time from then on.
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
        (self._free if stream.request.generates else self._free_for_warm_ups).append(stream.name)
        if self._streams.keys() > self._abandoned or self.is_closed:
            return  # other responses are running
        if self.is_fresh and not self._abandoned:
            self._idle = self._loop.call_later(_IDLE_S, self.close)
        elif not self.is_fresh or any(self._streams[name].request.generates for name in self._abandoned):
            self.close()

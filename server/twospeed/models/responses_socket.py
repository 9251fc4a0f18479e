"""Keep one WebSocket to an endpoint of Responses, which its answers share, each on a lane of its own.

A message of the socket is an event without its frame. A lane gives it out as a server-sent event, so that the same
reader with the same limits serves both ways.
Rules: an answer of which nothing was said yet may be asked for over HTTP instead (`NoSocketError`), one that has begun
may not (`SocketLostError`). After a failure the socket is left alone for a minute and then tried again. It is replaced
before the provider's hour is over, and closed when nobody has used it for five minutes. There is no event that
cancels an answer: what still comes of it is dropped, and the socket is closed, which stops it, as soon as there is no
other one that anybody waits for.
Source: OpenAI's guide "WebSocket mode".
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Final

import aiohttp
import orjson

from .answer_reader import MAX_WIRE_BYTES
from .decoder import fields_of

MAX_LANES: Final = 16
"""Answers under way on one connection; the provider takes no more."""

_MAX_AGE_S: Final = 55 * 60.0
_IDLE_S: Final = 300.0
_REST_S: Final = 60.0

_LAST_EVENTS: Final = ("response.completed", "response.incomplete", "response.failed", "error")
_OF_THE_SOCKET: Final = (
    "websocket_connection_limit_reached",
    "websocket_stream_limit_reached",
    "invalid_stream_id",
    "previous_response_not_found",
)
"""Errors that the same request over HTTP would not have."""

Connect = Callable[[], Awaitable[aiohttp.ClientWebSocketResponse]]


class NoSocketError(Exception):
    """There is no socket for this answer now, and nothing of it was said: it may be asked for over HTTP."""


class SocketLostError(Exception):
    """The socket was closed in the middle of an answer; ``code`` says why (RFC 6455, section 7.4)."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class ResponsesSocket:
    """The socket to one endpoint, opened when it is first needed and whenever it is gone.

    Args:
        connect: Opens a connection.
    """

    def __init__(self, connect: Connect) -> None:
        self._connect = connect
        self._opening = asyncio.Lock()
        self._lines: list[_Line] = []
        self._rests_until = 0.0

    @property
    def is_open(self) -> bool:
        """Whether the next answer needs no new connection."""
        return any(line.is_fresh for line in self._lines)

    @asynccontextmanager
    async def lane(self) -> AsyncIterator[Lane]:
        """Take a lane for one answer; leaving it before its last event stops the answer.

        Raises:
            NoSocketError: It is not there, or has no lane left.
            UnsafeEndpoint: Its address is one where no request may go.
        """
        line = await self._line()
        lane = line.take_lane()
        try:
            yield lane
        except NoSocketError:
            if not line.is_worn_out:
                self._rest()
            raise
        finally:
            line.give_back(lane)

    async def aclose(self) -> None:
        """Close it; running answers break off."""
        await asyncio.gather(*(line.aclose() for line in self._lines))

    async def _line(self) -> _Line:
        async with self._opening:
            if asyncio.get_running_loop().time() < self._rests_until:
                raise NoSocketError
            self._lines = [line for line in self._lines if not line.is_closed]
            for line in self._lines:
                if line.is_fresh:
                    return line
            try:
                connection = await self._connect()
            except (aiohttp.ClientError, OSError) as error:  # TimeoutError is an OSError
                self._rest()
                raise NoSocketError from error
            line = _Line(connection)
            self._lines.append(line)
            return line

    def _rest(self) -> None:
        self._rests_until = asyncio.get_running_loop().time() + _REST_S


class Lane:
    """The way of one answer on a connection.

    Attributes:
        name: As the provider is told.
        is_over: Whether its last event has come.
    """

    def __init__(self, name: str, send: Callable[[str], Awaitable[None]]) -> None:
        self.name = name
        self.is_over = False
        self._send = send
        self._is_asked = False
        self._has_begun = False
        self._events: list[str] = []
        self._waiting_bytes = 0
        self._end: Exception | None = None
        self._news = asyncio.Event()

    @property
    def is_under_way(self) -> bool:
        """Whether events of it may still come."""
        return self._is_asked and not self.is_over

    async def ask(self, message: bytes) -> None:
        """Send the request.

        Raises:
            NoSocketError: The connection is gone.
        """
        self._is_asked = True
        try:
            await self._send(message.decode())
        except (aiohttp.ClientError, OSError) as error:
            raise NoSocketError from error

    async def receive(self) -> bytes:
        """Wait for what comes next, framed as server-sent events: everything that is there.

        Raises:
            NoSocketError: Nothing came, and nothing will.
            SocketLostError: The rest will not come.
        """
        await self._news.wait()
        events, self._events = self._events, []
        self._waiting_bytes = 0
        if not events and self._end is not None:
            raise self._end
        if self._end is None:
            self._news.clear()
        return "".join(f"data: {event}\n\n" for event in events).encode()

    def put(self, event: dict[str, object], data: str, *, is_last: bool) -> None:
        """Take an event of this lane; ``data`` is the same as it came."""
        self.is_over |= is_last
        if is_last and not self._has_begun and _code_of(event) in _OF_THE_SOCKET:
            self.end(aiohttp.WSCloseCode.OK)
            return
        self._has_begun = True
        if "\n" in data or "\r" in data:  # between its tokens, where a space says the same
            data = data.replace("\r", " ").replace("\n", " ")
        self._events.append(data)
        self._waiting_bytes += len(data)
        if self._waiting_bytes > MAX_WIRE_BYTES:
            self.end(aiohttp.WSCloseCode.MESSAGE_TOO_BIG)
        self._news.set()

    def end(self, code: int) -> None:
        """Say that nothing more will come."""
        if self._end is None:
            self._end = SocketLostError(code) if self._has_begun else NoSocketError()
        self._news.set()


class _Line:
    """One connection, read until it is closed.

    Attributes:
        is_closed: Whether it is of no use any more.
        is_worn_out: Whether it was used for as long as the provider lets it be; nothing was wrong with it.
    """

    def __init__(self, connection: aiohttp.ClientWebSocketResponse) -> None:
        self._connection = connection
        self._loop = asyncio.get_running_loop()
        self._fresh_until = self._loop.time() + _MAX_AGE_S
        self._free = deque(f"edit-{number}" for number in range(MAX_LANES))
        self._lanes: dict[str, Lane] = {}
        self._left: set[str] = set()
        self._idle: asyncio.TimerHandle | None = None
        self.is_closed = False
        self.is_worn_out = False
        self._reading = asyncio.create_task(self._read())

    @property
    def is_fresh(self) -> bool:
        """Whether another answer may come over it."""
        return not self.is_closed and not self.is_worn_out and self._loop.time() < self._fresh_until

    def take_lane(self) -> Lane:
        """Give a lane that nobody uses.

        Raises:
            NoSocketError: There is none.
        """
        if not self._free:
            raise NoSocketError
        if self._idle is not None:
            self._idle.cancel()
        lane = Lane(self._free.popleft(), self._connection.send_str)
        self._lanes[lane.name] = lane
        return lane

    def give_back(self, lane: Lane) -> None:
        """Be done with a lane; an answer still under way on it is stopped, or what comes of it dropped."""
        if not lane.is_under_way:
            self._free_lane(lane)
            return
        self._left.add(lane.name)
        if self._lanes.keys() == self._left:
            self.close()

    def close(self) -> None:
        """Close the connection, waiting for nothing."""
        self.is_closed = True
        self._reading.cancel()

    async def aclose(self) -> None:
        """Close the connection."""
        self.close()
        await asyncio.gather(self._reading, return_exceptions=True)

    async def _read(self) -> None:
        try:
            async for message in self._connection:
                if message.type is not aiohttp.WSMsgType.TEXT:
                    break
                self._sort(message.data)
        finally:
            self.is_closed = True
            if self._idle is not None:
                self._idle.cancel()
            for lane in self._lanes.values():
                lane.end(self._connection.close_code or aiohttp.WSCloseCode.ABNORMAL_CLOSURE)
            await self._connection.close()

    def _sort(self, data: str) -> None:
        """Hand an event to its lane; one without a name is of the only lane, or, if it is an error, of all.

        An endpoint that does not name lanes gets one answer at a time from then on.
        """
        try:
            event = fields_of(orjson.loads(data))
        except orjson.JSONDecodeError:
            event = {}
        is_last = event.get("type") in _LAST_EVENTS
        self.is_worn_out |= is_last and _code_of(event) == "websocket_connection_limit_reached"
        for lane in self._lanes_of(event):
            if lane.name not in self._left:
                lane.put(event, data, is_last=is_last)
            elif is_last:
                self._free_lane(lane)

    def _lanes_of(self, event: dict[str, object]) -> Sequence[Lane]:
        name = event.get("stream_id")
        if isinstance(name, str):
            lane = self._lanes.get(name)
            return [lane] if lane else []
        lanes = list(self._lanes.values())
        if event.get("type") != "error":
            self._free.clear()
            return lanes if len(lanes) == 1 else []
        return lanes

    def _free_lane(self, lane: Lane) -> None:
        del self._lanes[lane.name]
        self._left.discard(lane.name)
        self._free.append(lane.name)
        if self._lanes.keys() > self._left or self.is_closed:
            return  # others are under way
        if self.is_fresh and not self._left:
            self._idle = self._loop.call_later(_IDLE_S, self.close)
        else:
            self.close()


def _code_of(event: dict[str, object]) -> object:
    return fields_of(event.get("error")).get("code", event.get("code"))

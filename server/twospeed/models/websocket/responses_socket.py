"""Keep one WebSocket to an endpoint of Responses, which its answers share, each on a lane of its own.

Rules: an answer of which nothing was said yet may be asked for over HTTP instead (`NoSocketError`), one that has begun
may not (`SocketLostError`). After a failure the socket is left alone for a minute and then tried again. It is replaced
before the provider's hour is over, and closed when nobody has used it for five minutes.
Source: OpenAI's guide "WebSocket mode".
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final

import aiohttp

from .response_memory import ResponseRequest
from .responses_connection import (
    ForgottenError,
    NoSocketError,
    ResponsesConnection,
    ResponseStream,
    SocketLostError,
)

__all__ = ["Connect", "ForgottenError", "NoSocketError", "ResponsesSocket", "SocketLostError"]

_REST_S: Final = 60.0

Connect = Callable[[], Awaitable[aiohttp.ClientWebSocketResponse]]


class ResponsesSocket:
    """The socket to one endpoint, opened when it is first needed and whenever it is gone.

    Args:
        connect: Opens a connection.
    """

    def __init__(self, connect: Connect) -> None:
        self._connect = connect
        self._opening = asyncio.Lock()
        self._lines: list[ResponsesConnection] = []
        self._rests_until = 0.0
        self._unsteered: set[object] = set()

    @property
    def is_open(self) -> bool:
        """Whether the next answer needs no new connection."""
        return any(line.is_fresh for line in self._lines)

    def is_ready_for(self, turn: ResponseRequest) -> bool:
        """Whether the provider has been got ready for a request, on the connection that the next answer comes over."""
        return any(line.is_fresh and line.memory.is_ready_for(turn) for line in self._lines)

    @asynccontextmanager
    async def lane(self, turn: ResponseRequest) -> AsyncIterator[ResponseStream]:
        """Take a lane for one answer; leaving it before its last event stops the answer.

        Raises:
            NoSocketError: It is not there, or has no lane left.
            UnsafeEndpoint: Its address is one where no request may go.
        """
        line = await self._line(turn)
        lane = line.take_lane(turn)
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

    async def _line(self, turn: ResponseRequest) -> ResponsesConnection:
        async with self._opening:
            for line in self._lines:
                line.expect(turn)
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
            line = ResponsesConnection(connection, self._unsteered)
            self._lines.append(line)
            return line

    def _rest(self) -> None:
        self._rests_until = asyncio.get_running_loop().time() + _REST_S

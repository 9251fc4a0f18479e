"""One shared WebSocket to an endpoint of Responses, with a stream for each response.

A request without any response yet may be repeated over HTTP (`NoSocketError`), a started response may not
(`SocketLostError`). After a failure the socket is not used for a minute. It is replaced before the provider's
limit of an hour, and closed after five idle minutes.
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
    """The socket to one endpoint, opened on first use and again after it was closed."""

    def __init__(self, connect: Connect) -> None:
        self._connect = connect
        self._opening = asyncio.Lock()
        self._lines: list[ResponsesConnection] = []
        self._rests_until = 0.0
        self._unsteered: set[object] = set()

    @property
    def is_open(self) -> bool:
        """Whether the next response needs no new connection."""
        return any(line.is_fresh for line in self._lines)

    def is_ready_for(self, turn: ResponseRequest) -> bool:
        """Whether the provider was warmed up for a request on the current connection."""
        return any(line.is_fresh and line.memory.is_ready_for(turn) for line in self._lines)

    @asynccontextmanager
    async def lane(self, turn: ResponseRequest) -> AsyncIterator[ResponseStream]:
        """Open a stream for one response; leaving before its last event cancels the response.

        Raises:
            NoSocketError: There is no connection, or no free stream.
            UnsafeEndpoint: A request may not go to this address.
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
        """Close all connections; running responses break off."""
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

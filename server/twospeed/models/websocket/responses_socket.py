"""One shared WebSocket to an endpoint of Responses, with a stream for each response.

A request without a response yet may be repeated over HTTP (`NoSocketError`), a started response may not
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

_PAUSE_S: Final = 60.0

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

        Raises:
            NoSocketError: There is no connection, or no free stream.
            UnsafeEndpoint: A request may not go to this address.
        """
        connection = await self._fresh_connection(request)
        stream = connection.open_stream(request)
        try:
            yield stream
        except NoSocketError:
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

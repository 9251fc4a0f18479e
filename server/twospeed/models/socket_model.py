"""Ask a model of Responses over the endpoint's WebSocket, and over HTTP where there is none just now."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

import aiohttp

from twospeed.errors import AnswerBrokeOff

from .answer_reader import AnswerReader
from .base import ModelEvent, ModelRequest
from .connections import socket_name
from .http_errors import map_http_errors
from .http_model import HttpModel
from .openai_responses import encode_message
from .responses_socket import NoSocketError, ResponsesSocket, SocketLostError


class SocketModel(HttpModel):
    """A model of Responses; see `HttpModel`, and `ResponsesSocket` for when it is asked over HTTP."""

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Ask for one answer; see `Model.stream`.

        Raises:
            ModelError: As `http_errors` and `provider_errors` say.
            UnsafeEndpoint: The host's address turned out to be one where no request may go.
        """
        try:
            async with aclosing(self._stream_over_socket(request)) as events:
                async for event in events:
                    yield event
        except NoSocketError:
            async with aclosing(super().stream(request)) as events:
                async for event in events:
                    yield event

    async def _stream_over_socket(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        host = self._endpoint.origin.host
        reader = AnswerReader(self._decoder(request), provider=self.provider, model=self._name)
        with map_http_errors(host, provider=self.provider, model=self._name):
            async with self._socket().lane() as lane:
                await lane.ask(encode_message(request, model=self._name, stream_id=lane.name))
                try:
                    while not reader.is_done:
                        for event in reader.receive_bytes(await lane.receive()):
                            yield event
                except SocketLostError as error:
                    message = f"the answer broke off before its end: {host} closed the socket ({error.code})"
                    raise AnswerBrokeOff(message, provider=self.provider, model=self._name) from None
                yield reader.finish()

    def _socket(self) -> ResponsesSocket:
        return self._connections.socket(socket_name(self._settings), self._connect)

    async def _connect(self) -> aiohttp.ClientWebSocketResponse:
        http = self._connections.http()
        async with asyncio.timeout(self._connect_s):
            return await http.open_socket(self._endpoint, self._codec.path, headers=self._own_headers())

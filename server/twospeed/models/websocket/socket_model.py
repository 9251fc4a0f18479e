"""A model of Responses over a WebSocket, with HTTP as fallback."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

import aiohttp
import orjson

from twospeed.errors import AnswerBrokeOff, ModelProtocolError, ModelUnavailable
from twospeed.models.base import ModelEvent, ModelRequest, Usage
from twospeed.models.codecs.decoder import fields_of
from twospeed.models.codecs.openai_responses import fields_in, items_in
from twospeed.models.codecs.response_reader import ResponseReader
from twospeed.models.http.connections import socket_name
from twospeed.models.http.http_errors import map_http_errors
from twospeed.models.http.http_model import HttpModel
from twospeed.models.http.refused_fields import EFFORT, REFUSES

from .response_stream import ForgottenError, NoSocketError, ResponseRequest, SocketLostError
from .responses_socket import ResponsesSocket


class _FieldRefusedError(Exception):
    """The model refuses an optional field, which is omitted from now on."""

    def __init__(self, refusal: ModelProtocolError) -> None:
        self.refusal = refusal


class SocketModel(HttpModel):
    """A model of Responses; see `HttpModel`, and `ResponsesSocket` for the fallback to HTTP."""

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """See `HttpModel.stream`."""
        response_request = self._response_request(request)
        while True:
            try:
                async with aclosing(self._stream_over_socket(request, response_request)) as events:
                    async for event in events:
                        yield event
            except ForgottenError:
                self._check_may_send_again(request)
            except _FieldRefusedError as error:
                if not request.may_send_again():
                    raise error.refusal from None
                response_request = self._response_request(request)
            except NoSocketError as error:
                if error.was_sent:
                    self._check_may_send_again(request)
                break
            else:
                return
        async with aclosing(super().stream(request)) as events:
            async for event in events:
                yield event

    async def warm(self, request: ModelRequest) -> Usage | None:
        """See `Model.warm`."""
        response_request = self._response_request(request.opening, generates=False)
        if not response_request.items or self._socket().is_ready_for(response_request):
            return None
        usage = Usage()
        try:
            async with aclosing(self._stream_over_socket(request.opening, response_request)) as events:
                async for event in events:
                    usage = event if isinstance(event, Usage) else usage
        except (NoSocketError, ForgottenError, _FieldRefusedError):
            return await super().warm(request)
        return usage

    async def _stream_over_socket(
        self, request: ModelRequest, response_request: ResponseRequest
    ) -> AsyncGenerator[ModelEvent, None]:
        place = self._endpoint.origin.place
        reader = ResponseReader(self._decoder(request), provider=self.provider, model=self._name)
        with map_http_errors(place, provider=self.provider, model=self._name):
            async with self._socket().stream(response_request) as stream:
                await stream.send()
                has_begun = False
                try:
                    while not reader.is_done:
                        values, n_bytes = await stream.receive()
                        for event in reader.receive_values(values, n_bytes=n_bytes):
                            yield event
                        has_begun = True
                except ModelProtocolError as error:
                    if not has_begun and self._record_refusal(request, response_request, values):
                        raise _FieldRefusedError(error) from None
                    raise
                except SocketLostError as error:
                    message = f"the answer broke off before its end: {place} closed the socket ({error.code})"
                    raise AnswerBrokeOff(message, provider=self.provider, model=self._name) from None
                yield reader.finish()

    def _record_refusal(
        self, request: ModelRequest, response_request: ResponseRequest, values: Sequence[object]
    ) -> bool:
        event = fields_of(values[0]) if values else {}
        if event.get("type") != "error" or event.get("status") not in REFUSES:
            return False
        kept = () if request.is_effort_default else EFFORT
        refused, body = self._connections.refused(), orjson.dumps(response_request.fields)
        return refused.learn(self._model_key, self._settings.api, body, event, kept=kept) is not None

    def _response_request(self, request: ModelRequest, *, generates: bool = True) -> ResponseRequest:
        body = orjson.dumps(fields_in(request, model=self._name))
        return ResponseRequest(
            orjson.loads(self._connections.refused().without(self._model_key, self._settings.api, body)),
            items_in(request),
            request.max_output_tokens,
            generates=generates,
        )

    def _check_may_send_again(self, request: ModelRequest) -> None:
        if not request.may_send_again():
            message = (
                f"{self._endpoint.origin.place} accepted the request over its socket and did not answer it"
            )
            raise ModelUnavailable(message, provider=self.provider, model=self._name)

    def _socket(self) -> ResponsesSocket:
        return self._connections.socket(socket_name(self._settings), self._connect)

    async def _connect(self) -> aiohttp.ClientWebSocketResponse:
        http = self._connections.http()
        async with asyncio.timeout(self._connect_s):
            return await http.open_socket(self._endpoint, self._codec.path, headers=self._handshake_headers())

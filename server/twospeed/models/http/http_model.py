"""A model over HTTP: connects `response_reader` with `http_session`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import replace
from urllib.parse import urlsplit

import aiohttp
import orjson
from multidict import CIMultiDict

from twospeed.errors import ContextTooLong, ModelError, ModelProtocolError, UnknownModel
from twospeed.models.base import ModelEvent, ModelRequest, ProviderSettings, Usage
from twospeed.models.codecs.decoder import Decoder, RequestInfo
from twospeed.models.codecs.provider_errors import (
    ProviderError,
    model_error,
    provider_error_from_json,
    quote,
    read_provider_error,
)
from twospeed.models.codecs.response_reader import ResponseReader
from twospeed.models.codecs.table import CODECS
from twospeed.models.keys.secret import Secret, key_header

from .connections import Connections
from .http_errors import map_http_errors
from .http_session import read_up_to
from .refused_fields import EFFORT, REFUSES
from .streamed_request_body import REFUSALS, StreamedRequestBody

_EVENT_STREAM = "text/event-stream"
_JSON = "application/json"
_MAX_ERROR_BYTES = 64 * 1024
_TAIL_S = 1.0
# ``none`` is not an HTTP content coding; servers send it to keep proxies from compressing a stream.
_NOT_ENCODED = frozenset({"", "identity", "none"})


class HttpModel:
    """A model at an endpoint; raises UnsafeEndpoint if neither a request nor the key may go there."""

    def __init__(
        self,
        settings: ProviderSettings,
        name: str,
        *,
        connections: Connections,
        key: Secret | None = None,
        connect_s: float = 5.0,
    ) -> None:
        self._settings = settings
        self._name = name
        self._connections = connections  # shared with other models; not closed here
        self._key = key
        self._connect_s = connect_s
        self._codec = CODECS[settings.api]
        self._endpoint = settings.endpoint
        self._key_header()

    @property
    def provider(self) -> str:
        """See `Model`."""
        return self._settings.name

    @property
    def name(self) -> str:
        """See `Model`."""
        return self._name

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """See `Model.stream`; raises UnsafeEndpoint for a forbidden address."""
        origin = self._endpoint.origin
        body = self._body(request)
        reader = ResponseReader(self._decoder(request), provider=self.provider, model=self._name)
        with map_http_errors(origin.place, provider=self.provider, model=self._name):
            async with self._answer(request, body, reader) as content:
                chunks = _Chunks(content, reader)
                while chunk := await chunks.next():
                    for event in reader.receive_bytes(chunk):
                        yield event
                yield reader.finish()

    async def warm(self, request: ModelRequest) -> Usage | None:
        """See `Model.warm`."""
        opening, origin = request.opening, self._endpoint.origin
        body = self._codec.warm_up(opening, self._name, origin) if request.messages[-1].n_stable else None
        if body is None:
            return None
        reader = ResponseReader(self._decoder(opening), provider=self.provider, model=self._name)
        with map_http_errors(origin.place, provider=self.provider, model=self._name):
            async with self._response(request, body, reader) as response:
                if response.status == 200 and response.content_type == _JSON:  # noqa: PLR2004
                    answer = await read_up_to(response.content, _MAX_ERROR_BYTES)
                    return self._codec.usage_in(_json_or_none(answer))
                if (refused := await self._error_body(response)) is not None:
                    raise self._refusal(request, response, refused)
                usage, chunks = Usage(), _Chunks(response.content, reader)
                while chunk := await chunks.next():
                    for event in reader.receive_bytes(chunk):
                        usage = event if isinstance(event, Usage) else usage
                return usage

    def send_ahead(self, request: ModelRequest) -> None:
        """See `Model.send_ahead`."""
        if not self._settings.early_body or not request.messages[-1].n_stable:
            return
        start = self._start_of(request)
        http = self._connections.http()

        async def post(parts: AsyncIterator[bytes]) -> aiohttp.ClientResponse:
            return await http.post_in_parts(
                self._endpoint,
                self._codec.path,
                parts=parts,
                headers=self._headers(),
                connect_s=self._connect_s,
            )

        self._connections.streamed_bodies().begin(self._model_key, start, self._headers(), post)

    def _start_of(self, request: ModelRequest) -> bytes:
        *earlier, last = request.messages
        stable = last.content[: last.n_stable]
        bodies = [
            self._body(replace(request, messages=(*earlier, replace(last, content=stable + unstable))))
            for unstable in ("a", "b")
        ]
        return _common_start(*bodies)

    def _body(self, request: ModelRequest) -> bytes:
        request = replace(request, predicts=self._settings.prediction and request.repeats_scope)
        body = self._codec.encode(request, self._name, self._endpoint.origin)
        return self._connections.refused().without(self._model_key, self._settings.api, body)

    def _decoder(self, request: ModelRequest) -> Decoder:
        return self._codec.decoder(
            RequestInfo(self.provider, self._name, self._key, request.max_output_tokens)
        )

    @asynccontextmanager
    async def _answer(
        self, request: ModelRequest, body: bytes, reader: ResponseReader
    ) -> AsyncIterator[aiohttp.StreamReader]:
        model_key, refused = self._model_key, self._connections.refused()
        early = self._connections.streamed_bodies().claim(model_key, body, self._headers())
        async with AsyncExitStack() as stack:
            response = await stack.enter_async_context(self._response(request, body, reader, early))
            while (page := await self._error_body(response)) is not None:
                refusal, shorter = self._refusal(request, response, page), None
                # The error of a prompt that is too long may name a field too; it is not about that field.
                if response.status in REFUSES and isinstance(refusal, ModelProtocolError):
                    kept = () if request.is_effort_default else EFFORT
                    shorter = refused.learn(
                        model_key, self._settings.api, body, _json_or_none(page), kept=kept
                    )
                is_about_prompt = shorter or isinstance(refusal, ContextTooLong)
                if early and response.status in REFUSALS and not is_about_prompt:
                    self._connections.streamed_bodies().pause(model_key)
                    shorter = body  # the server may have refused the chunked body only
                early = None
                if shorter is None or not request.may_send_again():
                    raise await self._with_near_names(refusal)
                await stack.aclose()
                body = shorter
                response = await stack.enter_async_context(self._response(request, body, reader))
            yield response.content

    @asynccontextmanager
    async def _response(
        self,
        request: ModelRequest,
        body: bytes,
        reader: ResponseReader,
        early: StreamedRequestBody | None = None,
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        http = self._connections.http()
        response = await self._finish_early(early, request, body) if early else None
        if response is None:
            response = await http.post(
                self._endpoint,
                self._codec.path,
                body=body,
                headers=self._headers(),
                connect_s=self._connect_s,
                may_send_again=request.may_send_again,
            )
        try:
            yield response
        finally:
            http.release(response, is_answered=reader.has_whole_text)

    async def _finish_early(
        self, early: StreamedRequestBody, request: ModelRequest, body: bytes
    ) -> aiohttp.ClientResponse | None:
        try:
            return await early.finish(body)
        except (aiohttp.ClientError, OSError):
            self._connections.streamed_bodies().pause(self._model_key)
            if not request.may_send_again():
                raise
            return None  # the request is sent again

    @property
    def _model_key(self) -> str:
        return f"{self._settings.base_url} {self._name}"

    def _headers(self) -> Mapping[str, str]:
        headers = self._handshake_headers()
        headers.update({"Accept": _EVENT_STREAM, "Accept-Encoding": "identity", "Content-Type": _JSON})
        return headers

    def _handshake_headers(self) -> CIMultiDict[str]:
        headers = CIMultiDict(self._settings.headers)
        headers.update(self._codec.headers)
        headers.update(self._key_header())
        return headers

    def _key_header(self) -> Mapping[str, str]:
        return key_header(self._key, self._endpoint.origin, name=self._codec.key_header)

    async def _error_body(self, response: aiohttp.ClientResponse) -> bytes | None:
        is_plain = _is_plain(response)
        # Anything but an uncompressed event stream is an error, whatever the status.
        if response.status == 200 and response.content_type == _EVENT_STREAM and is_plain:  # noqa: PLR2004
            return None
        return await _body_of_error(response.content) if is_plain else b""

    def _refusal(self, request: ModelRequest, response: aiohttp.ClientResponse, body: bytes) -> ModelError:
        host = self._endpoint.origin.host
        if 300 <= response.status < 400:  # noqa: PLR2004
            target = quote(_host_of(response.headers.get("Location", "")) or host)
            return self._error(f"{host} redirects to {target}, which is not followed; check base_url")
        if response.status >= 400:  # noqa: PLR2004
            return self._provider_error(request, read_provider_error(response.status, response.headers, body))
        if not _is_plain(response):
            return self._error(f"{host} sent a compressed answer, but the request asked for none")
        hidden = provider_error_from_json(_json_or_none(body))
        if hidden is not None:
            return self._provider_error(request, hidden)
        sent = quote(response.content_type)
        return self._error(f"{host} sent {sent} instead of an event stream; check base_url")

    def _provider_error(self, request: ModelRequest, provider_error: ProviderError) -> ModelError:
        return model_error(
            provider_error,
            provider=self.provider,
            model=self._name,
            key=self._key,
            max_output_tokens=request.max_output_tokens,
        )

    async def _with_near_names(self, refusal: ModelError) -> ModelError:
        """Return the error of an unknown model with similar names of the provider's list."""
        if not isinstance(refusal, UnknownModel):
            return refusal
        from twospeed.models.catalog.model_lists import names_like  # noqa: PLC0415  # only after such an error

        names = await names_like(self._name, self._settings, key=self._key, connections=self._connections)
        if not names:
            return refusal
        message = f"{refusal}; did you mean {' or '.join(map(quote, names))}?"
        return UnknownModel(message, provider=self.provider, model=self._name)

    def _error(self, message: str) -> ModelProtocolError:
        return ModelProtocolError(message, provider=self.provider, model=self._name)


class _Chunks:
    """The bytes of a response."""

    def __init__(self, content: aiohttp.StreamReader, reader: ResponseReader) -> None:
        self._content = content
        self._reader = reader
        self._until: float | None = None

    async def next(self) -> bytes:
        """Await bytes; ``b""`` at the end."""
        if self._reader.is_done:
            return b""
        if not self._reader.has_whole_text:
            return await self._content.readany()
        # The text is complete. Only usage is missing: it is awaited for a second, and errors are ignored.
        if self._until is None:
            self._until = asyncio.get_running_loop().time() + _TAIL_S
        try:
            async with asyncio.timeout_at(self._until):
                return await self._content.readany()
        except (aiohttp.ClientError, OSError):  # TimeoutError is an OSError
            return b""


async def _body_of_error(content: aiohttp.StreamReader) -> bytes:
    # The status says most of it, so the body gets a second to arrive.
    page = b""
    with suppress(aiohttp.ClientError, OSError):  # TimeoutError is an OSError
        async with asyncio.timeout(_TAIL_S):
            while len(page) <= _MAX_ERROR_BYTES and (chunk := await content.readany()):
                page += chunk
    return page


def _is_plain(response: aiohttp.ClientResponse) -> bool:
    return response.headers.get("Content-Encoding", "").strip().lower() in _NOT_ENCODED


def _common_start(one: bytes, other: bytes) -> bytes:
    least, most = 0, min(len(one), len(other))
    while least < most:
        middle = (least + most + 1) // 2
        if one[:middle] == other[:middle]:
            least = middle
        else:
            most = middle - 1
    return one[:least]


def _json_or_none(body: bytes) -> object:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        return None


def _host_of(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return "an invalid address"

"""Ask a model over HTTP: the socket between `answer_reader` and `http_session`, nothing but I/O.

An answer that is not an uncompressed event stream is an error, whatever its status. The connection is released
the moment nobody listens any more, which is how a provider learns that an edit was cancelled.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import aiohttp
import orjson
from multidict import CIMultiDict

from twospeed.errors import ModelError, ModelProtocolError

from .answer_reader import AnswerReader
from .base import ModelEvent, ModelRequest, ProviderSettings
from .codecs import CODECS
from .connections import Connections
from .decoder import Asked, Decoder
from .endpoints import parse_endpoint
from .http_errors import map_http_errors
from .http_session import read_up_to
from .keys import Secret, key_header
from .provider_errors import complaint_from_json, model_error, quote, read_complaint

_EVENT_STREAM = "text/event-stream"
_MAX_ERROR_BYTES = 64 * 1024
_TAIL_S = 1.0


class HttpModel:
    """A model at an endpoint, asked in the protocol that its settings name.

    Args:
        settings: Endpoint, protocol and constant headers.
        name: Name of the model, as sent.
        connections: Shared with other models; not closed here.
        key: Sent to its own origins alone.
        connect_s: Seconds for name, connection and TLS together.

    Raises:
        UnsafeEndpoint: The base URL is not one a request may go to, or not where the key belongs.
    """

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
        self._connections = connections
        self._key = key
        self._connect_s = connect_s
        self._codec = CODECS[settings.api]
        self._endpoint = parse_endpoint(settings.base_url)
        self._key_header()

    @property
    def provider(self) -> str:
        """Provider's name."""
        return self._settings.name

    @property
    def name(self) -> str:
        """Model's name."""
        return self._name

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Ask for one answer; see `Model.stream`.

        Raises:
            ModelError: As `http_errors` and `provider_errors` say.
            UnsafeEndpoint: The host's address turned out to be one where no request may go.
        """
        origin = self._endpoint.origin
        body = self._codec.encode(request, self._name, origin)
        reader = AnswerReader(self._decoder(request), provider=self.provider, model=self._name)
        with map_http_errors(origin.host, provider=self.provider, model=self._name):
            async with self._answer(body, reader) as content:
                while not reader.is_done and (chunk := await _next_chunk(content, reader)):
                    for event in reader.receive_bytes(chunk):
                        yield event
                yield reader.finish()

    def _decoder(self, request: ModelRequest) -> Decoder:
        return self._codec.decoder(Asked(self.provider, self._name, self._key, request.max_output_tokens))

    @asynccontextmanager
    async def _answer(self, body: bytes, reader: AnswerReader) -> AsyncIterator[aiohttp.StreamReader]:
        http = self._connections.http()
        response = await http.post(
            self._endpoint, self._codec.path, body=body, headers=self._headers(), connect_s=self._connect_s
        )
        try:
            await self._check_head(response)
            yield response.content
        finally:
            http.give_back(response, is_answered=reader.has_whole_text)

    def _headers(self) -> Mapping[str, str]:
        headers = self._own_headers()
        headers.update(
            {"Accept": _EVENT_STREAM, "Accept-Encoding": "identity", "Content-Type": "application/json"}
        )
        return headers

    def _own_headers(self) -> CIMultiDict[str]:
        """Give what is the provider's: the constant headers of the settings and of the protocol, and the key."""
        headers = CIMultiDict(self._settings.headers)
        headers.update(self._codec.headers)
        headers.update(self._key_header())
        return headers

    def _key_header(self) -> Mapping[str, str]:
        return key_header(self._key, self._endpoint.origin, name=self._codec.key_header)

    async def _check_head(self, response: aiohttp.ClientResponse) -> None:
        is_plain = response.headers.get("Content-Encoding", "identity").lower() == "identity"
        if response.status == 200 and response.content_type == _EVENT_STREAM and is_plain:  # noqa: PLR2004
            return
        body = await read_up_to(response.content, _MAX_ERROR_BYTES) if is_plain else b""
        raise self._refusal(response, body, is_plain=is_plain)

    def _refusal(self, response: aiohttp.ClientResponse, body: bytes, *, is_plain: bool) -> ModelError:
        """Say why an answer with this head and body is none."""
        host = self._endpoint.origin.host
        if 300 <= response.status < 400:  # noqa: PLR2004
            target = quote(_host_of(response.headers.get("Location", "")) or host)
            return self._error(f"{host} redirects to {target}, which is not followed; check base_url")
        if response.status >= 400:  # noqa: PLR2004
            complaint = read_complaint(response.status, response.headers, body)
            return model_error(complaint, provider=self.provider, model=self._name, key=self._key)
        if not is_plain:
            return self._error(f"{host} sent a compressed answer, though it was asked not to")
        hidden = complaint_from_json(_json_or_none(body))
        if hidden is not None:
            return model_error(hidden, provider=self.provider, model=self._name, key=self._key)
        sent = quote(response.content_type)
        return self._error(f"{host} sent {sent} where an event stream should be; check base_url")

    def _error(self, message: str) -> ModelProtocolError:
        return ModelProtocolError(message, provider=self.provider, model=self._name)


async def _next_chunk(content: aiohttp.StreamReader, reader: AnswerReader) -> bytes:
    """Wait for bytes; ``b""`` at the end of the stream.

    Once the whole text is in, only usage is missing: it is not worth waiting long for, nor failing over.
    """
    if not reader.has_whole_text:
        return await content.readany()
    try:
        async with asyncio.timeout(_TAIL_S):
            return await content.readany()
    except (aiohttp.ClientError, OSError):  # TimeoutError is an OSError
        return b""


def _json_or_none(body: bytes) -> object:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        return None


def _host_of(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return "an address that makes no sense"

"""One response over a WebSocket: its request, its events, and what the provider remembers of it.

An abandoned response that still reasons can be steered: ``response.steer`` sends it new instructions, so its
reasoning is neither repeated nor billed twice.
Source: OpenAI's guides "WebSocket mode", "How continuation works", and "Mid-turn steering".
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Final

import aiohttp
import orjson

from twospeed.models.codecs.decoder import fields_of
from twospeed.models.codecs.openai_responses import LEAST_OUTPUT_TOKENS, Item, ResponsesFields

# Limit of unread events: 50,000 tokens. As parsed values they take several times as much.
_MAX_WAITING_BYTES: Final = 16 * 1024 * 1024

# Prefix of model names that support steering; other providers may treat the message as a fatal error.
_MODELS_TO_STEER: Final = "gpt-6"

FORGOTTEN: Final = "previous_response_not_found"
# Errors that the same request over HTTP would not have.
_SOCKET_ERRORS: Final = (
    "websocket_connection_limit_reached",
    "websocket_stream_limit_reached",
    "invalid_stream_id",
    FORGOTTEN,
)


class NoSocketError(Exception):
    """No socket is available and nothing was received: the request may be sent over HTTP."""

    def __init__(self, *, was_sent: bool = False) -> None:
        self.was_sent = was_sent  # whether the request was sent


class ForgottenError(Exception):
    """The provider forgot the parent response; the whole request may be sent."""


class SocketLostError(Exception):
    """The socket was closed during a response, with this ``code`` (RFC 6455, section 7.4)."""

    def __init__(self, code: int) -> None:
        self.code = code


@dataclass(frozen=True, slots=True)
class ResponseRequest:
    """A request over the WebSocket; without ``generates`` it only prepares the provider."""

    fields: ResponsesFields
    items: list[Item]
    max_output_tokens: int
    generates: bool = True

    def message(self, stream: str, parent: RememberedResponse | None) -> bytes:
        """Return the message that requests an answer."""
        message: dict[str, object] = {"type": "response.create", "stream_id": stream, **self.fields}
        # A request that continues a remembered response sends only the rest; on another stream this forks it.
        message["input"] = self.items[len(parent.items) :] if parent else self.items
        message["max_output_tokens"] = self.max_output_tokens
        if parent:
            message["previous_response_id"] = parent.id
        if not self.generates:
            message["generate"] = False
            message["max_output_tokens"] = LEAST_OUTPUT_TOKENS  # for providers that ignore ``generate``
        return orjson.dumps(message)

    def redirects(self, other: ResponseRequest) -> bool:
        """Whether it differs from another request only in its last user message."""
        return (
            self.generates
            and other.generates
            and _have_same_fields(self.fields, other.fields)
            and self.items[:-1] == other.items[:-1]
            and self.items[-1]["role"] == "user"
        )

    def steer_message(self, response_id: str) -> bytes:
        """Return the message that redirects a running response, which keeps its settings."""
        message = {"type": "response.steer", "previous_response_id": response_id, "input": self.items[-1:]}
        return orjson.dumps(message)


@dataclass(frozen=True, slots=True)
class RememberedResponse:
    """A response that the provider remembers; its items are input and output."""

    id: str
    stream: str
    fields: ResponsesFields
    items: list[Item]

    def is_prefix_of(self, request: ResponseRequest) -> bool:
        """Whether a request continues it."""
        n = len(self.items)
        return (
            _have_same_fields(self.fields, request.fields)
            and n < len(request.items)
            and request.items[:n] == self.items
        )

    def is_result_of(self, request: ResponseRequest) -> bool:
        """Whether it is the result of this warm-up request."""
        return _have_same_fields(self.fields, request.fields) and self.items == request.items


class ResponseMemory:
    """The latest response of each stream of one connection, which the provider remembers."""

    def __init__(self) -> None:
        self._responses: dict[str, RememberedResponse] = {}

    def parent_of(self, request: ResponseRequest) -> RememberedResponse | None:
        """Return the remembered response that covers most of a request."""
        fitting = [response for response in self._responses.values() if response.is_prefix_of(request)]
        return max(fitting, key=lambda response: len(response.items), default=None)

    def is_ready_for(self, request: ResponseRequest) -> bool:
        """Whether the provider was warmed up for a request."""
        return any(response.is_result_of(request) for response in self._responses.values())

    def keep(self, stream: str, request: ResponseRequest, response: Mapping[str, object]) -> None:
        """Record a complete response from its last event."""
        self.forget(stream)
        name, output = response.get("id"), _output_of(response)
        if isinstance(name, str) and output is not None:
            self._responses[stream] = RememberedResponse(
                name, stream, request.fields, [*request.items, *output]
            )

    def forget(self, stream: str) -> None:
        """Remove the stream's latest response."""
        self._responses.pop(stream, None)


class ResponseStream:
    """One response on a connection."""

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
        self.steers = steers  # id of the response that it redirects
        self.response_id: str | None = None  # once known
        self.has_output = False  # output has begun, after the reasoning
        self.is_over = False  # its last event has arrived
        self.parent = parent  # the response that it continues
        self._send = send
        self._is_sent = False
        self._has_begun = False
        self._events: list[object] = []
        self._waiting_bytes = 0
        self._failure: Exception | None = None
        self._has_events = asyncio.Event()

    @property
    def is_under_way(self) -> bool:
        """Whether events may still arrive."""
        return self._is_sent and not self.is_over

    @property
    def is_steerable(self) -> bool:
        """Whether the response is still reasoning and its model supports steering."""
        is_supported = (
            str(self.request.fields["model"]).startswith(_MODELS_TO_STEER) and self.request.generates
        )
        return is_supported and self.response_id is not None and not self.has_output

    async def send(self) -> None:
        """Send the request; raises NoSocketError if the connection is closed."""
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

        Raises NoSocketError or ForgottenError if nothing was received, else SocketLostError.
        """
        await self._has_events.wait()
        events, self._events = self._events, []
        n_bytes, self._waiting_bytes = self._waiting_bytes, 0
        if not events and self._failure is not None:
            raise self._failure
        if self._failure is None:
            self._has_events.clear()
        return events, n_bytes

    def add_event(self, event: object, n_bytes: int, *, is_last: bool) -> None:
        """Add an event of ``n_bytes`` bytes."""
        if not self.has_output and self._belongs_to_steered(fields_of(event)):
            return
        self.is_over |= is_last
        if is_last and not self._has_begun and (code := code_of(event)) in _SOCKET_ERRORS:
            self.fail(ForgottenError() if code == FORGOTTEN and self.parent else NoSocketError(was_sent=True))
            return
        self._has_begun = True
        self._events.append(event)
        self._waiting_bytes += n_bytes
        if self._waiting_bytes > _MAX_WAITING_BYTES:
            self.fail(SocketLostError(aiohttp.WSCloseCode.MESSAGE_TOO_BIG))
        self._has_events.set()

    def _belongs_to_steered(self, event: dict[str, object]) -> bool:
        # Until the following response is created, events are those of the steered response.
        if self.response_id is None:
            name = fields_of(event.get("response")).get("id")
            if event.get("type") == "response.created" and isinstance(name, str):
                self.response_id = name
            elif self.steers and event.get("type") not in ("error", "response.failed"):
                if begins_output(event) or event.get("type") == "response.steer.failed":
                    self.fail(ForgottenError())
                return True
        self.has_output = begins_output(event)
        return False

    def record_close(self, code: int) -> None:
        """Record that the connection was closed."""
        self.fail(SocketLostError(code) if self._has_begun else NoSocketError(was_sent=self._is_sent))

    def fail(self, why: Exception) -> None:
        """Record that no more events will arrive."""
        self._failure = self._failure or why
        self._has_events.set()


def _have_same_fields(one: ResponsesFields, other: ResponsesFields) -> bool:
    # The key of the cache does not change the response.
    return {**one, "prompt_cache_key": ""} == {**other, "prompt_cache_key": ""}


def _output_of(response: Mapping[str, object]) -> list[Item] | None:
    # None means that a request cannot repeat the output as its input.
    output = response.get("output")
    if not isinstance(output, list):
        return None
    messages = [item for item in map(fields_of, output) if item.get("type") == "message"]
    items: list[Item] = []
    for message in messages:
        parts = message.get("content")
        texts = [fields_of(part).get("text") for part in parts] if isinstance(parts, list) else [None]
        if not all(isinstance(text, str) for text in texts):
            return None
        items.append({"type": "message", "role": "assistant", "content": "".join(map(str, texts))})
    return items


def begins_output(event: dict[str, object]) -> bool:
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

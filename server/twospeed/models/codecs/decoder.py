"""The decoders' interface and their common parts.

Tools are never offered: tool calls are ignored, and an answer that ends for one is an error. Halves of a
surrogate pair are passed on separately; `stream` joins them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Protocol

import orjson

from twospeed.errors import AnswerBrokeOff, ModelError, ModelProtocolError
from twospeed.models.base import Finished, FinishReason, ModelEvent, ReasoningDelta, TextDelta, Usage
from twospeed.models.keys.secret import Secret

from .provider_errors import model_error, provider_error_from_json, quote, read_provider_error

_MAX_TOKENS: Final = 2**53
_MAX_REFUSAL_CHARS: Final = 4096

# Nesting levels in an event; the protocols here need fewer than ten.
MAX_DEPTH: Final = 64

_STRING: Final = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\Z)', re.DOTALL)
_BRACES_TO_BRACKETS: Final = bytes.maketrans(b"{}", b"[]")
_NOT_BRACKETS: Final = bytes(set(range(256)) - set(b"[]{}"))

# No finish reason yet: OpenAI sends null, some gateways send an empty string in each event.
NO_REASON: Final = (None, "")


class Decoder(Protocol):
    """Decodes the events of one response to model events."""

    @property
    def has_finish_reason(self) -> bool:
        """Whether the text is complete; only usage may follow."""

    @property
    def is_done(self) -> bool:
        """Whether the rest of the stream can be ignored."""

    def receive_event(self, data: bytes) -> list[ModelEvent]:
        """Decode the data of one event; raises ModelError."""

    def receive_value(self, event: object) -> list[ModelEvent]:
        """As `receive_event`, for a parsed value or an `UnreadableEventError`."""

    def finish(self) -> Finished:
        """Return the finish reason; raises AnswerBrokeOff if there was none."""


@dataclass(frozen=True, slots=True)
class RequestInfo:
    """Facts about the request that a decoder needs."""

    provider: str
    model: str
    key: Secret | None  # masked if the provider repeats it
    max_output_tokens: int


class JsonDecoder:
    """A `Decoder` for events that are JSON objects; a subclass implements `_read`."""

    def __init__(self, request: RequestInfo) -> None:
        self._request = request
        self._output_tokens = 0
        self._finish_reason: FinishReason | None = None
        self._refusal = ""
        self._is_done = False

    @property
    def has_finish_reason(self) -> bool:
        """See `Decoder`."""
        return self._finish_reason is not None

    @property
    def is_done(self) -> bool:
        """See `Decoder`."""
        return self._is_done

    def receive_event(self, data: bytes) -> list[ModelEvent]:
        """See `Decoder`."""
        try:
            event = parse_json(data)
        except UnreadableEventError as error:
            if not data.strip():
                return []  # gateways send blank events to keep the connection alive
            raise self._violation(str(error)) from None
        return self.receive_value(event)

    def receive_value(self, event: object) -> list[ModelEvent]:
        """See `Decoder`."""
        if isinstance(event, UnreadableEventError):
            raise self._violation(str(event))
        if not isinstance(event, dict):
            raise self._violation("an event that is not a JSON object")
        if event.get("error") is not None or event.get("object") == "error":
            raise self._reported_error(event)
        return self._read(event)

    def finish(self) -> Finished:
        """See `Decoder`."""
        if self._finish_reason is None:
            message = "the answer broke off before its end"
            raise AnswerBrokeOff(message, provider=self._request.provider, model=self._request.model)
        if self._refusal:
            return Finished("refusal", quote(self._refusal, key=self._request.key))
        if self._finish_reason == "stop" and self._output_tokens >= self._request.max_output_tokens:
            return Finished("length")  # cut off, although llama.cpp reports "completed" in Responses
        return Finished(self._finish_reason)

    def _read(self, event: dict[str, object]) -> list[ModelEvent]:
        raise NotImplementedError

    def _text(self, text: object) -> list[ModelEvent]:
        if not text:
            return []
        if not isinstance(text, str):
            raise self._violation("content that is not text")
        if self._finish_reason is not None:
            raise self._violation("more text after the end of its answer")
        return [TextDelta(text)]

    def _reasoning(self, text: object) -> list[ModelEvent]:
        return [ReasoningDelta(sendable(text))] if text and isinstance(text, str) else []

    def _bill(self, usage: Usage) -> list[ModelEvent]:
        self._output_tokens = usage.output_tokens
        return [usage]

    def _add_refusal(self, text: object) -> None:
        if isinstance(text, str):
            self._refusal = (self._refusal + text)[:_MAX_REFUSAL_CHARS]

    def _end(self, reason: object, known: Mapping[str, FinishReason]) -> None:
        finish_reason = known.get(reason) if isinstance(reason, str) else None
        if finish_reason is None:
            raise self._violation(f"an answer that ended with {quote(str(reason), key=self._request.key)!r}")
        self._finish_reason = finish_reason

    def _reported_error(self, event: dict[str, object]) -> ModelError:
        # Over a WebSocket an error includes the HTTP status and headers.
        status = event.get("status", event.get("status_code"))
        status = status if isinstance(status, int) else 200
        sent = event.get("headers") or fields_of(event.get("error")).get("headers")
        headers = {name.lower(): value for name, value in fields_of(sent).items() if isinstance(value, str)}
        provider_error = provider_error_from_json(event, status=status)
        if provider_error is None:
            return self._violation("an error without a message")
        if headers:
            provider_error = read_provider_error(provider_error.status, headers, orjson.dumps(event))
        return model_error(
            provider_error,
            provider=self._request.provider,
            model=self._request.model,
            key=self._request.key,
            max_output_tokens=self._request.max_output_tokens,
        )

    def _violation(self, what: str) -> ModelProtocolError:
        return ModelProtocolError(
            f"{self._request.provider} sent {what}",
            provider=self._request.provider,
            model=self._request.model,
        )


def sendable(text: str) -> str:
    """Replace unpaired surrogates, which UTF-8 cannot encode."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def fields_of(value: object) -> dict[str, object]:
    """Return a JSON object, or an empty one for any other value."""
    return value if isinstance(value, dict) else {}


def index_in(event: dict[str, object], name: str) -> int:
    """Return the index of a block or item in the response; -1 without one."""
    index = event.get(name)
    return index if isinstance(index, int) else -1


def count(counts: object, name: str) -> int:
    """Return a number of tokens; 0 if it is missing or invalid."""
    value = fields_of(counts).get(name)
    return value if isinstance(value, int) and 0 <= value <= _MAX_TOKENS else 0


class UnreadableEventError(ValueError):
    """The data of an event is not JSON or too deeply nested."""


def parse_json(data: bytes | str) -> object:
    """Parse JSON, keeping unpaired surrogates; raises UnreadableEventError."""
    if _is_too_deep(data):
        raise UnreadableEventError("an event that is nested too deeply")
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        pass
    try:
        text = data if isinstance(data, str) else data.decode("utf-8")
        if "\\u" in text:
            return json.loads(text)  # keeps halves of a surrogate pair, which may come in two events
    except ValueError:
        pass
    raise UnreadableEventError("an event that is not JSON")


def _is_too_deep(data: bytes | str) -> bool:
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    if raw.count(b"[") + raw.count(b"{") <= MAX_DEPTH:
        return False
    # Brackets inside strings do not count.
    brackets = _STRING.sub(b"", raw).translate(_BRACES_TO_BRACKETS, _NOT_BRACKETS)
    for _ in range(MAX_DEPTH):  # each pass removes the innermost level
        brackets = brackets.replace(b"[]", b"")
        if not brackets:
            return False
    return True

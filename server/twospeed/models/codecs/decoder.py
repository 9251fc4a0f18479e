"""What the decoders of all protocols have in common: how they are used, and what is read alike in each. No I/O.

Rules: an answer is whole only with the provider's own word on how it ended, and one that has used up its tokens is
cut off, whatever that word is: llama.cpp calls it completed where it speaks Responses. Reasoning is never part of it. Tools are
never offered, so calls of them are ignored, and an answer that ends for one is an error. What a protocol may add is
ignored: events, blocks and fields nobody here knows.
A character that was cut in two comes out in halves; whoever puts the text together joins them (`stream`).
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

MAX_DEPTH: Final = 64
"""Levels of objects and arrays in an event; those of the protocols here have fewer than ten."""

_STRING: Final = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\Z)', re.DOTALL)
_ONE_KIND: Final = bytes.maketrans(b"{}", b"[]")
_NO_BRACKETS: Final = bytes(set(range(256)) - set(b"[]{}"))

NO_REASON: Final = (None, "")
"""No word on how an answer ends: gateways write an empty one into each event where OpenAI writes null."""


class Decoder(Protocol):
    """Turn the data of one answer's events into model events."""

    @property
    def has_finish_reason(self) -> bool:
        """Whether the whole text is in; only usage may still come."""

    @property
    def is_done(self) -> bool:
        """Whether the provider said that nothing follows; the rest of the stream need not be read."""

    def receive_event(self, data: bytes) -> list[ModelEvent]:
        """Take one event's data.

        Returns:
            What it says: seldom more than one event, often none.

        Raises:
            ModelError: The provider reports an error, or what it sent is not a piece of an answer.
        """

    def receive_value(self, event: object) -> list[ModelEvent]:
        """Take one event's data as the JSON value it is, or as the error of `loaded`; otherwise as `receive_event`."""

    def finish(self) -> Finished:
        """Say how the answer ended, once the stream has.

        Raises:
            AnswerBrokeOff: The stream ended without a word on how.
        """


@dataclass(frozen=True, slots=True)
class RequestInfo:
    """What a decoder has to know of its request.

    Attributes:
        provider: Named in errors.
        model: Named in errors.
        key: Never shown, should the provider repeat it.
        max_output_tokens: The answer's limit.
    """

    provider: str
    model: str
    key: Secret | None
    max_output_tokens: int


class JsonDecoder:
    """A `Decoder` of events that are JSON objects; a protocol adds `_read`."""

    def __init__(self, asked: RequestInfo) -> None:
        self._asked = asked
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
            event = loaded(data)
        except UnreadableEventError as error:
            if not data.strip():
                return []  # gateways keep a connection alive with it
            raise self._nonsense(str(error)) from None
        return self.receive_value(event)

    def receive_value(self, event: object) -> list[ModelEvent]:
        """See `Decoder`."""
        if isinstance(event, UnreadableEventError):
            raise self._nonsense(str(event))
        if not isinstance(event, dict):
            raise self._nonsense("an event that is not a JSON object")
        if event.get("error") is not None or event.get("object") == "error":
            raise self._reported_error(event)
        return self._read(event)

    def finish(self) -> Finished:
        """See `Decoder`."""
        if self._finish_reason is None:
            message = "the answer broke off before its end"
            raise AnswerBrokeOff(message, provider=self._asked.provider, model=self._asked.model)
        if self._refusal:
            return Finished("refusal", quote(self._refusal, key=self._asked.key))
        if self._finish_reason == "stop" and self._output_tokens >= self._asked.max_output_tokens:
            return Finished("length")
        return Finished(self._finish_reason)

    def _read(self, event: dict[str, object]) -> list[ModelEvent]:
        raise NotImplementedError

    def _text(self, text: object) -> list[ModelEvent]:
        """Give a piece of the answer."""
        if not text:
            return []
        if not isinstance(text, str):
            raise self._nonsense("content that is not text")
        if self._finish_reason is not None:
            raise self._nonsense("more text after the end of its answer")
        return [TextDelta(text)]

    def _reasoning(self, text: object) -> list[ModelEvent]:
        """Give a piece of the thinking, which is shown and not kept."""
        return [ReasoningDelta(sendable(text))] if text and isinstance(text, str) else []

    def _bill(self, usage: Usage) -> list[ModelEvent]:
        """Give what was billed so far."""
        self._output_tokens = usage.output_tokens
        return [usage]

    def _add_refusal(self, text: object) -> None:
        """Take a piece of what the model says instead of an answer."""
        if isinstance(text, str):
            self._refusal = (self._refusal + text)[:_MAX_REFUSAL_CHARS]

    def _end(self, reason: object, known: Mapping[str, FinishReason]) -> None:
        """Take the provider's word on how the answer ended."""
        ended = known.get(reason) if isinstance(reason, str) else None
        if ended is None:
            raise self._nonsense(f"an answer that ended with {quote(str(reason), key=self._asked.key)!r}")
        self._finish_reason = ended

    def _reported_error(self, event: dict[str, object]) -> ModelError:
        """Make the error that ``event`` tells of; over a WebSocket it brings the status and headers of HTTP along."""
        status = event.get("status", event.get("status_code"))
        status = status if isinstance(status, int) else 200
        sent = event.get("headers") or fields_of(event.get("error")).get("headers")
        headers = {name.lower(): value for name, value in fields_of(sent).items() if isinstance(value, str)}
        provider_error = provider_error_from_json(event, status=status)
        if provider_error is None:
            return self._nonsense("an error without words")
        if headers:
            provider_error = read_provider_error(provider_error.status, headers, orjson.dumps(event))
        return model_error(
            provider_error,
            provider=self._asked.provider,
            model=self._asked.model,
            key=self._asked.key,
            max_output_tokens=self._asked.max_output_tokens,
        )

    def _nonsense(self, what: str) -> ModelProtocolError:
        return ModelProtocolError(
            f"{self._asked.provider} sent {what}", provider=self._asked.provider, model=self._asked.model
        )


def sendable(text: str) -> str:
    """Mend text that UTF-8 cannot carry: half of a surrogate pair, which JSON lets an editor or a provider send."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def fields_of(value: object) -> dict[str, object]:
    """Give a JSON object; an empty one for whatever else a provider put in its place."""
    return value if isinstance(value, dict) else {}


def index_in(event: dict[str, object], name: str) -> int:
    """Read the place of a block or an item among those of an answer; -1 where there is none."""
    index = event.get(name)
    return index if isinstance(index, int) else -1


def count(counts: object, name: str) -> int:
    """Read a count of tokens; one that makes no sense counts nothing."""
    value = fields_of(counts).get(name)
    return value if isinstance(value, int) and 0 <= value <= _MAX_TOKENS else 0


class UnreadableEventError(ValueError):
    """The data of an event is not JSON, or is nested too deeply; the message says which, as a noun phrase."""


def loaded(data: bytes | str) -> object:
    """Read JSON; half of a surrogate pair stays, since a provider may cut a character in two and send both halves.

    Raises:
        UnreadableEventError: It is not JSON, or is nested more than `MAX_DEPTH` deep.
    """
    if _is_too_deep(data):
        raise UnreadableEventError("an event that is nested too deeply")
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        pass
    try:
        text = data if isinstance(data, str) else data.decode("utf-8")
        if "\\u" in text:
            return json.loads(text)
    except ValueError:
        pass
    raise UnreadableEventError("an event that is not JSON")


def _is_too_deep(data: bytes | str) -> bool:
    """Tell without parsing whether JSON is nested too deeply; its strings count for nothing."""
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    if raw.count(b"[") + raw.count(b"{") <= MAX_DEPTH:
        return False
    brackets = _STRING.sub(b"", raw).translate(_ONE_KIND, _NO_BRACKETS)
    for _ in range(MAX_DEPTH):  # each pass takes the innermost level away
        brackets = brackets.replace(b"[]", b"")
        if not brackets:
            return False
    return True

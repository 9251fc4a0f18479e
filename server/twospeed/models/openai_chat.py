"""Speak OpenAI-compatible Chat Completions: requests to JSON, streamed JSON to model events. No I/O.

Rules: an answer is whole only with a `finish_reason`; `Finished` is given out after it, with the usage that
follows it, at `[DONE]` or at the end of the stream. Tools are never offered, so tool calls are ignored and an
answer that ends for one is an error. Reasoning is a vendor's field: `reasoning_content` (llama.cpp, DeepSeek) or
`reasoning` (Groq, Cerebras, OpenRouter, Ollama, vLLM, which may send both); neither is part of the answer.
A character that was cut in two comes out in halves; whoever puts the text together joins them (`stream`).
Source: OpenAI API reference, "Chat Completions"; the vendors' own pages for what they add.
"""

from __future__ import annotations

import json
from typing import Final, Literal, NotRequired, TypedDict

import orjson

from twospeed.errors import ModelProtocolError

from .base import Finished, FinishReason, ModelEvent, ModelRequest, ReasoningDelta, TextDelta, Usage
from .keys import Secret
from .provider_errors import complaint_from_json, model_error, quote

TokenLimitField = Literal["max_tokens", "max_completion_tokens"]

_DONE: Final = b"[DONE]"
_MAX_TOKENS: Final = 2**53
_MAX_REFUSAL_CHARS: Final = 4096
_FINISH_REASONS: Final[dict[str, FinishReason]] = {
    "stop": "stop",
    "length": "length",
    "content_filter": "content_filter",
}


class _ChatMessage(TypedDict):
    role: str
    content: str


class _ChatRequest(TypedDict):
    model: str
    messages: list[_ChatMessage]
    stream: Literal[True]
    stream_options: dict[str, bool]
    max_tokens: NotRequired[int]
    max_completion_tokens: NotRequired[int]
    reasoning_effort: NotRequired[str]


def encode_request(request: ModelRequest, *, model: str, limit_field: TokenLimitField) -> bytes:
    """Write the body of ``POST …/chat/completions``.

    Args:
        request: What to ask for.
        model: Name of the model, as the provider knows it.
        limit_field: What the provider calls the limit on output tokens.

    Returns:
        UTF-8 JSON.
    """
    body: _ChatRequest = {
        "model": model,
        "messages": [
            {"role": message.role, "content": _sendable(message.content)} for message in request.messages
        ],
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if limit_field == "max_tokens":
        body["max_tokens"] = request.max_output_tokens
    else:
        body["max_completion_tokens"] = request.max_output_tokens
    if request.effort is not None:
        body["reasoning_effort"] = request.effort
    return orjson.dumps(body)


class ChatDecoder:
    """Turn the data of one answer's events into model events."""

    def __init__(self, *, provider: str, model: str, key: Secret | None = None) -> None:
        self._provider = provider
        self._model = model
        self._key = key
        self._finish_reason: FinishReason | None = None
        self._refusal = ""
        self._is_done = False

    @property
    def has_finish_reason(self) -> bool:
        """Whether the whole text is in; only usage may still come."""
        return self._finish_reason is not None

    @property
    def is_done(self) -> bool:
        """Whether the provider said that nothing follows; the rest of the stream need not be read."""
        return self._is_done

    def receive_event(self, data: bytes) -> list[ModelEvent]:
        """Take one event's data.

        Returns:
            What it says: seldom more than one event, often none.

        Raises:
            ModelError: The provider reports an error, or what it sent is not a chunk of an answer.
        """
        if data == _DONE:
            self._is_done = True
            return []
        try:
            chunk = _loaded(data)
        except (ValueError, RecursionError):
            raise self._nonsense("an event that is not JSON") from None
        if not isinstance(chunk, dict):
            raise self._nonsense("an event that is not a JSON object")
        if chunk.get("error") is not None or chunk.get("object") == "error":
            raise self._reported_error(chunk)
        events: list[ModelEvent] = []
        choices = chunk.get("choices")
        if choices:
            self._read_choices(choices, events)
        usage = chunk.get("usage")
        if usage is not None:
            events.append(_usage(usage))
        return events

    def finish(self) -> Finished:
        """Say how the answer ended, once the stream has.

        Raises:
            ModelProtocolError: The stream ended without a word on how: the answer is broken off.
        """
        if self._finish_reason is None:
            raise self._error("the answer broke off before its end")
        if self._refusal:
            return Finished("refusal", quote(self._refusal, key=self._key))
        return Finished(self._finish_reason)

    def _read_choices(self, choices: object, events: list[ModelEvent]) -> None:
        choice = choices[0] if isinstance(choices, list) else None
        if not isinstance(choice, dict):
            raise self._nonsense("choices that are not objects")
        delta = choice.get("delta")
        if isinstance(delta, dict):
            self._read_delta(delta, events)
        reason = choice.get("finish_reason")
        if reason is not None:
            self._read_finish_reason(reason)

    def _read_delta(self, delta: dict[str, object], events: list[ModelEvent]) -> None:
        reasoning = delta.get("reasoning_content") or delta.get("reasoning")
        if reasoning and isinstance(reasoning, str):
            events.append(ReasoningDelta(_sendable(reasoning)))
        text = delta.get("content")
        if text:
            if not isinstance(text, str):
                raise self._nonsense("content that is not text")
            if self._finish_reason is not None:
                raise self._nonsense("more text after the end of its answer")
            events.append(TextDelta(text))
        refusal = delta.get("refusal")
        if refusal and isinstance(refusal, str):
            self._refusal = (self._refusal + refusal)[:_MAX_REFUSAL_CHARS]

    def _read_finish_reason(self, reason: object) -> None:
        known = _FINISH_REASONS.get(reason) if isinstance(reason, str) else None
        if known is None:
            raise self._nonsense(f"an answer that ended with {quote(str(reason), key=self._key)!r}")
        self._finish_reason = known

    def _reported_error(self, chunk: dict[str, object]) -> Exception:
        complaint = complaint_from_json(chunk)
        if complaint is None:
            return self._nonsense("an error without words")
        return model_error(complaint, provider=self._provider, model=self._model, key=self._key)

    def _nonsense(self, what: str) -> ModelProtocolError:
        return self._error(f"{self._provider} sent {what}")

    def _error(self, message: str) -> ModelProtocolError:
        return ModelProtocolError(message, provider=self._provider, model=self._model)


def _loaded(data: bytes) -> object:
    """Read JSON; half of a surrogate pair stays, since a provider may cut a character in two and send both halves.

    Raises:
        ValueError: It is not JSON.
        RecursionError: It is nested too deeply.
    """
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        if b"\\u" not in data:
            raise
        return json.loads(data.decode("utf-8"))


def _sendable(text: str) -> str:
    """Mend text that UTF-8 cannot carry: half of a surrogate pair, which JSON lets an editor or a provider send."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def _usage(value: object) -> Usage:
    usage = value if isinstance(value, dict) else {}
    return Usage(
        input_tokens=_count(usage, "prompt_tokens"),
        output_tokens=_count(usage, "completion_tokens"),
        cached_tokens=_count(usage.get("prompt_tokens_details"), "cached_tokens"),
        reasoning_tokens=_count(usage.get("completion_tokens_details"), "reasoning_tokens"),
    )


def _count(counts: object, name: str) -> int:
    value = counts.get(name) if isinstance(counts, dict) else None
    return value if isinstance(value, int) and 0 <= value <= _MAX_TOKENS else 0

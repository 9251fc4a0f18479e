"""OpenAI-compatible Chat Completions: requests to JSON, streamed JSON to model events.

Source: OpenAI API reference, "Chat Completions"; the vendors' pages for their extensions.
"""

from __future__ import annotations

from typing import Final, Literal, NotRequired, TypedDict

import orjson

from twospeed.models.base import FinishReason, ModelEvent, ModelRequest, Usage

from .decoder import NO_REASON, JsonDecoder, count, fields_of, sendable

TokenLimitField = Literal["max_tokens", "max_completion_tokens"]

_DONE: Final = b"[DONE]"
FINISH_REASONS: Final[dict[str, FinishReason]] = {
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
    prediction: NotRequired[dict[str, str]]


def encode_request(request: ModelRequest, *, model: str, limit_field: TokenLimitField) -> bytes:
    """Return the body of ``POST …/chat/completions`` as UTF-8 JSON."""
    body: _ChatRequest = {
        "model": model,
        "messages": [
            {"role": message.role, "content": sendable(message.content)} for message in request.messages
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
    if request.predicts and request.task.sent_text.strip():
        body["prediction"] = {"type": "content", "content": sendable(request.task.sent_text)}
    return orjson.dumps(body)


class ChatDecoder(JsonDecoder):
    """Decode the events of one response; see `JsonDecoder`."""

    def receive_event(self, data: bytes) -> list[ModelEvent]:
        """See `Decoder`."""
        if data == _DONE:
            self._is_done = True
            return []
        return super().receive_event(data)

    def _read(self, event: dict[str, object]) -> list[ModelEvent]:
        events: list[ModelEvent] = []
        choices = event.get("choices")
        if choices:
            events += self._read_choices(choices)
        usage = event.get("usage")  # it follows the finish reason
        if usage is not None:
            events += self._bill(_usage(usage))
        return events

    def _read_choices(self, choices: object) -> list[ModelEvent]:
        choice = choices[0] if isinstance(choices, list) else None
        if not isinstance(choice, dict):
            raise self._violation("choices that are not objects")
        delta = fields_of(choice.get("delta"))
        # llama.cpp and DeepSeek send `reasoning_content`; Groq, Cerebras, OpenRouter, Ollama and vLLM `reasoning`.
        events = self._reasoning(delta.get("reasoning_content") or delta.get("reasoning"))
        events += self._text(delta.get("content"))
        self._add_refusal(delta.get("refusal"))
        reason = choice.get("finish_reason")
        if reason not in NO_REASON:
            self._end(reason, FINISH_REASONS)
        return events


def _usage(usage: object) -> Usage:
    # Some providers exclude reasoning from the completion; the total shows whether they do.
    counts = fields_of(usage)
    n_prompt, n_answer = count(counts, "prompt_tokens"), count(counts, "completion_tokens")
    n_reasoning = count(counts.get("completion_tokens_details"), "reasoning_tokens")
    if count(counts, "total_tokens") == n_prompt + n_answer + n_reasoning:
        n_answer += n_reasoning
    details = counts.get("prompt_tokens_details")
    return Usage(
        input_tokens=n_prompt,
        output_tokens=n_answer,
        cached_tokens=count(details, "cached_tokens"),
        reasoning_tokens=n_reasoning,
        cache_write_tokens=count(details, "cache_write_tokens"),
    )

"""Anthropic's Messages: requests to JSON, streamed JSON to model events.

Source: Anthropic API reference, "Messages" and "Streaming messages"; guides "Thinking", "Effort", "Prompt
caching".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, NotRequired, TypedDict

import orjson

from twospeed.models.base import FinishReason, ModelEvent, ModelRequest, Usage

from .decoder import NO_REASON, JsonDecoder, RequestInfo, count, fields_of, index_in, sendable

# Value of the required header ``anthropic-version``.
VERSION: Final = "2023-06-01"

_FINISH_REASONS: Final[dict[str, FinishReason]] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refusal",
}
_COUNTS: Final = (
    "input_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
    "output_tokens",
    "output_tokens_details",
)


class _TextBlock(TypedDict):
    type: Literal["text"]
    text: str
    cache_control: NotRequired[dict[str, str]]


class _Turn(TypedDict):
    role: str
    content: list[_TextBlock]


class _MessagesRequest(TypedDict):
    model: str
    max_tokens: int
    messages: list[_Turn]
    system: NotRequired[list[_TextBlock]]
    thinking: NotRequired[dict[str, str]]
    output_config: NotRequired[dict[str, str]]


def encode_request(request: ModelRequest, *, model: str) -> bytes:
    """Return the body of ``POST …/messages`` as UTF-8 JSON."""
    return orjson.dumps({**_body(request, model), "stream": True})


def encode_warm_up(request: ModelRequest, *, model: str) -> bytes | None:
    """Return a request that only caches the prompt, or None; its response is one JSON object."""
    # A prompt cached without thinking is not found by a request with thinking.
    if request.effort not in (None, "none"):
        return None
    # Source: guide "Prompt caching", `max_tokens: 0`.
    return orjson.dumps({**_body(request, model), "max_tokens": 0})


def usage_in(answer: object) -> Usage:
    """Return the usage of a response that is one JSON object."""
    return _usage(fields_of(fields_of(answer).get("usage")))


def _body(request: ModelRequest, model: str) -> _MessagesRequest:
    system = [_block(message.content) for message in request.messages if message.role == "system"]
    turns: list[_Turn] = [
        {"role": message.role, "content": [_block(part) for part in message.parts]}
        for message in request.messages
        if message.role != "system"
    ]
    _mark_for_cache(system)
    _mark_for_cache([block for turn in turns[:-1] for block in turn["content"]])
    if request.messages and request.messages[-1].n_stable:  # the mark is after the stable block
        _mark_for_cache(turns[-1]["content"][:1])
    body: _MessagesRequest = {
        "model": model,
        "max_tokens": request.max_output_tokens,
        "messages": turns,
    }
    if system:
        body["system"] = system
    if request.effort == "none":
        body["thinking"] = {"type": "disabled"}  # models that always think refuse this
    elif request.effort is not None:
        # The model decides how much to think. Newer models omit the summary unless it is requested.
        body["thinking"] = {"type": "adaptive", "display": "summarized"}
        body["output_config"] = {"effort": request.effort}
    return body


class MessagesDecoder(JsonDecoder):
    """Decode the events of one response; see `JsonDecoder`."""

    def __init__(self, request_info: RequestInfo) -> None:
        super().__init__(request_info)
        self._not_text: set[int] = set()
        self._usage: dict[str, object] = {}

    def _read(self, event: dict[str, object]) -> list[ModelEvent]:
        match event.get("type"):
            case "content_block_delta":
                return self._read_delta(event)
            case "content_block_start":
                return self._read_block(event)
            case "message_start":
                return self._read_usage(fields_of(event.get("message")).get("usage"))
            case "message_delta":
                self._read_ending(fields_of(event.get("delta")))
                return self._read_usage(event.get("usage"))
            case "message_stop":
                self._is_done = True
            case _:
                pass
        return []

    def _read_block(self, event: dict[str, object]) -> list[ModelEvent]:
        index, block = index_in(event, "index"), fields_of(event.get("content_block"))
        if block.get("type") == "text":
            self._not_text.discard(index)
            return self._text(block.get("text"))
        self._not_text.add(index)
        return self._reasoning(block.get("thinking"))

    def _read_delta(self, event: dict[str, object]) -> list[ModelEvent]:
        delta = fields_of(event.get("delta"))
        match delta.get("type"):
            case "text_delta" if index_in(event, "index") not in self._not_text:
                return self._text(delta.get("text"))
            case "thinking_delta":
                return self._reasoning(delta.get("thinking"))
            case _:
                return []

    def _read_ending(self, delta: dict[str, object]) -> None:
        reason = delta.get("stop_reason")
        if reason not in NO_REASON:
            self._end(reason, _FINISH_REASONS)
        if reason == "refusal":
            self._add_refusal(fields_of(delta.get("stop_details")).get("explanation"))

    def _read_usage(self, value: object) -> list[ModelEvent]:
        if not isinstance(value, dict):
            return []
        # Two cumulative events have the usage, and each may omit fields.
        self._usage |= {name: value[name] for name in _COUNTS if value.get(name) is not None}
        return self._bill(_usage(self._usage))


def _usage(counts: dict[str, object]) -> Usage:
    cached = count(counts, "cache_read_input_tokens")
    written = count(counts, "cache_creation_input_tokens")
    return Usage(
        # `input_tokens` excludes cached tokens.
        input_tokens=count(counts, "input_tokens") + cached + written,
        output_tokens=count(counts, "output_tokens"),
        cached_tokens=cached,
        reasoning_tokens=count(counts.get("output_tokens_details"), "thinking_tokens"),
        cache_write_tokens=written,
    )


def _block(text: str) -> _TextBlock:
    return {"type": "text", "text": sendable(text)}


def _mark_for_cache(blocks: Sequence[_TextBlock]) -> None:
    if blocks:
        blocks[-1]["cache_control"] = {"type": "ephemeral"}

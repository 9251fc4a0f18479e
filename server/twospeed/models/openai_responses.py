"""Speak OpenAI's Responses: requests to JSON, streamed JSON to model events. No I/O.

The last event of an answer is ``response.completed``, ``response.incomplete``, ``response.failed`` or ``error``; a
stream without one is broken off. A message that the model calls commentary is talk on the way, not the answer.
Not asked for: a low ``text.verbosity``, which would have the model leave lines out; a summary of the reasoning, which
OpenAI refuses to organizations it has not verified; storing what was said.
Source: OpenAI API reference, "Responses" and its streaming events.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Final, Literal, NotRequired, TypedDict

import orjson

from .base import FinishReason, ModelEvent, ModelRequest, Usage
from .decoder import Asked, JsonDecoder, count, fields_of, index_in, sendable

_INCOMPLETE: Final[dict[str, FinishReason]] = {
    "max_output_tokens": "length",
    "content_filter": "content_filter",
}
_BETWEEN_PARTS: Final = "\n\n"


class _Item(TypedDict):
    type: Literal["message"]
    role: str
    content: str


class _ResponsesRequest(TypedDict):
    model: str
    input: list[_Item]
    max_output_tokens: int
    store: Literal[False]
    prompt_cache_key: str
    instructions: NotRequired[str]
    reasoning: NotRequired[dict[str, str]]


def encode_request(request: ModelRequest, *, model: str) -> bytes:
    """Write the body of ``POST …/responses``.

    Args:
        request: What to ask for.
        model: Name of the model, as the provider knows it.

    Returns:
        UTF-8 JSON.
    """
    return orjson.dumps({**_create(request, model), "stream": True})


def encode_message(request: ModelRequest, *, model: str, stream_id: str) -> bytes:
    """Write the same as a message of the WebSocket, to be answered on the lane ``stream_id``."""
    return orjson.dumps({"type": "response.create", "stream_id": stream_id, **_create(request, model)})


def _create(request: ModelRequest, model: str) -> _ResponsesRequest:
    instructions = "\n\n".join(
        sendable(message.content) for message in request.messages if message.role == "system"
    )
    items: list[_Item] = [
        {"type": "message", "role": message.role, "content": sendable(message.content)}
        for message in request.messages
        if message.role != "system"
    ]
    body: _ResponsesRequest = {
        "model": model,
        "input": items,
        "max_output_tokens": request.max_output_tokens,
        "store": False,
        "prompt_cache_key": _cache_key([instructions, *(item["content"] for item in items[:-1])]),
    }
    if instructions:
        body["instructions"] = instructions
    if request.effort is not None:
        body["reasoning"] = {"effort": request.effort}
    return body


class ResponsesDecoder(JsonDecoder):
    """Turn the data of one answer's events into model events; see `JsonDecoder`."""

    def __init__(self, asked: Asked) -> None:
        super().__init__(asked)
        self._commentary: set[int] = set()

    def _read(self, event: dict[str, object]) -> list[ModelEvent]:
        match event.get("type"):
            case "response.output_text.delta":
                is_aside = self._commentary and index_in(event, "output_index") in self._commentary
                return self._reasoning(event.get("delta")) if is_aside else self._text(event.get("delta"))
            case "response.reasoning_summary_text.delta" | "response.reasoning_text.delta":
                return self._reasoning(event.get("delta"))
            case "response.reasoning_summary_part.added" if event.get("summary_index"):
                return self._reasoning(_BETWEEN_PARTS)
            case "response.refusal.delta":
                self._add_refusal(event.get("delta"))
            case "response.output_item.added":
                if fields_of(event.get("item")).get("phase") == "commentary":
                    self._commentary.add(index_in(event, "output_index"))
            case "response.completed" | "response.incomplete" as name:
                return self._read_last(name, fields_of(event.get("response")))
            case "response.failed":
                raise self._reported_error({"error": fields_of(event.get("response")).get("error")})
            case "error":
                raise self._reported_error({**event, "error": event})
            case _:
                pass
        return []

    def _read_last(self, name: str, response: dict[str, object]) -> list[ModelEvent]:
        if name == "response.completed":
            self._finish_reason = "stop"
        else:
            self._end(fields_of(response.get("incomplete_details")).get("reason"), _INCOMPLETE)
        self._is_done = True
        usage = response.get("usage")
        if not isinstance(usage, dict):
            return []
        return self._bill(
            Usage(
                input_tokens=count(usage, "input_tokens"),
                output_tokens=count(usage, "output_tokens"),
                cached_tokens=count(usage.get("input_tokens_details"), "cached_tokens"),
                reasoning_tokens=count(usage.get("output_tokens_details"), "reasoning_tokens"),
            )
        )


def _cache_key(stable: list[str]) -> str:
    """Name the part of a prompt that stays the same, so that requests that share it come to where it is cached."""
    digest = blake2b("\0".join(stable).encode(), digest_size=8)
    return f"twospeed-{digest.hexdigest()}"

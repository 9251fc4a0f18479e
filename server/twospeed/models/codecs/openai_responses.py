"""OpenAI's Responses: requests to JSON, streamed JSON to model events.

Source: OpenAI API reference, "Responses" and its streaming events.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Final, Literal, NotRequired, TypedDict

import orjson

from twospeed.models.base import FinishReason, ModelEvent, ModelRequest, Usage

from .decoder import JsonDecoder, RequestInfo, count, fields_of, index_in, sendable

_INCOMPLETE: Final[dict[str, FinishReason]] = {
    "max_output_tokens": "length",
    "content_filter": "content_filter",
}
_BETWEEN_PARTS: Final = "\n\n"

# OpenAI refuses a lower limit.
LEAST_OUTPUT_TOKENS: Final = 16


class Item(TypedDict):
    """One message of the input."""

    type: Literal["message"]
    role: str
    content: str


class ResponsesFields(TypedDict):
    """A request without its input and its token limit."""

    model: str
    store: Literal[False]
    prompt_cache_key: str
    instructions: NotRequired[str]
    reasoning: NotRequired[dict[str, str]]


def encode_request(request: ModelRequest, *, model: str, splits: bool) -> bytes:
    """Return the body of ``POST …/responses`` as UTF-8 JSON.

    ``splits`` makes the stable part a message of its own, which chat templates of self-hosted models may not
    allow.
    """
    return orjson.dumps(_body(request, model, splits=splits))


def encode_warm_up(request: ModelRequest, *, model: str) -> bytes:
    """Return a request that only caches the prompt; a model without this feature refuses it."""
    # A model that ignores the option writes at most the minimum.
    # Source: guide "Prompt caching", `prompt_cache_options.prewarm`.
    body = _body(request, model, splits=True)
    return orjson.dumps(
        {**body, "max_output_tokens": LEAST_OUTPUT_TOKENS, "prompt_cache_options": {"prewarm": True}}
    )


def fields_in(request: ModelRequest, *, model: str) -> ResponsesFields:
    """Return a request without its input and its token limit."""
    instructions = _instructions(request)
    # Not requested: low `text.verbosity`, which makes the model omit lines; a reasoning summary, which OpenAI refuses
    # to unverified organizations.
    fields: ResponsesFields = {
        "model": model,
        "store": False,
        "prompt_cache_key": _cache_key(
            [instructions, *(item["content"] for item in _one_item_per_message(request)[:-1])]
        ),
    }
    if instructions:
        fields["instructions"] = instructions
    if request.effort is not None:
        fields["reasoning"] = {"effort": request.effort}
    return fields


def items_in(request: ModelRequest) -> list[Item]:
    """Return the input of a request; the stable part of a message is a message of its own."""
    return [
        _item(message.role, part)
        for message in request.messages
        if message.role != "system"
        for part in message.parts
    ]


def _body(request: ModelRequest, model: str, *, splits: bool) -> dict[str, object]:
    return {
        **fields_in(request, model=model),
        # If split, a request for the stable part alone is a prefix of this one.
        "input": items_in(request) if splits else _one_item_per_message(request),
        "max_output_tokens": request.max_output_tokens,
        "stream": True,
    }


def _one_item_per_message(request: ModelRequest) -> list[Item]:
    return [_item(each.role, each.content) for each in request.messages if each.role != "system"]


def _item(role: str, text: str) -> Item:
    return {"type": "message", "role": role, "content": sendable(text)}


def _instructions(request: ModelRequest) -> str:
    return "\n\n".join(sendable(message.content) for message in request.messages if message.role == "system")


class ResponsesDecoder(JsonDecoder):
    """Decode the events of one response; see `JsonDecoder`."""

    def __init__(self, request_info: RequestInfo) -> None:
        super().__init__(request_info)
        self._commentary: set[int] = set()

    def _read(self, event: dict[str, object]) -> list[ModelEvent]:
        match event.get("type"):
            case "response.output_text.delta":
                is_commentary = self._commentary and index_in(event, "output_index") in self._commentary
                return (
                    self._reasoning(event.get("delta")) if is_commentary else self._text(event.get("delta"))
                )
            case "response.reasoning_summary_text.delta" | "response.reasoning_text.delta":
                return self._reasoning(event.get("delta"))
            case "response.reasoning_summary_part.added" if event.get("summary_index"):
                return self._reasoning(_BETWEEN_PARTS)
            case "response.refusal.delta":
                self._add_refusal(event.get("delta"))
            case "response.output_item.added":
                if fields_of(event.get("item")).get("phase") == "commentary":
                    # It is reasoning, not the answer.
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
                cache_write_tokens=count(usage.get("input_tokens_details"), "cache_write_tokens"),
            )
        )


def _cache_key(stable: list[str]) -> str:
    # Requests that share the stable part of a prompt reach the same cache.
    digest = blake2b("\0".join(stable).encode(), digest_size=8)
    return f"twospeed-{digest.hexdigest()}"

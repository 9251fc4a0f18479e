"""Completions for fill-in-the-middle: requests to JSON, streamed JSON to model events.

Sources: OpenAI API reference, "Completions"; the pages of llama.cpp, vLLM, Ollama and Mistral, whose events have a ``delta``.
"""

from __future__ import annotations

from typing import NotRequired, TypedDict

import orjson

from twospeed.models.base import ModelEvent, ModelRequest
from twospeed.models.catalog.infill import infill_tokens
from twospeed.models.http.endpoints import Origin

from .decoder import NO_REASON, sendable
from .openai_chat import FINISH_REASONS, ChatDecoder


class _CompletionsRequest(TypedDict):
    model: str
    prompt: str
    suffix: NotRequired[str]
    stop: NotRequired[list[str]]
    max_tokens: int
    temperature: float
    stream: bool
    stream_options: NotRequired[dict[str, bool]]


def encode_request(request: ModelRequest, *, model: str, origin: Origin) -> bytes:
    """Return the body of ``POST …/completions`` as UTF-8 JSON, for a request with ``infill``."""
    assert request.infill
    prefix, suffix = sendable(request.infill.prefix), sendable(request.infill.suffix)
    body: _CompletionsRequest = {
        "model": model,
        "prompt": prefix,
        "max_tokens": request.max_output_tokens,
        "temperature": 0.0,  # the most likely code; other values make suggestions vary between keystrokes
        "stream": True,
    }
    if not origin.host.endswith("mistral.ai"):  # it always reports the usage
        body["stream_options"] = {"include_usage": True}
    if tokens := infill_tokens(model, origin):
        body["prompt"] = f"{tokens.prefix}{prefix}{tokens.suffix}{suffix}{tokens.middle}"
        body["stop"] = [*tokens.ends]
    elif suffix:
        body["suffix"] = suffix
    return orjson.dumps(body)


class CompletionsDecoder(ChatDecoder):
    """Decode the events of one response; see `JsonDecoder`."""

    def _read_choices(self, choices: object) -> list[ModelEvent]:
        choice = choices[0] if isinstance(choices, list) else None
        if not isinstance(choice, dict):
            raise self._violation("choices that are not objects")
        if "delta" in choice:
            return super()._read_choices(choices)
        reason = choice.get("finish_reason")
        events = self._text(choice.get("text"))
        if reason not in NO_REASON:
            self._end(reason, FINISH_REASONS)
        return events

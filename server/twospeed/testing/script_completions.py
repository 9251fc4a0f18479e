"""Encode a script as Completions."""

from __future__ import annotations

from collections.abc import Iterator

from .script import Script, Step, event, steps_of
from .script_chat import usage_of


def streamed(script: Script, *, model: str, with_usage: bool) -> Iterator[Step]:
    """Yield the events of a streamed answer, with its faults."""
    ending = [event(_chunk(model, "", script.finish_reason))]
    if with_usage:
        ending.append(event({**_chunk(model, ""), "choices": [], "usage": usage_of(script)}))
    tokens = (event(_chunk(model, piece)) for piece in script.pieces_of(script.text))
    return steps_of(script, tokens=tokens, ending=[*ending, b"data: [DONE]\n\n"])


def unstreamed(script: Script, *, model: str) -> dict[str, object]:
    """Return the answer as one JSON object."""
    return {**_chunk(model, script.text, script.finish_reason), "usage": usage_of(script)}


def _chunk(model: str, text: str, finish_reason: str | None = None) -> dict[str, object]:
    return {
        "id": "cmpl-scripted",
        "object": "text_completion",
        "created": 0,
        "model": model,
        "choices": [{"index": 0, "text": text, "logprobs": None, "finish_reason": finish_reason}],
    }

"""Encode a script as Chat Completions."""

from __future__ import annotations

from collections.abc import Iterator

from .script import Script, Step, event, steps_of


def streamed(script: Script, *, model: str, with_usage: bool) -> Iterator[Step]:
    """Yield the events of a streamed answer, with its faults."""
    return steps_of(
        script, tokens=_tokens(script, model), ending=_ending(script, model, with_usage=with_usage)
    )


def _tokens(script: Script, model: str) -> Iterator[bytes]:
    role = {"role": "assistant"}
    for field, text in (
        (script.reasoning_field, script.reasoning),
        ("refusal", script.refusal),
        ("content", script.text),
    ):
        for piece in script.pieces_of(text):
            yield event(_chunk(model, {**role, field: piece}))
            role = {}


def _ending(script: Script, model: str, *, with_usage: bool) -> Iterator[bytes]:
    yield event(_chunk(model, {}, script.finish_reason))
    if with_usage:
        yield event({**_chunk(model, {}), "choices": [], "usage": usage_of(script)})
    yield b"data: [DONE]\n\n"


def unstreamed(script: Script, *, model: str) -> dict[str, object]:
    """Return the answer as one JSON object."""
    message = {"role": "assistant", "content": script.text, "refusal": script.refusal or None}
    return {
        **_chunk(model, {}),
        "object": "chat.completion",
        "choices": [{"index": 0, "message": message, "finish_reason": script.finish_reason}],
        "usage": usage_of(script),
    }


def _chunk(model: str, delta: dict[str, str], finish_reason: str | None = None) -> dict[str, object]:
    return {
        "id": "chatcmpl-scripted",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": model,
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}],
    }


def usage_of(script: Script) -> dict[str, object]:
    """Return the usage that the script reports."""
    return {
        "prompt_tokens": script.input_tokens,
        "completion_tokens": script.output_tokens,
        "total_tokens": script.input_tokens + script.output_tokens,
        "prompt_tokens_details": {"cached_tokens": script.cached_tokens},
        "completion_tokens_details": {"reasoning_tokens": script.reasoning_tokens},
    }

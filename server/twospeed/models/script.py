"""Describe an answer that a scripted provider gives, and write it as Chat Completions. No I/O, no clock.

A script's faults are the ways real endpoints fail. `scripted_server` puts this on a socket.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import orjson

from .scripted import cut_into_tokens

PING = b": ping\n\n"
"""A comment, as servers send to keep a connection open."""


@dataclass(frozen=True, slots=True)
class Reply:
    """Answer with this instead: an error status, a redirect, HTML, JSON where a stream was asked for."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class Hang:
    """Send nothing more after so many tokens, and keep the connection; ``None`` sends not even a head."""

    after_tokens: int | None = 0


@dataclass(frozen=True, slots=True)
class Drop:
    """Cut the connection after so many tokens; ``None`` cuts it without a head."""

    after_tokens: int | None = 0


@dataclass(frozen=True, slots=True)
class Inject:
    """Send these bytes after so many tokens, then go on: pings, error events, broken JSON, endless lines."""

    data: bytes
    after_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Token:
    """One event of an answer, as bytes; it takes its time."""

    data: bytes


Fault = Reply | Hang | Drop | Inject
Step = Token | Hang | Drop | Inject


@dataclass(frozen=True, slots=True)
class Script:
    """One answer.

    Attributes:
        text: What to say, cut into token-like pieces by ``seed``.
        reasoning: What to think before it, in the field ``reasoning_field``.
        refusal: What to say instead, in refusal deltas.
        finish_reason: How it ends; ``None`` ends the stream without a word on it.
        tokens_per_second: Held on average; 0 is as fast as can be.
        first_token_s: Time before the first token.
        input_tokens: Reported in the usage.
        seed: Of the pieces.
        faults: What goes wrong.
    """

    text: str = ""
    reasoning: str = ""
    reasoning_field: str = "reasoning_content"
    refusal: str = ""
    finish_reason: str | None = "stop"
    tokens_per_second: float = 0.0
    first_token_s: float = 0.0
    input_tokens: int = 100
    seed: int = 0
    faults: tuple[Fault, ...] = ()


def error_event(message: str, *, code: str | int = "server_error") -> bytes:
    """Make the event by which providers report a failure in the middle of an answer."""
    return _event({"error": {"message": message, "type": "server_error", "code": code}})


def streamed(script: Script, *, model: str, with_usage: bool) -> Iterator[Step]:
    """Give a streamed answer's events in order, with the faults where they belong."""
    deltas = _deltas(script)
    for sent, delta in enumerate(deltas):
        yield from _faults(script, sent, sent)
        yield Token(_event(_chunk(model, delta)))
    yield from _faults(script, len(deltas), sys.maxsize)
    if script.finish_reason is None:
        return
    yield Inject(_event(_chunk(model, {}, script.finish_reason)))
    if with_usage:
        yield Inject(_event({**_chunk(model, {}), "choices": [], "usage": _usage(script)}))
    yield Inject(b"data: [DONE]\n\n")


def unstreamed(script: Script, *, model: str) -> dict[str, object]:
    """Give the same answer as one JSON object, for a client that did not ask for a stream."""
    message = {"role": "assistant", "content": script.text, "refusal": script.refusal or None}
    return {
        **_chunk(model, {}),
        "object": "chat.completion",
        "choices": [{"index": 0, "message": message, "finish_reason": script.finish_reason}],
        "usage": _usage(script),
    }


def _faults(script: Script, first: int, last: int) -> Iterator[Step]:
    for fault in script.faults:
        if isinstance(fault, Hang | Drop | Inject) and first <= (fault.after_tokens or 0) <= last:
            yield fault


def _deltas(script: Script) -> list[dict[str, str]]:
    parts = (
        (script.reasoning_field, script.reasoning),
        ("refusal", script.refusal),
        ("content", script.text),
    )
    pieces = [{name: piece} for name, text in parts for piece in cut_into_tokens(text, seed=script.seed)]
    return [{"role": "assistant", **piece} if index == 0 else piece for index, piece in enumerate(pieces)]


def _chunk(model: str, delta: dict[str, str], finish_reason: str | None = None) -> dict[str, object]:
    return {
        "id": "chatcmpl-scripted",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": model,
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}],
    }


def _usage(script: Script) -> dict[str, object]:
    reasoning_tokens = len(cut_into_tokens(script.reasoning, seed=script.seed))
    output_tokens = len(_deltas(script))
    return {
        "prompt_tokens": script.input_tokens,
        "completion_tokens": output_tokens,
        "total_tokens": script.input_tokens + output_tokens,
        "prompt_tokens_details": {"cached_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": reasoning_tokens},
    }


def _event(value: object) -> bytes:
    return b"data: " + orjson.dumps(value) + b"\n\n"

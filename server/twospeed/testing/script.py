"""Describe an answer that a scripted provider gives. No I/O, no clock.

A script's faults are the ways real endpoints fail. `script_chat`, `script_messages` and `script_responses` write it
in a provider's protocol, `scripted_server` puts that on a socket.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import orjson

from .scripted_model import cut_into_tokens

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
    """Cut the connection after so many tokens; ``None`` cuts it without a head.

    A WebSocket is closed with ``code`` where there is one, else it is cut too.
    """

    after_tokens: int | None = 0
    code: int | None = None


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
        reasoning: What to think before it.
        reasoning_field: Where Chat Completions have it.
        refusal: What to say instead.
        finish_reason: How it ends, in the words of Chat Completions; another protocol's own word is sent as it is,
            ``None`` ends the stream without a word on it.
        tokens_per_second: Held on average; 0 is as fast as can be.
        first_token_s: Time before the first token.
        input_tokens: Reported in the usage.
        cached_tokens: How many of them came from a cache.
        cache_write_tokens: How many were written to one.
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
    cached_tokens: int = 0
    cache_write_tokens: int = 0
    seed: int = 0
    faults: tuple[Fault, ...] = ()

    def pieces_of(self, text: str) -> list[str]:
        """Cut a part of the answer into tokens."""
        return cut_into_tokens(text, seed=self.seed)

    @property
    def reasoning_tokens(self) -> int:
        """Tokens that are thought."""
        return len(self.pieces_of(self.reasoning))

    @property
    def output_tokens(self) -> int:
        """Tokens in all."""
        return sum(len(self.pieces_of(text)) for text in (self.reasoning, self.refusal, self.text))


def error_event(message: str, *, code: str | int = "server_error") -> bytes:
    """Make the event by which providers report a failure in the middle of an answer."""
    return event({"error": {"message": message, "type": "server_error", "code": code}})


def event(value: object, *, name: str = "") -> bytes:
    """Write one server-sent event, with a name where its protocol gives it one."""
    line = b"event: %b\n" % name.encode() if name else b""
    return line + b"data: " + orjson.dumps(value) + b"\n\n"


def played(
    script: Script, *, head: Iterable[bytes] = (), tokens: Iterable[bytes], ending: Iterable[bytes]
) -> Iterator[Step]:
    """Put an answer's events in order, with the faults where they belong.

    Args:
        script: The answer.
        head: What comes before the first token.
        tokens: The events of each token.
        ending: What comes after the last one; left out where the script has no word on how it ends.
    """
    yield from map(Inject, head)
    sent = 0
    for sent, token in enumerate(tokens, 1):
        yield from _faults(script, sent - 1, sent - 1)
        yield Token(token)
    yield from _faults(script, sent, sys.maxsize)
    if script.finish_reason is not None:
        yield from map(Inject, ending)


def _faults(script: Script, first: int, last: int) -> Iterator[Step]:
    for fault in script.faults:
        if isinstance(fault, Hang | Drop | Inject) and first <= (fault.after_tokens or 0) <= last:
            yield fault

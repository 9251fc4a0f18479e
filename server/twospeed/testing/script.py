"""The script of one answer of a scripted provider; its faults are failures of real endpoints."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import orjson

from .scripted_model import cut_into_tokens

# An SSE comment, as servers send to keep a connection open.
PING = b": ping\n\n"


@dataclass(frozen=True, slots=True)
class Reply:
    """Send this instead: an error status, a redirect, HTML, or JSON instead of a stream."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class Hang:
    """Send nothing after so many tokens and keep the connection; None does not even send headers."""

    after_tokens: int | None = 0


@dataclass(frozen=True, slots=True)
class Drop:
    """Cut the connection after so many tokens; None cuts it before the headers."""

    after_tokens: int | None = 0
    code: int | None = None  # a WebSocket is closed with it


@dataclass(frozen=True, slots=True)
class Inject:
    """Send these bytes after so many tokens, then continue: a fault, or an event of the answer without a token."""

    data: bytes
    after_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Token:
    """The event that carries one token, as bytes, sent at the script's rate."""

    data: bytes


Fault = Reply | Hang | Drop | Inject
Step = Token | Hang | Drop | Inject


@dataclass(frozen=True, slots=True)
class Script:
    """One answer; its token counts are reported in the usage."""

    text: str = ""  # cut into token-like pieces by `seed`
    reasoning: str = ""
    reasoning_field: str = "reasoning_content"  # field of the reasoning in Chat Completions
    refusal: str = ""  # sent instead of an answer
    # as in Chat Completions; another protocol's value is sent unchanged; None drops all events after the last token,
    # also the usage
    finish_reason: str | None = "stop"
    tokens_per_second: float = 0.0  # average rate; 0 is unlimited
    first_token_s: float = 0.0
    input_tokens: int = 100
    cached_tokens: int = 0
    cache_write_tokens: int = 0
    seed: int = 0
    faults: tuple[Fault, ...] = ()

    def pieces_of(self, text: str) -> list[str]:
        """Cut text into tokens."""
        return cut_into_tokens(text, seed=self.seed)

    @property
    def reasoning_tokens(self) -> int:
        """Number of reasoning tokens."""
        return len(self.pieces_of(self.reasoning))

    @property
    def output_tokens(self) -> int:
        """Number of all output tokens."""
        return sum(len(self.pieces_of(text)) for text in (self.reasoning, self.refusal, self.text))


def error_event(message: str, *, code: str | int = "server_error") -> bytes:
    """Return the event that reports a failure within an answer."""
    return event({"error": {"message": message, "type": "server_error", "code": code}})


def event(value: object, *, name: str = "") -> bytes:
    """Return one server-sent event, with a name if its protocol has names."""
    line = b"event: %b\n" % name.encode() if name else b""
    return line + b"data: " + orjson.dumps(value) + b"\n\n"


def steps_of(
    script: Script, *, head: Iterable[bytes] = (), tokens: Iterable[bytes], ending: Iterable[bytes]
) -> Iterator[Step]:
    """Yield the events of an answer in order, with its faults."""
    yield from map(Inject, head)
    n_sent = 0
    for token in tokens:
        yield from _faults(script, n_sent, n_sent)
        yield Token(token)
        n_sent += 1
    yield from _faults(script, n_sent, sys.maxsize)  # also those after more tokens than the answer has
    if script.finish_reason is not None:
        yield from map(Inject, ending)


def _faults(script: Script, at_least: int, at_most: int) -> Iterator[Step]:
    for fault in script.faults:
        if not isinstance(fault, Reply):
            n_tokens = fault.after_tokens or 0  # the server handles None, before the headers, itself
            if at_least <= n_tokens <= at_most:
                yield fault

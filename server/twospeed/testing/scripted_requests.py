"""Requests to the scripted provider, and helpers for all of its protocols."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

import orjson
from aiohttp import web

from .script import Script

MODEL = "scripted"
_LIMITS = ("max_tokens", "max_completion_tokens", "max_output_tokens")
_CHARS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class RecordedRequest:
    """A request as received."""

    method: str
    path: str
    headers: dict[str, str]  # with names in lower case
    body: dict[str, object]  # `{}` without a JSON object
    client_port: int  # identifies the connection
    context: tuple[object, ...] = ()  # input that a WebSocket message continues

    @property
    def model(self) -> str:
        """The requested model."""
        return str(self.body.get("model", MODEL))

    @property
    def max_output_tokens(self) -> int | None:
        """The limit of output tokens."""
        limits = [value for name in _LIMITS if isinstance(value := self.body.get(name), int)]
        return limits[0] if limits else None

    @property
    def requests_no_output(self) -> bool:
        """Whether it requests no output."""
        options = self.body.get("prompt_cache_options")
        is_prewarmed = isinstance(options, dict) and options.get("prewarm") is True
        return self.body.get("generate") is False or is_prewarmed or self.max_output_tokens == 0

    @property
    def is_warm_up(self) -> bool:
        """Whether it only warms the prompt cache."""
        return self.requests_no_output or self.max_output_tokens == 1


def fit_to_request(script: Script, request: RecordedRequest) -> Script:
    """Reduce an answer to the output that the request allows."""
    if request.requests_no_output:
        reason = "length" if request.max_output_tokens == 0 else "stop"
        return replace(script, text="", reasoning="", refusal="", finish_reason=reason)
    if request.max_output_tokens == 1:
        return replace(script, text="x", reasoning="", refusal="", finish_reason="length")
    return script


class PromptCache:
    """Counts the tokens of prompts and of cached prefixes, at four characters for a token."""

    def __init__(self) -> None:
        self._kept: list[str] = []

    def counted(self, script: Script, request: RecordedRequest) -> Script:
        """Return a script with the counts of the request."""
        texts, marks = _texts_in(request)
        text = "".join(texts)
        if request.path.endswith("/messages"):
            # Anthropic matches prefixes that end at a mark; OpenAI and similar providers match any common prefix.
            n_cached = max((len(kept) for kept in self._kept if text.startswith(kept)), default=0)
            prefixes = ["".join(texts[: mark + 1]) for mark in marks]
            n_written = max([0, *(len(prefix) - n_cached for prefix in prefixes)])
        else:
            n_cached = max((_common_prefix_length(kept, text) for kept in self._kept), default=0)
            prefixes, n_written = [text], 0
        self._kept += prefixes
        return replace(
            script,
            input_tokens=len(text) // _CHARS_PER_TOKEN,
            cached_tokens=n_cached // _CHARS_PER_TOKEN,
            cache_write_tokens=n_written // _CHARS_PER_TOKEN,
        )


class Pace:
    """Keeps an average rate: each token is due at its time in the whole answer."""

    def __init__(self, script: Script) -> None:
        self._now = asyncio.get_running_loop().time
        self._due = self._now() + script.first_token_s
        self._interval_s = 1 / script.tokens_per_second if script.tokens_per_second else 0.0

    def next_delay_s(self) -> float:
        """Return the seconds until the next token is due, and advance to the one after it."""
        delay_s = self._due - self._now()
        self._due += self._interval_s
        return delay_s

    async def wait(self) -> None:
        """Wait until the next token is due."""
        if (delay_s := self.next_delay_s()) > 0:
            await asyncio.sleep(delay_s)


def close_connection(request: web.Request, response: web.StreamResponse) -> web.StreamResponse:
    """Close the connection within an answer."""
    if request.transport is not None:
        request.transport.close()
    return response


async def wait_forever() -> None:
    """Wait until the client disconnects, which cancels the handler."""
    await asyncio.get_running_loop().create_future()


def object_in(body: bytes) -> dict[str, object]:
    """Parse a JSON object; empty if there is none."""
    try:
        value: object = orjson.loads(body)
    except orjson.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) else {}


def _texts_in(request: RecordedRequest) -> tuple[list[str], list[int]]:
    texts: list[str] = []
    marks: list[int] = []

    def collect(value: object) -> None:
        if isinstance(value, str):
            texts.append(value)
        elif isinstance(value, list):
            for part in value:
                collect(part)
        elif isinstance(value, dict):
            collect(value.get("text", value.get("content")))
            if "cache_control" in value:
                marks.append(len(texts) - 1)

    for name in ("system", "instructions"):
        collect(request.body.get(name))
    collect(list(request.context))
    for name in ("messages", "input"):
        collect(request.body.get(name))
    return texts, marks


def _common_prefix_length(one: str, other: str) -> int:
    n_short = min(len(one), len(other))
    return next((index for index in range(n_short) if one[index] != other[index]), n_short)

"""What the scripted provider is asked, and what all of its ways to answer have in common."""

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
    """A request as it came.

    Attributes:
        headers: Names are in lower case.
        body: ``{}`` where there is no JSON object.
        client_port: Tells one connection from another.
        context: Input that a message of a WebSocket goes on from.
    """

    method: str
    path: str
    headers: dict[str, str]
    body: dict[str, object]
    client_port: int
    context: tuple[object, ...] = ()

    @property
    def model(self) -> str:
        """The model it asks for."""
        return str(self.body.get("model", MODEL))

    @property
    def limit(self) -> int | None:
        """How many tokens it asks for at most."""
        limits = [value for name in _LIMITS if isinstance(value := self.body.get(name), int)]
        return limits[0] if limits else None

    @property
    def wants_nothing(self) -> bool:
        """Whether it asks for no output at all."""
        options = self.body.get("prompt_cache_options")
        is_prewarmed = isinstance(options, dict) and options.get("prewarm") is True
        return self.body.get("generate") is False or is_prewarmed or self.limit == 0

    @property
    def is_warm_up(self) -> bool:
        """Whether it only has the prompt read."""
        return self.wants_nothing or self.limit == 1


def fitted(script: Script, request: RecordedRequest) -> Script:
    """Leave out of an answer what the request does not ask for."""
    if request.wants_nothing:
        reason = "length" if request.limit == 0 else "stop"
        return replace(script, text="", reasoning="", refusal="", finish_reason=reason)
    if request.limit == 1:
        return replace(script, text="x", reasoning="", refusal="", finish_reason="length")
    return script


class PromptCache:
    """Count the tokens of prompts, and how many of them were read before: four characters each.

    OpenAI and its likes find whatever two prompts begin with alike; Anthropic finds what ends at a mark.
    """

    def __init__(self) -> None:
        self._kept: list[str] = []

    def counted(self, script: Script, request: RecordedRequest) -> Script:
        """Give a script the counts of the request it answers."""
        texts, marks = _texts_in(request)
        text = "".join(texts)
        if request.path.endswith("/messages"):
            n_cached = max((len(kept) for kept in self._kept if text.startswith(kept)), default=0)
            prefixes = ["".join(texts[: mark + 1]) for mark in marks]
            n_written = max([0, *(len(prefix) - n_cached for prefix in prefixes)])
        else:
            n_cached = max((_n_alike(kept, text) for kept in self._kept), default=0)
            prefixes, n_written = [text], 0
        self._kept += prefixes
        return replace(
            script,
            input_tokens=len(text) // _CHARS_PER_TOKEN,
            cached_tokens=n_cached // _CHARS_PER_TOKEN,
            cache_write_tokens=n_written // _CHARS_PER_TOKEN,
        )


class Pace:
    """Hold an average rate: tokens are due by the clock of the whole answer, late ones are not waited for."""

    def __init__(self, script: Script) -> None:
        self._now = asyncio.get_running_loop().time
        self._due = self._now() + script.first_token_s
        self._interval_s = 1 / script.tokens_per_second if script.tokens_per_second else 0.0

    def delay_s(self) -> float:
        """Take the next token's turn; not above zero where it is due."""
        delay_s = self._due - self._now()
        self._due += self._interval_s
        return delay_s

    async def wait(self) -> None:
        """Wait for the next token's turn."""
        if (delay_s := self.delay_s()) > 0:
            await asyncio.sleep(delay_s)


def cut(request: web.Request, response: web.StreamResponse) -> web.StreamResponse:
    """Close the connection of an answer in the middle of it."""
    if request.transport is not None:
        request.transport.close()
    return response


async def for_ever() -> None:
    """Wait until the client leaves, which cancels the handler."""
    await asyncio.get_running_loop().create_future()


def object_in(body: bytes) -> dict[str, object]:
    """Read a JSON object; an empty one where there is none."""
    try:
        value: object = orjson.loads(body)
    except orjson.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) else {}


def _texts_in(request: RecordedRequest) -> tuple[list[str], list[int]]:
    """Give the texts of a prompt in their order, and which of them are marked for the cache."""
    texts: list[str] = []
    marks: list[int] = []

    def take(value: object) -> None:
        if isinstance(value, str):
            texts.append(value)
        elif isinstance(value, list):
            for part in value:
                take(part)
        elif isinstance(value, dict):
            take(value.get("text", value.get("content")))
            if "cache_control" in value:
                marks.append(len(texts) - 1)

    for name in ("system", "instructions"):
        take(request.body.get(name))
    take(list(request.context))
    for name in ("messages", "input"):
        take(request.body.get(name))
    return texts, marks


def _n_alike(one: str, other: str) -> int:
    n_short = min(len(one), len(other))
    return next((index for index in range(n_short) if one[index] != other[index]), n_short)

"""A model that plays a script in memory; `scripted_server` does so over a socket."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import AsyncGenerator, Sequence

from twospeed.models.base import Finished, FinishReason, ModelEvent, ModelRequest, TextDelta, Usage

# An event to yield, an error to raise, or an event to wait for.
Step = ModelEvent | Exception | asyncio.Event

_WORDS = re.compile(r" ?\w+|\s+|[^\w\s]+")
_LONGEST_PIECE = 8


class ScriptedModel:
    """Replays answers: each request gets the next one, and the last one is repeated."""

    def __init__(self, *answers: Sequence[Step], provider: str = "scripted", name: str = "scripted") -> None:
        self._answers = answers or ((Finished("stop"),),)
        self._provider = provider
        self._name = name
        self.requests: list[ModelRequest] = []
        self.closed = 0  # streams that ended, were closed or were cancelled

    @property
    def provider(self) -> str:
        """Provider's name."""
        return self._provider

    @property
    def name(self) -> str:
        """Model's name."""
        return self._name

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Replay one answer; waits for an `asyncio.Event`, raises an exception."""
        steps = self._answers[min(len(self.requests), len(self._answers) - 1)]
        self.requests.append(request)
        try:
            for step in steps:
                if isinstance(step, asyncio.Event):
                    await step.wait()
                elif isinstance(step, Exception):
                    raise step
                else:
                    await asyncio.sleep(0)  # like a socket, let other tasks run between two events
                    yield step
        finally:
            self.closed += 1

    async def warm(self, request: ModelRequest) -> None:
        """Do nothing."""

    def send_ahead(self, request: ModelRequest) -> None:
        """Do nothing."""


def scripted_answer(text: str, *, reason: FinishReason = "stop", seed: int = 0) -> list[ModelEvent]:
    """Return a complete answer: pieces of ``text``, usage and finish reason."""
    pieces = cut_into_tokens(text, seed=seed)
    usage = Usage(input_tokens=100, output_tokens=len(pieces))
    return [*(TextDelta(piece) for piece in pieces), usage, Finished(reason)]


def cut_into_tokens(text: str, *, seed: int = 0) -> list[str]:
    """Cut text like a tokenizer: words with the space before them, long ones in parts."""
    rng = random.Random(seed)  # noqa: S311  # the same seed gives the same pieces
    pieces: list[str] = []
    for match in _WORDS.finditer(text):
        word = match[0]
        while word:
            size = rng.randint(_LONGEST_PIECE // 2, _LONGEST_PIECE)
            pieces.append(word[:size])
            word = word[size:]
    return pieces

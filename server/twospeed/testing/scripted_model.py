"""Play a model from a script, in memory: for tests of other rooms and for demos.

The same words over a real socket are `scripted_server`.
"""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import AsyncGenerator, Sequence

from twospeed.models.base import Finished, FinishReason, ModelEvent, ModelRequest, TextDelta, Usage

Step = ModelEvent | Exception | asyncio.Event
"""An event to give out, an error to raise, or something to wait for."""

_WORDS = re.compile(r" ?\w+|\s+|[^\w\s]+")
_LONGEST_PIECE = 8


class ScriptedModel:
    """Replay answers: each request gets the next one, the last one serves all further requests.

    Attributes:
        requests: What was asked, in order.
        closed: How many streams have ended, been closed or been cancelled.
    """

    def __init__(self, *answers: Sequence[Step], provider: str = "scripted", name: str = "scripted") -> None:
        self._answers = answers or ((Finished("stop"),),)
        self._provider = provider
        self._name = name
        self.requests: list[ModelRequest] = []
        self.closed = 0

    @property
    def provider(self) -> str:
        """Provider's name."""
        return self._provider

    @property
    def name(self) -> str:
        """Model's name."""
        return self._name

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Replay one answer; an `asyncio.Event` in it is waited for, an exception is raised."""
        steps = self._answers[min(len(self.requests), len(self._answers) - 1)]
        self.requests.append(request)
        try:
            for step in steps:
                if isinstance(step, asyncio.Event):
                    await step.wait()
                elif isinstance(step, Exception):
                    raise step
                else:
                    await asyncio.sleep(0)  # as a socket would, let others run between two events
                    yield step
        finally:
            self.closed += 1

    async def warm(self, request: ModelRequest) -> None:
        """Keep nothing."""

    def send_ahead(self, request: ModelRequest) -> None:
        """Send nothing."""


def scripted_answer(text: str, *, reason: FinishReason = "stop", seed: int = 0) -> list[ModelEvent]:
    """Make a whole answer of ``text``: its pieces, a usage, an ending."""
    pieces = cut_into_tokens(text, seed=seed)
    usage = Usage(input_tokens=100, output_tokens=len(pieces))
    return [*(TextDelta(piece) for piece in pieces), usage, Finished(reason)]


def cut_into_tokens(text: str, *, seed: int = 0) -> list[str]:
    """Cut text into pieces the way models do: words with the space before them, long ones in parts.

    Returns:
        Pieces of 1 to 8 characters, about four on average for code; together they are ``text``.
    """
    rng = random.Random(seed)  # noqa: S311  # the same pieces every time is the point
    pieces: list[str] = []
    for match in _WORDS.finditer(text):
        word = match[0]
        while word:
            size = rng.randint(_LONGEST_PIECE // 2, _LONGEST_PIECE)
            pieces.append(word[:size])
            word = word[size:]
    return pieces

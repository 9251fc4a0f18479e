"""Read the answer of a model, with its times and tokens."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import aclosing

from twospeed.models.base import Finished, Model, ModelRequest, ReasoningDelta, TextDelta, Usage
from twospeed.prompt.budget import CHARS_PER_TOKEN

from .kept import SuggestionStats

MAX_ANSWER_CHARS = 32 * 1024
"""Characters of an answer; the rest is not read."""


class TimedReading:
    """Reads one answer."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._started = clock()
        self._first: float | None = None
        self._usage: Usage | None = None
        self._pieces: list[str] = []
        self._n_chars = 0
        self.end = ""

    @property
    def text(self) -> str:
        """The text of the answer."""
        return "".join(self._pieces)

    async def read(self, model: Model, request: ModelRequest) -> None:
        """Read the answer; raises ModelError."""
        async with aclosing(model.stream(request)) as events:
            async for event in events:
                match event:
                    case TextDelta(text):
                        self._first = self._first or self._clock()
                        self._pieces.append(text)
                        self._n_chars += len(text)
                    case Usage():
                        self._usage = event if event.input_tokens or event.output_tokens else None
                    case Finished(reason):
                        self.end = reason
                    case ReasoningDelta():
                        pass
                if self._n_chars > MAX_ANSWER_CHARS:
                    self.end = "length"
                    return

    def n_tokens(self, request: ModelRequest) -> int:
        """Return the tokens of the request, estimated if an answer has begun and the provider reported none."""
        if self._usage:
            return self._usage.input_tokens + self._usage.output_tokens
        if not self._n_chars:
            return 0
        sent = request.infill
        n_sent = len(sent.prefix) + len(sent.suffix) if sent else 0
        return (n_sent + self._n_chars) // CHARS_PER_TOKEN

    def stats(self) -> SuggestionStats:
        """Return the figures of a complete answer."""
        return SuggestionStats(
            None if self._first is None else (self._first - self._started) * 1000,
            (self._clock() - self._started) * 1000,
            self._usage.input_tokens if self._usage else None,
            self._usage.output_tokens if self._usage else None,
        )

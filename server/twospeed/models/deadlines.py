"""Put time limits around a model's stream.

Only text and reasoning count as content: pings, usage and empty events do not keep an answer alive. The time the
consumer takes between two events is its own; only `total_s` counts it. The limit on connecting is kept by the
connector (`http_session`), because only it knows when a connection is made.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

from twospeed.errors import ModelTimeout

from .base import Limits, Model, ModelEvent, ModelRequest, ReasoningDelta, TextDelta


class DeadlineModel:
    """A model that is not waited for longer than ``limits`` allow."""

    def __init__(self, model: Model, limits: Limits) -> None:
        self._model = model
        self._limits = limits

    @property
    def provider(self) -> str:
        """Provider's name."""
        return self._model.provider

    @property
    def name(self) -> str:
        """Model's name."""
        return self._model.name

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Ask for one answer; see `Model.stream`.

        Raises:
            ModelTimeout: The model was silent, or the answer went on, past a limit; ``limit`` names it.
        """
        loop = asyncio.get_running_loop()
        end = loop.time() + self._limits.total_s
        limit, left_s = "first_content_s", self._limits.first_content_s
        events = self._model.stream(request)
        try:
            while True:
                started = loop.time()
                due = started + left_s
                if started >= min(due, end):
                    raise self._timeout("total_s" if end <= due else limit)
                try:
                    async with asyncio.timeout_at(min(due, end)) as timer:
                        event = await anext(events, None)
                except TimeoutError:
                    if not timer.expired():
                        raise
                    raise self._timeout("total_s" if end <= due else limit) from None
                if event is None:
                    return
                if isinstance(event, (TextDelta, ReasoningDelta)):
                    limit, left_s = "content_gap_s", self._limits.content_gap_s
                else:
                    left_s -= loop.time() - started
                yield event
        finally:
            await events.aclose()

    def _timeout(self, limit: str) -> ModelTimeout:
        what = {
            "first_content_s": f"said nothing for {self._limits.first_content_s:g} seconds",
            "content_gap_s": f"fell silent for {self._limits.content_gap_s:g} seconds",
            "total_s": f"was not done after {self._limits.total_s:g} seconds",
        }[limit]
        return ModelTimeout(
            f"{self.name} {what} ({limit})", provider=self.provider, model=self.name, limit=limit
        )

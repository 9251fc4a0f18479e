"""Time limits for a model's stream, except for connecting (`http_session`).

Only text and reasoning count as content: pings, usage and empty events do not extend a limit.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable
from typing import Any, TypeVar

from twospeed.errors import ModelTimeout

from .base import Limits, Model, ModelEvent, ModelRequest, ReasoningDelta, TextDelta, Usage

EventT = TypeVar("EventT")


class DeadlineModel:
    """A model whose answers are limited by ``limits``."""

    def __init__(self, model: Model, limits: Limits) -> None:
        self._model = model
        self._limits = limits

    @property
    def provider(self) -> str:
        """See `Model`."""
        return self._model.provider

    @property
    def name(self) -> str:
        """See `Model`."""
        return self._model.name

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """See `Model.stream`; raises ModelTimeout with the name of the ``limit`` that has passed."""
        loop = asyncio.get_running_loop()
        end = loop.time() + self._limits.total_s
        limit, left_s = "first_content_s", self._limits.first_content_s
        events = self._model.stream(request)
        alarm = _Alarm()
        try:
            while True:
                started = loop.time()
                due = started + left_s
                if started >= min(due, end):
                    raise self._timeout("total_s" if end <= due else limit)
                try:
                    event = await alarm.limited(anext(events, None), min(due, end))
                except _DeadlinePassedError:
                    raise self._timeout("total_s" if end <= due else limit) from None
                if event is None:
                    return
                if isinstance(event, (TextDelta, ReasoningDelta)):
                    limit, left_s = "content_gap_s", self._limits.content_gap_s
                else:
                    left_s -= loop.time() - started
                yield event  # the time of the consumer counts for `total_s` only
        finally:
            alarm.close()
            await events.aclose()

    async def warm(self, request: ModelRequest) -> Usage | None:
        """See `Model.warm`; limited by ``first_content_s``."""
        try:
            async with asyncio.timeout(self._limits.first_content_s):
                return await self._model.warm(request)
        except TimeoutError:
            raise self._timeout("first_content_s") from None

    def send_ahead(self, request: ModelRequest) -> None:
        """See `Model.send_ahead`."""
        self._model.send_ahead(request)

    def _timeout(self, limit: str) -> ModelTimeout:
        what = {
            "first_content_s": f"sent nothing for {self._limits.first_content_s:g} seconds",
            "content_gap_s": f"stopped sending for {self._limits.content_gap_s:g} seconds",
            "total_s": f"did not finish within {self._limits.total_s:g} seconds",
        }[limit]
        return ModelTimeout(
            f"{self.name} {what} ({limit})", provider=self.provider, model=self.name, limit=limit
        )


class _DeadlinePassedError(Exception):
    """The deadline has passed."""


class _Alarm:
    """One timer for many waits, each with its own deadline.

    An answer is thousands of short waits. One timer for each would cost more than reading the events, so this
    one checks the current deadline when it fires.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._due = 0.0
        self._waiting: asyncio.Task[Any] | None = None
        self._has_fired = False
        self._timer: asyncio.TimerHandle | None = None

    async def limited(self, wait: Awaitable[EventT], due: float) -> EventT:
        """Await ``wait`` until ``due``, in the loop's time; raises _DeadlinePassedError."""
        task = asyncio.current_task()
        assert task
        n_cancels = task.cancelling()  # cancellations by others win
        self._due, self._waiting, self._has_fired = due, task, False
        if self._timer is None or self._timer.when() > due:
            self._set()
        try:
            return await wait
        except asyncio.CancelledError:
            if self._has_fired and task.cancelling() - 1 <= n_cancels:
                raise _DeadlinePassedError from None
            raise
        finally:
            self._waiting = None
            if self._has_fired:
                task.uncancel()

    def close(self) -> None:
        """Cancel the timer."""
        if self._timer is not None:
            self._timer.cancel()

    def _set(self) -> None:
        self.close()
        self._timer = self._loop.call_at(self._due, self._fire)

    def _fire(self) -> None:
        self._timer = None
        if self._waiting is None:
            return  # no wait is active; the next one sets the timer again
        if self._loop.time() < self._due:
            self._set()
        else:
            self._has_fired = True
            self._waiting.cancel()

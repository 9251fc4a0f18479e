"""Put time limits around a model's stream.

Only text and reasoning count as content: pings, usage and empty events do not keep an answer alive. The time the
consumer takes between two events is its own; only `total_s` counts it. The limit on connecting is kept by the
connector (`http_session`), because only it knows when a connection is made.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable
from typing import Any, TypeVar

from twospeed.errors import ModelTimeout

from .base import Limits, Model, ModelEvent, ModelRequest, ReasoningDelta, TextDelta, Usage

EventT = TypeVar("EventT")


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
        alarm = _Alarm()
        try:
            while True:
                started = loop.time()
                due = started + left_s
                if started >= min(due, end):
                    raise self._timeout("total_s" if end <= due else limit)
                try:
                    event = await alarm.limited(anext(events, None), min(due, end))
                except _TooLateError:
                    raise self._timeout("total_s" if end <= due else limit) from None
                if event is None:
                    return
                if isinstance(event, (TextDelta, ReasoningDelta)):
                    limit, left_s = "content_gap_s", self._limits.content_gap_s
                else:
                    left_s -= loop.time() - started
                yield event
        finally:
            alarm.close()
            await events.aclose()

    async def warm(self, request: ModelRequest) -> Usage | None:
        """Wait for it no longer than for the first words of an answer; see `Model.warm`."""
        try:
            async with asyncio.timeout(self._limits.first_content_s):
                return await self._model.warm(request)
        except TimeoutError:
            raise self._timeout("first_content_s") from None

    def send_ahead(self, request: ModelRequest) -> None:
        """Send how a request begins; see `Model.send_ahead`."""
        self._model.send_ahead(request)

    def _timeout(self, limit: str) -> ModelTimeout:
        what = {
            "first_content_s": f"said nothing for {self._limits.first_content_s:g} seconds",
            "content_gap_s": f"fell silent for {self._limits.content_gap_s:g} seconds",
            "total_s": f"was not done after {self._limits.total_s:g} seconds",
        }[limit]
        return ModelTimeout(
            f"{self.name} {what} ({limit})", provider=self.provider, model=self.name, limit=limit
        )


class _TooLateError(Exception):
    """The alarm went off."""


class _Alarm:
    """One timer for many waits, each with a deadline of its own.

    An answer is thousands of waits that end at once. A timer of its own for each takes longer than reading what came;
    this one is left where it is, and looks when it goes off whether anybody is too late by then.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._due = 0.0
        self._waiting: asyncio.Task[Any] | None = None
        self._has_gone_off = False
        self._timer: asyncio.TimerHandle | None = None

    async def limited(self, wait: Awaitable[EventT], due: float) -> EventT:
        """Wait for something until ``due``, in the loop's time.

        Raises:
            _TooLateError: It did not come by then.
        """
        task = asyncio.current_task()
        assert task
        n_cancels = task.cancelling()  # by others, who come first
        self._due, self._waiting, self._has_gone_off = due, task, False
        if self._timer is None or self._timer.when() > due:
            self._set()
        try:
            return await wait
        except asyncio.CancelledError:
            if self._has_gone_off and task.cancelling() - 1 <= n_cancels:
                raise _TooLateError from None
            raise
        finally:
            self._waiting = None
            if self._has_gone_off:
                task.uncancel()

    def close(self) -> None:
        """Wait for nothing more."""
        if self._timer is not None:
            self._timer.cancel()

    def _set(self) -> None:
        self.close()
        self._timer = self._loop.call_at(self._due, self._go_off)

    def _go_off(self) -> None:
        self._timer = None
        if self._waiting is None:
            return  # nobody waits just now; who does next sets it again
        if self._loop.time() < self._due:
            self._set()
        else:
            self._has_gone_off = True
            self._waiting.cancel()

"""A request of a client while it runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Generic, TypeVar

from twospeed.aio import begin

ResultT = TypeVar("ResultT")


class RunningRequest(Generic[ResultT]):
    """One request: first perhaps a timer, then a task. Cancelling its future ends both."""

    def __init__(self, work: Callable[[], Coroutine[None, None, ResultT | None]]) -> None:
        self.future: asyncio.Future[ResultT | None] = asyncio.get_running_loop().create_future()
        self.future.add_done_callback(lambda _: self._end())
        self.task: asyncio.Task[ResultT | None] | None = None
        self._work = work
        self._timer: asyncio.TimerHandle | None = None

    def begin(self) -> None:
        """Start the task."""
        self.task = begin(self._work())
        self.task.add_done_callback(self._settle)

    def begin_after(self, seconds: float) -> None:
        """Start the task after a pause."""
        self._timer = asyncio.get_running_loop().call_later(seconds, self.begin)

    def cancel(self) -> None:
        """End the request; its future has no result."""
        if not self.future.done():
            self.future.set_result(None)
        self._end()

    def _end(self) -> None:
        if self._timer:
            self._timer.cancel()
        if self.task:
            self.task.cancel()

    def _settle(self, task: asyncio.Task[ResultT | None]) -> None:
        error = None if task.cancelled() else task.exception()
        if self.future.done():
            return
        if error:
            self.future.set_exception(error)
        else:
            self.future.set_result(None if task.cancelled() else task.result())

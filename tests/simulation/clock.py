"""An event loop with a virtual clock: no real time passes, and the same seed gives the same order of events.

If all tasks wait, the clock jumps to the next timer. Without a timer the tasks would wait forever, which is an error.
There are no threads and no sockets.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine, Mapping
from contextlib import closing
from typing import Any, TypeVar

ResultT = TypeVar("ResultT")


class Stuck(AssertionError):
    """All tasks wait, and there is no timer."""


class _Jump(selectors.SelectSelector):
    """A selector that advances the virtual clock instead of waiting."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise Stuck("all tasks wait for each other, and none for a timer")
        self.now += max(timeout, 0.0)
        return []


class VirtualLoop(asyncio.SelectorEventLoop):
    """A loop that starts at time 0."""

    def __init__(self) -> None:
        self._jump = _Jump()
        super().__init__(self._jump)
        self.errors: list[BaseException] = []
        self.set_exception_handler(lambda _, context: self.errors.append(_error_of(context)))

    def time(self) -> float:
        """Return the virtual seconds since the loop was made."""
        return self._jump.now


def run(work: Coroutine[Any, Any, ResultT]) -> ResultT:
    """Run a coroutine to its end in a new loop.

    Raises:
        Stuck: It would never end.
        BaseException: The first error of a task or callback that was not retrieved.
    """
    with closing(VirtualLoop()) as loop:
        try:
            return loop.run_until_complete(work)
        finally:
            _stop_all(loop)
            if loop.errors:
                raise loop.errors[0]


def _error_of(context: Mapping[str, Any]) -> BaseException:
    error = context.get("exception")
    return error if isinstance(error, BaseException) else AssertionError(context["message"])


def _stop_all(loop: VirtualLoop) -> None:
    """Cancel the tasks that a failed run left, so that they report nothing when they are collected."""
    left = asyncio.all_tasks(loop)
    for task in left:
        task.cancel()
    if left:
        loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
    loop.run_until_complete(loop.shutdown_asyncgens())

"""An event loop whose clock jumps: nothing waits, and the same seed does the same things in the same order.

Where all wait for the clock, it goes to the next moment anybody waits for; where nobody waits for it either, nothing
would ever happen again, which is an error. There are no threads and no sockets here.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine, Mapping
from contextlib import closing
from typing import Any, TypeVar

ResultT = TypeVar("ResultT")


class Stuck(AssertionError):
    """Everybody waits for somebody else."""


class _Jump(selectors.SelectSelector):
    """Waits by moving the clock on."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise Stuck("all tasks wait for each other, and none for the clock")
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
    """Run something to its end in a loop of its own.

    Raises:
        Stuck: It would never end.
        BaseException: The first error of a task or callback that nobody took.
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
    """End what a failed run left, so that it does not complain when it is collected."""
    left = asyncio.all_tasks(loop)
    for task in left:
        task.cancel()
    if left:
        loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
    loop.run_until_complete(loop.shutdown_asyncgens())

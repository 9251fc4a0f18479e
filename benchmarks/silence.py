"""Measure how long work blocks the event loop, in processor time of this process."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable
from threading import Thread
from typing import TypeVar

MAX_STEP_MS = 50.0
"""The longest allowed step: users notice a tenth of a second, and an answer takes two steps."""

N_TRIES = 3
"""Repetitions of a step that is too long, since a garbage collection may fall into any of them."""

ResultT = TypeVar("ResultT")
Rows = Iterable[tuple[str, float]]
"""Each measurement with the milliseconds of its longest step."""


def step_ms(make: Callable[[], Callable[[], object]]) -> float:
    """Measure a call of the event loop.

    Args:
        make: Prepares the call, which is not measured, and returns it.

    Returns:
        Milliseconds of processor time of this thread.
    """

    def measured() -> float:
        call = make()
        before = time.thread_time()
        call()
        return (time.thread_time() - before) * 1e3

    return least(measured)


def hold_ms(make: Callable[[], Callable[[], object]]) -> float:
    """Measure how long a call in another thread holds the interpreter.

    Args:
        make: Prepares the call, which is not measured, and returns it.

    Returns:
        Milliseconds of processor time of this process.
    """

    def measured() -> float:
        thread = Thread(target=make())
        longest, before = 0.0, time.process_time()
        thread.start()
        while thread.is_alive():
            time.sleep(0.0002)
            now = time.process_time()
            longest, before = max(longest, now - before), now
        return longest * 1e3

    return least(measured)


class Step:
    """The present step of the event loop, named by the measured work.

    Attributes:
        name: Of the step; empty if it is not measured.
    """

    def __init__(self) -> None:
        self.name = ""

    async def take(self, name: str, call: Callable[[], ResultT]) -> ResultT:
        """Run a call in its own turn."""
        await self.end()
        self.name = name
        result = call()
        await self.end()
        return result

    async def end(self) -> None:
        """Count the time since the last turn, and none until the next step has a name."""
        await asyncio.sleep(0)
        self.name = ""


def loop_steps(make: Callable[[], Callable[[Step], Awaitable[object]]]) -> dict[str, float]:
    """Measure the longest time between two turns of an event loop while it awaits something.

    Work in other threads counts while it holds the interpreter.

    Args:
        make: Prepares the coroutine function, which is not measured, and returns it.

    Returns:
        Milliseconds of processor time of this process, by the name of the step.
    """

    async def watched() -> dict[str, float]:
        step = Step()
        work = asyncio.ensure_future(make()(step))
        longest: dict[str, float] = {}
        before = time.process_time()
        while not work.done():
            await asyncio.sleep(0)
            now = time.process_time()
            longest[step.name] = max(longest.get(step.name, 0.0), (now - before) * 1e3)
            before = time.process_time()
        await work
        return {name: ms for name, ms in longest.items() if name}

    found = asyncio.run(watched())
    for _ in range(N_TRIES - 1):
        if max(found.values(), default=0.0) <= MAX_STEP_MS:
            break
        again = asyncio.run(watched())
        found = {name: min(ms, again.get(name, ms)) for name, ms in found.items()}
    return found


def rows_of(
    cases: Iterable[tuple[str, Callable[[], object]]], in_threads: Iterable[tuple[str, Callable[[], object]]]
) -> Rows:
    """Measure repeatable calls without preparation, of the event loop and of threads."""
    for measured, named in ((step_ms, cases), (hold_ms, in_threads)):
        for name, call in named:
            yield name, measured(lambda call=call: call)  # type: ignore[misc]


def least(measured: Callable[[], float]) -> float:
    """Measure once, or up to `N_TRIES` times if that is too long; return the least."""
    found = measured()
    for _ in range(N_TRIES - 1):
        if found <= MAX_STEP_MS:
            break
        found = min(found, measured())
    return found

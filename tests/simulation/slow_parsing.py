"""Replace threads and delay parsing in the simulation, because its clock is virtual."""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from types import SimpleNamespace
from typing import TypeVar
from unittest.mock import patch

from twospeed import aio, syntax
from twospeed.syntax import background
from twospeed.syntax.faults import syntax_errors
from twospeed.syntax.trees import allocator, parsing, trees

QUICK_BYTES = 150
"""Fewer than any document of the simulation has, and enough to follow most changes at once."""

PARSE_S = (0.0, 0.001, 0.03, 0.05, 0.2, 3.0)
"""Seconds of a parse. Some are longer than a request or an edit waits for a tree."""

ResultT = TypeVar("ResultT")


class _SynchronousThread:
    """`threading.Thread` without a thread: `start` runs the target to its end."""

    def __init__(
        self, *, target: Callable[..., object], name: str, daemon: bool, args: tuple[object, ...] = ()
    ) -> None:
        self._target, self._args = target, args

    def start(self) -> None:
        self._target(*self._args)


@contextmanager
def without_real_time() -> Iterator[None]:
    """Run the work of threads on the event loop, and let no parse reach its limit of processor time.

    The virtual clock would go on while a real thread works, so the result would depend on the load of the machine.
    """
    threads = SimpleNamespace(Thread=_SynchronousThread, Lock=threading.Lock)
    with ExitStack() as patches:
        for module in (aio, background, allocator):
            patches.enter_context(patch.object(module, "threading", threads))
        patches.enter_context(patch.object(parsing, "time", SimpleNamespace(thread_time=lambda: 0.0)))
        yield


@contextmanager
def slow_parsing(rng: random.Random) -> Iterator[None]:
    """Treat every document as a large one, whose tree takes some of the seconds in `PARSE_S`."""

    async def in_thread(work: Callable[[], ResultT]) -> ResultT:
        await asyncio.sleep(rng.choice(PARSE_S))
        return work()

    with ExitStack() as patches:
        patches.enter_context(patch.object(trees, "QUICK_BYTES", QUICK_BYTES))
        patches.enter_context(patch.object(background, "in_thread", in_thread))
        patches.enter_context(patch.object(syntax_errors, "in_thread", in_thread))
        patches.enter_context(patch.object(syntax, "start_parsing", lambda language_id, lines: None))
        yield

"""Every document is a large one here: its tree comes late, or too late, and never from a thread or by a clock."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TypeVar
from unittest.mock import patch

from twospeed import syntax
from twospeed.syntax import background, health, trees

QUICK_BYTES = 150
"""Less than any document of the simulation, and enough to follow most changes of one at once."""

TURNS = [0, 1, 1, 3, 8, 30, 100]
"""Turns of the loop that a parse may take."""

ResultT = TypeVar("ResultT")


@contextmanager
def slow_trees(rng: random.Random) -> Iterator[None]:
    """Let whoever waits for a tree wait for some turns of the loop, and at times in vain."""

    async def in_thread(work: Callable[[], ResultT]) -> ResultT:
        for _ in range(rng.choice(TURNS)):
            await asyncio.sleep(0)
        return work()

    async def in_thread_or_late(work: Callable[[], ResultT]) -> ResultT:
        if rng.random() < 0.1:
            await in_thread(lambda: None)
            raise TimeoutError
        return await in_thread(work)

    with ExitStack() as patches:
        patches.enter_context(patch.object(trees, "QUICK_BYTES", QUICK_BYTES))
        patches.enter_context(patch.object(background, "in_thread", in_thread_or_late))
        patches.enter_context(patch.object(health, "in_thread", in_thread))
        patches.enter_context(patch.object(syntax, "start_parsing", lambda language_id, lines: None))
        yield

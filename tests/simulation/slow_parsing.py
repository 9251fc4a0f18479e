"""Every document is a large one here: its tree comes late, or too late, and never from a thread."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TypeVar
from unittest.mock import patch

from twospeed import syntax
from twospeed.syntax import background
from twospeed.syntax.faults import syntax_errors
from twospeed.syntax.trees import trees

QUICK_BYTES = 150
"""Less than any document of the simulation, and enough to follow most changes of one at once."""

PARSE_S = (0.0, 0.001, 0.03, 0.05, 0.2, 3.0)
"""What a parse takes in one case or another; more than a request waits for, and more than an edit does."""

ResultT = TypeVar("ResultT")


async def parsed_at_once(work: Callable[[], ResultT]) -> ResultT:
    """Do what a thread would: of that the clock that jumps would not know."""
    return work()


@contextmanager
def slow_parsing(rng: random.Random) -> Iterator[None]:
    """Let whoever waits for a tree wait for some time, and at times in vain."""

    async def in_thread(work: Callable[[], ResultT]) -> ResultT:
        await asyncio.sleep(rng.choice(PARSE_S))
        return work()

    with ExitStack() as patches:
        patches.enter_context(patch.object(trees, "QUICK_BYTES", QUICK_BYTES))
        patches.enter_context(patch.object(background, "in_thread", in_thread))
        patches.enter_context(patch.object(syntax_errors, "in_thread", in_thread))
        patches.enter_context(patch.object(syntax, "start_parsing", lambda language_id, lines: None))
        yield

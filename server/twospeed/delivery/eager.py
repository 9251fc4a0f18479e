"""Start a task without a round of the event loop, which other work may hold up for milliseconds."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Coroutine
from typing import Any, TypeVar

ResultT = TypeVar("ResultT")


def begin(work: Coroutine[Any, Any, ResultT]) -> asyncio.Task[ResultT]:
    """Run ``work`` as a task: at once up to where it first waits, on Python 3.11 from the loop's next round on."""
    if sys.version_info >= (3, 12):
        return asyncio.Task(work, loop=asyncio.get_running_loop(), eager_start=True)
    return asyncio.create_task(work)

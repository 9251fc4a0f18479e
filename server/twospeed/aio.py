"""Helpers for asyncio."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

ResultT = TypeVar("ResultT")


def loop_time() -> float:
    """Return the time of the running event loop, in monotonic seconds."""
    return asyncio.get_running_loop().time()


async def in_thread(work: Callable[[], ResultT]) -> ResultT:
    """Run ``work`` in a daemon thread and return its result; cancelling the caller does not stop the thread."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[ResultT] = loop.create_future()

    def resolve(set_result: Callable[[], None]) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: no caller is left
            loop.call_soon_threadsafe(lambda: None if done.done() else set_result())

    def run() -> None:
        try:
            result = work()
        except Exception as error:  # noqa: BLE001  # the caller receives it
            resolve(lambda error=error: done.set_exception(error))  # type: ignore[misc]
        else:
            resolve(lambda: done.set_result(result))

    threading.Thread(target=run, name="work", daemon=True).start()
    return await done


def begin(work: Coroutine[Any, Any, ResultT]) -> asyncio.Task[ResultT]:
    """Run ``work`` as a task, at once up to its first wait (on Python 3.11 from the loop's next round on)."""
    if sys.version_info >= (3, 12):  # another round of the loop may take milliseconds
        return asyncio.Task(work, loop=asyncio.get_running_loop(), eager_start=True)
    return asyncio.create_task(work)

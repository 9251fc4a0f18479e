"""The background tasks of one connection; all of them end with it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from twospeed.aio import begin
from twospeed.errors import TwospeedError
from twospeed.lsp.wire.error_codes import RpcError

logger = logging.getLogger(__name__)

ResultT = TypeVar("ResultT")


class SessionTasks:
    """Runs coroutines in the background."""

    def __init__(self, show_error: Callable[[str], None]) -> None:
        self._show_error = show_error
        self._running: dict[asyncio.Task[Any], None] = {}  # a dict, because tasks are stopped in their order
        self._is_closed = False

    def run(self, work: Coroutine[None, None, ResultT]) -> asyncio.Task[ResultT]:
        """Run a coroutine as a task that starts before the next message is read (`aio.begin`)."""
        task = begin(work)
        self._running[task] = None
        task.add_done_callback(self._running.pop)
        return task

    def spawn(self, work: Coroutine[None, None, None]) -> None:
        """Run a coroutine, and show its errors to the user; do nothing after `close`."""
        if self._is_closed:
            work.close()
            return
        task = self.run(self._guarded(work))
        # A task that is cancelled before it starts would warn that `work` was never awaited.
        task.add_done_callback(lambda _: work.close())

    async def _guarded(self, work: Coroutine[None, None, None]) -> None:
        try:
            await work
        except (TwospeedError, RpcError) as error:
            self._show_error(str(error))
        except Exception:
            logger.exception("a background task failed")
            self._show_error("twospeed failed; the log has the details")

    def close(self) -> None:
        """Refuse new tasks of `spawn`."""
        self._is_closed = True

    async def stop(self) -> None:
        """Cancel every task and wait until all of them have ended."""
        for task in list(self._running):
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)

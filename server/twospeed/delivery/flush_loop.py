"""Keep one batch in flight while the next one collects ops; there is no timer."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from twospeed.aio import begin


class FlushLoop:
    """Calls ``flush`` when ops may be waiting and no call is running.

    Attributes:
        error: The exception of a failed call; after it ``flush`` is not called again.

    Args:
        flush: Sends all waiting ops; does nothing if there are none.
    """

    def __init__(self, flush: Callable[[], Awaitable[object]]) -> None:
        self._flush = flush
        self._task: asyncio.Task[None] | None = None
        self._is_requested_again = False
        self.error: Exception | None = None

    def flush_soon(self) -> None:
        """Call ``flush`` as soon as no call is running.

        Raises:
            Exception: The loop's ``error``.
        """
        if self.error is not None:
            raise self.error
        self._is_requested_again = True
        if self._task is None or self._task.done():
            self._task = begin(self._run())

    async def stop(self) -> None:
        """Wait for the running call; start no other."""
        self._is_requested_again = False
        if self._task is not None:
            await asyncio.wait([self._task])

    async def finish(self, flush: Callable[[], Awaitable[object]]) -> None:
        """Wait for the running call, then call ``flush`` once; it continues if the caller is cancelled.

        Raises:
            Exception: The loop's ``error``, of this call or an earlier one.
        """
        await self.stop()
        if self.error is None:
            self._task = asyncio.create_task(self._guarded(flush))
            await asyncio.wait([self._task])
        if self.error is not None:
            raise self.error

    async def _run(self) -> None:
        while self._is_requested_again:
            self._is_requested_again = False
            await self._guarded(self._flush)

    async def _guarded(self, flush: Callable[[], Awaitable[object]]) -> None:
        try:
            await flush()
        except Exception as error:  # noqa: BLE001 - kept for the caller that waits
            self.error, self._is_requested_again = error, False

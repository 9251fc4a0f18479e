"""Keep batches flowing: one on its way, the rest gathering until it has landed. No timers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from twospeed.aio import begin


class FlushLoop:
    """Call ``show`` whenever there is something to show and nothing under way.

    Attributes:
        error: Why a call failed, if one did; nothing is shown after that.

    Args:
        show: Brings everything that waits into the document; does nothing where nothing waits.
    """

    def __init__(self, show: Callable[[], Awaitable[object]]) -> None:
        self._show = show
        self._task: asyncio.Task[None] | None = None
        self._is_asked_again = False
        self.error: Exception | None = None

    def flush_soon(self) -> None:
        """Say that there may be something to show."""
        self._is_asked_again = True
        if self.error is None and (self._task is None or self._task.done()):
            self._task = begin(self._run())

    async def stop(self) -> None:
        """Wait for what is under way; show nothing more."""
        self._is_asked_again = False
        if self._task is not None:
            await asyncio.wait([self._task])

    async def finish(self, show: Callable[[], Awaitable[object]]) -> None:
        """Wait for what is under way, then call ``show``, once; where the caller is cancelled, that goes on.

        Raises:
            Exception: The pump's ``error``, of this call or an earlier one.
        """
        await self.stop()
        if self.error is None:
            self._task = asyncio.create_task(self._guarded(show))
            await asyncio.wait([self._task])
        if self.error is not None:
            raise self.error

    async def _run(self) -> None:
        while self._is_asked_again:
            self._is_asked_again = False
            await self._guarded(self._show)

    async def _guarded(self, show: Callable[[], Awaitable[object]]) -> None:
        try:
            await show()
        except Exception as error:  # noqa: BLE001 - kept for whoever waits
            self.error, self._is_asked_again = error, False

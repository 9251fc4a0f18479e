"""Keep batches flowing: one on its way, the rest gathering until it has landed. No timers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from twospeed.errors import DeliveryError


class Pump:
    """Call ``show`` whenever there is something to show and nothing under way.

    Args:
        show: Brings everything that waits into the document; does nothing where nothing waits.
    """

    def __init__(self, show: Callable[[], Awaitable[None]]) -> None:
        self._show = show
        self._task: asyncio.Task[None] | None = None
        self._is_asked_again = False
        self.error: DeliveryError | None = None

    def poke(self) -> None:
        """Say that there may be something to show."""
        self._is_asked_again = True
        if self.error is None and (self._task is None or self._task.done()):
            self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """Wait for what is under way; show nothing more."""
        self._is_asked_again = False
        if self._task is not None:
            await asyncio.wait([self._task])

    async def _run(self) -> None:
        try:
            while self._is_asked_again:
                self._is_asked_again = False
                await self._show()
        except DeliveryError as error:
            self.error = error

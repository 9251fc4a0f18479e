"""Connect before an edit is requested: DNS, TCP and TLS cost two or three round trips.

The connection is kept while the user works. Without consent nothing is sent. Errors are only logged: the edit meets
and reports them.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial

from twospeed.aio import loop_time
from twospeed.edits.values import EditRequest
from twospeed.errors import TwospeedError
from twospeed.models.base import ProviderSettings
from twospeed.routing import Mode

logger = logging.getLogger(__name__)

INTERVAL_S = 1.0
"""Seconds between two attempts for a mode: an endpoint may close new connections at once."""

TYPING_S = 10.0
"""The same while the user types; cloud servers keep an idle connection for a minute or longer."""

WHILE_S = 300.0
"""Seconds after the last edit or announcement in which typing keeps the connection: as long as the pool does."""


class Preconnect:
    """Keeps a connection to the likely model open.

    Args:
        find: Returns the provider of a mode; ``None`` if no connection can be made.
        connect: Connects, unless there is a connection.
        warm: Warms the prompt cache (`cache_warmup`); ``None`` if the user disabled that.
        run: Starts a task of the session.
    """

    def __init__(
        self,
        *,
        find: Callable[[Mode], Awaitable[ProviderSettings | None]],
        connect: Callable[[ProviderSettings], Awaitable[None]],
        warm: Callable[[EditRequest], Coroutine[None, None, None]] | None,
        run: Callable[[Coroutine[None, None, None]], asyncio.Task[None]],
        is_on: bool = True,
        clock: Callable[[], float] = loop_time,
    ) -> None:
        self._find = find
        self._connect = connect
        self._warm = warm
        self._run = run
        self._is_on = is_on
        self._clock = clock
        self._queue: dict[Mode, EditRequest | None] = {}
        self._warmup: asyncio.Task[None] | None = None
        self._n_edits = 0
        self._is_connecting = False
        self._queued_at: dict[tuple[Mode, bool], float] = {}
        self._expected_at: float | None = None

    def expect(self, request: EditRequest) -> None:
        """Prepare for a likely edit, whatever its instruction; one task connects for one mode at a time."""
        self._expected_at = self._clock()
        self._enqueue(request.mode, request if self._warm else None, interval_s=INTERVAL_S)

    def note_edit(self) -> None:
        """Record that an edit begins, and cancel the cache warm-up, which would delay it."""
        self._expected_at = self._clock()
        self._n_edits += 1
        self._queue = dict.fromkeys(self._queue)
        if self._warmup:
            self._warmup.cancel()

    def note_typing(self, mode: Mode) -> None:
        """Keep the connection of a mode, if an edit was made or announced recently."""
        if self._expected_at is not None and self._clock() - self._expected_at < WHILE_S:
            self._enqueue(mode, None, interval_s=TYPING_S)

    def _enqueue(self, mode: Mode, request: EditRequest | None, *, interval_s: float) -> None:
        now, kind = self._clock(), (mode, request is None)
        queued_at = self._queued_at.get(kind)
        if not self._is_on or (queued_at is not None and now - queued_at < interval_s):
            return
        self._queued_at[kind] = now
        self._queue[mode] = request or self._queue.get(mode)
        if not self._is_connecting:
            self._is_connecting = True
            self._run(self._work_off())

    async def _work_off(self) -> None:
        try:
            while self._queue:
                mode, request = self._queue.popitem()
                n_edits = self._n_edits
                await _logged(partial(self._connect_for, mode))
                is_free = self._warmup is None or self._warmup.done()
                if self._warm and request and is_free and n_edits == self._n_edits:
                    self._warmup = self._run(_logged(partial(self._warm, request)))
        finally:
            self._is_connecting = False

    async def _connect_for(self, mode: Mode) -> None:
        if provider := await self._find(mode):
            await self._connect(provider)


async def _logged(work: Callable[[], Coroutine[None, None, None]]) -> None:
    try:
        await work()
    except TwospeedError as error:  # the edit will report it
        logger.info("preconnect failed: %s", type(error).__name__)
    except Exception:
        logger.exception("preconnect failed")

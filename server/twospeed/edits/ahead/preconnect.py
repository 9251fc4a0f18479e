"""Connect before an edit is requested: a connection costs two or three round trips, a long prompt seconds of processing.

An editor announces a likely edit and its place. The server then connects to the model that would serve it (DNS, TCP,
TLS), and the model reads the prompt's beginning (`cache_warmup`). The connection is kept while the user works. Nothing is
sent to a provider without the user's consent. Errors are not reported here: the edit meets and reports them. An edit
never waits for this.
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

AGAIN_S = 1.0
"""Seconds between two attempts for a mode: an endpoint that closes new connections is not opened on every key."""

TYPING_S = 10.0
"""Seconds between two attempts while the user types; cloud servers keep an idle connection for a minute or longer."""

WHILE_S = 300.0
"""Seconds after the last edit or announcement in which typing keeps the connection: as long as a pool does."""


class Preconnect:
    """Keeps one connection ready.

    Args:
        find: Returns the model that would serve a mode now; ``None`` if no connection can be made.
        connect: Connects, unless there is a connection.
        read_ahead: Lets the model read the beginning of an edit's prompt.
        run: Runs a task, and ends it with the session.
        is_on: Whether the user enabled it.
        reads_ahead: Whether the user enabled more than a connection.
        clock: Monotonic seconds.
    """

    def __init__(
        self,
        *,
        find: Callable[[Mode], Awaitable[ProviderSettings | None]],
        connect: Callable[[ProviderSettings], Awaitable[None]],
        read_ahead: Callable[[EditRequest], Coroutine[None, None, None]],
        run: Callable[[Coroutine[None, None, None]], asyncio.Task[None]],
        is_on: bool = True,
        reads_ahead: bool = True,
        clock: Callable[[], float] = loop_time,
    ) -> None:
        self._find = find
        self._connect = connect
        self._read_ahead = read_ahead
        self._run = run
        self._is_on = is_on
        self._reads_ahead = reads_ahead
        self._clock = clock
        self._wanted: dict[Mode, EditRequest | None] = {}
        self._reading: asyncio.Task[None] | None = None
        self._n_edits = 0
        self._is_running = False
        self._looked_at: dict[tuple[Mode, bool], float] = {}
        self._expected_at: float | None = None

    def expect(self, request: EditRequest) -> None:
        """Record that an edit is likely; one task connects, for one mode at a time, however often this is called.

        Args:
            request: The edit, as far as it is known; its instruction may be anything.
        """
        self._expected_at = self._clock()
        self._look(request.mode, request if self._reads_ahead else None, again_s=AGAIN_S)

    def note_edit(self) -> None:
        """Record that an edit begins, and stop reading ahead, which would delay it."""
        self._expected_at = self._clock()
        self._n_edits += 1
        self._wanted = dict.fromkeys(self._wanted)
        if self._reading:
            self._reading.cancel()

    def note_typing(self, mode: Mode) -> None:
        """Keep the connection, while edits are made."""
        if self._expected_at is not None and self._clock() - self._expected_at < WHILE_S:
            self._look(mode, None, again_s=TYPING_S)

    def _look(self, mode: Mode, request: EditRequest | None, *, again_s: float) -> None:
        now, kind = self._clock(), (mode, request is None)
        looked_at = self._looked_at.get(kind)
        if not self._is_on or (looked_at is not None and now - looked_at < again_s):
            return
        self._looked_at[kind] = now
        self._wanted[mode] = request or self._wanted.get(mode)
        if not self._is_running:
            self._is_running = True
            self._run(self._warm())

    async def _warm(self) -> None:
        try:
            while self._wanted:
                mode, request = self._wanted.popitem()
                n_edits = self._n_edits
                await _quietly(partial(self._connect_for, mode))
                is_free = self._reading is None or self._reading.done()
                if request and is_free and n_edits == self._n_edits:
                    self._reading = self._run(_quietly(partial(self._read_ahead, request)))
        finally:
            self._is_running = False

    async def _connect_for(self, mode: Mode) -> None:
        if provider := await self._find(mode):
            await self._connect(provider)


async def _quietly(work: Callable[[], Coroutine[None, None, None]]) -> None:
    try:
        await work()
    except TwospeedError as error:  # the edit will say what is wrong
        logger.info("not ready ahead of an edit: %s", type(error).__name__)
    except Exception:
        logger.exception("getting ready ahead of an edit failed")

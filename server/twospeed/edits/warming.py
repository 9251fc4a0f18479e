"""Have a connection open before it is needed: a new one costs two or three round trips before the first token.

An editor that expects an edit says so; from then on, for as long as somebody works, whoever would serve is connected
to: looked up, TCP, TLS, nothing more. No key and no code is on the way, and nobody is connected to whom the user has
not agreed to. What goes wrong here is told to nobody: the edit that follows meets it and says so.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Coroutine

from twospeed.errors import TwospeedError
from twospeed.models.base import ProviderSettings
from twospeed.routing import Mode

from .stopwatch import loop_time

logger = logging.getLogger(__name__)

AGAIN_S = 1.0
"""Between two looks for a mode: an endpoint that closes what it has just accepted is not opened on every key."""

TYPING_S = 10.0
"""Between two looks while somebody types; servers in a cloud keep an idle connection for a minute and longer."""

WHILE_S = 300.0
"""How long after the last edit, or the word that one is likely, typing keeps the connection: as long as a pool does."""


class Warming:
    """Keeps one connection ready.

    Args:
        find: Says who would serve a mode now; ``None`` for nobody a connection could be made to.
        connect: Makes the connection, or finds that there is one.
        run: Runs a task, and ends it with the session.
        is_on: Whether the user wants it.
        clock: Monotonic seconds.
    """

    def __init__(
        self,
        *,
        find: Callable[[Mode], Awaitable[ProviderSettings | None]],
        connect: Callable[[ProviderSettings], Awaitable[None]],
        run: Callable[[Coroutine[None, None, None]], object],
        is_on: bool = True,
        clock: Callable[[], float] = loop_time,
    ) -> None:
        self._find = find
        self._connect = connect
        self._run = run
        self._is_on = is_on
        self._clock = clock
        self._wanted: set[Mode] = set()
        self._is_running = False
        self._looked_at: dict[Mode, float] = {}
        self._expected_at: float | None = None

    def expect(self, mode: Mode) -> None:
        """Take note that an edit is likely; however often that is said, one task connects, for one mode at a time."""
        self._expected_at = self._clock()
        self._look(mode, again_s=AGAIN_S)

    def note_edit(self) -> None:
        """Take note that an edit is made."""
        self._expected_at = self._clock()

    def note_typing(self, mode: Mode) -> None:
        """Keep the connection, while edits are made."""
        if self._expected_at is not None and self._clock() - self._expected_at < WHILE_S:
            self._look(mode, again_s=TYPING_S)

    def _look(self, mode: Mode, *, again_s: float) -> None:
        now = self._clock()
        looked_at = self._looked_at.get(mode)
        if not self._is_on or (looked_at is not None and now - looked_at < again_s):
            return
        self._looked_at[mode] = now
        self._wanted.add(mode)
        if not self._is_running:
            self._is_running = True
            self._run(self._warm())

    async def _warm(self) -> None:
        try:
            while self._wanted:
                await self._connect_for(self._wanted.pop())
        finally:
            self._is_running = False

    async def _connect_for(self, mode: Mode) -> None:
        try:
            if provider := await self._find(mode):
                await self._connect(provider)
        except TwospeedError as error:  # the edit will say what is wrong
            logger.info("no connection ahead of an edit: %s", type(error).__name__)
        except Exception:
            logger.exception("connecting ahead of an edit failed")

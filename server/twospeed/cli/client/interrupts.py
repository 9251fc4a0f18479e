"""Ctrl+C and SIGTERM while a command uses the server.

The first signal cancels the running edit, whose result ends the command. If no edit runs, or its result does
not arrive, the command is cancelled and closes its server. The second signal kills the server at once.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Awaitable, Callable

from twospeed.cli.exits import CANCELLED
from twospeed.cli.visible import complain

from .session import ServerSession

_RESULT_LIMIT_S = 3.5
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupts:
    """Handles signals; the command sets ``session`` once it has one."""

    def __init__(self, command: asyncio.Task[int]) -> None:
        self._command = command
        self._n_received = 0
        self.session: ServerSession | None = None

    def receive(self) -> None:
        """Handle one signal."""
        self._n_received += 1
        if self._n_received == 1 and self.session and self.session.cancel_edit():
            asyncio.get_running_loop().call_later(_RESULT_LIMIT_S, self._command.cancel)
            return
        if self._n_received > 1 and self.session:
            self.session.kill()
        self._command.cancel()


def run_interruptible(command: Callable[[Interrupts], Awaitable[int]]) -> int:
    """Run a command and return its exit status, 130 if a signal ended it."""
    try:
        return asyncio.run(_watch(command))
    except (asyncio.CancelledError, KeyboardInterrupt):
        complain("cancelled")
        return CANCELLED


async def _watch(command: Callable[[Interrupts], Awaitable[int]]) -> int:
    task = asyncio.current_task()
    assert task is not None
    interrupts = Interrupts(task)
    loop = asyncio.get_running_loop()
    for number in _SIGNALS:
        with contextlib.suppress(
            NotImplementedError
        ):  # Windows: asyncio's own Ctrl+C handling cancels the task
            loop.add_signal_handler(number, interrupts.receive)
    return await command(interrupts)

"""Questions to the user at the terminal, and Ctrl+C.

The first Ctrl+C or SIGTERM cancels the running edit, whose result ends the command. Without an edit or its result, it cancels
the command. The second one kills the server.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import threading
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from twospeed.cli.exits import CANCELLED
from twospeed.cli.visible import complain, one_line

if TYPE_CHECKING:
    from .server_session import ServerSession

_RESULT_LIMIT_S = 3.5
_SIGNALS = (signal.SIGINT, signal.SIGTERM)
HOW_TO_AGREE = (
    "answered no, because there is no terminal; to agree, run the command once in a terminal, "
    "or name the provider in your config"
)


async def ask_user(message: str, answers: Sequence[str]) -> str | None:
    """Ask a yes-or-no question on stderr; return the first of ``answers`` for a typed yes, else None."""
    if not answers:
        complain(message)
        return None
    if not can_ask():
        complain(f"{message} ({HOW_TO_AGREE})")
        return None
    typed = await ask_line(f"{one_line(message, 1000)} [y/N] ")
    return answers[0] if typed.strip().lower() in {"y", "yes"} else None


def can_ask() -> bool:
    """Return whether a user can read a question and type an answer."""
    return sys.stdin.isatty() and sys.stderr.isatty()


async def ask_line(question: str) -> str:
    """Ask on stderr; return the typed line, empty at the end of input. What was typed before is ignored."""
    with contextlib.suppress(ImportError):  # Windows
        import termios  # noqa: PLC0415  # as above

        termios.tcflush(sys.stdin, termios.TCIFLUSH)
    sys.stderr.write(question)
    sys.stderr.flush()
    return await _read_line(sys.stdin.fileno())


async def _read_line(descriptor: int) -> str:
    loop = asyncio.get_running_loop()
    line: asyncio.Future[str] = loop.create_future()

    def settle(text: str) -> None:
        if not line.done():
            line.set_result(text)

    def read() -> None:
        data = b""
        with contextlib.suppress(OSError):
            data = os.read(descriptor, 64 * 1024)
        with contextlib.suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(settle, data.decode("utf-8", "replace"))

    threading.Thread(target=read, name="question", daemon=True).start()
    return await line


class Interrupts:
    """Handles signals; the command sets ``session``."""

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

"""Ask the user at the terminal a question of the server.

The server asks before it sends code to a provider that was detected but not configured. Only a typed yes
agrees. Without a terminal the answer is no, and one line says how to agree.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import threading
from collections.abc import Sequence

from twospeed.cli.visible import complain, one_line

HOW_TO_AGREE = (
    "answered no, because there is no terminal; to agree, run the command once in a terminal, "
    "or name the provider in your config"
)


async def ask_user(message: str, answers: Sequence[str]) -> str | None:
    """Ask a yes-or-no question on stderr. Cancelling this leaves it unanswered.

    Args:
        message: The server's question.
        answers: The possible answers; the first one means yes.

    Returns:
        The first answer after a typed ``y`` or ``yes``, else ``None``.
    """
    if not answers:
        complain(message)
        return None
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        complain(f"{message} ({HOW_TO_AGREE})")
        return None
    sys.stderr.write(f"{one_line(message, 1000)} [y/N] ")
    sys.stderr.flush()
    typed = await _read_line(sys.stdin.fileno())
    return answers[0] if typed.strip().lower() in {"y", "yes"} else None


async def _read_line(descriptor: int) -> str:
    """Read one line of the terminal without blocking the event loop.

    A daemon thread reads the bare descriptor, so a question without an answer delays neither Ctrl+C nor the
    exit.
    """
    loop = asyncio.get_running_loop()
    line: asyncio.Future[str] = loop.create_future()

    def settle(text: str) -> None:
        if not line.done():
            line.set_result(text)

    def read() -> None:
        data = b""
        with contextlib.suppress(OSError):
            data = os.read(descriptor, 1024)
        with contextlib.suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(settle, data.decode("utf-8", "replace"))

    threading.Thread(target=read, name="consent", daemon=True).start()
    return await line

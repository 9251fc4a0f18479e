"""A question of the server, asked to the person at the terminal.

The server asks before code goes to a provider that it found and nobody configured. Only a typed yes is a yes: where
nobody can be asked the answer is no, and one line says how to agree.
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
    "answered no, for there is no terminal to ask at; to agree, run the command in a terminal once; "
    "a provider may also be named in your config"
)


async def ask_person(message: str, answers: Sequence[str]) -> str | None:
    """Ask a yes-or-no question on stderr.

    Args:
        message: The question, from the server.
        answers: What may be answered; the first one is the yes.

    Returns:
        The first answer after a typed ``y`` or ``yes``, ``None`` for everything else.

    Cancelled, it leaves the question unanswered.
    """
    if not answers:
        complain(message)
        return None
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        complain(f"{message} ({HOW_TO_AGREE})")
        return None
    sys.stderr.write(f"{one_line(message, 1000)} [y/N] ")
    sys.stderr.flush()
    said = await _typed_line(sys.stdin.fileno())
    return answers[0] if said.strip().lower() in {"y", "yes"} else None


async def _typed_line(descriptor: int) -> str:
    """Read one line without standing in the loop's way.

    The thread is a daemon on the bare descriptor: a read nobody answers must hold up neither Ctrl+C nor the exit.
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
        with contextlib.suppress(RuntimeError):  # the loop has ended meanwhile
            loop.call_soon_threadsafe(settle, data.decode("utf-8", "replace"))

    threading.Thread(target=read, name="consent", daemon=True).start()
    return await line

"""Answers that come alone, for an editor that drops what it reads in one piece with an answer it waits for.

lsp-mode leaves its reader by a ``throw`` as soon as the answer it waits for is there (``lsp-request``, lsp-mode 8.0);
the messages behind it in that piece are gone, such as the edit that a command led to. So a moment goes by before
anything follows an answer: the editor waits for it, and reads it at once.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

MOMENT_S = 0.05
"""Emacs reads what it waits for within a millisecond or two, and this is too short to be noticed."""


class ResponseSpacing:
    """Sends frames in their order, and nothing right behind an answer.

    Args:
        write: Sends one frame.
    """

    def __init__(self, write: Callable[[bytes], None]) -> None:
        self._write = write
        self._waiting: deque[tuple[bytes, bool]] = deque()
        self._moment: asyncio.TimerHandle | None = None
        self._is_clear = asyncio.Event()
        self._is_clear.set()

    async def until_clear(self) -> bool:
        """Wait until a frame would go out at once; return whether there was anything to wait for."""
        is_waited_for = not self._is_clear.is_set()
        await self._is_clear.wait()
        return is_waited_for

    def send(self, frame: bytes, *, is_response: bool) -> None:
        """Send a frame, as soon as the last answer is far enough away."""
        self._waiting.append((frame, is_response))
        if self._moment is None:
            self._send_waiting()

    def flush(self) -> None:
        """Send all waiting frames at once, because the connection ends."""
        if self._moment:
            self._moment.cancel()
            self._moment = None
        for frame, _ in self._waiting:
            self._write(frame)
        self._waiting.clear()
        self._is_clear.set()

    def _send_waiting(self) -> None:
        self._moment = None
        while self._waiting and self._moment is None:
            frame, is_response = self._waiting.popleft()
            self._write(frame)
            if is_response:
                self._moment = asyncio.get_running_loop().call_later(MOMENT_S, self._send_waiting)
                self._is_clear.clear()
        if self._moment is None:
            self._is_clear.set()

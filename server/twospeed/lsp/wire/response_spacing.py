"""A pause after each response, for a client that drops what it reads in one piece with an awaited response.

lsp-mode leaves its reader by a ``throw`` when the awaited response is there (``lsp-request``, lsp-mode 8.0), and loses the
messages behind it in that piece, such as the edit that a command began.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

PAUSE_S = 0.05
"""Emacs reads an awaited response within 2 ms, and users do not notice this pause."""


class ResponseSpacing:
    """Sends frames in order, with a pause after each response."""

    def __init__(self, write: Callable[[bytes], None]) -> None:
        self._write = write
        self._waiting: deque[tuple[bytes, bool]] = deque()
        self._moment: asyncio.TimerHandle | None = None
        self._is_clear = asyncio.Event()
        self._is_clear.set()

    async def until_clear(self) -> bool:
        """Wait until a frame would be sent at once; return whether that took time."""
        is_pausing = not self._is_clear.is_set()
        await self._is_clear.wait()
        return is_pausing

    def send(self, frame: bytes, *, is_response: bool) -> None:
        """Send a frame, or queue it during a pause."""
        self._waiting.append((frame, is_response))
        if self._moment is None:
            self._send_waiting()

    def flush(self) -> None:
        """Send all queued frames at once, because the connection ends."""
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
                self._moment = asyncio.get_running_loop().call_later(PAUSE_S, self._send_waiting)
                self._is_clear.clear()
        if self._moment is None:
            self._is_clear.set()

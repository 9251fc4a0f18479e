"""Leave a pause after each response, for editors that discard messages which arrive in the same read as the response they wait for.

`lsp-request` (lsp-mode 8.0) exits its process filter with `throw` when the awaited response is parsed; later messages of the
same chunk are lost, such as the `workspace/applyEdit` that a command causes.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

PAUSE_S = 0.05
"""Emacs reads an awaited response within 2 ms, and users do not notice this pause."""


class ResponseSpacing:
    """Sends frames in order: at once, or when ``PAUSE_S`` has passed since the last response."""

    def __init__(self, write: Callable[[bytes], None]) -> None:
        self._write = write
        self._waiting: deque[tuple[bytes, bool]] = deque()
        self._pause_timer: asyncio.TimerHandle | None = None
        self._idle = asyncio.Event()
        self._idle.set()

    async def wait_until_idle(self) -> bool:
        """Wait until a frame would be sent at once; return whether there was a wait."""
        is_pausing = not self._idle.is_set()
        await self._idle.wait()
        return is_pausing

    def send(self, frame: bytes, *, is_response: bool) -> None:
        """Send a frame, or queue it during a pause."""
        self._waiting.append((frame, is_response))
        if self._pause_timer is None:
            self._send_waiting()

    def flush(self) -> None:
        """Send all queued frames at once, because the connection ends."""
        if self._pause_timer:
            self._pause_timer.cancel()
            self._pause_timer = None
        for frame, _ in self._waiting:
            self._write(frame)
        self._waiting.clear()
        self._idle.set()

    def _send_waiting(self) -> None:
        self._pause_timer = None
        while self._waiting and self._pause_timer is None:
            frame, is_response = self._waiting.popleft()
            self._write(frame)
            if is_response:
                self._pause_timer = asyncio.get_running_loop().call_later(PAUSE_S, self._send_waiting)
                self._idle.clear()
        if self._pause_timer is None:
            self._idle.set()

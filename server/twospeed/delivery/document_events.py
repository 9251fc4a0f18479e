"""Wait for the client's messages about a document, and for a pause in typing."""

from __future__ import annotations

import asyncio

QUIET_S = 0.2
"""Seconds without typing before an edit is sent to an editor without our client: a key in transit would outdate it.
A fast typist is quicker.
"""


class DocumentEvents:
    """The arrival of the client's messages about one document."""

    def __init__(self) -> None:
        self._arrived = asyncio.Event()
        self._typed_at: float | None = None

    def notify(self, *, is_typed: bool) -> None:
        """Wake the tasks that wait for a message; ``is_typed``: it contains changes other than our edit."""
        if is_typed:
            self._typed_at = asyncio.get_running_loop().time()
        self._arrived.set()

    async def wait_for_message(self, deadline: float) -> bool:
        """Wait for the next message; return whether it arrived before ``deadline``, in loop time."""
        self._arrived.clear()
        try:
            async with asyncio.timeout_at(deadline):
                await self._arrived.wait()
        except TimeoutError:
            return False
        return True

    async def wait_for_typing_pause(self) -> bool:
        """Wait for a message or the end of `QUIET_S` if the user is typing; return whether there was a wait."""
        if self._typed_at is None:
            return False
        deadline = self._typed_at + QUIET_S
        if asyncio.get_running_loop().time() >= deadline:
            return False
        await self.wait_for_message(deadline)
        return True

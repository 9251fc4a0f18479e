"""Wait for the client's changes of a document, and for a pause in typing."""

from __future__ import annotations

import asyncio

QUIET_S = 0.2
"""Seconds without typing before an edit is sent to an editor with its own versions: keys still in transit would cross it.
The keys of a fast typist are closer together.
"""


class DocumentEvents:
    """The client's messages about one document, for code that waits for them."""

    def __init__(self) -> None:
        self._came = asyncio.Event()
        self._typed_at: float | None = None

    def come(self, *, is_typed: bool) -> None:
        """Wake the tasks that wait for a message.

        Args:
            is_typed: Whether the message contains changes other than our edit.
        """
        if is_typed:
            self._typed_at = asyncio.get_running_loop().time()
        self._came.set()

    async def before(self, deadline: float) -> bool:
        """Wait for the next message; return whether it arrived before ``deadline``, in the loop's time."""
        self._came.clear()
        try:
            async with asyncio.timeout_at(deadline):
                await self._came.wait()
        except TimeoutError:
            return False
        return True

    async def typing(self) -> bool:
        """Wait for the next message if the user types; return whether waiting was needed.

        After `QUIET_S` without typing the wait ends without a message.
        """
        if self._typed_at is None:
            return False
        deadline = self._typed_at + QUIET_S
        if asyncio.get_running_loop().time() >= deadline:
            return False
        await self.before(deadline)
        return True

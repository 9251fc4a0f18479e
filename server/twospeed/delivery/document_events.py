"""When the client tells of changes of its document: waiting for that, and for a pause in typing."""

from __future__ import annotations

import asyncio

QUIET_S = 0.2
"""How long a pause in typing must last before an edit goes to an editor that has its own idea of versions: keys that are on
their way to us would cross it. A fast typist's keys are less than that apart."""


class DocumentEvents:
    """The client's messages about one document, as far as others wait for them."""

    def __init__(self) -> None:
        self._came = asyncio.Event()
        self._typed_at: float | None = None

    def come(self, *, is_typed: bool) -> None:
        """Wake those that wait for a message.

        Args:
            is_typed: Whether the message holds something other than our own edit.
        """
        if is_typed:
            self._typed_at = asyncio.get_running_loop().time()
        self._came.set()

    async def before(self, deadline: float) -> bool:
        """Wait for the next message; return whether it came before ``deadline``, in the loop's time."""
        self._came.clear()
        try:
            async with asyncio.timeout_at(deadline):
                await self._came.wait()
        except TimeoutError:
            return False
        return True

    async def typing(self) -> bool:
        """Wait for the next message if the user types; return whether there was anything to wait for.

        The user types until nothing has been typed for `QUIET_S`; then the wait ends without a message.
        """
        if self._typed_at is None:
            return False
        deadline = self._typed_at + QUIET_S
        if asyncio.get_running_loop().time() >= deadline:
            return False
        await self.before(deadline)
        return True

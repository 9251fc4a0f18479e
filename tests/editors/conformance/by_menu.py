"""A client that knows nothing of twospeed: whoever uses it works through the menu of code actions."""

from __future__ import annotations

import contextlib

from tests.editors.conformance.driver import LACKS_BUT_FOR_CODE_ACTIONS, Driver
from tests.editors.conformance.stage import LIMIT_S

NOTHING_THERE_S = 3.0
"""How long a verb is looked for that may not be in the menu at all."""


class ByMenu(Driver):
    """What all of them have in common; `take_within` is left to each."""

    STREAMS = False
    LACKS = LACKS_BUT_FOR_CODE_ACTIONS

    async def take_within(self, title: str, limit_s: float) -> None:
        """Run the code action at the cursor whose title has these words, as soon as the menu has it.

        Raises:
            TimeoutError: So many seconds went by without it.
        """
        raise NotImplementedError

    async def take_action(self, title: str) -> None:
        await self.take_within(title, LIMIT_S)

    async def cancel(self) -> None:
        await self.take_action("Cancel this edit")

    async def accept(self) -> None:
        await self.take_action("Accept this edit")

    async def reject(self) -> None:
        """Do nothing where the menu does not offer it: there is nothing to reject."""
        with contextlib.suppress(TimeoutError):
            await self.take_within("Reject this edit", NOTHING_THERE_S)

    async def retry(self) -> None:
        await self.take_action("Retry this edit in")

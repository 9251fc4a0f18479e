"""The driver of clients without a twospeed plugin, which offer only the menu of code actions."""

from __future__ import annotations

import contextlib

from tests.editors.conformance.driver import UNSUPPORTED_BY_CODE_ACTIONS, Driver
from tests.editors.conformance.scenario_run import LIMIT_S

ABSENT_ACTION_S = 3.0
"""Seconds to wait for a code action that may be absent."""


class CodeActionDriver(Driver):
    """The common part of these drivers; each implements `run_code_action_within`."""

    STREAMS = False
    UNSUPPORTED = UNSUPPORTED_BY_CODE_ACTIONS

    async def run_code_action_within(self, title: str, limit_s: float) -> None:
        """Run the code action at the cursor whose title contains `title`, when the menu offers it.

        Raises:
            TimeoutError: The menu did not offer it within `limit_s` seconds.
        """
        raise NotImplementedError

    async def run_code_action(self, title: str) -> None:
        await self.run_code_action_within(title, LIMIT_S)

    async def cancel(self) -> None:
        await self.run_code_action("Cancel this edit")

    async def accept(self) -> None:
        await self.run_code_action("Accept this edit")

    async def reject(self) -> None:
        """Do nothing if the menu offers no reject action, because no edit is in review."""
        with contextlib.suppress(TimeoutError):
            await self.run_code_action_within("Reject this edit", ABSENT_ACTION_S)

    async def retry(self) -> None:
        await self.run_code_action("Retry this edit in")

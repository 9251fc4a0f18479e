"""Requests about the mode and the status."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable

from twospeed.lsp.session.session import Session
from twospeed.lsp.wire.convert import status_to
from twospeed.routing import LaneEntry
from twospeed.routing.lanes import other_mode
from twospeed_protocol import messages as wire


def set_mode(session: Session, params: wire.SetModeParams) -> Awaitable[wire.ModeState]:
    """``twospeed/setMode``: switch to a mode, or to the other one; cancelling the request does not switch back."""
    return asyncio.shield(session.modes.switch(params.mode or other_mode(session.mode)))


async def status(session: Session, _: wire.StatusParams) -> wire.StatusResult:
    """``twospeed/status``."""
    lanes = await session.source.lanes()

    def lane(entries: tuple[LaneEntry, ...]) -> list[wire.LaneStatus]:
        return [
            wire.LaneStatus(
                provider=entry.provider,
                model=entry.model,
                ready=(why := session.source.obstacle(entry)) is None,
                reason=why,
            )
            for entry in entries
        ]

    spent = session.models.spending.today()
    return wire.StatusResult(
        mode=session.mode,
        today=wire.Today(edits=spent.edits, tokens=spent.tokens, lines_added=spent.lines_added),
        lanes=wire.Lanes(lightning=lane(lanes["lightning"]), deep=lane(lanes["deep"])),
        edits=[status_to(edit) for edit in session.scheduler.edits[-50:]],
    )

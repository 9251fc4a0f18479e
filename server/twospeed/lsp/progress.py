"""Work-done progress of an edit: on the client's own token, or on one we ask it for. Cancelling it cancels the edit."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from twospeed.edits.inline_edit import InlineEdit
from twospeed.routing.lanes import ICONS, LABELS
from twospeed_protocol import messages as wire

from .client import one_line
from .error_codes import RpcError

if TYPE_CHECKING:
    from .session import Session

QUIET_S = 0.3
"""An edit that is done sooner shows no progress: a bar that flashes is noise."""


def report_progress(session: Session, edit: InlineEdit, token: wire.Token | None) -> None:
    """Report an edit's progress: on the request's token, or on our own where the client shows any."""
    if token is not None:
        session.spawn(_report(session, edit, token))
    elif session.client.profile.shows_progress and not edit.is_preview:
        session.spawn(_report_on_own_token(session, edit))


async def _report_on_own_token(session: Session, edit: InlineEdit) -> None:
    done, _ = await asyncio.wait([edit.finished], timeout=QUIET_S)
    if done:
        return
    token = f"twospeed-edit-{edit.id}"
    try:
        await session.client.request("window/workDoneProgress/create", {"token": token})
    except (RpcError, TimeoutError):
        return
    await _report(session, edit, token)


async def _report(session: Session, edit: InlineEdit, token: wire.Token) -> None:
    def tell(value: dict[str, object]) -> None:
        session.client.notify("$/progress", {"token": token, "value": value})

    session.progress[token] = edit
    title = f"{ICONS[edit.mode]} {LABELS[edit.mode]}"
    message = one_line(edit.request.instruction, 80)
    tell({"kind": "begin", "title": title, "message": message, "cancellable": True})
    offered = asyncio.create_task(edit.is_offered.wait())
    waits: list[asyncio.Future[Any]] = [edit.finished, offered]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)  # once offered, it waits for the user
    finally:
        offered.cancel()
        if session.progress.get(token) is edit:  # else another edit's by now
            del session.progress[token]
        tell({"kind": "end"})

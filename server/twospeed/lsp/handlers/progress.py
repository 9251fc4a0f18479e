"""Work-done progress of an edit, on the client's token or one of ours. Cancelling the progress cancels the edit."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from twospeed.edits.inline_edit import InlineEdit
from twospeed.edits.phases import EditState
from twospeed.lsp.client.editor_client import one_line
from twospeed.lsp.session.session import Session
from twospeed.lsp.wire.error_codes import RpcError
from twospeed.routing.lanes import ICONS, LABELS
from twospeed_protocol import messages as wire

if TYPE_CHECKING:
    from twospeed.lsp.session.session import Session

_SENTENCE_END = re.compile(r"(?<=[.!?])\s|\n")

QUIET_S = 0.3
"""An edit that is done sooner shows no progress: a bar that flashes is noise."""

TICK_S = 1.0
"""How often one that takes longer says how far it is."""


def report_progress(session: Session, edit: InlineEdit, token: wire.Token | None) -> None:
    """Report progress on the request's token; without one, on a token of ours if the client shows progress."""
    if token is not None:
        session.tasks.spawn(_report(session, edit, token))
    elif session.client.profile.shows_progress and not edit.is_preview:
        session.tasks.spawn(_report_on_own_token(session, edit))


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

    session.notifications.progress[token] = edit
    title = f"{ICONS[edit.mode]} {LABELS[edit.mode]}"
    message = one_line(edit.request.all_words, 80)
    tell({"kind": "begin", "title": title, "message": message, "cancellable": True})
    started = asyncio.get_running_loop().time()
    offered = asyncio.create_task(edit.decision.is_offered.wait())
    waits: list[asyncio.Future[Any]] = [edit.finished, offered]
    try:
        while True:  # until it is over, or offered: then it is the user who is waited for
            done, _ = await asyncio.wait(waits, timeout=TICK_S, return_when=asyncio.FIRST_COMPLETED)
            if done:
                break
            seconds = round(asyncio.get_running_loop().time() - started)
            tell({"kind": "report", "message": _how_far(edit, seconds), "cancellable": True})
    finally:
        offered.cancel()
        if session.notifications.progress.get(token) is edit:  # else another edit's by now
            del session.notifications.progress[token]
        tell({"kind": "end"})


def _how_far(edit: InlineEdit, seconds: int) -> str:
    """Return the seconds since the edit began, and the last whole sentence of the model's reasoning, if any."""
    if edit.state is EditState.QUEUED:
        return f"{seconds} s, waits for another edit"
    sentences = [each for each in _SENTENCE_END.split(edit.answer.thought.strip())[:-1] if each.strip()]
    return one_line(f"{seconds} s · {sentences[-1]}", 120) if sentences else f"{seconds} s"


def work_done_progress_cancel(session: Session, params: types.WorkDoneProgressCancelParams) -> None:
    """Cancel the edit that a progress token belongs to."""
    edit = session.notifications.progress.get(params.token)
    if edit is not None and edit.is_live:
        session.scheduler.stop(edit)

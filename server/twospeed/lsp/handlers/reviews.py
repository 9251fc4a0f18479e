"""A model's review of an edit: a command starts it; findings become diagnostics and one message."""

from __future__ import annotations

from twospeed.edits.after.model_review import FoundIssue, review
from twospeed.edits.inline_edit import InlineEdit
from twospeed.edits.phases import EditState
from twospeed.lsp.client.editor_client import INFO, WARNING
from twospeed.lsp.session.session import Session
from twospeed.lsp.wire.error_codes import REQUEST_FAILED, RpcError
from twospeed.routing.lanes import ICONS

_DEEP = ICONS["deep"]


def begin(session: Session, edit: InlineEdit) -> None:
    """Start a review in the background.

    Raises:
        RpcError: A review of this edit is running already.
    """
    if edit.decision.is_model_reviewed:
        raise RpcError(REQUEST_FAILED, "a review of this edit is under way already")
    edit.note_model_review(is_running=True)
    session.tasks.spawn(_review(session, edit))


async def _review(session: Session, edit: InlineEdit) -> None:
    try:
        found = await review(edit, session.source, session.scheduler.delimiters, session.scheduler.ignore)
    finally:
        edit.note_model_review(is_running=False)
    if edit.state is EditState.REVIEW:
        session.notifications.diagnostics.add(edit, found)
        session.client.show_message(WARNING if found else INFO, _summary(found))


def _summary(found: tuple[FoundIssue, ...]) -> str:
    if not found:
        return f"{_DEEP} the review has found nothing"
    first = found[0]
    more = f", and {len(found) - 1} more" if len(found) > 1 else ""
    return f"{_DEEP} line {first.start + 1}: {first.finding.message}{more}"

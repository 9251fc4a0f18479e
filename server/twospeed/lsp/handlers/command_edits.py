"""Edits that a command begins: no request waits for them, so their ending is shown to the user."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from twospeed.edits.after.next_steps import (
    Step,
    check_unchanged,
    forced_answer_of,
    next_steps,
    retry_request,
    stop_or_reject,
    with_instructions_of,
)
from twospeed.edits.inline_edit import InlineEdit
from twospeed.edits.values import EditRequest, ForcedAnswer, Report
from twospeed.lsp.client.editor_client import ERROR
from twospeed.lsp.session.session import Session
from twospeed.lsp.wire.convert import range_to
from twospeed.lsp.wire.error_codes import REQUEST_FAILED, RpcError
from twospeed.routing import Mode
from twospeed_protocol import messages as wire

from . import edits, refused_answers


def start(session: Session, arguments: wire.EditArguments) -> dict[str, object]:
    """Begin an edit."""
    _refuse_preview(session)
    return _begin(session, request_of(session, arguments))


def repeat(session: Session, arguments: wire.RepeatArguments) -> dict[str, object]:
    """Begin an edit with the instructions of the newest one, at other lines."""
    _refuse_preview(session)
    edit = session.scheduler.remembered(None)
    again = wire.EditArguments(uri=arguments.uri, range=arguments.range, instruction=edit.request.first_words)
    return _begin(session, with_instructions_of(edit, request_of(session, again)))


def retry(session: Session, edit: InlineEdit, mode: Mode, forced: ForcedAnswer | None = None) -> None:
    """Take an edit back, then begin it again in a mode, or with an answer that the user has."""
    _refuse_preview(session)  # before the old text is put back
    channel = session.channel(edit.uri)
    check_unchanged(edit, channel.document)

    async def work() -> None:
        first, end = await stop_or_reject(edit, channel, session.scheduler.cancel)
        again = wire.EditArguments(
            uri=edit.uri,
            range=range_to(channel.document.line_range(first, first)),
            instruction=edit.request.first_words,
            mode=mode,
        )
        _begin(session, retry_request(edit, request_of(session, again), first, end, forced))

    session.tasks.spawn(work())


def apply_anyway(session: Session, edit: InlineEdit) -> None:
    """Replace the scope of a refused edit with its answer, as a new edit in review."""
    _refuse_preview(session)
    retry(session, edit, edit.mode, forced_answer_of(edit, session.channel(edit.uri).document))


def request_of(session: Session, arguments: wire.EditArguments) -> EditRequest:
    """Build the request of a command for the current version of its document.

    Raises:
        RequestError: A parameter is invalid.
    """
    params = wire.EditParams(
        text_document=wire.VersionedDocument(
            uri=arguments.uri, version=session.channel(arguments.uri).document.version
        ),
        range=arguments.range,
        instruction=arguments.instruction,
        mode=arguments.mode,
        scope=arguments.scope,
    )
    return edits.request_from(session, params)


def _begin(session: Session, request: EditRequest) -> dict[str, object]:
    edit = edits.begin_request(session, request)

    def show_ending(done: asyncio.Future[Report]) -> None:
        if done.cancelled():
            return
        if error := done.exception():
            session.client.show_message(ERROR, str(error))
        else:
            session.notifications.show_ending(edit, _actions_after(session, edit))

    edit.finished.add_done_callback(show_ending)
    return wire.EditStarted(edit_id=edit.id).to_json()


def _actions_after(session: Session, edit: InlineEdit) -> dict[Step, Callable[[], object]]:
    actions: dict[Step, Callable[[], object]] = {
        "retry": lambda: retry(session, edit, "deep"),
        "show": lambda: refused_answers.open_diff(session, edit),
        "apply": lambda: apply_anyway(session, edit),
    }
    can_show = session.client.profile.shows_documents
    return {step: actions[step] for step in next_steps(edit, can_show=can_show)}


def _refuse_preview(session: Session) -> None:
    if session.settings.delivery == "preview":
        raise RpcError(REQUEST_FAILED, "delivery.style is preview, and a command cannot show a preview")

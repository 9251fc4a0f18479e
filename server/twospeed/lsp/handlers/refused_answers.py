"""``twospeed.showAnswer``: show the answer of a refused edit beside the text that it would have replaced."""

from __future__ import annotations

import logging

from twospeed.aio import in_thread
from twospeed.edits.inline_edit import InlineEdit
from twospeed.lsp.client.answer_files import diff_of
from twospeed.lsp.client.editor_client import WARNING
from twospeed.lsp.session.session import Session
from twospeed.lsp.wire.convert import range_to
from twospeed.lsp.wire.error_codes import REQUEST_FAILED, RpcError
from twospeed_protocol import messages as wire

logger = logging.getLogger(__name__)


def show(session: Session, edit: InlineEdit) -> dict[str, object]:
    """Return the answer and its place; an editor without a view of its own for it is asked to open the diff.

    Raises:
        RpcError: The edit has no refused answer, or the document has changed since.
    """
    text = edit.refused_text
    if text is None:
        raise RpcError(REQUEST_FAILED, "that edit has no answer that was refused")
    if session.client.profile.takes_events:
        check_unchanged(session, edit)
    else:
        open_diff(session, edit)
    return wire.ShownAnswer(
        edit_id=edit.id,
        uri=edit.uri,
        version=edit.document.version,
        range=range_to(edit.place.placed_scope().range),
        text=text,
        message=edit.message or None,
    ).to_json()


def open_diff(session: Session, edit: InlineEdit) -> None:
    """Ask any editor to open the diff, also one with a view of its own: it cannot know what a question was about.

    Raises:
        RpcError: The document has changed since the edit ended.
    """
    check_unchanged(session, edit)
    session.tasks.spawn(_open_diff(session, edit))


def check_unchanged(session: Session, edit: InlineEdit) -> None:
    """Check that an edit's lines are where they were when it ended.

    Raises:
        RpcError: The document has changed since, or is closed.
    """
    document = session.channel(edit.uri).document
    asked_about = edit.request.document.version if edit.is_preview else edit.ended_version
    if asked_about not in (None, document.version):
        raise RpcError(
            REQUEST_FAILED, "the text has changed since that edit ended; ask again where it is now"
        )


async def _open_diff(session: Session, edit: InlineEdit) -> None:
    if not session.client.profile.shows_documents:
        session.client.show_message(
            WARNING,
            "this editor cannot open the answer; apply it anyway to see it, and reject it to take it back",
        )
        return
    lines, answer = edit.document.lines, edit.answer
    new = (*lines[: edit.live.start], *answer, *lines[edit.live.end :])
    diff = await in_thread(lambda: diff_of(edit.request.file_name, tuple(lines), new))
    try:
        uri = session.notifications.answer_files.write(diff)
    except OSError as error:
        raise RpcError(REQUEST_FAILED, f"the answer cannot be written to a file: {error}") from error
    await session.client.request("window/showDocument", {"uri": uri, "takeFocus": True})

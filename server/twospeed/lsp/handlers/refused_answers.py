"""``twospeed.showAnswer``: show the answer of a refused edit beside the text that it would have replaced."""

from __future__ import annotations

from twospeed.aio import in_thread
from twospeed.edits.after.next_steps import check_unchanged
from twospeed.edits.inline_edit import InlineEdit
from twospeed.errors import RequestError
from twospeed.lsp.client.answer_files import diff_of
from twospeed.lsp.client.editor_client import WARNING
from twospeed.lsp.session.session import Session
from twospeed.lsp.wire.convert import range_to
from twospeed_protocol import messages as wire


def show(session: Session, edit: InlineEdit) -> dict[str, object]:
    """Return the answer and its place; an editor without a view of its own for it is asked to open the diff.

    Raises:
        RequestError: The edit has no refused answer, or the document has changed since.
    """
    text = edit.refused_text
    if text is None:
        raise RequestError("that edit has no refused answer")
    if session.client.profile.takes_events:
        check_unchanged(edit, session.channel(edit.uri).document)
    else:
        open_diff(session, edit)
    return wire.ShownAnswer(
        edit_id=edit.id,
        uri=edit.uri,
        version=edit.document.version,
        range=range_to(edit.place.placed_scope().range),
        text=text,
        message=edit.answer.message or None,
    ).to_json()


def open_diff(session: Session, edit: InlineEdit) -> None:
    """Open the answer as a diff in the editor, in the background.

    Raises:
        RequestError: The document has changed since the edit ended, or is closed.
    """
    check_unchanged(edit, session.channel(edit.uri).document)
    session.tasks.spawn(_open_diff(session, edit))


async def _open_diff(session: Session, edit: InlineEdit) -> None:
    if not session.client.profile.shows_documents:
        session.client.show_message(
            WARNING,
            "this editor cannot open the answer; apply it anyway to see it, and reject it to take it back",
        )
        return
    lines, answer = edit.document.lines, edit.answer.refused_lines
    new = (*lines[: edit.live.start], *answer, *lines[edit.live.end :])
    diff = await in_thread(lambda: diff_of(edit.request.file_name, tuple(lines), new))
    try:
        uri = session.notifications.answer_files.write(diff)
    except OSError as error:
        raise RequestError(f"the answer cannot be written to a file: {error}") from error
    await session.client.request("window/showDocument", {"uri": uri, "takeFocus": True})

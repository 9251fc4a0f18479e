"""Repeat an edit: take it back, and make a new request with its instructions."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from twospeed.delivery import DocumentChannel
from twospeed.edits.inline_edit import InlineEdit
from twospeed.edits.phases import EditState
from twospeed.edits.prompting.request_lines import comment_line_in
from twospeed.edits.values import EditRequest, ForcedAnswer
from twospeed.errors import RequestError
from twospeed.text.code.scope import ScopeChoice
from twospeed.text.document import Document

from .review import decide
from .tracked_place import TrackedScope

_UNNAMED = ("selection", "block", "file")
"""Kinds of scopes without a name in the code; a retry selects their lines."""


def check_unchanged(edit: InlineEdit, document: Document) -> None:
    """Check that the document is at the version at which an edit ended.

    Raises:
        RequestError: It is at another version.
    """
    version = edit.request.document.version if edit.is_preview else edit.ended_version
    if version not in (None, document.version):
        raise RequestError("the text has changed since that edit ended; repeat it for a new answer")


def forced_answer_of(edit: InlineEdit, document: Document) -> ForcedAnswer:
    """Return the refused answer of an edit, which the user applies nevertheless.

    Raises:
        RequestError: No answer was refused, or the answer does not fit the text.
    """
    if edit.refused_text is None or edit.route is None:
        raise RequestError("that edit has no refused answer")
    check_unchanged(edit, document)
    if not edit.is_answer_current:
        raise RequestError(
            "you typed in the lines of that edit while the model was writing; its answer does not contain what you typed"
        )
    return ForcedAnswer(edit.answer, edit.old_lines, edit.route)


async def take_back(
    edit: InlineEdit, channel: DocumentChannel, cancel: Callable[[InlineEdit], None]
) -> tuple[int, int]:
    """Stop or reject an edit; return the first line of its scope and the line after the last, as they are then.

    Args:
        edit: It may be in any state.
        channel: The channel of its document.
        cancel: Cancels an edit that has no outcome yet.

    Raises:
        RequestError: The document was closed, or the lines no longer exist.
        DeliveryError: The client did not take the old text back.
    """
    place = TrackedScope(edit)
    try:
        if edit.is_live:
            cancel(edit)
            await asyncio.shield(edit.finished)
        if edit.state is EditState.REVIEW:
            await decide(edit, "reject")
        if channel.is_closed:  # a document that is open under the same URI now may have another text
            raise RequestError("the document was closed; start a new edit")
        await channel.settled()
        if place.lines.is_lost:
            raise RequestError("the lines of that edit no longer exist; start a new edit")
        return place.lines.start, place.lines.end
    finally:
        place.stop()


def with_instructions_of(edit: InlineEdit, request: EditRequest) -> EditRequest:
    """Return the request with every instruction of an edit: its own, and those it was steered away from."""
    return replace(request, instruction=edit.request.instruction, earlier=edit.request.earlier)


def retry_request(
    edit: InlineEdit, request: EditRequest, start: int, end: int, forced: ForcedAnswer | None = None
) -> EditRequest:
    """Return a request that repeats an edit at the lines where its scope is now.

    It keeps the instructions, the diagnostics, the edit that it refines, and the instruction comment.

    Args:
        edit: The edit, which was taken back.
        request: A request for the current document, at any lines.
        start: First line of the scope in that document.
        end: Line after the last.
        forced: The answer for exactly these lines, if no model is to be requested.
    """
    old, document = edit.request, request.document
    comment_line = comment_line_in(old, document, start, end)
    lines = document.line_range(start, end)
    first, last = document.place(lines.start), document.place(lines.end)
    choice: ScopeChoice
    if forced and start < end:
        comment_line, choice = None, "selection"
    elif comment_line is not None:  # the scope is resolved from the comment, as it was the first time
        first, choice = (comment_line, 0), old.choice
        last = first
    elif edit.scope.kind in _UNNAMED:
        choice = "selection"
    else:
        choice = old.choice if old.choice in ("function", "class") else "auto"
        last = first
    return replace(
        with_instructions_of(edit, request),
        selection=(first, last),
        choice=choice,
        comment_line=comment_line,
        given=forced,
        follows=old.follows,
        diagnostics=old.diagnostics,
    )

"""``twospeed.updateCallers``: one group of edits for the certain callers of what an edit changed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from twospeed.aio import in_thread
from twospeed.edits.after.callers import CallerLines, lines_to_update, message_about
from twospeed.edits.groups.group import EditGroup
from twospeed.edits.groups.places import RequestedPlace
from twospeed.edits.inline_edit import InlineEdit
from twospeed.edits.phases import EditState
from twospeed.errors import RequestError
from twospeed.lsp.client.editor_client import INFO
from twospeed.lsp.session.session import Session
from twospeed.lsp.session.workspace import WAIT_S
from twospeed.lsp.wire.convert import range_to
from twospeed.text.document import Document
from twospeed_protocol import messages as wire

from .edit_requests import request_from
from .places import begin_requested

if TYPE_CHECKING:  # imported by the first edit
    from twospeed.workspace.call_search import Caller

_TRIES = 3
"""Searches before the command fails because documents change all the time."""


def callers_title(session: Session, edit: InlineEdit) -> str | None:
    """Return the title of the offer to update an edit's callers, or ``None`` if there are none."""
    callers = session.notifications.callers.of(edit)
    if not callers:
        return None
    n_places = len(lines_to_update(_to_update(callers, edit, _documents(session))))
    return f"Update callers ({n_places})" if n_places else f"List callers ({len(callers)})"


async def begin_update(session: Session, edit: InlineEdit) -> tuple[EditGroup | None, wire.CallersUpdated]:
    """Begin an edit for each certain place in an open document, and list all other places.

    Raises:
        RequestError: The edit changed nothing for callers, or the documents change all the time.
    """
    callers, documents = await _current(session, edit)
    if not callers:
        raise RequestError("that edit changed no name, parameter or result of a definition that others use")
    updated = _to_update(callers, edit, documents)
    places = lines_to_update(updated)
    if any(documents[place.path].uri != edit.uri for place in places):
        session.workspace.symbols.update()  # a prompt shows the new signature
        await in_thread(partial(session.workspace.symbols.wait, WAIT_S))
    group = _begin(session, places, documents) if places else None
    session.notifications.callers.note_updated(edit)
    elsewhere = [each for each in callers if each not in updated]
    if elsewhere:
        name = elsewhere[0].change.old_name
        session.client.show_message(INFO, message_about(len(places), elsewhere, name))
    listed = [
        wire.CallerPlace(
            uri=documents[each.path].uri if each.path in documents else session.workspace.uri_of(each.path),
            line=each.site.line,
            certain=each.is_certain,
            text=each.site.text,
        )
        for each in elsewhere
    ]
    result = wire.CallersUpdated(edit_id=group.id if group else None, places=len(places), elsewhere=listed)
    return group, result


async def _current(session: Session, edit: InlineEdit) -> tuple[Sequence[Caller], dict[str, Document]]:
    for _ in range(_TRIES):
        documents = _documents(session)
        callers = await session.workspace.callers_of(edit)
        now = _documents(session)
        if edit.state is not EditState.REVIEW:
            raise RequestError("that edit is not in review any more")
        if all(now.get(path) is document for path, document in documents.items()):
            return callers, documents
    raise RequestError("the documents changed while their calls were searched; try again")


def _documents(session: Session) -> dict[str, Document]:
    return {session.workspace.paths.of(document.uri): document for document in session.documents.all}


def _to_update(callers: Sequence[Caller], edit: InlineEdit, documents: dict[str, Document]) -> list[Caller]:
    """Return the certain callers in open documents, outside the lines of the edit itself."""
    return [
        each
        for each in callers
        if each.is_certain
        and each.path in documents
        and not (
            documents[each.path].uri == edit.uri
            and each.site.start < edit.live.end
            and edit.live.start < each.site.end
        )
    ]


def _begin(session: Session, places: Sequence[CallerLines], documents: dict[str, Document]) -> EditGroup:
    requested = []
    for place in places:
        document = documents[place.path]
        params = wire.EditParams(
            text_document=wire.VersionedDocument(uri=document.uri, version=document.version),
            range=range_to(document.line_range(place.start, place.end)),
            instruction=place.instruction,
            mode="lightning",
            scope="selection",
        )
        requested.append(RequestedPlace(request_from(session, params), session.channel(document.uri)))
    return begin_requested(session, requested)

"""``twospeed.updateCallers``: one group of edits for the certain callers of what an edit changed."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
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
from .opened_files import OpenedFiles, most_files
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
    documents = _documents(session)
    certain = _certain(callers, edit, documents)
    within_reach = {*documents, *_closed(certain, documents)[: most_files(session)]}
    n_places = len(lines_to_update([each for each in certain if each.path in within_reach]))
    return f"Update callers ({n_places})" if n_places else f"List callers ({len(callers)})"


async def begin_update(session: Session, edit: InlineEdit) -> tuple[EditGroup | None, wire.CallersUpdated]:
    """Begin an edit for each certain place, in files that the client opens for it too, and list all other places.

    Raises:
        RequestError: The edit changed nothing for callers, or the documents change all the time.
    """
    files = OpenedFiles(session)
    callers, documents = await _current(session, edit, files)
    if not callers:
        raise RequestError("that edit changed no name, parameter or result of a definition that others use")
    certain = _certain(callers, edit, documents)
    updated = [each for each in certain if each.path in documents]
    places = lines_to_update(updated)
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
            reason=_reason(each, files, documents),
        )
        for each in elsewhere
    ]
    result = wire.CallersUpdated(edit_id=group.id if group else None, places=len(places), elsewhere=listed)
    return group, result


async def _current(
    session: Session, edit: InlineEdit, files: OpenedFiles
) -> tuple[Sequence[Caller], dict[str, Document]]:
    """Search until no document changes meanwhile; every place is one of the text that the editor has, not of the disk."""
    documents = _documents(session)
    known = _certain(session.notifications.callers.of(edit), edit, documents)
    await files.open_in_editor(_closed(known, documents))  # so that one search is enough
    for n_left in reversed(range(_TRIES)):
        session.workspace.symbols.update()  # a prompt shows the new signature
        documents = _documents(session)
        callers, _ = await asyncio.gather(
            session.workspace.callers_of(edit), in_thread(partial(session.workspace.symbols.wait, WAIT_S))
        )
        has_opened = await files.open_in_editor(_closed(_certain(callers, edit, documents), documents))
        if edit.state is not EditState.REVIEW:
            raise RequestError("that edit is not in review any more")
        now = _documents(session)
        is_current = all(now.get(path) is document for path, document in documents.items())
        if is_current and not (has_opened and n_left):
            return callers, documents
    raise RequestError("the documents changed while their calls were searched; try again")


def _documents(session: Session) -> dict[str, Document]:
    return {session.workspace.paths.of(document.uri): document for document in session.documents.all}


def _certain(callers: Sequence[Caller], edit: InlineEdit, documents: Mapping[str, Document]) -> list[Caller]:
    """Return the certain callers outside the lines of the edit itself."""
    return [each for each in callers if each.is_certain and not _is_within(each, edit, documents)]


def _is_within(caller: Caller, edit: InlineEdit, documents: Mapping[str, Document]) -> bool:
    document = documents.get(caller.path)
    is_same = document is not None and document.uri == edit.uri
    return is_same and caller.site.start < edit.live.end and edit.live.start < caller.site.end


def _closed(callers: Sequence[Caller], documents: Mapping[str, Document]) -> list[str]:
    return list(dict.fromkeys(each.path for each in callers if each.path not in documents))


def _reason(caller: Caller, files: OpenedFiles, documents: Mapping[str, Document]) -> str | None:
    if not caller.is_certain:
        return None
    return files.reasons.get(
        caller.path, "it is in the lines of the edit" if caller.path in documents else None
    )


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

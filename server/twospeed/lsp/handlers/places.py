"""``twospeed/edit`` with ``ranges``, and the requests that name its edits by one id."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterator, Sequence
from dataclasses import replace

from twospeed.edits.after.review import decide as decide_hunks
from twospeed.edits.groups.group import EditGroup, begin_group
from twospeed.edits.groups.places import RequestedPlace
from twospeed.edits.phases import EditState
from twospeed.edits.writing.run import KeepOnCancel
from twospeed.errors import InvalidRequest, UnknownEdit
from twospeed.lsp.session.session import Session
from twospeed.lsp.wire.convert import group_result_to
from twospeed_protocol import messages as wire

from . import problems
from .edit_requests import request_from


def edit(session: Session, params: wire.EditParams) -> Awaitable[wire.EditResult]:
    """Begin an edit for each place, and respond with all outcomes."""
    group = begin(session, params)
    result = asyncio.ensure_future(_result(session, group))
    result.add_done_callback(lambda done: group.stop() if done.cancelled() else None)
    return result


def begin(session: Session, params: wire.EditParams) -> EditGroup:
    """Begin an edit for each of ``ranges``; raises `RequestError` if a parameter is invalid."""
    requested = [
        RequestedPlace(
            request_from(session, place, field=f"ranges.{number}"), session.channel(place.text_document.uri)
        )
        for number, place in enumerate(_params_of_places(params))
    ]
    if params.deliver == "preview":  # the previews of two places cannot both change the import block
        requested = [replace(each, request=replace(each.request, imports="offer")) for each in requested]
    session.workspace.symbols.update()
    group = begin_requested(session, requested, params.edit_id, params.work_done_token)
    problems.expect(session, params, group.edits)
    return group


def begin_requested(
    session: Session,
    requested: Sequence[RequestedPlace],
    group_id: str | None = None,
    work_done_token: wire.Token | None = None,
) -> EditGroup:
    """Begin an edit for each place, and report their progress; see `begin_group`."""
    group = begin_group(session.scheduler, group_id, requested)
    session.notifications.progress.start(group.edits, work_done_token)
    return group


def cancel(session: Session, group: EditGroup, keep: KeepOnCancel) -> Awaitable[wire.EditResult]:
    """Stop the edits without an outcome, and respond with all outcomes."""
    group.cancel(keep)
    return _result(session, group)


async def decide(session: Session, group: EditGroup, params: wire.DecideParams) -> wire.DecideResult:
    """Decide all places in review; a hunk is decided by the id of its place."""
    if params.hunk is not None:
        raise InvalidRequest("name the place of the hunk as the edit", field="editId")
    places = group.in_review()
    if not places:
        raise UnknownEdit(group.id, "has nothing to decide")
    for place in places:
        if place.state is EditState.REVIEW:  # the user may have undone it meanwhile
            await decide_hunks(place, params.action)
            session.notifications.edit_decided(place)
    return wire.DecideResult(edit_id=group.id, version=places[0].document.version, hunks=[])


def _params_of_places(params: wire.EditParams) -> Iterator[wire.EditParams]:
    """Yield the params of an edit for each place."""
    if params.range is not None:
        raise InvalidRequest("either range or ranges, not both", field="ranges")
    if params.variations > 1 or params.partial_result_token is not None:
        field = "variations" if params.variations > 1 else "partialResultToken"
        raise InvalidRequest("is for an edit of one place", field=field)
    for place in params.ranges or ():
        document, lines = (
            (place.text_document, place.range)
            if isinstance(place, wire.PlaceRange)
            else (params.text_document, place)
        )
        update = {"text_document": document, "range": lines, "ranges": None, "edit_id": None}
        yield params.model_copy(update=update)


async def _result(session: Session, group: EditGroup) -> wire.EditResult:
    return group_result_to(group.id, session.mode, await group.results())

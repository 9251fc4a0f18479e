"""``twospeed/edit`` with ``ranges``, and the requests that name its edits by one id."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterator, Sequence
from dataclasses import replace

from twospeed.edits.after.review import Action, decide_together
from twospeed.edits.groups.group import EditGroup, begin_group
from twospeed.edits.groups.places import RequestedPlace
from twospeed.edits.inline_edit import InlineEdit
from twospeed.edits.writing.run import KeepOnCancel
from twospeed.errors import InvalidRequest, UnknownEdit
from twospeed.lsp.session.session import Session
from twospeed.lsp.wire.convert import also_changed_to, group_result_to, hunks_to
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
            replace(request_from(session, place, field=f"ranges.{number}"), deepening=None),
            session.channel(place.text_document.uri),
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
    """Decide all places in review."""
    match params.action:
        case "accept" | "reject" as action:
            pass
        case _:
            raise InvalidRequest("the edits of several places have no deep answer", field="action")
    in_review = group.in_review()
    if not in_review:
        raise UnknownEdit(group.id, "has nothing to decide")
    decided = await decide_whole(session, in_review, action)
    return wire.DecideResult(edit_id=group.id, version=decided[0].version, hunks=[], places=decided)


async def decide_whole(
    session: Session, edits: Sequence[InlineEdit], action: Action
) -> list[wire.DecidedPlace]:
    """Accept or reject whole edits, together in each document, and return what is left of each.

    Raises:
        UnknownEdit: None of them is in review.
        DeliveryError: The client did not restore the old text of one document; the edits of the others are decided.
    """
    by_document: dict[str, list[InlineEdit]] = {}
    for edit in edits:
        by_document.setdefault(edit.uri, []).append(edit)
    work = (_decide_in_document(session, each, action) for each in by_document.values())
    results = await asyncio.gather(*work, return_exceptions=True)
    decided: list[wire.DecidedPlace] = []
    for result in results:
        if isinstance(result, BaseException):
            raise result
        decided += result
    if not decided:  # the user has undone them meanwhile
        raise UnknownEdit(edits[0].id, "has ended")
    return decided


async def _decide_in_document(
    session: Session, edits: Sequence[InlineEdit], action: Action
) -> list[wire.DecidedPlace]:
    decided = await decide_together(edits, action)
    for edit, _ in decided:
        session.notifications.edit_decided(edit)
    return [
        wire.DecidedPlace(
            edit_id=edit.id,
            uri=edit.uri,
            version=edit.document.version,
            hunks=hunks_to(hunks),
            also_changed=also_changed_to(imports),
        )
        for edit, (hunks, imports) in decided
    ]


def _params_of_places(params: wire.EditParams) -> Iterator[wire.EditParams]:
    """Yield the params of an edit for each place."""
    if params.range is not None:
        raise InvalidRequest("either range or ranges, not both", field="ranges")
    if params.mode == "both":
        raise InvalidRequest("both is for an edit of one place", field="mode")
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
    return group_result_to(group.id, session.draft_mode, await group.results())

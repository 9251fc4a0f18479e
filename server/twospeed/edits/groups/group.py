"""One instruction at several places: an edit for each, with one id, and one undo step in each document."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from twospeed.delivery import UndoStep
from twospeed.edits.inline_edit import InlineEdit
from twospeed.edits.phases import EditState
from twospeed.edits.reasons import reason_of
from twospeed.edits.scheduler import EditScheduler
from twospeed.edits.values import EditRequest, Outcome, Reason, Report
from twospeed.edits.writing.run import KeepOnCancel
from twospeed.errors import EditFinished, InvalidRequest, LimitReached, TwospeedError, UnknownEdit

from .joint_apply import JointApply, SharedApply
from .places import RequestedPlace, merged_places

_ORDER: tuple[Outcome, ...] = ("applied", "unchanged", "refused", "conflict", "cancelled", "failed")
"""The outcome of a group is the first of these that a place has."""


@dataclass(frozen=True, slots=True)
class PlaceResult:
    """The result of one place: the report of its edit, or why no edit could begin."""

    request: EditRequest
    report: Report | None
    reason: Reason | None = None

    @property
    def outcome(self) -> Outcome:
        """The outcome; a place without an edit has failed."""
        return self.report.outcome if self.report else "failed"


class EditGroup:
    """The edits of one instruction at several places.

    Args:
        scheduler: Started the edits.
        group_id: The id of the group.
        places: The edit of each place, or why none began.

    Attributes:
        id: Names all edits in requests of the client.
        edits: The edits that began, in the order of their places.
    """

    def __init__(
        self, scheduler: EditScheduler, group_id: str, places: Sequence[InlineEdit | PlaceResult]
    ) -> None:
        self.id = group_id
        self._scheduler = scheduler
        self.edits = [place for place in places if isinstance(place, InlineEdit)]
        self._places = places

    def steer(self, instruction: str) -> None:
        """Steer every edit without an outcome; raises the errors of `EditScheduler.steer`."""
        unfinished = [edit for edit in self.edits if edit.is_unfinished]
        if not unfinished:
            raise EditFinished(self.id)
        for edit in unfinished:
            self._scheduler.steer(edit, instruction)

    def cancel(self, keep: KeepOnCancel) -> None:
        """Stop every edit without an outcome; raises `UnknownEdit` if there is none."""
        if not any(edit.is_unfinished for edit in self.edits):
            raise UnknownEdit(self.id, "has its outcome already")
        self.stop(keep)

    def stop(self, keep: KeepOnCancel = "none") -> None:
        """Stop every edit; without effect on those that have their outcome."""
        for edit in self.edits:
            self._scheduler.stop(edit, keep)

    def in_review(self) -> list[InlineEdit]:
        """Return the edits that are in review."""
        return [edit for edit in self.edits if edit.state is EditState.REVIEW]

    async def results(self) -> tuple[PlaceResult, ...]:
        """Wait for all outcomes; return the results in the order of the places, with the ranges of that moment."""
        for edit in self.edits:
            await asyncio.wait([edit.finished])
        return tuple(_result_of(place) for place in self._places)


def begin_group(
    scheduler: EditScheduler,
    group_id: str | None,
    places: Sequence[RequestedPlace],
) -> EditGroup:
    """Begin an edit for each place; overlapping places are one.

    Args:
        scheduler: Starts the edits.
        group_id: The id of the group, whose edits have it with a number; ``None`` for a new one.
        places: The places, whose requests have no id.

    Raises:
        InvalidRequest: The id exists already.
    """
    group_id = scheduler.new_id(group_id)
    shared: dict[str, SharedApply] = {}
    begun: list[InlineEdit | PlaceResult] = []
    for number, place in enumerate(merged_places(places), 1):
        request = replace(place.request, edit_id=f"{group_id}.{number}")
        document = shared.get(request.document.uri) or _shared_apply(group_id, place)
        shared[request.document.uri] = document
        try:
            edit = scheduler.begin(request, place.channel, shared=document)
        except (InvalidRequest, LimitReached) as error:
            begun.append(PlaceResult(request, None, reason_of(error)))
        else:
            begun.append(edit)
    group = EditGroup(scheduler, group_id, begun)
    scheduler.groups[group_id] = group
    return group


def _result_of(place: InlineEdit | PlaceResult) -> PlaceResult:
    if isinstance(place, PlaceResult):
        return place
    if place.finished.cancelled():  # the session ends
        return PlaceResult(place.request, None, Reason("shutdown", "the editor shut twospeed down"))
    error = place.finished.exception()
    if error is None:
        is_current = place.state is EditState.REVIEW
        return PlaceResult(place.request, place.report() if is_current else place.finished.result())
    if not isinstance(error, TwospeedError):
        raise error
    return PlaceResult(place.request, None, reason_of(error))  # its scope could not be found


def outcome_of(results: Sequence[PlaceResult]) -> Outcome:
    """Return the outcome of a group: applied if that of any place is."""
    return min((result.outcome for result in results), key=_ORDER.index)


def _shared_apply(group_id: str, place: RequestedPlace) -> SharedApply:
    style, channel = place.request.style, place.channel
    step = UndoStep.of(group_id, style, channel.behavior)
    return SharedApply(step, JointApply(channel, step) if style == "atomic" else None)

"""The places of one instruction: overlapping ones are one place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from twospeed.delivery import DocumentChannel
from twospeed.edits.edit_place import have_common_line
from twospeed.edits.prompting.scope_resolution import approximate_scope, must_wait_for_tree, resolve_scope
from twospeed.edits.values import EditRequest
from twospeed.errors import InvalidRequest, LimitReached


@dataclass(frozen=True, slots=True)
class RequestedPlace:
    """One place of an instruction, and the channel of its document."""

    request: EditRequest
    channel: DocumentChannel


def merged_places(places: Sequence[RequestedPlace]) -> list[RequestedPlace]:
    """Return the places without those whose scope overlaps an earlier one; overlapping selections become one."""
    merged: list[tuple[RequestedPlace, int, int]] = []
    for place in places:
        span = _span(place.request)
        for index, (other, start, end) in enumerate(merged):
            if other.channel is place.channel and span and have_common_line((start, end), span):
                first = min(other.request.selection[0], place.request.selection[0])
                last = max(other.request.selection[1], place.request.selection[1])
                if other.request.selection[0] != other.request.selection[1]:
                    request = replace(other.request, selection=(first, last))
                    merged[index] = (replace(other, request=request), min(start, span[0]), max(end, span[1]))
                break
        else:
            merged.append((place, *(span or (-1, -1))))
    return [place for place, _, _ in merged]


def _span(request: EditRequest) -> tuple[int, int] | None:
    """Return the lines of a request's scope; ``None`` if it has none, which its edit reports."""
    try:
        scope = approximate_scope(request) if must_wait_for_tree(request) else resolve_scope(request)
    except (InvalidRequest, LimitReached):
        return None
    return scope.start, scope.end

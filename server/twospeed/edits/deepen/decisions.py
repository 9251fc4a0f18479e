"""Carry out what the user decides about the offer of a deep answer."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from twospeed.delivery import MaybeAwaitable, build_of_all
from twospeed.edits.after.review import apply_in_review
from twospeed.edits.inline_edit import InlineEdit
from twospeed.edits.phases import EditState
from twospeed.errors import InvalidRequest, UnknownEdit
from twospeed.stream import JoinedBatch

from .deep_answer import DeepState
from .offer import end_if_over, lines_of_answer, places_of


async def take(edit: InlineEdit, hunk_id: str | None) -> None:
    """Apply one place of the offer, or without an id all that are left, as one undo step.

    Raises:
        UnknownEdit: Nothing is offered.
        InvalidRequest: There is no such place.
        DeliveryError: The client did not apply it.
    """
    async with edit.decision.lock:
        is_selected, n_places = _selected(edit, hunk_id)
        deep = edit.deep
        assert deep
        assert deep.answer

        def build() -> MaybeAwaitable[JoinedBatch]:
            lines, imports = lines_of_answer(edit)
            return build_of_all(edit.place.scopes, lambda scopes: scopes.taken(lines, imports, is_selected))

        await apply_in_review(edit, build)
        if edit.state is not EditState.REVIEW:  # its document may have been closed meanwhile
            raise UnknownEdit(edit.id, "has ended")
        deep.places.n_taken += n_places
        edit.note_taken(deep.answer if hunk_id is None else None)
        _close_if_empty(edit, "taken")
        edit.note_deep_changed()


async def dismiss(edit: InlineEdit, hunk_id: str | None) -> None:
    """Withdraw one place of the offer, or without an id all that are left; raises `UnknownEdit` and `InvalidRequest`."""
    async with edit.decision.lock:
        _selected(edit, hunk_id)
        deep = edit.deep
        assert deep
        deep.places.dismissed |= {
            number for number, place in places_of(edit) if hunk_id is None or place.id == hunk_id
        }
        _close_if_empty(edit, "taken" if deep.places.n_taken else "dismissed")
        edit.note_deep_changed()


def _close_if_empty(edit: InlineEdit, state: DeepState) -> None:
    deep = edit.deep
    assert deep
    if not places_of(edit):
        deep.close(state)
    if not edit.place.has_hunks and not edit.decision.is_draft_decided:
        edit.note_draft_decided("rejected")  # the deep answer is the old text
    end_if_over(edit)


def _selected(edit: InlineEdit, hunk_id: str | None) -> tuple[Callable[[int], bool], int]:
    """Return which numbers are selected, and how many places these are."""
    if edit.state is not EditState.REVIEW or edit.deep is None or edit.deep.state != "offered":
        raise UnknownEdit(edit.id, "has no offer of Deep")
    places = {place.id: number for number, place in places_of(edit)}
    if hunk_id is None:
        return partial(_is_not_in, frozenset(edit.deep.places.dismissed)), len(places)
    if hunk_id not in places:
        raise InvalidRequest(f"the offer has no place {hunk_id}", field="hunk")
    return partial(_is, places[hunk_id]), 1


def _is_not_in(numbers: frozenset[int], number: int) -> bool:
    return number not in numbers


def _is(chosen: int, number: int) -> bool:
    return number == chosen

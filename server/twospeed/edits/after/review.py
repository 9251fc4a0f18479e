"""After the stream: accept or reject an edit, whole or hunk by hunk."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal

from twospeed.delivery import Built, build_of_all
from twospeed.edits.inline_edit import InlineEdit
from twospeed.edits.phases import EditState
from twospeed.edits.values import PlacedHunk
from twospeed.errors import (
    DeliveryError,
    EditUnconfirmed,
    InvalidRequest,
    NoOtherAnswer,
    UnknownEdit,
)
from twospeed.stream import ScopeBatch

Action = Literal["accept", "reject"]


async def decide(edit: InlineEdit, action: Action, hunk_id: str | None = None) -> tuple[PlacedHunk, ...]:
    """Accept or reject the changes of an edit.

    Args:
        edit: An edit in review.
        action: ``accept`` keeps the text, ``reject`` restores the old lines.
        hunk_id: One hunk; ``None`` for all.

    Returns:
        The hunks that are left: undecided ones, and after a reject those the user has changed since, which stay.

    Raises:
        UnknownEdit: The edit is not in review.
        InvalidRequest: It has no such hunk.
        DeliveryError: The client did not restore the old text.
    """
    async with edit.deciding:
        _check_in_review(edit)
        wanted = _hunks_named(edit, hunk_id)
        if action == "accept":
            edit.live.accept(wanted)
        else:
            await _show(edit, lambda: build_of_all(edit.live, lambda live: live.put_back(wanted)))
        _check_in_review(edit)  # its document may have been closed meanwhile
        return _settle(edit, action, is_whole=hunk_id is None)


def end_if_gone(edit: InlineEdit) -> None:
    """End an edit in review if none of its changes is left in the document.

    The user has undone them: they are rejected. If the lines could not be followed, there is no verdict.
    """
    if edit.state is EditState.REVIEW and not edit.live.has_hunks:
        edit.decide("rejected" if edit.note_undone() else None)


def end_undecided(edit: InlineEdit) -> None:
    """End an edit in review without a verdict; its text stays as it is and can no longer be decided."""
    edit.decide(None)


async def _show(edit: InlineEdit, build: Callable[[], Built[ScopeBatch]]) -> None:
    """Apply a batch; if its result is unknown, nothing can be decided any more.

    Raises:
        DeliveryError: The batch was not applied, or that is unknown.
    """
    try:
        request = partial(edit.undo_step.request, begins=True, ends=True)
        in_whole_lines = edit.undo_step.in_whole_lines
        await edit.channel.apply(edit.live, build, request, in_whole_lines=in_whole_lines)
    except DeliveryError as error:
        end_if_gone(edit)  # by what the user did meanwhile
        if isinstance(error, EditUnconfirmed) and edit.state is EditState.REVIEW:
            edit.decide(None)
        raise


async def show_next(edit: InlineEdit, step: int) -> None:
    """Replace the applied answer of an edit by another one.

    Args:
        edit: An edit in review without a decided hunk.
        step: 1 for the next one, -1 for the one before.

    Raises:
        UnknownEdit: The edit is not in review.
        NoOtherAnswer: There is none, or a hunk is decided already.
        DeliveryError: The client did not apply it.
    """
    _check_in_review(edit)
    async with edit.variations.turning:
        number, answer = await edit.variations.next(step)
        async with edit.deciding:
            _check_in_review(edit)
            if edit.is_partly_decided:
                raise NoOtherAnswer(
                    "a part of the edit is decided; no other answer can take its place any more"
                )
            await _show(edit, lambda: build_of_all(edit.live, lambda live: live.other_answer(answer.ops)))
            _check_in_review(edit)  # its document may have been closed meanwhile
            edit.show_variation(number, answer.findings)


def _check_in_review(edit: InlineEdit) -> None:
    if edit.state is not EditState.REVIEW:
        raise UnknownEdit(edit.id, "is not in review yet" if edit.is_live else "has ended")


def _settle(edit: InlineEdit, action: Action, *, is_whole: bool) -> tuple[PlacedHunk, ...]:
    left = edit.place.placed_hunks()
    edit.note_partly_decided(is_whole=is_whole)
    if is_whole or not left:
        edit.decide("accepted" if action == "accept" else "rejected")
    return left


def _hunks_named(edit: InlineEdit, hunk_id: str | None) -> Callable[[int], bool]:
    if hunk_id is None:
        return lambda _: True
    if hunk_id not in {hunk.id for hunk in edit.place.placed_hunks()}:
        raise InvalidRequest(f"the edit has no hunk {hunk_id}", field="hunk")
    return lambda number: f"h{number}" == hunk_id

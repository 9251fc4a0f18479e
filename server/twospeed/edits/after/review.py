"""Review an edit: accept or reject it, whole or hunk by hunk, or replace its answer by another one.

If the user applies the answer of a cancelled offer late, the answer becomes another edit in review.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from contextlib import AsyncExitStack
from functools import partial
from typing import Literal

from twospeed.delivery import BatchT, MaybeAwaitable, Owner, build_of_all
from twospeed.edits.deepen.offer import note_change
from twospeed.edits.inline_edit import InlineEdit
from twospeed.edits.phases import EditState
from twospeed.edits.values import PlacedHunk, PlacedImports, Verdict
from twospeed.edits.writing.variations import Variation
from twospeed.errors import (
    DeliveryError,
    EditUnconfirmed,
    InvalidRequest,
    NoOtherAnswer,
    UnknownEdit,
)
from twospeed.stream import GroupBatch, GroupScopes, JoinedBatch

Action = Literal["accept", "reject"]
UndecidedHunks = tuple[tuple[PlacedHunk, ...], PlacedImports | None]

LATE_ACCEPTANCE_S = 60.0
"""Seconds to watch for a cancelled offer: some clients report a change only after a typing pause."""

APPLIED_LATE = (
    "You applied the answer of an edit that was cancelled. It is in the text, and you can reject it."
)
IN_DOUBT = "The editor may have applied the answer of an edit that was cancelled. Please check the text."


async def decide(edit: InlineEdit, action: Action, hunk_id: str | None = None) -> UndecidedHunks:
    """Accept or reject a hunk of an edit in review, without ``hunk_id`` all.

    Returns:
        The remaining hunks of the scope and of the import block: undecided ones, and after a reject those that the user has
        changed since.

    Raises:
        UnknownEdit: The edit is not in review.
        InvalidRequest: It has no such hunk.
        DeliveryError: The client did not restore the old text.
    """
    async with edit.decision.lock:
        _check_in_review(edit)
        if edit.decision.is_draft_decided:
            raise UnknownEdit(edit.id, "has nothing left to decide but the offer of Deep")
        is_selected = _hunk_filter(edit, hunk_id)
        if action == "accept":
            edit.place.scopes.accept(is_selected)
        else:
            scopes = edit.place.scopes
            await apply_in_review(
                edit, lambda: build_of_all(scopes, lambda each: each.revert_hunks(is_selected))
            )
        _check_in_review(edit)  # its document may have been closed meanwhile
        return _conclude(edit, action, are_all=hunk_id is None)


async def decide_together(
    edits: Sequence[InlineEdit], action: Action
) -> list[tuple[InlineEdit, UndecidedHunks]]:
    """Accept or reject edits of one document; the old text of all is restored in one undo step.

    Returns:
        The edits that were still in review, each with its remaining hunks as `decide` returns them.

    Raises:
        DeliveryError: The client did not restore the old text of any.
    """
    async with AsyncExitStack() as locks:
        for edit in edits:
            await locks.enter_async_context(edit.decision.lock)
        if action == "reject":
            await _reject_together(edits)
        decided = _in_review(edits)
        for edit in decided if action == "accept" else ():
            edit.place.scopes.accept()
        return [(edit, _conclude(edit, action, are_all=True)) for edit in decided]


def end_if_gone(edit: InlineEdit) -> None:
    """End an edit in review if the document contains none of its changes any more.

    Undoing them rejects the edit; if its lines could not be followed, there is no verdict.
    """
    if edit.state is not EditState.REVIEW:
        return
    note_change(edit)
    if not (edit.decision.is_draft_decided or edit.place.scopes.has_hunks):
        _conclude_draft(edit, "rejected" if edit.note_undone() else None)


def end_undecided(edit: InlineEdit) -> None:
    """End an edit in review without a verdict; its text stays and can no longer be decided."""
    edit.decide(None)


async def show_next(edit: InlineEdit, step: int) -> None:
    """Replace the applied answer of an edit in review by the next one, or with ``step`` -1 by the one before.

    Raises:
        UnknownEdit: The edit is not in review.
        NoOtherAnswer: There is none, or a hunk is decided.
        DeliveryError: The client did not apply it.
    """
    _check_in_review(edit)
    async with edit.variations.lock:
        number, answer = await edit.variations.next(step)
        async with edit.decision.lock:
            _check_in_review(edit)
            if edit.decision.is_partial:
                raise NoOtherAnswer(
                    "a part of the edit is decided; no other answer can take its place any more"
                )
            await apply_in_review(edit, lambda: _other_answer(edit, answer))
            _check_in_review(edit)  # its document may have been closed meanwhile
            edit.show_variation(number, answer.findings)


async def wait_for_late_acceptance(
    edit: InlineEdit, *, new_id: Callable[[], str], warn: Callable[[str], None]
) -> InlineEdit | None:
    """Watch for the withdrawn answer of a cancelled edit; return an edit in review for it if the user applies it."""
    applied, late_edit = edit.place.withdrawn_offer, None
    assert applied
    try:
        async with asyncio.timeout(LATE_ACCEPTANCE_S):
            await applied
        if edit.place.scopes.has_hunks:
            late_edit = InlineEdit(
                new_id(),
                edit.request,
                edit.channel,
                edit.scope,
                partials=None,
                on_change=edit.listeners.on_change,
            )
            late_edit.continue_in_review(edit)
            warn(APPLIED_LATE)
    except TimeoutError:
        pass
    except DeliveryError:
        if not edit.channel.is_closed:
            warn(IN_DOUBT)
    finally:
        applied.cancel()
        if late_edit is None:
            edit.channel.remove(edit.place.scopes)
    return late_edit


async def apply_in_review(edit: InlineEdit, build: Callable[[], MaybeAwaitable[JoinedBatch]]) -> None:
    """Apply a batch to the document of an edit in review, as one undo step.

    Raises:
        DeliveryError: The client did not apply it.
    """
    await _apply([edit], edit.place.scopes, build)


async def _reject_together(edits: Sequence[InlineEdit]) -> None:
    scopes = GroupScopes([])

    def build() -> MaybeAwaitable[GroupBatch]:
        scopes.parts = [edit.place.scopes for edit in _in_review(edits)]  # the user may undo some meanwhile
        return build_of_all(scopes, GroupScopes.revert_hunks)

    await _apply(edits, scopes, build)


async def _apply(
    edits: Sequence[InlineEdit], owner: Owner[BatchT], build: Callable[[], MaybeAwaitable[BatchT]]
) -> None:
    """Apply one batch for edits of one document, as one undo step; they share the step if they are several."""
    step = edits[0].place.undo_step
    try:
        request = partial(step.request, begins=True, ends=True)
        await edits[0].channel.apply(owner, build, request, in_whole_lines=step.in_whole_lines)
    except DeliveryError as error:
        for edit in edits:
            end_if_gone(edit)  # the user may have undone the edit meanwhile
            if isinstance(error, EditUnconfirmed) and edit.state is EditState.REVIEW:
                edit.decide(None)  # the text is unknown, so nothing can be decided any more
        raise


def _other_answer(edit: InlineEdit, answer: Variation) -> MaybeAwaitable[JoinedBatch]:
    import_ops = edit.place.import_ops(answer.imports)
    return build_of_all(edit.place.scopes, lambda scopes: scopes.other_answer(answer.ops, import_ops))


def _in_review(edits: Iterable[InlineEdit]) -> list[InlineEdit]:
    return [edit for edit in edits if edit.state is EditState.REVIEW and not edit.decision.is_draft_decided]


def _check_in_review(edit: InlineEdit) -> None:
    if edit.state is not EditState.REVIEW:
        raise UnknownEdit(edit.id, "is not in review yet" if edit.is_unfinished else "has ended")


def _conclude_draft(edit: InlineEdit, verdict: Verdict | None) -> None:
    """End the review, unless it goes on for the deep answer: that outlives a rejected draft only if the user named the mode."""
    deep = edit.deep
    if deep and deep.is_open and verdict and (verdict == "accepted" or deep.deepening.is_asked):
        edit.note_draft_decided(verdict)
    else:
        edit.decide(verdict)


def _conclude(edit: InlineEdit, action: Action, *, are_all: bool) -> UndecidedHunks:
    remaining = edit.place.placed_hunks(), edit.place.placed_imports()
    edit.note_hunks_decided(are_all=are_all)
    if are_all or not any(remaining):
        _conclude_draft(edit, "accepted" if action == "accept" else "rejected")
    return remaining


def _hunk_filter(edit: InlineEdit, hunk_id: str | None) -> Callable[[int], bool]:
    if hunk_id is None:
        return lambda _: True
    if hunk_id not in {hunk.id for hunk in edit.place.all_hunks()}:
        raise InvalidRequest(f"the edit has no hunk {hunk_id}", field="hunk")
    # The numbers of hunks in the import block are negative: see `EditScopes`.
    return lambda number: (f"h{number}" if number > 0 else f"i{-number}") == hunk_id

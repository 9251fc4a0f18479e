"""After the stream: accept or reject an edit, whole or hunk by hunk."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from twospeed.delivery import Shipment
from twospeed.errors import InvalidRequest, UnknownEdit
from twospeed.stream import Batch
from twospeed.text.document import Document

from .inline_edit import InlineEdit
from .state import EditState, EditStep
from .values import PlacedHunk

Action = Literal["accept", "reject"]


async def decide(edit: InlineEdit, action: Action, hunk_id: str | None = None) -> tuple[PlacedHunk, ...]:
    """Accept or reject what an edit changed.

    Args:
        edit: An edit in review.
        action: ``accept`` leaves the text as it stands, ``reject`` puts the old lines back.
        hunk_id: One hunk; all where it is ``None``.

    Returns:
        The hunks that are left: those not decided yet, and after a reject those the user has touched since,
        which stay as they are.

    Raises:
        UnknownEdit: The edit is not in review.
        InvalidRequest: It has no such hunk.
        DeliveryError: The client did not take the old text back.
    """
    async with edit.deciding:
        _check_in_review(edit)
        wanted = _hunks_named(edit, hunk_id)
        if action == "accept":
            edit.live.accept(wanted)
        else:
            await edit.channel.show(edit.live, lambda: edit.live.put_back(wanted), _shipper(edit))
        _check_in_review(edit)  # its document may have been closed meanwhile
        return _settle(edit, action, is_whole=hunk_id is None)


def _check_in_review(edit: InlineEdit) -> None:
    if edit.state is not EditState.REVIEW:
        raise UnknownEdit(edit.id)


def _settle(edit: InlineEdit, action: Action, *, is_whole: bool) -> tuple[PlacedHunk, ...]:
    left = edit.placed_hunks()
    if is_whole or not left:
        edit.verdict = "accepted" if action == "accept" else "rejected"
        edit.channel.remove(edit.live)
        edit.take(EditStep.END)
    return left


def _hunks_named(edit: InlineEdit, hunk_id: str | None) -> Callable[[int], bool]:
    if hunk_id is None:
        return lambda _: True
    if hunk_id not in {hunk.id for hunk in edit.placed_hunks()}:
        raise InvalidRequest(f"the edit has no hunk {hunk_id}", field="hunk")
    return lambda number: f"h{number}" == hunk_id


def _shipper(edit: InlineEdit) -> Callable[[Document, Batch], Shipment]:
    def ship(document: Document, batch: Batch) -> Shipment:
        return edit.ship(document, batch, is_last=True)

    return ship

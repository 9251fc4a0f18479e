"""Find the edits that a command names: by the id of an edit or a group, or the newest."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from twospeed.edits.inline_edit import InlineEdit
from twospeed.edits.phases import EditState
from twospeed.errors import InvalidRequest, UnknownEdit
from twospeed.lsp.session.session import Session


def named_or_newest(
    session: Session, edit_id: str | None, matches: Callable[[InlineEdit], bool]
) -> Sequence[InlineEdit]:
    """Return the matching edits of an id, which may be that of a group; without an id, the newest and those of its group.

    Raises:
        UnknownEdit: There is none.
    """
    groups = session.scheduler.groups
    if edit_id is not None and edit_id not in groups:
        return [session.scheduler.get_active(edit_id)]
    if edit_id is not None:
        edits = groups[edit_id].edits
    else:
        found = newest(session, matches)
        edits = next((group.edits for group in groups.values() if found in group.edits), [found])
    matching = [edit for edit in edits if matches(edit)]
    if not matching:
        raise UnknownEdit(edit_id, "has nothing left to do")
    return matching


def single_edit(session: Session, edit_id: str | None) -> InlineEdit:
    """Return the edit of an id, or the newest in review, to decide one of its hunks.

    Raises:
        InvalidRequest: The id is that of a group, or the newest edit is in one; hunks of its places have the same ids.
        UnknownEdit: There is none.
    """
    groups = session.scheduler.groups
    edit = None if edit_id in groups else edit_in_review(session, edit_id)
    if edit is None or (edit_id is None and any(edit in group.edits for group in groups.values())):
        raise InvalidRequest("name the place of the hunk as the edit", field="editId")
    return edit


def edit_in_review(session: Session, edit_id: str | None) -> InlineEdit:
    """Return the edit of an id, without an id the newest in review; raises `UnknownEdit` if there is none."""
    return newest(session, is_in_review) if edit_id is None else session.scheduler.get_active(edit_id)


def is_unfinished(edit: InlineEdit) -> bool:
    """Return whether an edit has no outcome yet."""
    return edit.is_unfinished


def asks_a_model(edit: InlineEdit) -> bool:
    """Return whether an edit has no outcome yet, or awaits a deep answer."""
    return edit.asks_a_model


def has_offer(edit: InlineEdit) -> bool:
    """Return whether a deep answer is offered for an edit."""
    return edit.deep is not None and edit.deep.state == "offered"


def is_in_review(edit: InlineEdit) -> bool:
    """Return whether an edit is in review."""
    return edit.state is EditState.REVIEW and not edit.is_preview


def newest(session: Session, matches: Callable[[InlineEdit], bool]) -> InlineEdit:
    """Return the newest matching edit; raises `UnknownEdit` if there is none."""
    for edit in reversed(session.scheduler.edits):
        if matches(edit):
            return edit
    raise UnknownEdit(None)

"""The edits of a session by their ids: at most `MAX_REMEMBERED` that have ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from twospeed.errors import InvalidRequest, UnknownEdit

from .after.review import end_undecided
from .inline_edit import InlineEdit
from .phases import EditState

if TYPE_CHECKING:  # a group begins its edits with the scheduler
    from .groups.group import EditGroup

MAX_REMEMBERED = 50
"""Edits that are remembered; beyond them, ended ones are forgotten. ``twospeed/status`` lists as many (contract)."""

MAX_IN_REVIEW = 200
"""Edits in review; older ones end without a verdict, because each follows every change of its document."""


class EditRegistry:
    """Remembers and finds the edits of one session.

    Attributes:
        groups: The groups of edits by their ids.
    """

    def __init__(self) -> None:
        self._edits: dict[str, InlineEdit] = {}
        self.groups: dict[str, EditGroup] = {}
        self._n_made = 0

    def get_active(self, edit_id: str | None) -> InlineEdit:
        """Return an edit that has not ended; without an id the newest one.

        Raises:
            UnknownEdit: There is none, or it has ended.
        """
        if edit_id is None:
            newest = [edit for edit in self._edits.values() if edit.state is not EditState.ENDED]
            if not newest:
                raise UnknownEdit(None)
            return newest[-1]
        edit = self._edits.get(edit_id)
        if edit is None:
            raise UnknownEdit(edit_id)
        if edit.state is EditState.ENDED:
            raise UnknownEdit(edit_id, "has ended")
        return edit

    def get_any(self, edit_id: str | None) -> InlineEdit:
        """Return an edit, ended or not; without an id the newest one.

        Raises:
            UnknownEdit: There is none.
        """
        if edit_id is None and self._edits:
            return list(self._edits.values())[-1]
        edit = self._edits.get(edit_id or "")
        if edit is None:
            raise UnknownEdit(edit_id)
        return edit

    @property
    def edits(self) -> list[InlineEdit]:
        """All edits that are remembered, newest last."""
        return list(self._edits.values())

    def in_review(self, uri: str) -> list[InlineEdit]:
        """Return the edits of a document that are in review."""
        return [edit for edit in self._edits.values() if edit.uri == uri and edit.state is EditState.REVIEW]

    def new_id(self, wanted: str | None) -> str:
        """Return the wanted id, or a new one for ``None``; raises `InvalidRequest` if it exists already."""
        if wanted is not None:
            if wanted in self._edits or wanted in self.groups:
                raise InvalidRequest("an edit of this id exists already", field="editId")
            return wanted
        while True:
            self._n_made += 1
            edit_id = f"e{self._n_made}"
            if edit_id not in self._edits and edit_id not in self.groups:
                return edit_id

    def forget_old(self) -> None:
        """Forget ended edits, and end the oldest ones in review, beyond the limits."""
        in_review = [edit for edit in self.edits if edit.state is EditState.REVIEW]
        for edit in in_review[:-MAX_IN_REVIEW]:
            if not edit.decision.lock.locked():
                end_undecided(edit)
        for group in list(self.groups.values()):
            if all(edit.state is EditState.ENDED for edit in group.edits):
                del self.groups[group.id]
        for edit in self.edits[: max(0, len(self._edits) - MAX_REMEMBERED)]:
            if edit.state is EditState.ENDED:
                del self._edits[edit.id]

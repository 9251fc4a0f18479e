"""Offers to update the callers of what an edit in review changed."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import TYPE_CHECKING

from twospeed.edits.inline_edit import InlineEdit
from twospeed.edits.phases import EditState

if TYPE_CHECKING:  # imported by the first edit
    from twospeed.workspace.call_search import Caller

Find = Callable[[InlineEdit], Coroutine[None, None, "Sequence[Caller]"]]


class CallerOffers:
    """The callers of the edits in review, searched in the background.

    Attributes:
        find: Searches for the callers of an edit; set when the workspace is known.
    """

    def __init__(
        self, spawn: Callable[[Coroutine[None, None, None]], None], refresh: Callable[[], None]
    ) -> None:
        self.find: Find | None = None
        self._spawn = spawn
        self._refresh = refresh
        self._found: dict[str, Sequence[Caller]] = {}
        self._updated: set[str] = set()

    def edit_changed(self, edit: InlineEdit) -> None:
        """Search for callers when an edit enters review, and forget them when it ends."""
        if edit.state is EditState.REVIEW and self.find and not edit.is_preview:
            self._spawn(self._search(edit, self.find))
        elif edit.state is EditState.ENDED:
            self._found.pop(edit.id, None)
            self._updated.discard(edit.id)

    async def _search(self, edit: InlineEdit, find: Find) -> None:
        found = await find(edit)
        if edit.state is not EditState.REVIEW or (not found and edit.id not in self._found):
            return
        self._found[edit.id] = found
        self._refresh()

    def of(self, edit: InlineEdit) -> Sequence[Caller]:
        """Return the known callers of an edit in review that are not updated yet."""
        return () if edit.id in self._updated else self._found.get(edit.id, ())

    def note_updated(self, edit: InlineEdit) -> None:
        """Offer an edit's callers no more."""
        self._updated.add(edit.id)
        self._refresh()

"""Offers to remove the imports that an edit in review made unused."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence

from twospeed.edits.after.model_review import FoundIssue
from twospeed.edits.after.unused_imports import find_unused_imports
from twospeed.edits.inline_edit import InlineEdit
from twospeed.edits.phases import EditState

from .diagnostics import Diagnostics


class UnusedImportOffers:
    """The findings about unused imports of the edits in review, searched in the background."""

    def __init__(
        self, diagnostics: Diagnostics, spawn: Callable[[Coroutine[None, None, None]], None]
    ) -> None:
        self._diagnostics = diagnostics
        self._spawn = spawn
        self._found: dict[str, Sequence[FoundIssue]] = {}

    def edit_changed(self, edit: InlineEdit) -> None:
        """Search when an edit enters review or a part of it is decided; forget its findings when it ends."""
        if edit.state is EditState.REVIEW and edit.stats.lines_removed:
            self._spawn(self._search(edit))
        elif edit.state is EditState.ENDED:
            self._found.pop(edit.id, None)

    async def _search(self, edit: InlineEdit) -> None:
        found = await find_unused_imports(edit)
        if edit.state is EditState.REVIEW and (found or edit.id in self._found):
            self._diagnostics.replace(edit, self._found.get(edit.id, ()), found)
            self._found[edit.id] = found

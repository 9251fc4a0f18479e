"""The effects on edits when their file is saved."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Sequence

from twospeed.edits.inline_edit import InlineEdit
from twospeed.errors import UnknownEdit

from .review import decide

HALF_WRITTEN_WARNING = (
    "a file was saved while an edit was still writing into it; what runs on saving has seen half of the edit"
)


def is_half_written(uri: str, edits: Iterable[InlineEdit]) -> bool:
    """Return whether an edit without an outcome has changed the document already."""
    return any(edit.uri == uri and edit.is_unfinished and edit.place.scopes.has_written for edit in edits)


async def accept_all(edits: Sequence[InlineEdit], on_accepted: Callable[[InlineEdit], None]) -> None:
    """Accept edits in review, and report each; skip those that are decided meanwhile."""
    for edit in edits:
        with contextlib.suppress(UnknownEdit):
            await decide(edit, "accept")
            on_accepted(edit)

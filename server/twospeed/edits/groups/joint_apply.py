"""Apply the answers of a group's edits in one document as one batch, so that the editor makes them one undo step.

For editors that apply an edit in one piece. Where edits stream, their requests share an `UndoStep` instead.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from twospeed import syntax
from twospeed.aio import begin
from twospeed.delivery import DocumentChannel, UndoStep
from twospeed.edits.inline_edit import InlineEdit
from twospeed.edits.writing.new_imports import not_added
from twospeed.stream import GroupBatch, GroupScopes


class JointApply:
    """Waits for the answers of the edits in one document, and applies them together.

    Args:
        channel: The document's channel.
        step: The undo step of all edits.
    """

    def __init__(self, channel: DocumentChannel, step: UndoStep) -> None:
        self._channel = channel
        self._step = step
        self._waiting: dict[InlineEdit, asyncio.Future[None]] = {}

    async def apply(self, edit: InlineEdit) -> None:
        """Wait until every edit of the group has an answer or has ended; return once the document contains all answers.

        Raises:
            DeliveryError: The client did not apply them.
        """
        self._waiting[edit] = asyncio.get_running_loop().create_future()
        self.apply_if_complete()
        try:
            await self._waiting[edit]
        finally:
            self._waiting.pop(edit, None)

    def apply_if_complete(self) -> None:
        """Apply all answers if every edit that may still write has one."""
        if self._waiting and len(self._waiting) >= len(self._step.writers):
            begin(self._apply_all(dict(self._waiting)))

    async def _apply_all(self, waiting: dict[InlineEdit, asyncio.Future[None]]) -> None:
        edits = [edit for edit, applied in waiting.items() if not applied.done()]
        scopes = GroupScopes([edit.place.scopes for edit in edits])

        def build() -> GroupBatch | None:
            self._place_imports(edits)
            return scopes.next_batch()

        request = partial(self._step.request, begins=True, ends=True)
        error: Exception | None = None
        try:
            await self._channel.apply(
                scopes,
                build,
                request,
                in_whole_lines=self._step.in_whole_lines,
                on_applied=self._step.note_written,
            )
        except Exception as caught:  # noqa: BLE001 - raised in the task of each edit
            error = caught
        for applied in waiting.values():
            if not applied.done():
                applied.set_exception(error) if error else applied.set_result(None)

    def _place_imports(self, edits: Sequence[InlineEdit]) -> None:
        """Let the first edit with imports add those of all: each may have the same."""
        bringing = [(edit, imports) for edit in edits if (imports := edit.answer.imports)]
        if not bringing:
            return
        statements = [each for _, imports in bringing for each in imports.added.statements]
        document = self._channel.document
        added = syntax.add_imports(document.lines, document.language_id, statements)
        first, _ = bringing[0]
        if not first.place.place_imports(added):
            for edit, imports in bringing:
                left_out = not_added(edit.scope, imports.added.statements)
                edit.note_findings((*(each for each in edit.answer.findings if each != left_out), left_out))


@dataclass(frozen=True, slots=True)
class SharedApply:
    """What the edits of a group share in one document: their undo step, and if they do not stream, their common batch."""

    step: UndoStep
    joint: JointApply | None

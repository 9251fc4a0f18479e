"""Every edit of a session: taken up at once, or queued behind those whose lines it wants, and remembered.

Edits on different lines run side by side. The list keeps the last ``MAX_REMEMBERED`` for status, and all that can
still be decided.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace

from twospeed import syntax
from twospeed.delivery import DocumentChannel
from twospeed.errors import InvalidRequest, UnknownEdit
from twospeed.gate import GateSettings
from twospeed.text.edits import LineEdit
from twospeed.text.scope import Scope

from .inline_edit import InlineEdit
from .model_source import ModelSource
from .run import EditRun, Keep
from .state import EditState, EditStep
from .values import EditRequest, Ending, PartialSink, Reason, Report

MAX_REMEMBERED = 50
"""As many edits as ``twospeed/status`` lists (contract)."""

MAX_LIVE = 64
"""Edits queued or running at once; more are refused."""


class Desk:
    """Take up edits and keep track of them.

    Args:
        source: Where models come from.
        on_change: Called after every step of an edit's life.
        clock: Monotonic seconds.
    """

    def __init__(
        self,
        source: ModelSource,
        *,
        on_change: Callable[[InlineEdit], None],
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.gate_settings = GateSettings()
        self.ignore: tuple[str, ...] = ()
        self._source = source
        self._on_change = on_change
        self._clock = clock
        self._edits: dict[str, InlineEdit] = {}
        self._runs: dict[str, EditRun] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._n_made = 0

    # Taking up

    def begin(
        self, request: EditRequest, channel: DocumentChannel, *, partials: PartialSink | None = None
    ) -> InlineEdit:
        """Take up an edit; it runs, or waits for those that overlap it, from here on.

        Raises:
            InvalidRequest: No such scope, an id that is taken, or too many edits at once.
        """
        edit_id = self._new_id(request.edit_id)
        if sum(edit.is_live for edit in self._edits.values()) >= MAX_LIVE:
            raise InvalidRequest(f"{MAX_LIVE} edits are under way already", field="instruction")
        edit = InlineEdit(
            edit_id,
            request,
            channel,
            scope_of(request),
            partials=partials,
            on_change=self._on_change,
        )
        run = EditRun(
            edit, self._source, gate_settings=self.gate_settings, ignore=self.ignore, clock=self._clock
        )
        self._edits[edit_id], self._runs[edit_id] = edit, run
        if not edit.is_preview:
            channel.add(edit.live)
        self._forget_old()
        self._spawn(self._carry_out(edit, run))
        return edit

    async def _carry_out(self, edit: InlineEdit, run: EditRun) -> None:
        try:
            if not edit.is_preview:
                await self._wait_for_turn(edit)
            if not edit.finished.done():
                await run.carry_out()
        finally:
            self._runs.pop(edit.id, None)
            if edit.state is EditState.ENDED:
                edit.channel.remove(edit.live)
            if not edit.finished.done():
                edit.finished.cancel()

    async def _wait_for_turn(self, edit: InlineEdit) -> None:
        """Wait for the edits ahead that overlap, or until this one is stopped."""
        await edit.channel.settled()  # else its place and theirs could be in two versions of the document
        ahead = [] if edit.finished.done() else self._ahead_of(edit)
        if ahead:
            self._on_change(edit)
        for other in ahead:
            await asyncio.wait([other.finished, edit.finished], return_when=asyncio.FIRST_COMPLETED)
        if ahead and not edit.finished.done() and not edit.live.has_crossed_edge:
            edit.restart_here()

    def _ahead_of(self, edit: InlineEdit) -> list[InlineEdit]:
        earlier = itertools.takewhile(lambda other: other is not edit, self._edits.values())
        return [other for other in earlier if other.is_live and not other.is_preview and other.overlaps(edit)]

    # Looking up

    def get(self, edit_id: str | None) -> InlineEdit:
        """Find an edit; the newest one that is not ended where no id is given.

        Raises:
            UnknownEdit: There is none, or it has ended.
        """
        if edit_id is None:
            newest = [edit for edit in self._edits.values() if edit.state is not EditState.ENDED]
            if not newest:
                raise UnknownEdit(None)
            return newest[-1]
        edit = self._edits.get(edit_id)
        if edit is None or edit.state is EditState.ENDED:
            raise UnknownEdit(edit_id)
        return edit

    def remembered(self, edit_id: str | None) -> InlineEdit:
        """Find an edit, ended or not; the newest one where no id is given.

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
        """All that are remembered, newest last."""
        return list(self._edits.values())

    def in_review(self, uri: str) -> list[InlineEdit]:
        """Return the edits of a document that wait for a decision."""
        return [edit for edit in self._edits.values() if edit.uri == uri and edit.state is EditState.REVIEW]

    # Stopping

    async def cancel(self, edit_id: str | None, keep: Keep = "none") -> Report:
        """Stop an edit and wait for its outcome.

        Raises:
            UnknownEdit: There is none, or it has its outcome already.
        """
        edit = self.get(edit_id)
        if not edit.is_live:
            raise UnknownEdit(edit_id)
        self.stop(edit, keep)
        return await asyncio.shield(edit.finished)

    def stop(self, edit: InlineEdit, keep: Keep = "none") -> None:
        """Stop an edit; its outcome comes as ever. Without effect on one that has it already."""
        run = self._runs.get(edit.id)
        if run is None:
            return
        if run.has_begun:
            run.cancel(keep)
        elif not edit.finished.done():
            edit.ending = Ending("cancelled", Reason("cancelled", "the edit was cancelled"))
            edit.take(EditStep.END)
            edit.finished.set_result(edit.report())
            edit.channel.remove(edit.live)

    def stop_document(self, uri: str) -> None:
        """Stop the edits of a document that is gone."""
        for edit in self.edits:
            if edit.uri == uri and edit.is_live and not edit.is_preview:
                self.stop(edit)
            elif edit.uri == uri and edit.state is EditState.REVIEW:
                edit.take(EditStep.END)

    async def aclose(self) -> None:
        """Stop everything; documents are left as they stand."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def stop_all(self) -> None:
        """Stop every edit that has no outcome yet."""
        for edit in self.edits:
            self.stop(edit)

    # Small parts

    def _new_id(self, wanted: str | None) -> str:
        if wanted is not None:
            if wanted in self._edits:
                raise InvalidRequest("an edit of this id exists already", field="editId")
            return wanted
        while True:
            self._n_made += 1
            if (edit_id := f"e{self._n_made}") not in self._edits:
                return edit_id

    def _spawn(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _forget_old(self) -> None:
        for edit in self.edits[: max(0, len(self._edits) - MAX_REMEMBERED)]:
            if edit.state is EditState.ENDED:
                del self._edits[edit.id]


def scope_of(request: EditRequest) -> Scope:
    """Find the scope of a request, widened to the instruction comment it consumes.

    Raises:
        InvalidRequest: There is no scope of the kind asked for.
    """
    document, line = request.document, request.comment_line
    if line is None:
        return syntax.find_scope(document.lines, document.language_id, request.selection, request.choice)
    # The comment is consumed, so the scope is looked for as if it were not there: at the line below it, or above it
    # where it ends a more deeply indented block.
    lines = document.with_edits([LineEdit(line, 1)]).lines
    place = (max(0, line - 1 if _ends_block(document.lines, line) else min(line, len(lines) - 1)), 0)
    scope = syntax.find_scope(lines, document.language_id, (place, place), request.choice)
    start = scope.start + (scope.start > line)
    end = scope.end + (scope.end >= line)
    return replace(scope, start=min(start, line), end=max(end, line + 1))


def _ends_block(lines: Sequence[str], line: int) -> bool:
    below = lines[line + 1] if line + 1 < len(lines) else ""
    return not below.strip() or _depth(below) < _depth(lines[line])


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())

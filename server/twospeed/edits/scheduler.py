"""The edits of a session: started at once, or queued behind edits of the same lines.

Edits of different lines run concurrently.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal

from twospeed.delivery import DocumentChannel
from twospeed.errors import (
    EditFinished,
    InvalidRequest,
    LimitReached,
    NoOtherAnswer,
    RequestError,
    UnknownEdit,
)
from twospeed.gate import GateSettings, confirmation_reason

from .after.review import end_if_gone, show_next, wait_for_late_acceptance
from .deepen.decisions import dismiss, take
from .deepen.offer import cancel_deep
from .groups.joint_apply import SharedApply
from .inline_edit import InlineEdit
from .model_source import ModelSource
from .phases import EditState
from .prompting.prompt_context import PromptDelimiters
from .prompting.scope_resolution import (
    TypingRecord,
    approximate_scope,
    must_wait_for_tree,
    refuse_too_large,
    resolve_scope,
    resolve_when_parsed,
)
from .registry import EditRegistry
from .start_limit import StartLimit
from .values import EditRequest, Ending, PartialSink, Report
from .writing.answer_applier import Confirm
from .writing.endings import CANCELLED, CLOSED, SHUT_DOWN
from .writing.run import EditRun, KeepOnCancel

OfferAction = Literal["take", "dismiss"]

MAX_UNFINISHED = 200
"""Edits queued or running at once; more are refused."""


class EditScheduler(EditRegistry):
    """Starts, queues, stops and finds the edits of one session.

    Args:
        source: The source of models.
        on_change: Called after every change of an edit's phase.
        confirm: Asks the user whether an edit may be applied to a file that tools execute or read as configuration.
        warn: Shows the user a warning.
        on_deep_change: Called after every change of an edit's deep answer or of its offer.
        clock: Monotonic seconds.
    """

    def __init__(
        self,
        source: ModelSource,
        *,
        on_change: Callable[[InlineEdit], None],
        confirm: Confirm,
        warn: Callable[[str], None] = lambda _: None,
        on_deep_change: Callable[[InlineEdit], None] = lambda _: None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        super().__init__()
        self.gate_settings = GateSettings()
        self.ignore: tuple[str, ...] = ()
        self.delimiters = PromptDelimiters()
        self._source = source
        self._on_change = on_change
        self._confirm = confirm
        self._warn = warn
        self._on_deep_change = on_deep_change
        self._clock = clock
        self._runs: dict[str, EditRun] = {}
        self._tasks: dict[asyncio.Task[None], None] = {}  # in the order of start, in which they are stopped
        self._is_over = False
        self._starts = StartLimit(clock=clock)

    # Starting

    def begin(
        self,
        request: EditRequest,
        channel: DocumentChannel,
        *,
        partials: PartialSink | None = None,
        shared: SharedApply | None = None,
    ) -> InlineEdit:
        """Accept an edit; it runs, or waits for those that overlap it.

        Args:
            request: The request.
            channel: The document's channel.
            partials: Receives partial results.
            shared: What the edits of a group share in this document; ``None`` for an edit that is not in a group.

        Raises:
            InvalidRequest: There is no such scope, or the id exists already.
            LimitReached: Too many edits at once or too fast, or the document is too large.
            RequestError: The session ends.
        """
        if self._is_over:  # an earlier request may arrive here late
            raise RequestError("the editor shut twospeed down")
        edit_id = self.new_id(request.edit_id)
        if sum(edit.asks_a_model for edit in self._edits.values()) >= MAX_UNFINISHED:
            raise LimitReached(f"{MAX_UNFINISHED} edits are queued or running already")
        refuse_too_large(request.document)
        request = _with_confirmation(request)
        is_approximate = must_wait_for_tree(request)
        scope = approximate_scope(request) if is_approximate else resolve_scope(request)
        self._starts.take(request.n_starts)
        edit = InlineEdit(
            edit_id,
            request,
            channel,
            scope,
            partials=partials,
            on_change=self._on_change,
            on_deep_change=self._on_deep_change,
            step=shared.step if shared else None,
        )
        edit.place.joint = shared.joint if shared else None
        run = EditRun(
            edit,
            self._source,
            delimiters=self.delimiters,
            gate_settings=self.gate_settings,
            ignore=self.ignore,
            confirm=self._confirm,
            clock=self._clock,
        )
        earlier = [
            other
            for other in self._edits.values()
            if other.is_unfinished and not other.is_preview and other.uri == edit.uri
        ]
        overlapped = (
            [] if is_approximate else [other for other in earlier if other.place.overlaps(edit.place)]
        )
        self._edits[edit_id], self._runs[edit_id] = edit, run
        typed = TypingRecord() if is_approximate else None
        channel.on_followed = partial(self._note_changes, edit.uri)
        if not edit.is_preview:
            channel.add(edit.place.scopes)
            if typed:
                channel.add(typed)
        self.forget_old()
        self._start_task(self._carry_out(edit, run, typed, earlier, overlapped))
        return edit

    async def _carry_out(
        self,
        edit: InlineEdit,
        run: EditRun,
        typed: TypingRecord | None,
        earlier: Sequence[InlineEdit],
        overlapped: Sequence[InlineEdit],
    ) -> None:
        try:
            if typed:
                await resolve_when_parsed(edit, typed)
            edit.note_placed()
            if not edit.is_preview:
                await self._wait_for_turn(edit, earlier, overlapped)
            if not edit.finished.done():  # it may have been stopped while it was queued
                await run.carry_out()
        except (
            InvalidRequest,
            LimitReached,
        ) as error:  # raised by `resolve_when_parsed`: the request has no scope
            edit.fail_without_scope(error)
            self._edits.pop(edit.id, None)
        finally:
            edit.note_run_over()
            self._runs.pop(edit.id, None)
            if edit.route is None or not edit.route.entry.is_cloud:
                # No request was made, or the model is on this machine and has no rate limit.
                self._starts.give_back(edit.request.n_starts)
            if typed:  # unless `resolve_when_parsed` has replaced it by the live scope
                edit.channel.remove(typed)
            if edit.place.withdrawn_offer and not edit.place.withdrawn_offer.cancelled():
                self._start_task(self._watch_withdrawn_offer(edit))
            elif edit.state is EditState.ENDED:
                edit.channel.remove(edit.place.scopes)
            await edit.place.end_writing()  # of an edit that was stopped before its turn

    async def _watch_withdrawn_offer(self, edit: InlineEdit) -> None:
        new_id = partial(self.new_id, None)
        if late_edit := await wait_for_late_acceptance(edit, new_id=new_id, warn=self._warn):
            self._edits[late_edit.id] = late_edit

    async def _wait_for_turn(
        self, edit: InlineEdit, earlier: Sequence[InlineEdit], overlapped: Sequence[InlineEdit]
    ) -> None:
        """Wait for earlier edits of the same lines, or until this one is stopped.

        Args:
            edit: The edit.
            earlier: The unfinished edits of this document that were accepted earlier.
            overlapped: Those that overlapped at that time. They are kept because an edit that deletes the common lines no
                longer overlaps.
        """
        for other in earlier:
            await other.place.scope_found.wait()
        await edit.channel.wait_until_idle()  # so that all scopes are in one version of the document
        is_over = edit.finished.done()
        blocking = (
            []
            if is_over
            else [other for other in earlier if other in overlapped or other.place.overlaps(edit.place)]
        )
        if any(other.is_unfinished for other in blocking):
            self._on_change(edit)  # the client shows it as queued
        for other in blocking:
            if other.decision.offered.is_set():
                self.stop(other)  # the new request replaces it
            await asyncio.wait([other.finished, edit.finished], return_when=asyncio.FIRST_COMPLETED)
        if blocking and not edit.finished.done() and not edit.live.has_crossed_edge:
            edit.restart_here()

    # Steering and stopping

    def steer(self, edit: InlineEdit, instruction: str) -> None:
        """Restart an edit without an outcome with another instruction; its text so far is in the prompt.

        Raises:
            InvalidRequest: The instruction is blank.
            EditFinished: The edit has its outcome already. On the wire it is ``-32803``, as for `cancel`;
                its message proposes another edit.
        """
        if not instruction.strip():
            raise InvalidRequest("an instruction says what to change; this one is empty", field="instruction")
        run = self._runs.get(edit.id)
        if run is None or not edit.is_unfinished or not run.steer(instruction.strip()):
            raise EditFinished(edit.id)

    async def show_next(self, edit: InlineEdit, step: int) -> Report:
        """Replace the answer of an edit by another one; raises the errors of `review.show_next`."""
        await self._require_consent(edit)
        await show_next(edit, step)
        return edit.report()

    async def decide_offer(self, edit: InlineEdit, action: OfferAction, hunk_id: str | None) -> None:
        """Take or dismiss places of a deep answer.

        Raises:
            UnknownEdit: Nothing is offered.
            InvalidRequest: There is no such place.
            NoOtherAnswer: The change needs the user's consent and did not get it.
            DeliveryError: The client did not apply it.
        """
        if action == "take":
            await self._require_consent(edit)
            await take(edit, hunk_id)
        else:
            await dismiss(edit, hunk_id)

    async def _require_consent(self, edit: InlineEdit) -> None:
        if edit.request.confirmation_reason:
            confirmation = await self._confirm(edit)
            if not confirmation.is_given:
                raise NoOtherAnswer(confirmation.why_not)

    def cancel(self, edit: InlineEdit, keep: KeepOnCancel = "none") -> None:
        """Stop an edit without an outcome, which is reported as usual, or the deep answer that an edit in review awaits.

        Raises:
            UnknownEdit: It has its outcome already, and awaits no deep answer.
        """
        if not edit.asks_a_model:
            raise UnknownEdit(edit.id, "has its outcome already")
        if edit.is_unfinished:
            self.stop(edit, keep)
        else:
            cancel_deep(edit)

    def stop(self, edit: InlineEdit, keep: KeepOnCancel = "none", ending: Ending = CANCELLED) -> None:
        """Stop an edit; its outcome is reported as usual. Without effect on an edit that has one already."""
        run = self._runs.get(edit.id)
        if run is None:
            return
        if run.has_begun:
            run.cancel(keep, ending)
        elif not edit.finished.done():
            edit.end_before_start(ending)

    def stop_document(self, uri: str) -> None:
        """Stop the edits of a document that is gone."""
        self.delimiters.forget(uri)
        for edit in self.edits:
            if (
                edit.uri == uri and edit.is_unfinished and not edit.is_preview
            ):  # a preview needs no open document
                self.stop(edit, ending=CLOSED)
            elif edit.uri == uri and edit.state is EditState.REVIEW:
                edit.end_review()

    async def aclose(self) -> None:
        """Stop all edits; documents are left as they are."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*(edit.aclose() for edit in self.edits))

    def stop_all(self) -> None:
        """Stop every edit without an outcome, and refuse new ones."""
        self._is_over = True
        for edit in self.edits:
            self.stop(edit, ending=SHUT_DOWN)

    def _note_changes(self, uri: str) -> None:
        """Stop or end the edits that a change of the document makes impossible or undoes."""
        for edit in self.edits:
            if edit.uri == uri and (run := self._runs.get(edit.id)):
                run.note_typing()
        for edit in self.in_review(uri):
            if not edit.decision.lock.locked():
                end_if_gone(edit)

    def _start_task(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks[task] = None
        task.add_done_callback(self._tasks.pop)


def _with_confirmation(request: EditRequest) -> EditRequest:
    """Return the request, with a confirmation and without streaming for a file that tools execute or read as configuration."""
    if request.style == "preview":
        return request
    why = confirmation_reason(request.path) or confirmation_reason(request.real_path)
    if why is None:
        return request
    style = "atomic" if request.style == "stream" else request.style
    return replace(request, confirmation_reason=why, style=style)

"""The record of one inline edit: request, phase, result."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace

from twospeed.delivery import DocumentChannel, UndoStep
from twospeed.errors import InvalidRequest, LimitReached
from twospeed.gate import Finding
from twospeed.routing import Mode, Route
from twospeed.stream import LiveScope
from twospeed.text.code.scope import Scope
from twospeed.text.document import Document
from twospeed.text.edits import LineEdit

from .deepen.deep_answer import DeepAnswer
from .edit_place import EditPlace
from .edit_state import AnswerNotes, Decision, EditListeners
from .phases import STATE_OF, EditState, Phase, checked
from .prompting.request_lines import comment_line_in, selection_in
from .reports import refused_text_of, report_of
from .stats import RequestUsage, Stats, Stopwatch, add_up
from .values import EditRequest, Ending, PartialSink, Report, Verdict
from .writing.new_imports import NewImports
from .writing.variations import Variation, Variations

_REASONS_NO_ANSWER_CHANGES = ("never-send", "not-agreed")
"""Reason codes of refusals that another answer would get again."""


class InlineEdit:
    """The record of an edit. Other modules change it only through its methods and those of its parts.

    Args:
        edit_id: Unique among the edits of this session.
        request: The request.
        channel: The document's channel.
        scope: The scope, in the document of the request.
        partials: Receives partial results; ``None`` if the client requested none.
        on_change: Called after every change of phase.
        on_deep_change: Called after every change of its deep answer or of the offer.
        step: The undo step, if it is shared with other edits.
    """

    deep: DeepAnswer | None = None  # set if a deep answer is requested too

    def __init__(
        self,
        edit_id: str,
        request: EditRequest,
        channel: DocumentChannel,
        scope: Scope,
        *,
        partials: PartialSink | None,
        on_change: Callable[[InlineEdit], None],
        on_deep_change: Callable[[InlineEdit], None] = lambda _: None,
        step: UndoStep | None = None,
    ) -> None:
        self.id = edit_id
        self.request = request
        step = step or UndoStep.of(edit_id, request.style, channel.behavior)
        self.place = EditPlace(channel, request.document, scope, step, is_preview=self.is_preview)
        self.listeners = EditListeners(on_change, partials, on_deep_change)
        self.phase = Phase.PLACING
        self.route: Route | None = None
        self.answer = AnswerNotes()
        self.variations = Variations()
        self.ending: Ending | None = None
        self.decision = Decision()
        # Resolves with the report of the outcome, before the review:
        self.finished: asyncio.Future[Report] = asyncio.get_running_loop().create_future()
        self._stats = Stats()

    @property
    def mode(self) -> Mode:
        """The mode that carries it out."""
        return self.request.mode

    @property
    def uri(self) -> str:
        """The document's URI."""
        return self.request.document.uri

    @property
    def is_preview(self) -> bool:
        """Whether the document is not changed."""
        return self.request.style == "preview"

    @property
    def stats(self) -> Stats:
        """Its times, tokens and lines so far."""
        return replace(self._stats, chars_sent=self.place.undo_step.n_chars)

    @property
    def state(self) -> EditState:
        """The state that clients see."""
        return STATE_OF[self.phase]

    @property
    def is_unfinished(self) -> bool:
        """Whether it has no outcome yet."""
        return self.phase not in (Phase.REVIEW, Phase.ENDED)

    @property
    def channel(self) -> DocumentChannel:
        """The document's channel."""
        return self.place.channel

    @property
    def scope(self) -> Scope:
        """The lines to edit, in the document of the request."""
        return self.place.scope

    @property
    def live(self) -> LiveScope:
        """The lines as they are now."""
        return self.place.live

    @property
    def document(self) -> Document:
        """The document that ranges are in; see `EditPlace.document`."""
        return self.place.document

    @property
    def old_lines(self) -> tuple[str, ...]:
        """The lines of its scope, in the document of the request."""
        return self.place.old_lines

    @property
    def refused_text(self) -> str | None:
        """The scope's text according to a refused answer; ``None`` if there is none."""
        return refused_text_of(self)

    @property
    def is_answer_current(self) -> bool:
        """Whether the lines that a refused answer would replace are still those of the request."""
        return self.place.lines == self.old_lines

    @property
    def confirmation_reason(self) -> str | None:
        """Why the user must confirm the edit: a predicate whose subject is the file's name; ``None`` if it needs none."""
        if self.request.confirmation_reason:
            return self.request.confirmation_reason
        if self.route is None or not self.route.entry.hides_secrets:
            return None
        gone = [each.message for each in self.answer.findings if each.code == "secret-gone"]
        return "would lose a secret that was hidden from the model: " + "; ".join(gone) if gone else None

    @property
    def may_be_retried(self) -> bool:
        """Whether the edit was refused for a reason that another answer may avoid, and the document has not changed since."""
        reason = self.ending.reason if self.ending and self.ending.outcome == "refused" else None
        if reason is None or reason.code in _REASONS_NO_ANSWER_CHANGES:
            return False
        return self.place.ended_version == self.channel.document.version

    def enter(self, phase: Phase) -> None:
        """Enter a phase.

        Raises:
            PhaseError: The phase must not follow the current one.
        """
        self.phase = checked(self.phase, phase)
        if phase is Phase.ENDED:
            self.place.ended_version = self.channel.document.version
            self.variations.stop()
            if self.deep:
                self.deep.end(keeps_offer=self.is_preview)

    def note_placed(self) -> None:
        """Note that the scope is final."""
        if self.phase is Phase.PLACING:
            self.enter(Phase.WAITING)
        self.place.scope_found.set()

    def set_route(self, route: Route) -> None:
        """Set the route of the request, and report its model if it has changed."""
        is_new = self.route is None or route.entry != self.route.entry
        self.route = route
        is_first = self.phase is Phase.WAITING
        if is_first:
            self.enter(Phase.REQUESTING)
        if is_first or is_new:
            self.listeners.on_change(self)
        if self.listeners.partials and is_new:
            entry = route.entry
            self.listeners.partials.started(
                self.id, self.mode, entry.provider, entry.model, self.place.placed_scope()
            )

    def note_request(self) -> None:
        """Note that a request is sent, perhaps after one that failed."""
        if self.phase is Phase.WRITING:
            self.enter(Phase.REQUESTING)

    def note_text(self) -> None:
        """Note that text of the answer is received."""
        if self.phase is Phase.REQUESTING:
            self.enter(Phase.WRITING)

    def note_reverting(self) -> None:
        """Note that the old text is restored; before a model is chosen, nothing has changed."""
        if self.phase is not Phase.WAITING:
            self.enter(Phase.REVERTING)

    def note_reasoning(self, text: str) -> None:
        """Record and report a piece of the model's reasoning, which is never part of the answer."""
        self.answer.add_reasoning(text)
        if self.listeners.partials:
            self.listeners.partials.reasoning(text)

    def note_findings(self, findings: Sequence[Finding]) -> None:
        """Record the findings of the gate."""
        self.answer.findings = tuple(findings)

    def note_imports(self, imports: NewImports | None) -> None:
        """Record what the answer adds to the import block."""
        self.answer.imports = imports

    def note_preview(self, edits: Sequence[LineEdit] | None, text: str) -> None:
        """Record the edits of a preview, and the scope's text with them."""
        if edits is not None:
            self.answer.preview = tuple(self.request.document.text_edits(edits))
        self.answer.preview_text = text

    def note_withdrawn(self, applied: asyncio.Future[None]) -> None:
        """Record a cancelled offer that the user may still apply; the future resolves then."""
        self.place.withdrawn_offer = applied

    def note_times(self, watch: Stopwatch) -> None:
        """Record the times of the edit."""
        self._stats = watch.stopped(self._stats)

    def note_ending(self, ending: Ending) -> None:
        """Record the ending of the writing, and count the added and removed lines."""
        self.ending = ending
        for hunk in self.place.scopes.hunks():
            self._stats.lines_added += hunk.end - hunk.start
            self._stats.lines_removed += len(hunk.removed)

    def conclude(self) -> Report:
        """Enter review, or the end if there is nothing to decide; return the report."""
        # An edit that is still waiting was queued or restarted, and wrote nothing.
        is_over = self.phase is Phase.WAITING or not (self.place.has_hunks or self.is_deep_open)
        self.decision.is_draft_decided = not self.place.has_hunks
        self._enter_and_report(Phase.ENDED if is_over else Phase.REVIEW)
        report = self.report()
        self.finished.set_result(report)
        return report

    def end_before_start(self, ending: Ending) -> None:
        """End an edit that was only queued."""
        self.ending = ending
        self._enter_and_report(Phase.ENDED)
        self.finished.set_result(self.report())
        self.channel.remove(self.place.scopes)

    def fail_without_scope(self, error: InvalidRequest | LimitReached) -> None:
        """End an edit whose scope cannot be found; the error is the response to its request."""
        self.finished.set_exception(error)
        self.channel.remove(self.place.scopes)

    def note_run_over(self) -> None:
        """Note that the task of the edit ends; `finished` is cancelled if there is no report, as at the end of the session."""
        self.place.scope_found.set()  # for the edits that wait behind this one
        if not self.finished.done():
            self.finished.cancel()

    def note_hunks_decided(self, *, are_all: bool) -> None:
        """Record whether all hunks are decided; if only some are, no other variation may be applied."""
        self.decision.is_partial = not are_all

    def note_undone(self) -> bool:
        """Record and return whether the user undid the whole edit; false if its lines could not be followed."""
        self.decision.was_undone_in_review = not self.place.scopes.has_lost_track
        return self.decision.was_undone_in_review

    def show_variation(self, number: int, findings: Sequence[Finding]) -> None:
        """Note that another variation is applied."""
        self.variations.note_shown(number)
        self.answer.findings = tuple(findings)
        self._enter_and_report(Phase.REVIEW)

    def continue_in_review(self, cancelled: InlineEdit) -> None:
        """Enter review with the lines of a cancelled edit whose offer the user applied afterwards."""
        self.place, self.route = cancelled.place, cancelled.route
        self.answer.findings = cancelled.answer.findings
        self.ending = Ending("applied")
        self.note_placed()
        self._enter_and_report(Phase.REQUESTING)
        # The table of phases allows a review only after these:
        for phase in (Phase.VALIDATING, Phase.APPLYING):
            self.enter(phase)
        self._enter_and_report(Phase.REVIEW)
        self.finished.set_result(self.report())

    async def aclose(self) -> None:
        """Stop the requests for other answers, and wait for their end."""
        await self.variations.aclose()
        if self.deep:
            await self.deep.aclose()

    @property
    def asks_a_model(self) -> bool:
        """Whether it has no outcome yet, or awaits a deep answer."""
        return self.is_unfinished or (self.deep is not None and self.deep.is_running)

    @property
    def is_deep_open(self) -> bool:
        """Whether a deep answer may still be offered, or is."""
        return self.deep is not None and self.deep.is_open

    def note_draft_decided(self, verdict: Verdict | None) -> None:
        """Record that nothing of the text is left to decide, and the verdict if no deep answer is taken."""
        self.decision.is_draft_decided, self.decision.draft_verdict = True, verdict

    def note_taken(self, whole: Variation | None) -> None:
        """Note that places of a deep answer were taken, or the ``whole`` one: no other variation may be applied then."""
        self.variations.forget()
        self.decision.is_partial = True
        self.decision.is_draft_decided &= not self.place.has_hunks
        if whole:
            self.variations.note_first(whole)
            self.answer.findings = whole.findings
            self._enter_and_report(Phase.REVIEW)

    def note_deep_changed(self) -> None:
        """Report a change of the deep answer or of its offer."""
        self.listeners.on_deep_change(self)

    def wait_for_deep(self) -> None:
        """Note that lightning has failed, and that the deep answer is awaited in its place."""
        self.answer.findings, self.answer.imports = (), None
        self._enter_and_report(Phase.REQUESTING)

    def decide(self, verdict: Verdict | None) -> None:
        """End the review with the user's verdict, or with ``None`` for none; changes of the document are no longer followed."""
        self.decision.verdict = verdict
        self.channel.remove(self.place.scopes)
        self.end_review()

    def end_review(self) -> None:
        """End the review; the document may be closed already."""
        self._enter_and_report(Phase.ENDED)

    def add_usage(self, request_usage: RequestUsage) -> None:
        """Add the usage of a request."""
        add_up(self._stats, request_usage)

    def steer(self, instruction: str, draft: str) -> None:
        """Replace the instruction; ``draft`` is the scope's text so far, for the prompt."""
        earlier = (*self.request.earlier, self.request.instruction)
        self.request = replace(self.request, instruction=instruction, earlier=earlier, draft=draft, fault="")
        self.answer.findings = ()
        self.decision.offered.clear()
        self._enter_and_report(
            self.phase if self.phase in (Phase.PLACING, Phase.WAITING) else Phase.REQUESTING
        )

    def repair(self, fault: str, draft: str) -> None:
        """Restart with the fault of the answer; ``draft`` is the answer, or empty if the prompt must not show it."""
        self.request = replace(self.request, draft=draft, fault=fault)
        self.answer.findings = ()
        self._enter_and_report(Phase.REQUESTING)

    def change_mode(self, mode: Mode) -> None:
        """Carry out the edit in a mode other than the requested one."""
        self.request = replace(self.request, mode=mode)

    def note_offered(self) -> None:
        """Note that the answer is a code action now, which the user may apply."""
        self.decision.offered.set()
        self._enter_and_report(Phase.OFFERED)

    def _enter_and_report(self, phase: Phase) -> None:
        self.enter(phase)
        self.listeners.on_change(self)

    def restart_here(self) -> None:
        """Restart with the current lines of the scope, in the current document."""
        document, start, end = self.document, self.live.start, self.live.end
        self.place.restart(document, start, end)
        comment_line = comment_line_in(self.request, document, start, end)
        selection = selection_in(self.request, self.scope, document, start, end)  # needs the scope of before
        self.request = replace(
            self.request, document=document, comment_line=comment_line, selection=selection
        )
        self.place.move_scope(replace(self.scope, start=start, end=end))

    def report(self) -> Report:
        """Return the current report; the ranges of a preview are in the document of the request."""
        return report_of(self)

"""Carry out one edit: facts → prompt → model → ops → document, until it has exactly one outcome.

The writing is a task of its own, so that it can be stopped at any moment; what the document must then hold is
decided and done here, outside of it: an outcome other than applied or unchanged puts the old text back, sparing
what the user typed.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import aclosing
from functools import cache
from typing import Literal

from twospeed import syntax
from twospeed.delivery import Pump, Shipment
from twospeed.errors import AnswerBrokeOff, DeliveryError, DocumentHidden, EditUnconfirmed, ModelError
from twospeed.gate import GateSettings
from twospeed.models.base import Finished, Model, ReasoningDelta, TextDelta, Usage
from twospeed.prompt import is_never_sent
from twospeed.stream import Batch, EditStream
from twospeed.stream.ops import Op
from twospeed.text.document import Document
from twospeed.text.edits import TextEdit
from twospeed.text.lines import bodies_of

from .asking import Asking
from .boundaries import Boundaries
from .endings import BOUNDARY, CANCELLED, NOT_CONFIRMED, NOT_PUT_BACK, ending_of
from .inline_edit import InlineEdit
from .judging import TREE_WAIT_S, judge, refusal_of
from .model_source import ModelSource
from .question import Question
from .reasons import reason_of
from .scope_view import ScopeView
from .state import EditState, EditStep
from .stopwatch import Stopwatch
from .values import Ending, Reason
from .variations import Answer, ask_once

logger = logging.getLogger(__name__)

Keep = Literal["none", "partial"]

Confirm = Callable[[InlineEdit], Awaitable[bool]]


class EditRun:
    """One edit's writing.

    Args:
        edit: The edit, queued.
        source: Where its model comes from.
        boundaries: Has the words that set prompts apart from documents.
        gate_settings: How strict the checks are.
        ignore: Patterns of files that are never sent.
        confirm: Asks somebody whether an edit may land.
        clock: Monotonic seconds.
    """

    def __init__(
        self,
        edit: InlineEdit,
        source: ModelSource,
        *,
        boundaries: Boundaries,
        gate_settings: GateSettings,
        ignore: Sequence[str],
        confirm: Confirm,
        clock: Callable[[], float],
    ) -> None:
        self._edit = edit
        self._source = source
        self._boundaries = boundaries
        self._gate_settings = gate_settings
        self._ignore = ignore
        self._confirm = confirm
        self._watch = Stopwatch(clock)
        self._pump = Pump(self._show_pending)
        self._writing: asyncio.Task[Ending] | None = None
        self._keep: Keep = "none"
        self._is_cancelled = False
        self._steers: list[str] = []
        self._view: ScopeView | None = None
        self._ops: list[Op] = []
        self._n_partials = 0
        self._is_hidden = False
        self._is_stopped = False
        self._is_over = False

    @property
    def has_begun(self) -> bool:
        """Whether it is past the queue."""
        return self._writing is not None

    def cancel(self, keep: Keep) -> None:
        """Stop the writing; without effect once it has ended of itself."""
        self._keep, self._is_cancelled, self._is_stopped = keep, True, True
        if self._writing is not None:
            self._writing.cancel()

    def steer(self, instruction: str) -> bool:
        """Stop the writing and begin anew with other words; return whether there was still time for that."""
        if self._is_over or self._is_cancelled:
            return False
        if self._writing is None:
            self._edit.steer(instruction, "")
        else:
            self._steers.append(instruction)
            self._is_stopped = True
            self._writing.cancel()
        return True

    async def carry_out(self) -> None:
        """Write, then bring the document to what the outcome demands, then tell everybody."""
        edit = self._edit
        self._watch.note_turn()
        ending = None
        while ending is None:
            ending = await self._written()
            if self._steers and not self._is_cancelled:
                ending = await self._begin_anew()
        self._is_over = True
        edit.stats = self._watch.stopped(edit.stats)
        if ending.outcome not in ("applied", "unchanged") and not edit.is_preview:
            ending = await self._put_back(ending)
        edit.ending = ending
        if self._view:
            edit.variations.take_first(Answer(self._ops, self._view.lines, edit.findings))
        self._count_lines()
        if edit.state is EditState.QUEUED:
            edit.take(EditStep.END)
        else:
            edit.take(EditStep.LAND if edit.live.has_hunks and not edit.is_preview else EditStep.END)
        report = edit.report()
        logger.info("edit %s: %s, %s/%s", edit.id, report.outcome, report.provider, report.model)
        edit.finished.set_result(report)

    async def _written(self) -> Ending:
        """Write until there is an ending, or until it is stopped."""
        self._writing = writing = asyncio.create_task(self._write())
        try:
            await asyncio.wait([writing])
        except asyncio.CancelledError:  # the whole session is being stopped
            writing.cancel()
            await asyncio.wait([writing])
            await self._pump.stop()
            raise
        return ending_of(writing)

    async def _begin_anew(self) -> Ending | None:
        """Bring the old text back and take the words the edit was steered to; an ending if that cannot be."""
        edit = self._edit
        draft = "".join(self._view.lines) if self._view else ""
        await self._pump.stop()
        if not edit.is_preview:
            try:
                await self._pump.finish(self._show_old_text)
            except DeliveryError as error:
                return Ending(
                    "conflict" if isinstance(error, EditUnconfirmed) else "failed", reason_of(error)
                )
            if edit.live.has_crossed_edge:
                return BOUNDARY
        if self._is_cancelled:
            return CANCELLED
        edit.restart_here()
        for instruction in self._steers:
            edit.steer(instruction, draft)
        self._steers.clear()
        self._is_stopped = False
        return None

    async def _show_old_text(self) -> None:
        edit = self._edit
        try:
            await edit.channel.show(edit.live, edit.live.put_back_all, self._shipment)
        except DocumentHidden:
            await edit.channel.show(edit.live, edit.live.put_back_all, self._last_shipment)

    # Writing

    async def _write(self) -> Ending:
        edit = self._edit
        if edit.live.has_crossed_edge:
            return BOUNDARY
        await syntax.wait_for_tree(
            edit.request.document.language_id, edit.request.document.lines, limit_s=TREE_WAIT_S
        )
        question = Question.about(edit.request, edit.scope, self._boundaries)
        if why := is_never_sent(question.path, self._ignore):
            return Ending("refused", Reason("never-send", f"{question.file_name} {why}"))
        asking = Asking(self._source, edit.mode, question, on_route=edit.serve, on_metered=edit.note_metered)
        self._open_view(question)
        model = await asking.choose()
        self._ask_others(question)
        while True:
            answer = cache(lambda: EditStream(bodies_of(question.old_lines), question.surroundings))
            try:
                finished = await self._receive(asking, model, answer)
            except ModelError as error:
                await asking.recover(error)
                model = await asking.choose()
            else:
                break
        if isinstance(finished, Ending):
            return finished
        asking.settle(finished)
        stream = answer()
        self._take_ops(stream.finish(finished.reason, finished.message))
        return self._stopped(stream) or await self._land(stream.dropped)

    def _ask_others(self, question: Question) -> None:
        """Ask for other answers at the same time."""

        def ask() -> Coroutine[None, None, Answer | None]:
            edit = self._edit
            asking = Asking(
                self._source,
                edit.mode,
                question,
                on_route=lambda _route: None,
                on_metered=edit.note_metered,
            )
            return ask_once(asking, question, self._gate_settings)

        self._edit.variations.ask(self._edit.request.n_answers - 1, ask)

    async def _receive(
        self, asking: Asking, model: Model, answer: Callable[[], EditStream]
    ) -> Finished | Ending:
        """Read the answer until its end, or until it is of no use.

        What it takes to read one, some milliseconds of a long scope, is made ready while the request is on its way:
        not in the loop's next round, in which the request is written, but in the one after it.
        """
        loop = asyncio.get_running_loop()
        loop.call_soon(loop.call_soon, answer)
        request = asking.request()
        self._watch.note_request()
        with asking.metered():
            async with aclosing(model.stream(request)) as events:
                async for event in events:
                    match event:
                        case TextDelta(text):
                            self._watch.note_text()
                            asking.note_text(text)
                            stream = answer()
                            if ops := stream.receive_text(text):
                                asking.note_shown()
                                self._take_ops(ops)
                            if ending := self._stopped(stream):
                                return ending
                        case ReasoningDelta(text):
                            asking.note_text(text)
                            asking.note_shown()
                            self._edit.note_reasoning(text)
                        case Usage():
                            self._watch.note_usage(event)
                            asking.note_usage(event)
                        case Finished():
                            asking.note_end()
                            return event
            raise AnswerBrokeOff("the answer broke off", provider=model.provider, model=model.name)

    def _stopped(self, stream: EditStream) -> Ending | None:
        """Say why there is no point in going on, if there is none."""
        if self._pump.error:
            raise self._pump.error
        if stream.refusal:
            return Ending("refused", Reason(stream.refusal.code, stream.refusal.message))
        if self._edit.live.has_crossed_edge and not self._edit.is_preview:
            return BOUNDARY
        return None

    def _open_view(self, question: Question) -> None:
        """Begin with the old text; whoever followed an answer that was stopped is brought back to it."""
        document, lines = self._edit.request.document, question.old_lines
        self._ops = []
        if self._view is None:
            self._view = ScopeView(document, lines)
        else:
            self._report_partial(self._view.restart(document, lines))

    def _report_partial(self, edits: Sequence[TextEdit]) -> None:
        if self._edit.partials and edits:
            self._n_partials += 1
            self._edit.partials.edits(self._n_partials, list(edits))

    def _take_ops(self, ops: Sequence[Op]) -> None:
        if not ops:
            return
        edit = self._edit
        assert self._view
        self._ops += ops
        edit.live.receive_ops(ops)
        self._view.receive_ops(ops)
        if edit.partials:
            self._report_partial(self._view.take_edits())
        if edit.request.style == "stream":
            self._pump.poke()

    async def _land(self, hidden_dropped: Mapping[str, int]) -> Ending:
        """Let the gate judge the answer, then bring the rest of it into the document."""
        edit = self._edit
        assert self._view
        edit.live.end_writing()
        if edit.request.style == "stream":  # most of it is there already; nobody shall wait for the judgement
            await self._pump.finish(self._show_pending)
        if refusal := await self._judge(self._view.lines, hidden_dropped):
            return refusal
        if edit.is_preview:
            return self._land_preview()
        if self._must_be_taken and edit.live.next_batch():
            edit.offer()
            await edit.channel.offer(edit.live, self._next_batch)  # who takes it says yes
        elif edit.request.why_confirmed and edit.live.next_batch() and not await self._confirm(edit):
            return NOT_CONFIRMED
        await self._pump.finish(lambda: edit.channel.show(edit.live, self._next_batch, self._last_shipment))
        if edit.needs_seal and edit.live.has_landed:
            await edit.channel.seal(edit.seal)
        if edit.live.has_crossed_edge:
            return BOUNDARY
        return Ending("applied" if edit.live.hunks() or edit.live.clashes() else "unchanged")

    def _land_preview(self) -> Ending:
        edit = self._edit
        document = edit.request.document
        if batch := edit.live.next_batch():
            edit.preview = tuple(document.text_edits(batch.edits))
            edit.live.commit(batch)
        assert self._view
        edit.preview_text = "".join(self._view.lines)
        return Ending("applied" if edit.preview else "unchanged")

    async def _judge(self, answer: Sequence[str], hidden_dropped: Mapping[str, int]) -> Ending | None:
        edit = self._edit
        document, scope = edit.request.document, edit.scope
        judgement = await judge(document, scope, answer, hidden_dropped, self._gate_settings)
        edit.findings = judgement.findings
        return refusal_of(judgement)

    # The document

    @property
    def _must_be_taken(self) -> bool:
        """Whether changes reach the document only when the user has the editor apply them."""
        return self._edit.request.style == "offer" and not self._edit.channel.is_guarded

    def _next_batch(self) -> Batch | None:
        """Build what waits, unless none of the answer may be shown any more: a refused batch is not built anew then."""
        if self._is_stopped or self._edit.live.has_crossed_edge:
            return None
        return self._edit.live.next_batch()

    async def _show_pending(self) -> None:
        if self._is_hidden or self._edit.live.has_crossed_edge:
            return
        try:
            await self._edit.channel.show(self._edit.live, self._next_batch, self._shipment)
        except DocumentHidden:
            self._is_hidden = True  # the rest comes as one edit, at the end

    async def _put_back(self, ending: Ending) -> Ending:
        """Bring the old text back, or all but the kept part; say so if the client will not have it."""
        edit = self._edit
        self._is_stopped = True
        await self._pump.stop()
        if isinstance(self._pump.error, EditUnconfirmed):  # perhaps seen by nobody, if the edit was cancelled
            return Ending("conflict", reason_of(self._pump.error))
        # Half an answer never stays in a file that needs a yes, and goes nowhere where nobody has taken it.
        needs_yes = edit.request.why_confirmed or self._must_be_taken
        keeps_part = ending.outcome == "cancelled" and self._keep == "partial" and not needs_yes
        build = edit.live.keep_part if keeps_part else edit.live.put_back_all
        try:
            await edit.channel.show(edit.live, build, self._last_shipment)
            if edit.needs_seal and edit.live.has_landed:
                await edit.channel.seal(edit.seal)
        except EditUnconfirmed as error:
            return Ending("conflict", reason_of(error))
        except DeliveryError:
            return ending if edit.channel.is_closed else NOT_PUT_BACK
        return ending

    def _shipment(self, document: Document, batch: Batch) -> Shipment:
        return self._edit.ship(document, batch, is_last=False)

    def _last_shipment(self, document: Document, batch: Batch) -> Shipment:
        return self._edit.ship(document, batch, is_last=True)

    def _count_lines(self) -> None:
        for hunk in self._edit.live.hunks():
            self._edit.stats.lines_added += hunk.end - hunk.start
            self._edit.stats.lines_removed += len(hunk.removed)

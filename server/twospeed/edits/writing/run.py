"""Carry out one edit: facts → prompt → model → ops → document, until it has exactly one outcome.

The writing is a task of its own, so that it can be stopped at any moment; what the document must then hold is
decided and done here, outside of it: an outcome other than applied or unchanged puts the old text back, sparing
what the user typed.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing
from typing import Literal

from twospeed import syntax
from twospeed.aio import in_thread
from twospeed.edits.inline_edit import InlineEdit
from twospeed.edits.model_source import ModelSource
from twospeed.edits.prompting.prompt_context import PromptContext
from twospeed.edits.prompting.prompt_delimiters import PromptDelimiters
from twospeed.edits.prompting.retrying_request import RetryingRequest
from twospeed.edits.prompting.sensitivity import Sensitivity, classify_scope
from twospeed.edits.state import EditState, EditStep
from twospeed.edits.stopwatch import Stopwatch
from twospeed.edits.values import Ending, Reason
from twospeed.errors import ModelError
from twospeed.gate import GateResult, GateSettings
from twospeed.models.base import Finished, Model, ReasoningDelta, TextDelta, Usage
from twospeed.routing import MAX_REQUESTS
from twospeed.stream.aligner import aligned
from twospeed.stream.ops import Op
from twospeed.text.edits import TextEdit
from twospeed.text.lines import bodies_of

from .answer_applier import AnswerApplier, Confirm
from .answer_reading import AnswerReading, pieces_of
from .endings import BOUNDARY, CANCELLED, CHANGED, UNDONE, ending_of
from .part_answers import MergedPart, may_become_part, refusal_in
from .repair import (
    UNCLOSED,
    Repair,
    another_try,
    asked_again,
    fault_in,
    is_of_wrong_form,
    may_ask_again,
    mended,
    unmended,
)
from .scope_view import AnswerView
from .validation import TREE_WAIT_S, judge, refusal_of
from .variations import Variation

logger = logging.getLogger(__name__)

Keep = Literal["none", "partial"]


class EditRun:
    """One edit's writing.

    Args:
        edit: The edit, queued.
        source: Where its model comes from.
        delimiters: Has the words that set prompts apart from documents.
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
        delimiters: PromptDelimiters,
        gate_settings: GateSettings,
        ignore: Sequence[str],
        confirm: Confirm,
        clock: Callable[[], float],
    ) -> None:
        self._edit = edit
        self._source = source
        self._delimiters = delimiters
        self._gate_settings = gate_settings
        self._ignore = ignore
        self._landing = AnswerApplier(edit, confirm)
        self._mode_asked = edit.mode
        self._watch = Stopwatch(clock)
        self._writing: asyncio.Task[Ending | Repair] | None = None
        self._keep: Keep = "none"
        self._cancelled: Ending | None = None
        self._steers: list[str] = []
        self._view: AnswerView | None = None
        self._ops: list[Op] = []
        self._n_partials = 0
        self._repair: Repair | None = None
        self._care: Sensitivity | None = None
        self._is_over = False

    @property
    def has_begun(self) -> bool:
        """Whether it is past the queue."""
        return self._writing is not None

    def cancel(self, keep: Keep, ending: Ending) -> None:
        """Stop the writing, to end as ``ending`` says; without effect once it has ended of itself."""
        self._keep, self._cancelled, self._landing.is_stopped = keep, ending, True
        if self._writing is not None:
            self._writing.cancel()

    def note_typing(self) -> None:
        """Stop the writing if the user undid what was written, or typed across the scope's edge."""
        if self._writing is None or self._edit.is_preview:
            return
        if self._edit.live.is_taken_back and not self._steers:  # for other words it is taken back anyway
            self._cancelled = self._cancelled or UNDONE
            self._landing.is_stopped = True
            self._writing.cancel()
        elif self._edit.live.has_crossed_edge:
            self._writing.cancel()

    def steer(self, instruction: str) -> bool:
        """Stop the writing and begin anew with other words; return whether there was still time for that."""
        if self._is_over or self._cancelled:
            return False
        if self._writing is None:
            self._edit.steer(instruction, "")
        else:
            self._steers.append(instruction)
            self._landing.is_stopped = True
            self._writing.cancel()
        return True

    async def carry_out(self) -> None:
        """Write, then bring the document to what the outcome demands, then tell everybody."""
        edit = self._edit
        self._watch.note_turn()
        ending = None
        while ending is None:
            written = await self._written()
            if self._cancelled:
                ending = self._cancelled if isinstance(written, Repair) or written is CANCELLED else written
            elif self._steers or isinstance(written, Repair):
                ending = await self._begin_anew(written if isinstance(written, Repair) else None)
            else:
                # Where nobody asked for a stop, it was typing across the edge.
                ending = BOUNDARY if written is CANCELLED else written
        self._is_over = True
        edit.stats = self._watch.stopped(edit.stats)
        if ending.outcome not in ("applied", "unchanged") and not edit.is_preview:
            keeps_part = ending.outcome == "cancelled" and self._keep == "partial"
            ending = await self._landing.put_back(ending, keeps_part=keeps_part)
        edit.ending = ending
        if self._view:
            edit.variations.take_first(Variation(self._ops, self._view.lines, edit.findings))
        edit.count_lines()
        if ending.outcome == "applied" and not edit.is_preview:
            self._source.spending.note_lines(edit.stats.lines_added)
        if edit.state is EditState.QUEUED:
            edit.take(EditStep.END)
        else:
            edit.take(EditStep.LAND if edit.has_hunks else EditStep.END)
        report = edit.report()
        logger.info("edit %s: %s, %s/%s", edit.id, report.outcome, report.provider, report.model)
        edit.finished.set_result(report)

    async def _written(self) -> Ending | Repair:
        self._writing = writing = asyncio.create_task(self._write())
        try:
            await asyncio.wait([writing])
        except asyncio.CancelledError:  # the whole session is being stopped
            writing.cancel()
            await asyncio.wait([writing])
            await self._landing.stop()
            raise
        return ending_of(writing)

    async def _begin_anew(self, repair: Repair | None) -> Ending | None:
        edit = self._edit
        draft = "".join(self._view.lines) if self._view else ""
        if ending := await self._landing.take_back():
            return ending
        if self._cancelled:
            return self._cancelled
        asked_about = edit.scope.start, edit.old_lines
        edit.restart_here()
        if asked_about != (edit.scope.start, edit.old_lines):
            edit.variations.forget()
        if self._steers:  # other words are another question, whose answer may be mended again
            self._repair = None
            for instruction in self._steers:
                edit.steer(instruction, draft)
        elif repair:
            self._repair = repair
            edit.mend(repair.fault, draft if repair.shows_answer else "")
        self._steers.clear()
        self._landing.is_stopped = False
        return None

    # Writing

    async def _write(self) -> Ending | Repair:
        edit, document = self._edit, self._edit.request.document
        if edit.live.has_crossed_edge:
            return BOUNDARY
        await syntax.wait_for_tree(document.language_id, document.lines, limit_s=TREE_WAIT_S)
        if why := edit.request.why_never_sent(self._ignore):
            return Ending("refused", Reason("never-send", f"{edit.request.file_name} {why}"))
        settings, source = self._gate_settings, self._source
        self._care = sensitivity = await classify_scope(
            document, edit.scope, self._mode_asked, settings, source
        )
        if ending := await self._land_known():
            return ending
        edit.send_to(sensitivity.mode)
        context = await PromptContext.asked(
            edit.request, edit.scope, self._delimiters, for_model=await self._source.has_model(edit.mode)
        )
        attempts = RetryingRequest(
            self._source,
            edit.mode,
            context,
            why=sensitivity.route,
            on_route=edit.serve,
            on_metered=edit.add_usage,
            n_requests=self._repair.n_requests if self._repair else 0,
            is_counted=self._repair is not None and self._repair.is_counted,
        )
        self._open_view(context.old_lines)
        try:
            return await self._ask(attempts, context)
        except ModelError as error:
            if self._repair is None:
                raise
            return unmended(self._repair, error)

    async def _ask(self, attempts: RetryingRequest, context: PromptContext) -> Ending | Repair:
        model = await attempts.choose()
        if self._repair is None:
            others, settings = self._edit.variations, self._gate_settings
            others.ask_beside(context, self._source, settings, self._edit.add_usage)
        while True:
            reading = AnswerReading(lambda: context.stream(attempts.placeholders), context)
            try:
                finished = await self._receive(attempts, model, reading)
            except ModelError as error:
                await attempts.recover(error)
                model = await attempts.choose()
            else:
                break
        if isinstance(finished, Ending):
            return asked_again(finished, self._repair, attempts)
        finished = attempts.settle(finished)
        self._edit.answer = ()  # of the try before
        self._take_ops(await reading.finish(finished.reason, finished.message))
        self._edit.note_prose(reading.prose)
        if ending := self._stopped(reading):
            self._edit.answer = tuple(reading.answer)
            is_whole = finished.reason == "stop"
            return await mended(ending, self._repair, attempts, reading, context) if is_whole else ending
        if reading.is_open and may_ask_again(self._repair, attempts):
            return another_try(UNCLOSED, UNCLOSED.message, attempts)
        return await self._land(attempts, reading, context)

    async def _land_known(self) -> Ending | None:
        edit, repair = self._edit, self._repair
        if known := edit.request.given:
            edit.serve(known.route)
            part = MergedPart(known.old, known.lines)
        elif repair and repair.part:
            part = repair.part
        else:
            return None
        if part.old != edit.old_lines:  # the user has typed since
            may_ask = repair and repair.n_requests < MAX_REQUESTS
            return None if may_ask else Ending("refused", repair.reason) if repair else CHANGED
        self._open_view(part.old)
        assert self._view
        self._take_ops(await in_thread(lambda: aligned(bodies_of(part.old), part.lines)))
        refusal = refusal_of(await self._judged(part.dropped, parts=part.parts))
        return (None if known else refusal) or await self._landing.land(self._view)

    async def _receive(
        self, attempts: RetryingRequest, model: Model, reading: AnswerReading
    ) -> Finished | Ending:
        reading.make_ready_soon()
        request = attempts.request()
        self._watch.note_request()
        async with aclosing(attempts.answer(model, request)) as events:
            async for event in events:
                match event:
                    case TextDelta(text):
                        self._watch.note_text()
                        if ending := await self._read_text(text, attempts, reading):
                            return ending
                    case ReasoningDelta(text):
                        attempts.note_shown()
                        self._edit.note_reasoning(text)
                    case Usage():
                        self._watch.note_usage(event)
                    case Finished():
                        return event
        raise AssertionError("an answer ends, or is broken off")

    async def _read_text(self, text: str, attempts: RetryingRequest, reading: AnswerReading) -> Ending | None:
        for number, piece in enumerate(pieces_of(text)):
            if number:
                await asyncio.sleep(0)
            if ops := await reading.receive_text(piece):
                attempts.note_shown()
                self._take_ops(ops)
            ending = self._stopped(reading)
            # The rest of what may be a part is received, and of a last answer of the wrong form: the user may look at it.
            is_last = not may_ask_again(self._repair, attempts)
            if ending and not (may_become_part(ending) or (is_last and is_of_wrong_form(ending))):
                return ending
        return None

    def _stopped(self, reading: AnswerReading) -> Ending | None:
        if self._landing.error:
            raise self._landing.error
        if refusal := refusal_in(reading):
            return refusal
        if self._edit.live.has_crossed_edge and not self._edit.is_preview:
            return BOUNDARY
        return None

    def _open_view(self, lines: Sequence[str]) -> None:
        document = self._edit.request.document
        self._ops = []
        if self._view is None:
            self._view = AnswerView(document, lines)
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
        self._landing.poke()

    async def _land(
        self, attempts: RetryingRequest, reading: AnswerReading, context: PromptContext
    ) -> Ending | Repair:
        edit = self._edit
        assert self._view
        judgement = await self._judged(reading.dropped, is_open=reading.is_open)
        refusal = refusal_of(judgement)
        may_ask = may_ask_again(self._repair, attempts)
        if refusal is None and not (judgement.doubt and may_ask):
            return await self._landing.land(self._view)
        answer = self._view.lines
        edit.answer = tuple(bodies_of(answer))
        if refusal is None:
            return another_try(Reason("partial", judgement.doubt), judgement.doubt, attempts)
        assert refusal.reason
        result = await mended(refusal, self._repair, attempts, reading, context)
        if result is refusal and refusal.reason.code == "syntax" and may_ask:
            fault = fault_in(edit.request.document, edit.scope, answer, refusal.reason.message)
            return another_try(refusal.reason, fault, attempts, shows_answer=True)
        return result

    async def _judged(
        self, dropped: Mapping[str, int], *, is_open: bool = False, parts: tuple[str, ...] = ()
    ) -> GateResult:
        edit, view, settings, sensitivity = self._edit, self._view, self._gate_settings, self._care
        assert view
        edit.live.end_writing()
        await view.perform_all()
        await self._landing.show_rest()
        request, scope = edit.request, edit.scope
        judgement = await judge(
            request,
            scope,
            view.lines,
            dropped,
            settings,
            sensitivity=sensitivity,
            is_open=is_open,
            parts=parts,
        )
        edit.findings = judgement.findings
        return judgement

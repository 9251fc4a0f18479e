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
from twospeed.edits.prompting.prompt_context import Question
from twospeed.edits.prompting.prompt_delimiters import Boundaries
from twospeed.edits.prompting.retrying_request import Asking
from twospeed.edits.prompting.sensitivity import Care, care_for
from twospeed.edits.state import EditState, EditStep
from twospeed.edits.stopwatch import Stopwatch
from twospeed.edits.values import Ending, Reason
from twospeed.errors import ModelError
from twospeed.gate import GateSettings, Judgement
from twospeed.models.base import Finished, Model, ReasoningDelta, TextDelta, Usage
from twospeed.routing import MAX_REQUESTS
from twospeed.stream.aligner import aligned
from twospeed.stream.ops import Op
from twospeed.text.edits import TextEdit
from twospeed.text.lines import bodies_of

from .answer_applier import Confirm, Landing
from .answer_reading import Reading, pieces_of
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
from .scope_view import ScopeView
from .validation import TREE_WAIT_S, judge, refusal_of
from .variations import Answer

logger = logging.getLogger(__name__)

Keep = Literal["none", "partial"]


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
        self._landing = Landing(edit, confirm)
        self._mode_asked = edit.mode
        self._watch = Stopwatch(clock)
        self._writing: asyncio.Task[Ending | Repair] | None = None
        self._keep: Keep = "none"
        self._cancelled: Ending | None = None
        self._steers: list[str] = []
        self._view: ScopeView | None = None
        self._ops: list[Op] = []
        self._n_partials = 0
        self._repair: Repair | None = None
        self._care: Care | None = None
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
            edit.variations.take_first(Answer(self._ops, self._view.lines, edit.findings))
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
        """Write until there is an ending or something to mend, or until it is stopped."""
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
        """Bring the old text back, for the words the edit was steered to or another try; an ending if that cannot be."""
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
        self._care = care = await care_for(document, edit.scope, self._mode_asked, settings, source)
        if ending := await self._land_known():
            return ending
        edit.send_to(care.mode)
        question = await Question.asked(
            edit.request, edit.scope, self._boundaries, for_model=await self._source.has_model(edit.mode)
        )
        asking = Asking(
            self._source,
            edit.mode,
            question,
            why=care.route,
            on_route=edit.serve,
            on_metered=edit.note_metered,
            n_requests=self._repair.n_requests if self._repair else 0,
            is_counted=self._repair is not None and self._repair.is_counted,
        )
        self._open_view(question.old_lines)
        try:
            return await self._ask(asking, question)
        except ModelError as error:
            if self._repair is None:
                raise
            return unmended(self._repair, error)

    async def _ask(self, asking: Asking, question: Question) -> Ending | Repair:
        """Ask until an answer is whole, and land it."""
        model = await asking.choose()
        if self._repair is None:
            others, settings = self._edit.variations, self._gate_settings
            others.ask_beside(question, self._source, settings, self._edit.note_metered)
        while True:
            reading = Reading(lambda: question.stream(asking.placeholders), question)
            try:
                finished = await self._receive(asking, model, reading)
            except ModelError as error:
                await asking.recover(error)
                model = await asking.choose()
            else:
                break
        if isinstance(finished, Ending):
            return asked_again(finished, self._repair, asking)
        finished = asking.settle(finished)
        self._edit.answer = ()  # of the try before
        self._take_ops(await reading.finish(finished.reason, finished.message))
        self._edit.note_prose(reading.prose)
        if ending := self._stopped(reading):
            self._edit.answer = tuple(reading.answer)
            is_whole = finished.reason == "stop"
            return await mended(ending, self._repair, asking, reading, question) if is_whole else ending
        if reading.is_open and may_ask_again(self._repair, asking):
            return another_try(UNCLOSED, UNCLOSED.message, asking)
        return await self._land(asking, reading, question)

    async def _land_known(self) -> Ending | None:
        """Land lines that no model is asked for: of a refused answer that is wanted, or of a part; ``None`` without any."""
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

    async def _receive(self, asking: Asking, model: Model, reading: Reading) -> Finished | Ending:
        """Read the answer until its end, or until it is of no use."""
        reading.make_ready_soon()
        request = asking.request()
        self._watch.note_request()
        async with aclosing(asking.answer(model, request)) as events:
            async for event in events:
                match event:
                    case TextDelta(text):
                        self._watch.note_text()
                        if ending := await self._read_text(text, asking, reading):
                            return ending
                    case ReasoningDelta(text):
                        asking.note_shown()
                        self._edit.note_reasoning(text)
                    case Usage():
                        self._watch.note_usage(event)
                    case Finished():
                        return event
        raise AssertionError("an answer ends, or is broken off")

    async def _read_text(self, text: str, asking: Asking, reading: Reading) -> Ending | None:
        """Read a part of the answer in steps of bounded size; return an ending if the rest is of no use."""
        for number, piece in enumerate(pieces_of(text)):
            if number:
                await asyncio.sleep(0)
            if ops := await reading.receive_text(piece):
                asking.note_shown()
                self._take_ops(ops)
            ending = self._stopped(reading)
            # The rest of what may be a part is received, and of a last answer of the wrong form: the user may look at it.
            is_last = not may_ask_again(self._repair, asking)
            if ending and not (may_become_part(ending) or (is_last and is_of_wrong_form(ending))):
                return ending
        return None

    def _stopped(self, reading: Reading) -> Ending | None:
        """Say why there is no point in going on, if there is none."""
        if self._landing.error:
            raise self._landing.error
        if refusal := refusal_in(reading):
            return refusal
        if self._edit.live.has_crossed_edge and not self._edit.is_preview:
            return BOUNDARY
        return None

    def _open_view(self, lines: Sequence[str]) -> None:
        """Begin with the old text; whoever followed an answer that was stopped is brought back to it."""
        document = self._edit.request.document
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
        self._landing.poke()

    async def _land(self, asking: Asking, reading: Reading, question: Question) -> Ending | Repair:
        """Let the gate judge the answer, then bring the rest of it into the document."""
        edit = self._edit
        assert self._view
        judgement = await self._judged(reading.dropped, is_open=reading.is_open)
        refusal = refusal_of(judgement)
        may_ask = may_ask_again(self._repair, asking)
        if refusal is None and not (judgement.doubt and may_ask):
            return await self._landing.land(self._view)
        answer = self._view.lines
        edit.answer = tuple(bodies_of(answer))
        if refusal is None:
            return another_try(Reason("partial", judgement.doubt), judgement.doubt, asking)
        assert refusal.reason
        result = await mended(refusal, self._repair, asking, reading, question)
        if result is refusal and refusal.reason.code == "syntax" and may_ask:
            fault = fault_in(edit.request.document, edit.scope, answer, refusal.reason.message)
            return another_try(refusal.reason, fault, asking, shows_answer=True)
        return result

    async def _judged(
        self, dropped: Mapping[str, int], *, is_open: bool = False, parts: tuple[str, ...] = ()
    ) -> Judgement:
        """Show the rest of the answer where it is shown while it comes, and let the gate judge the whole."""
        edit, view, settings, care = self._edit, self._view, self._gate_settings, self._care
        assert view
        edit.live.end_writing()
        await view.perform_all()
        await self._landing.show_rest()
        request, scope = edit.request, edit.scope
        judgement = await judge(
            request, scope, view.lines, dropped, settings, care=care, is_open=is_open, parts=parts
        )
        edit.findings = judgement.findings
        return judgement

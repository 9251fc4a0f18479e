"""One attempt of an edit: prompt, request, answer, validation, document.

An attempt returns how the edit ends, or what another attempt needs (`repair`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from twospeed import syntax
from twospeed.edits.inline_edit import InlineEdit
from twospeed.edits.model_source import ModelSource
from twospeed.edits.phases import Phase
from twospeed.edits.prompting.prompt_context import PromptContext, PromptDelimiters
from twospeed.edits.prompting.retrying_request import AnswerReceiver, RetryingRequest
from twospeed.edits.prompting.sensitivity import Sensitivity, classify_scope
from twospeed.edits.stats import Stopwatch
from twospeed.edits.values import Ending, Reason
from twospeed.errors import ModelError
from twospeed.gate import GateSettings
from twospeed.models.base import Usage
from twospeed.routing import MAX_REQUESTS, Mode
from twospeed.stream import AnswerSink
from twospeed.text.lines import bodies_of

from .answer_applier import AnswerApplier
from .answer_reading import AnswerReading, aligned_ops, lines_of
from .endings import BOUNDARY, CHANGED
from .formatting import formatted_ops
from .part_answers import MergedAnswer, must_be_read_on, refusal_in
from .repair import (
    UNCLOSED,
    Repair,
    failed_repair,
    fault_in,
    is_of_wrong_form,
    may_request_again,
    merge_or_repair,
    repair_for,
    repair_or_refusal,
)
from .validation import TREE_WAIT_S, ReadAnswer, ValidatedAnswer, refusal_of, validate


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The settings of all attempts of an edit.

    Attributes:
        source: The source of models.
        delimiters: The words that mark the scope in the prompt; kept per document.
        gate_settings: How strict the checks are.
        ignore: Patterns of files that are never sent.
        mode: The requested mode.
        deepen: Requests a deep answer too, if the edit wants one.
    """

    source: ModelSource
    delimiters: PromptDelimiters
    gate_settings: GateSettings
    ignore: Sequence[str]
    mode: Mode
    deepen: Callable[[PromptContext, Sensitivity], None]


class Attempt(AnswerReceiver):
    """One attempt of an edit; receives the answers to its requests.

    Args:
        edit: The edit.
        options: The settings of all attempts.
        applier: Brings the answer into the document.
        sink: Receives the answer's ops.
        watch: Measures the edit.
        repair: The result of the attempt before; ``None`` for the first one.
    """

    # The newest request; unset before the first one:
    _request: RetryingRequest
    _context: PromptContext
    _reading: AnswerReading

    def __init__(
        self,
        edit: InlineEdit,
        options: RunOptions,
        *,
        applier: AnswerApplier,
        sink: AnswerSink,
        watch: Stopwatch,
        repair: Repair | None,
    ) -> None:
        self._edit = edit
        self._options = options
        self._applier = applier
        self._sink = sink
        self._watch = watch
        self._repair = repair
        self._sensitivity: Sensitivity | None = None
        self._ending: Ending | None = None  # why the rest of the answer is not needed

    async def carry_out(self) -> Ending | Repair:
        """Carry the edit out once.

        Raises:
            TwospeedError: A model, a setting or the client failed.
        """
        edit, document, options = self._edit, self._edit.request.document, self._options
        if edit.live.has_crossed_edge:
            return BOUNDARY
        await syntax.wait_for_tree(document.language_id, document.lines, limit_s=TREE_WAIT_S)
        if why := edit.request.why_never_sent(options.ignore):
            return Ending("refused", Reason("never-send", f"{edit.request.file_name} {why}"))
        self._sensitivity = await classify_scope(
            document, edit.scope, options.mode, options.gate_settings, options.source
        )
        if ending := await self._apply_forced_answer() or await self._apply_merged_answer():
            return ending
        edit.change_mode(self._sensitivity.mode)
        context = await PromptContext.gather(
            edit.request,
            edit.scope,
            options.delimiters,
            for_model=await options.source.has_model(edit.mode),
        )
        self._sink.begin(document, context.old_lines, edit.live)
        try:
            return await self._request_answer(context, self._sensitivity.route)
        except ModelError as error:
            if self._repair is None:
                raise
            return failed_repair(self._repair, error)

    async def _request_answer(self, context: PromptContext, why: str) -> Ending | Repair:
        self._context = context
        self._request = request = RetryingRequest(
            self._options.source,
            self._edit.mode,
            context,
            why=why,
            on_route=self._edit.set_route,
            on_metered=self._edit.add_usage,
            n_requests=self._repair.n_requests if self._repair else 0,
            counts_in_budget=self._repair is not None and self._repair.counts_in_budget,
        )
        finished = await request.read(self)
        if finished is None:
            assert self._ending
            return repair_or_refusal(self._ending, self._repair, request)
        finished, reading = request.accept_answer(finished), self._reading
        self._edit.answer.set_refused(())  # forget that of an earlier attempt
        self._sink.receive_ops(await reading.finish(finished.reason, finished.message))
        self._edit.answer.set_prose(reading.prose)
        if ending := self._obstacle():
            self._edit.answer.set_refused(reading.answer, reading.imports)
            stopped_normally = finished.reason == "stop"
            if not stopped_normally:
                return ending
            return await merge_or_repair(ending, self._repair, request, reading, context)
        if reading.is_unclosed and may_request_again(self._repair, request):
            return repair_for(UNCLOSED, UNCLOSED.message, request)
        return await self._validate_and_apply()

    async def _apply_forced_answer(self) -> Ending | None:
        """Apply the refused answer that the user requested by its text; ``None`` without one."""
        edit, forced = self._edit, self._edit.request.given
        if forced is None:
            return None
        edit.set_route(forced.route)
        if forced.old != edit.old_lines:  # the user has typed since
            return CHANGED
        # The user wants it although it is refused: it is validated only for its findings.
        await self._align_and_validate(
            MergedAnswer(forced.old, forced.lines, imports=forced.imports), is_as_shown=True
        )
        return await self._applier.apply(self._sink.lines)

    async def _apply_merged_answer(self) -> Ending | None:
        """Apply the merged answer of the attempt before; ``None`` if a model must be requested."""
        repair = self._repair
        if repair is None or repair.merged is None:
            return None
        if repair.merged.old != self._edit.old_lines:  # the user has typed since
            may_request = repair.n_requests < MAX_REQUESTS
            return None if may_request else Ending("refused", repair.reason)
        result = await self._align_and_validate(repair.merged)
        refusal = refusal_of(result.refusal)
        return refusal or await self._applier.apply(self._sink.lines)

    async def _align_and_validate(
        self, answer: MergedAnswer, *, is_as_shown: bool = False
    ) -> ValidatedAnswer:
        self._sink.begin(self._edit.request.document, answer.old, self._edit.live)
        self._sink.receive_ops(await aligned_ops(answer.old, answer.lines))
        read = ReadAnswer((), answer.dropped, parts=answer.parts, imports=answer.imports)
        return await self._validate(read, is_as_shown=is_as_shown)

    async def _validate_and_apply(self) -> Ending | Repair:
        edit, request, reading = self._edit, self._request, self._reading
        result = await self._validate(
            ReadAnswer((), reading.dropped, reading.is_unclosed, imports=reading.imports)
        )
        refusal = refusal_of(result.refusal)
        may_request = may_request_again(self._repair, request)
        # An accepted answer that may be partial is requested once more, if it still can be.
        if refusal is None and not (result.doubt and may_request):
            return await self._applier.apply(self._sink.lines)
        answer = self._sink.lines
        edit.answer.set_refused(bodies_of(answer), reading.imports)
        if refusal is None:
            return repair_for(Reason("partial", result.doubt), result.doubt, request)
        assert refusal.reason
        ending = await merge_or_repair(refusal, self._repair, request, reading, self._context)
        if ending is refusal and refusal.reason.code == "syntax" and may_request:
            fault = fault_in(edit.request.document, edit.scope, answer, refusal.reason.message)
            return repair_for(refusal.reason, fault, request, shows_answer=True)
        return ending

    async def _validate(self, answer: ReadAnswer, *, is_as_shown: bool = False) -> ValidatedAnswer:
        """Format and validate the answer in the sink.

        Args:
            answer: What is known of it besides its lines.
            is_as_shown: Whether the user has read the answer, which is not formatted then.
        """
        edit = self._edit
        edit.enter(Phase.VALIDATING)
        view = self._sink.finish()
        lines = await lines_of(view)
        await self._applier.flush()
        if edit.request.formatter and not is_as_shown:
            ops = await formatted_ops(edit.request, edit.scope, view.ops, lines)
            if ops is not None:
                lines = await lines_of(self._sink.replace_answer(ops))
                await self._applier.flush()
        answer = replace(answer, lines=lines)
        result = await validate(
            edit.request, edit.scope, answer, self._options.gate_settings, sensitivity=self._sensitivity
        )
        edit.note_imports(result.imports)
        edit.note_findings(result.findings)
        return result

    def _obstacle(self) -> Ending | None:
        """Return the ending if the answer can no longer be applied, else ``None``.

        Raises:
            DeliveryError: The client failed to apply what was sent of the answer.
        """
        if self._applier.error:
            raise self._applier.error
        if refusal := refusal_in(self._reading):
            return refusal
        if self._edit.live.has_crossed_edge and not self._edit.is_preview:
            return BOUNDARY
        return None

    # Receiving

    @property
    def is_done(self) -> bool:
        """Whether the rest of the answer is not needed."""
        return self._ending is not None

    def begin(self) -> None:
        """Prepare for the answer to a request; with the first one, the variations and the deep answer are requested."""
        self._watch.note_request()
        self._edit.note_request()
        if self._request.n_requests == 0:
            settings, source = self._options.gate_settings, self._options.source
            self._edit.variations.request_others(self._context, source, settings, self._edit.add_usage)
            if self._sensitivity:
                self._options.deepen(self._context, self._sensitivity)
        context, request = self._context, self._request
        self._reading = AnswerReading(lambda: context.stream(request.placeholders), context)
        self._reading.prepare_soon()

    def note_delta(self) -> None:
        """Record the time of a text delta."""
        self._watch.note_delta()

    async def receive_text(self, text: str) -> None:
        """Read a piece of the answer, and pass its ops on."""
        self._edit.note_text()
        ops = await self._reading.receive_text(text)
        # Ops come only from an answer that is not refused.
        if ops:
            if not self._request.is_in_use:  # no call for each delta
                self._request.note_in_use()
            self._sink.receive_ops(ops)
            return
        ending = self._obstacle()
        # Read on if the refused answer may be merged, or if it is the last one and the user may look at it.
        is_last = not may_request_again(self._repair, self._request)
        if ending and not (must_be_read_on(ending) or (is_last and is_of_wrong_form(ending))):
            self._ending = ending

    def receive_reasoning(self, text: str) -> None:
        """Pass on a piece of the model's reasoning."""
        self._request.note_in_use()
        self._edit.note_reasoning(text)

    def receive_usage(self, usage: Usage) -> None:
        """Record the token counts so far."""
        self._watch.note_usage(usage)

"""Variations: other answers to one instruction, requested together with the first one.

Only the first one streams. The others are read and validated in the background; one that is refused or changes nothing
is dropped.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass

from twospeed.edits.model_source import ModelSource
from twospeed.edits.prompting.prompt_context import PromptContext
from twospeed.edits.prompting.retrying_request import AnswerReceiver, RetryingRequest
from twospeed.edits.prompting.sensitivity import Sensitivity
from twospeed.edits.stats import RequestUsage
from twospeed.edits.values import Ending
from twospeed.errors import NoOtherAnswer, TwospeedError
from twospeed.gate import Finding, GateSettings
from twospeed.secrets.placeholders import Placeholders
from twospeed.stream import AnswerView
from twospeed.stream.ops import Op

from .answer_reading import AnswerReading, aligned_ops, lines_of
from .formatting import formatted_ops
from .new_imports import NewImports
from .part_answers import merged_answer_of, must_be_read_on, refusal_in
from .validation import ReadAnswer, refusal_of, validate

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Variation:
    """A whole answer that may be applied.

    Attributes:
        ops: Its changes of the old lines.
        lines: The scope's lines with it.
        imports: What it adds to the import block.
        findings: The findings of the gate.
    """

    ops: Sequence[Op]
    lines: Sequence[str]
    findings: tuple[Finding, ...]
    imports: NewImports | None = None


@dataclass(frozen=True, slots=True)
class RefusedVariation:
    """An answer that is not offered: it is refused, or changes nothing.

    Attributes:
        ending: The outcome that an edit with this answer would have.
        lines: The scope's lines with it if it did not parse, else empty.
    """

    ending: Ending
    lines: Sequence[str] = ()


class Variations:
    """The answers to one instruction, one of which is in the document.

    Attributes:
        lock: Held while another one is chosen and applied.
    """

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self._first: Variation | None = None
        self._others: list[asyncio.Task[Variation | None]] = []
        self._at = 0
        self._running: set[asyncio.Task[Variation | None]] = set()

    def request(
        self, n: int, answer: Callable[[], Coroutine[None, None, Variation | RefusedVariation | None]]
    ) -> None:
        """Request ``n`` others; those of an earlier instruction are dropped."""
        self.stop()
        self._others = [asyncio.create_task(_logged(answer())) for _ in range(n)]
        self._running.update(self._others)
        for other in self._others:
            other.add_done_callback(self._running.discard)

    def request_others(
        self,
        context: PromptContext,
        source: ModelSource,
        settings: GateSettings,
        on_metered: Callable[[RequestUsage], None],
    ) -> None:
        """Request as many others as the edit's request asks for."""
        mode = context.request.mode

        def answer() -> Coroutine[None, None, Variation | RefusedVariation]:
            request = RetryingRequest(
                source, mode, context, on_route=lambda _route: None, on_metered=on_metered
            )
            return request_variation(request, context, settings, VariationReceiver(request, context))

        self.request(context.request.n_answers - 1, answer)

    def note_first(self, answer: Variation) -> None:
        """Record the answer that was applied."""
        self._first, self._at = answer, 0

    @property
    def shown(self) -> Variation | None:
        """The answer in the document; ``None`` if none was applied."""
        if self._at == 0:
            return self._first
        other = self._others[self._at - 1]
        return other.result() if other.done() and not other.cancelled() else None

    async def next(self, step: int) -> tuple[int, Variation]:
        """Wait for the next answer in a direction; after the last one the first follows.

        Returns:
            The number and the answer.

        Raises:
            NoOtherAnswer: There is only the one in the document.
        """
        n = 1 + len(self._others)
        shown = await self._answer(self._at)
        for distance in range(1, n):
            number = (self._at + step * distance) % n
            answer = await self._answer(number)
            if answer and shown and list(answer.lines) != list(shown.lines):
                return number, answer
        raise NoOtherAnswer

    def note_shown(self, number: int) -> None:
        """Record which answer is in the document."""
        self._at = number

    def stop(self) -> None:
        """Cancel the requests."""
        for other in self._others:
            other.cancel()

    async def aclose(self) -> None:
        """Cancel the requests, and wait for their end."""
        self.stop()
        await asyncio.gather(*self._running, return_exceptions=True)

    def forget(self) -> None:
        """Cancel the requests and drop their answers: the lines have changed."""
        self.stop()
        self._others = []

    async def _answer(self, number: int) -> Variation | None:
        if number == 0:
            return self._first
        other = self._others[number - 1]
        await asyncio.wait([other])
        return None if other.cancelled() else other.result()


async def _logged(
    answer: Coroutine[None, None, Variation | RefusedVariation | None],
) -> Variation | None:
    try:
        result = await answer
        return result if isinstance(result, Variation) else None
    except TwospeedError as error:
        logger.info("a variation failed: %s", error)
        return None


async def request_variation(
    request: RetryingRequest,
    context: PromptContext,
    settings: GateSettings,
    receiver: VariationReceiver,
    *,
    sensitivity: Sensitivity | None = None,
    retries: bool = False,
) -> Variation | RefusedVariation:
    """Request one answer that is not streamed.

    Args:
        request: The request.
        context: The content of the prompt.
        settings: How strict the checks are.
        receiver: Collects the answer.
        sensitivity: The sensitivity of the old lines, and the mode; computed for lightning if absent.
        retries: Whether a failed request is followed by another one.

    Raises:
        TwospeedError: There is no model, or it failed.
    """
    finished = await request.read(receiver, retries=retries)
    reading = receiver.reading
    if finished is None:
        refused = refusal_in(reading)
        assert refused
        return RefusedVariation(refused)
    finished = request.accept_answer(finished)
    ops = [*receiver.ops, *await reading.finish(finished.reason, finished.message)]
    refusal = refusal_in(reading)
    if finished.reason != "stop" and refusal:
        return RefusedVariation(refusal)
    return await _validated(ops, reading, context, settings, request.placeholders, sensitivity)


class VariationReceiver(AnswerReceiver):
    """Collects the ops of an answer."""

    reading: AnswerReading

    def __init__(self, request: RetryingRequest, context: PromptContext) -> None:
        self.ops: list[Op] = []
        self._request = request
        self._context = context

    @property
    def is_done(self) -> bool:
        """Whether the answer is refused, and is no part of the scope."""
        ending = refusal_in(self.reading)
        return ending is not None and not must_be_read_on(ending)

    def begin(self) -> None:
        """Begin an answer."""
        self.ops = []
        self.reading = AnswerReading(lambda: self._context.stream(self._request.placeholders), self._context)

    async def receive_text(self, text: str) -> None:
        """Read a piece of the answer."""
        self.ops += await self.reading.receive_text(text)


async def _validated(
    ops: Sequence[Op],
    reading: AnswerReading,
    context: PromptContext,
    settings: GateSettings,
    placeholders: Placeholders | None,
    sensitivity: Sensitivity | None,
) -> Variation | RefusedVariation:
    """Validate an answer that was read to its end; if it is a part of the scope, validate the merged one."""
    request, scope, old = context.request, context.scope, context.old_lines
    ending, lines = refusal_in(reading), tuple[str, ...]()
    if ending is None:
        lines = await _lines_of(ops, context)
        if lines == tuple(old):
            return RefusedVariation(Ending("unchanged"))
        ops, lines = await _formatted(ops, lines, context)
        answer = ReadAnswer(lines, reading.dropped, reading.is_unclosed, imports=reading.imports)
        result = await validate(request, scope, answer, settings, sensitivity=sensitivity)
        ending = refusal_of(result.refusal)
        if ending is None:
            return Variation(ops, lines, result.findings, result.imports)
    merged = await merged_answer_of(reading, ending, context, placeholders)
    if merged is None:
        return RefusedVariation(ending, lines)
    ops = await aligned_ops(old, merged.lines)
    ops, lines = await _formatted(ops, await _lines_of(ops, context), context)
    answer = ReadAnswer(lines, merged.dropped, parts=merged.parts, imports=merged.imports)
    result = await validate(request, scope, answer, settings, sensitivity=sensitivity)
    ending = refusal_of(result.refusal)
    return RefusedVariation(ending) if ending else Variation(ops, lines, result.findings, result.imports)


async def _formatted(
    ops: Sequence[Op], lines: tuple[str, ...], context: PromptContext
) -> tuple[Sequence[Op], tuple[str, ...]]:
    other = await formatted_ops(context.request, context.scope, ops, lines)
    return (ops, lines) if other is None else (other, await _lines_of(other, context))


async def _lines_of(ops: Sequence[Op], context: PromptContext) -> tuple[str, ...]:
    view = AnswerView(context.request.document, context.old_lines)
    view.receive_ops(ops)
    return await lines_of(view)

"""Request the deep answer in the background, with the prompt context of lightning.

An answer that does not parse is corrected on lightning, and if that fails in deep. The three requests of an instruction
(`MAX_REQUESTS`) are the limit, as for every answer.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, replace

from twospeed.edits.inline_edit import InlineEdit
from twospeed.edits.model_source import ModelSource
from twospeed.edits.prompting.prompt_context import PromptContext
from twospeed.edits.prompting.retrying_request import RetryingRequest
from twospeed.edits.prompting.sensitivity import Sensitivity
from twospeed.edits.reasons import reason_of
from twospeed.edits.values import Reason
from twospeed.edits.writing.repair import fault_in, is_of_wrong_form
from twospeed.edits.writing.variations import (
    RefusedVariation,
    Variation,
    VariationReceiver,
    request_variation,
)
from twospeed.errors import TwospeedError
from twospeed.gate import GateSettings
from twospeed.models.base import Usage
from twospeed.routing import MAX_REQUESTS, Mode, Route
from twospeed.routing.lanes import BUILTIN_PROVIDER

from .deep_answer import DeepAnswer
from .offer import settle

logger = logging.getLogger(__name__)

HEAD_START_S = 0.02
"""Seconds by which the request of lightning goes out first: building the longer prompt takes some ms of the event loop."""

NO_MODEL = Reason("model-unavailable", "no model is ready for Deep, so there is only lightning's answer")


@dataclass(frozen=True, slots=True)
class _Job:
    edit: InlineEdit
    deep: DeepAnswer
    context: PromptContext
    source: ModelSource
    settings: GateSettings
    sensitivity: Sensitivity


def deepen(
    edit: InlineEdit,
    source: ModelSource,
    settings: GateSettings,
    clock: Callable[[], float],
    context: PromptContext,
    sensitivity: Sensitivity,
) -> None:
    """Request the deep answer too if the edit's request wants that."""
    deepening = edit.request.deepening
    if deepening is None or edit.mode != "lightning":
        return
    if deepening.when == "sensitive" and not sensitivity.sensitive_uses:
        return
    deep = edit.deep = edit.deep or DeepAnswer(deepening, clock)
    job = _Job(edit, deep, context, source, settings, replace(sensitivity, mode="deep"))
    deep.start(_answer(job), lambda: _note_end(edit, deep))


def _note_end(edit: InlineEdit, deep: DeepAnswer) -> None:
    if deep.state in ("refused", "failed") and deep.reason:
        logger.info("edit %s: the deep answer is %s: %s", edit.id, deep.state, deep.reason.code)
    settle(edit)


async def _answer(job: _Job) -> Variation | RefusedVariation | Reason:
    try:
        if (await job.source.serving("deep")).provider == BUILTIN_PROVIDER:
            return NO_MODEL
        await asyncio.sleep(HEAD_START_S)
        context = job.context
        if job.deep.deepening.sees_draft and (draft := await asyncio.shield(job.deep.draft)):
            context = replace(context, request=replace(context.request, draft=draft))
        return await _mended(job, context, *await _request(job, context, "deep", 0, is_counted=False))
    except TwospeedError as error:
        return reason_of(error)
    except asyncio.CancelledError:
        raise
    except Exception as error:
        logger.exception("a deep answer failed")
        return reason_of(error)


async def _request(
    job: _Job, context: PromptContext, mode: Mode, n_requests: int, *, is_counted: bool
) -> tuple[Variation | RefusedVariation, RetryingRequest]:
    deep = job.deep

    def note_route(route: Route) -> None:
        if mode == "deep":
            is_new = deep.route is None or deep.route.entry != route.entry
            deep.route = route
            if is_new:
                job.edit.note_deep_changed()

    request = RetryingRequest(
        job.source,
        mode,
        context,
        n_requests=n_requests,
        counts_in_budget=is_counted,
        on_route=note_route,
        on_metered=deep.add_usage,
    )
    receiver = _Receiver(request, context, deep)
    result = await request_variation(
        request, context, job.settings, receiver, sensitivity=job.sensitivity, retries=True
    )
    return result, request


async def _mended(
    job: _Job, context: PromptContext, result: Variation | RefusedVariation, request: RetryingRequest
) -> Variation | RefusedVariation:
    """Request a refused answer again if another one may be usable."""
    if isinstance(result, Variation) or result.ending.reason is None:
        return result
    reason, first = result.ending.reason, result
    document, scope = context.request.document, context.scope
    modes: tuple[Mode, ...] = ()
    if reason.code == "syntax" and result.lines:
        modes = ("lightning", "deep")
        fault, draft = fault_in(document, scope, result.lines, reason.message), "".join(result.lines)
    elif is_of_wrong_form(result.ending):
        modes, fault, draft = ("deep",), reason.message, ""
    for mode in modes:
        if isinstance(result, Variation) or request.n_requests >= MAX_REQUESTS:
            break
        again = replace(context, request=replace(context.request, draft=draft, fault=fault))
        try:
            result, request = await _request(
                job, again, mode, request.n_requests, is_counted=request.counts_in_budget
            )
        except TwospeedError as error:
            logger.info("a deep answer was not corrected: %s", reason_of(error).code)
    return result if isinstance(result, Variation) else first


class _Receiver(VariationReceiver):
    """Collects the deep answer, and reports the model's reasoning."""

    def __init__(self, request: RetryingRequest, context: PromptContext, deep: DeepAnswer) -> None:
        super().__init__(request, context)
        self._deep = deep

    def begin(self) -> None:
        """See `VariationReceiver`."""
        super().begin()
        self._deep.watch.note_request()

    def note_delta(self) -> None:
        """Record the time of a text delta."""
        self._deep.watch.note_delta()

    def receive_reasoning(self, text: str) -> None:
        """Record a piece of the model's reasoning, which progress shows."""
        self._request.note_in_use()
        self._deep.notes.add_reasoning(text)

    def receive_usage(self, usage: Usage) -> None:
        """Record the token counts so far."""
        self._deep.watch.note_usage(usage)

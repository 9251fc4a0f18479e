"""Decide whether an answer that cannot be applied is requested again, and state its fault for the model.

The applied text is reverted first (`EditRun._restart`), as when an edit is steered: one edit, one outcome, one undo step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from twospeed import syntax
from twospeed.edits.prompting.prompt_context import PromptContext
from twospeed.edits.prompting.retrying_request import RetryingRequest
from twospeed.edits.reasons import reason_of
from twospeed.edits.values import Ending, Reason
from twospeed.errors import ModelError
from twospeed.text.code.scope import Scope
from twospeed.text.document import Document
from twospeed.text.edits import LineEdit
from twospeed.text.lines import body_of

from .answer_reading import AnswerReading
from .part_answers import MergedAnswer, merged_answer_of

MAX_FAULTS = 3
"""Syntax errors that are named in the prompt; later ones mostly follow from the first."""

MAX_LINE_CHARS = 200

WRONG_FORM = frozenset({"ambiguous", "elided", "extent", "indentation", "not-code", "partial", "truncated"})
"""Codes of the refusals of an answer that is not the whole scope in one code block; another answer may be complete."""

UNCLOSED = Reason("truncated", "the answer's code block is never closed")
"""Why an answer is requested again that ends inside its code block with a line that may end the scope.

With another last line it is refused. If the second answer ends like this too, it is validated, and a finding warns of
missing lines.
"""


@dataclass(frozen=True, slots=True)
class Repair:
    """The reason for another attempt, and what it starts with.

    Attributes:
        reason: Why the answer cannot be applied.
        fault: The same for the model, with the syntax errors if there are any.
        shows_answer: Whether the prompt contains the answer.
        n_requests: The number of requests for the instruction so far.
        counts_in_budget: Whether one of them counts towards the budget of edits.
        merged: The merged answer if the answer was a part of the scope; then no model is requested.
    """

    reason: Reason
    fault: str
    shows_answer: bool
    n_requests: int
    counts_in_budget: bool
    merged: MergedAnswer | None = None


def may_request_again(repair: Repair | None, request: RetryingRequest) -> bool:
    """Return whether the answer may be requested once more: it is the first, and the model may answer differently."""
    return repair is None and request.may_request_again


async def merge_or_repair(
    ending: Ending,
    repair: Repair | None,
    request: RetryingRequest,
    reading: AnswerReading,
    context: PromptContext,
) -> Ending | Repair:
    """Return a repair with the merged answer if the refused one is a part of its scope; otherwise as `repair_or_refusal`."""
    if merged := await merged_answer_of(reading, ending, context, request.placeholders):
        assert ending.reason
        return repair_for(ending.reason, ending.reason.message, request, merged=merged)
    return repair_or_refusal(ending, repair, request)


def repair_or_refusal(ending: Ending, repair: Repair | None, request: RetryingRequest) -> Ending | Repair:
    """Return a repair if another answer may have the requested form; otherwise the refusal, ``ending``."""
    if not is_of_wrong_form(ending) or not may_request_again(repair, request):
        return ending
    assert ending.reason
    return repair_for(ending.reason, ending.reason.message, request)


def repair_for(
    reason: Reason,
    fault: str,
    request: RetryingRequest,
    *,
    shows_answer: bool = False,
    merged: MergedAnswer | None = None,
) -> Repair:
    """Return the repair that follows the requests so far."""
    return Repair(
        reason,
        fault,
        shows_answer,
        n_requests=request.n_requests,
        counts_in_budget=request.counts_in_budget,
        merged=merged,
    )


def fault_in(document: Document, scope: Scope, answer: Sequence[str], refusal_message: str) -> str:
    """Describe the syntax errors of an answer, a line each; lines are numbered from 1, the scope's first line.

    Without a syntax tree, return the message of the refusal.
    """
    result = document.with_edits([LineEdit(scope.start, scope.end - scope.start, tuple(answer))])
    end = scope.start + len(answer)
    found = syntax.find_errors(result.lines, document.language_id, scope.start, end)
    errors = [
        f"line {error.line - scope.start + 1}: {error.what}: {body_of(result.lines[error.line])[:MAX_LINE_CHARS].strip()}"
        for error in found[:MAX_FAULTS]
    ]
    return "\n".join(errors) or refusal_message


def is_of_wrong_form(ending: Ending) -> bool:
    """Return whether an answer is refused for its form."""
    return ending.reason is not None and ending.reason.code in WRONG_FORM


def failed_repair(repair: Repair, error: ModelError) -> Ending:
    """Return the ending of an edit whose second request failed: the refusal of the first answer."""
    return Ending(
        "refused",
        Reason(
            repair.reason.code,
            f"{repair.reason.message}; the second request failed: {reason_of(error).message}",
        ),
    )

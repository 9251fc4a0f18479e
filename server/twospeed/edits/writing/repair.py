"""Decide whether another answer is requested for one that is whole and cannot be applied, and state its fault.

The text shown so far is reverted first, as when an edit is steered: one edit, one outcome, one undo step.
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
from .part_answers import MergedPart, part_in

MAX_FAULTS = 3
"""Places told to a model; the others mostly follow from the first."""

MAX_LINE_CHARS = 200

WORTH_ASKING_AGAIN = frozenset(
    {"ambiguous", "elided", "extent", "indentation", "not-code", "partial", "truncated"}
)
"""Codes of refusals of an answer that is not the whole scope in one code block: the next one may be."""

UNCLOSED = Reason("truncated", "the answer's code block is never closed")
"""Where the second answer does not close its block either, the end of the old lines says whether it is whole."""


@dataclass(frozen=True, slots=True)
class Repair:
    """What another try needs.

    Attributes:
        reason: Why the answer cannot land; the edit's reason, if there is no better one.
        fault: What the parser could not read, or why the answer could not be used; for the model.
        shows_answer: Whether the model is shown its answer again.
        n_requests: How many requests were made for the instruction.
        is_counted: Whether one of them counts towards the budget of edits.
        part: What the answer stands for, where it is a part of the scope whose place is certain: no model is asked then.
    """

    reason: Reason
    fault: str
    shows_answer: bool
    n_requests: int
    is_counted: bool
    part: MergedPart | None = None


def may_ask_again(repair: Repair | None, requests: RetryingRequest) -> bool:
    """Whether an answer may be asked for once more: it is the first, and its model may say something else."""
    return repair is None and requests.can_ask_again


async def mended(
    ending: Ending,
    repair: Repair | None,
    requests: RetryingRequest,
    reading: AnswerReading,
    context: PromptContext,
) -> Ending | Repair:
    """Turn the refusal of a whole answer into what it stands for as a part of the scope, or into another try."""
    if part := await part_in(reading, ending, context, requests.placeholders):
        assert ending.reason
        return another_try(ending.reason, ending.reason.message, requests, part=part)
    return asked_again(ending, repair, requests)


def asked_again(ending: Ending, repair: Repair | None, requests: RetryingRequest) -> Ending | Repair:
    """Turn a refusal into another try if another answer may have the form that was asked for."""
    if not is_of_wrong_form(ending) or not may_ask_again(repair, requests):
        return ending
    assert ending.reason
    return another_try(ending.reason, ending.reason.message, requests)


def another_try(
    reason: Reason,
    fault: str,
    requests: RetryingRequest,
    *,
    shows_answer: bool = False,
    part: MergedPart | None = None,
) -> Repair:
    """Return what another try needs after the requests that were made so far."""
    return Repair(
        reason,
        fault,
        shows_answer,
        n_requests=requests.n_requests,
        is_counted=requests.is_counted,
        part=part,
    )


def fault_in(document: Document, scope: Scope, answer: Sequence[str], refused: str) -> str:
    """Say what a parser cannot read in an answer in its place: a line each, numbered from the scope's first line, 1.

    Where no parser says which line it is, the words of the refusal have to do.
    """
    result = document.with_edits([LineEdit(scope.start, scope.end - scope.start, tuple(answer))])
    end = scope.start + len(answer)
    found = syntax.find_errors(result.lines, document.language_id, scope.start, end)
    told = [
        f"line {error.line - scope.start + 1}: {error.what}: {body_of(result.lines[error.line])[:MAX_LINE_CHARS].strip()}"
        for error in found[:MAX_FAULTS]
    ]
    return "\n".join(told) or refused


def is_of_wrong_form(ending: Ending) -> bool:
    """Whether an answer is refused for its form, which another one may have."""
    return ending.reason is not None and ending.reason.code in WORTH_ASKING_AGAIN


def unmended(repair: Repair, error: ModelError) -> Ending:
    """Return the ending of an edit whose second answer did not come: it is the first one that cannot land."""
    return Ending(
        "refused",
        Reason(repair.reason.code, f"{repair.reason.message}; asked again: {reason_of(error).message}"),
    )

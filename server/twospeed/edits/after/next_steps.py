"""The next steps after an edit: the message about its end, a retry, its refused answer, a refinement."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from twospeed import syntax
from twospeed.delivery import DocumentChannel
from twospeed.edits.deepen.offer import cancel_deep
from twospeed.edits.inline_edit import InlineEdit
from twospeed.edits.model_source import ModelSource
from twospeed.edits.phases import EditState
from twospeed.edits.prompting.request_lines import comment_line_in
from twospeed.edits.values import EditRequest, ForcedAnswer, PreviousEdit
from twospeed.errors import RequestError
from twospeed.routing.lanes import BUILTIN_PROVIDER, ICONS, LABELS
from twospeed.stream.ops import Change, Delete, Insert, Keep, Op, without_corrected_changes
from twospeed.text.code.scope import ScopeChoice
from twospeed.text.document import Document
from twospeed.text.edits import LineEdit
from twospeed.text.lines import body_of, split_lines

from .review import decide
from .tracked_lines import TrackedScope

Step = Literal["retry", "show", "apply"]

STEP_TITLES: dict[Step, str] = {
    "retry": f"Retry in {ICONS['deep']} {LABELS['deep']}",
    "show": "Show the answer",
    "apply": "Apply anyway",
}

_UNNAMED = ("selection", "block", "file")
"""Kinds of scopes without a name in the code; a retry selects their lines."""


@dataclass(frozen=True, slots=True)
class OutcomeMessage:
    """One sentence about the end of an edit."""

    severity: Literal["error", "warning", "info"]
    text: str


def outcome_message(edit: InlineEdit) -> OutcomeMessage | None:
    """Return the message about the end of an edit; None if it was cancelled or the document shows the outcome."""
    ending = edit.ending
    if ending is None or ending.outcome == "cancelled":
        return None
    start = f"{ICONS[edit.mode]} {ending.outcome}: "
    if ending.reason:
        severity: Literal["error", "warning"] = "error" if ending.outcome == "failed" else "warning"
        return OutcomeMessage(severity, start + ending.reason.message)
    if ending.outcome == "unchanged":
        prose = f"; its message: {edit.answer.prose}" if edit.answer.prose else ""
        return OutcomeMessage("info", f"{start}the model returned the lines as they are{prose}")
    if n_kept := len(edit.place.scopes.clashes()):
        kept = "1 line keeps" if n_kept == 1 else f"{n_kept} lines keep"
        it = "it" if n_kept == 1 else "them"
        return OutcomeMessage(
            "warning", f"{start}{kept} what you typed, although the answer would change {it}"
        )
    return None


def next_steps(edit: InlineEdit, *, can_show: bool) -> tuple[Step, ...]:
    """Return the user's next steps after a refused edit; ``can_show``: the client can open a document."""
    steps: list[Step] = []
    if edit.may_be_retried:
        if edit.mode == "lightning":
            steps.append("retry")
        if edit.refused_text is not None:
            if can_show:
                steps.append("show")
            if edit.is_answer_current:
                steps.append("apply")
    return tuple(steps)


async def available_steps(steps: Iterable[Step], source: ModelSource) -> tuple[Step, ...]:
    """Return the steps without ``retry`` if only the built-in engine serves deep mode."""
    steps = tuple(steps)
    if "retry" in steps and (await source.serving("deep")).provider == BUILTIN_PROVIDER:
        return tuple(step for step in steps if step != "retry")
    return steps


def check_unchanged(edit: InlineEdit, document: Document) -> None:
    """Raise `RequestError` if the document is not at the version at which an edit ended."""
    version = edit.request.document.version if edit.is_preview else edit.place.ended_version
    if version not in (None, document.version):
        raise RequestError("the text has changed since that edit ended; repeat it for a new answer")


def forced_answer_of(edit: InlineEdit, document: Document) -> ForcedAnswer:
    """Return the refused answer of an edit, which the user applies nevertheless.

    Raises:
        RequestError: There is none, or it does not fit the text.
    """
    if edit.refused_text is None or edit.route is None:
        raise RequestError("that edit has no refused answer")
    check_unchanged(edit, document)
    if not edit.is_answer_current:
        raise RequestError(
            "you typed in the lines of that edit while the model was writing; its answer does not contain what you typed"
        )
    answer = edit.answer
    return ForcedAnswer(answer.refused_lines, edit.old_lines, edit.route, answer.refused_imports)


def shown_answer_of(edit: InlineEdit) -> LineEdit:
    """Return the edit of the current document that a refused answer would make.

    It reaches from the scope to the import block, if that would get the imports of the answer.
    """
    scope = edit.scope if edit.is_preview else edit.live
    lines, start, end = edit.document.lines, scope.start, scope.end
    new = tuple(split_lines(edit.refused_text or ""))
    new = new if new[-1] else new[:-1]
    added = None
    if edit.answer.refused_imports and edit.request.imports == "add":
        added = syntax.add_imports(lines, edit.document.language_id, edit.answer.refused_imports)
    if added is None or not added.statements:
        return LineEdit(start, end - start, new)
    if added.end <= start:
        return LineEdit(added.start, end - added.start, (*added.lines, *lines[added.end : start], *new))
    if added.start >= end:
        return LineEdit(start, added.end - start, (*new, *lines[end : added.start], *added.lines))
    return LineEdit(start, end - start, new)


async def stop_or_reject(
    edit: InlineEdit, channel: DocumentChannel, cancel: Callable[[InlineEdit], None]
) -> tuple[int, int]:
    """Revert an edit in any state; return where its scope is then: the first line and the line after the last.

    Raises:
        RequestError: The document was closed, or the lines no longer exist.
        DeliveryError: The client did not restore the old text.
    """
    place = TrackedScope(edit)
    try:
        if edit.is_unfinished:
            cancel(edit)
            await asyncio.shield(edit.finished)
        async with edit.decision.lock:  # a place of its offer may be applied right now
            cancel_deep(edit)  # another edit takes its place
        if edit.state is EditState.REVIEW:
            await decide(edit, "reject")
        if channel.is_closed:  # a document that is open under the same URI now may have another text
            raise RequestError("the document was closed; start a new edit")
        await channel.wait_until_idle()
        if place.lines.is_lost:
            raise RequestError("the lines of that edit no longer exist; start a new edit")
        return place.lines.start, place.lines.end
    finally:
        place.stop()


def with_instructions_of(edit: InlineEdit, request: EditRequest) -> EditRequest:
    """Return the request with every instruction of an edit: the last one, and those before it was steered."""
    return replace(request, instruction=edit.request.instruction, earlier=edit.request.earlier)


def retry_request(
    edit: InlineEdit,
    request: EditRequest,
    start: int,
    end: int,
    forced: ForcedAnswer | None = None,
    wanted: ScopeChoice | None = None,
) -> EditRequest:
    """Return a request that repeats a reverted edit, whose scope is now lines ``start`` up to ``end``.

    It keeps instructions, diagnostics, the refined edit and the instruction comment. ``forced`` is a known answer;
    ``wanted`` is another scope than that of the edit.
    """
    old, document = edit.request, request.document
    comment_line = comment_line_in(old, document, start, end)
    lines = document.line_range(start, end)
    first, last = document.place(lines.start), document.place(lines.end)
    choice: ScopeChoice
    if wanted:
        choice = wanted
        last = first = first if comment_line is None else (comment_line, 0)
    elif forced and start < end:
        comment_line, choice = None, "selection"
    elif comment_line is not None:  # the scope is resolved from the comment, as it was the first time
        first, choice = (comment_line, 0), old.choice
        last = first
    elif edit.scope.kind in _UNNAMED:
        choice = "selection"
    else:
        choice = old.choice if old.choice in ("function", "class") else "auto"
        last = first
    return replace(
        with_instructions_of(edit, request),
        selection=(first, last),
        choice=choice,
        comment_line=comment_line,
        given=forced,
        follows=old.follows,
        diagnostics=old.diagnostics,
    )


def previous_edit_of(edit: InlineEdit) -> PreviousEdit:
    """Describe an edit that another one refines, with its changes as the model wrote them."""
    answer = edit.variations.shown
    is_applied = edit.ending is not None and edit.ending.outcome == "applied"
    changes = "".join(_changes(edit.old_lines, answer.ops)) if answer and is_applied else ""
    request = edit.request
    return PreviousEdit(
        request.instruction, changes, is_rejected=edit.decision.verdict == "rejected", earlier=request.earlier
    )


def _changes(old: Sequence[str], ops: Sequence[Op]) -> Iterator[str]:
    """Yield the deleted and the inserted lines of each hunk, the old ones first."""
    at = 0
    deleted: list[str] = []
    inserted: list[str] = []
    for op in without_corrected_changes(ops):
        match op:
            case Keep(until):
                yield from (*deleted, *inserted)
                deleted, inserted = [], []
                at = until
            case Delete(until):
                deleted += [f"- {body_of(line)}\n" for line in old[at:until]]
                at = until
            case Insert(line):
                inserted.append(f"+ {line}\n")
            case Change(index, line):
                deleted.append(f"- {body_of(old[index])}\n")
                inserted.append(f"+ {line}\n")
                at = index + 1
    yield from (*deleted, *inserted)

"""Request a review of an edit from the deep lane: findings about its old lines, new lines and instruction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from twospeed.edits.inline_edit import InlineEdit
from twospeed.edits.model_source import ModelSource
from twospeed.edits.phases import EditState
from twospeed.edits.prompting.prompt_context import PromptContext, PromptDelimiters
from twospeed.edits.prompting.retrying_request import AnswerReceiver, RetryingRequest
from twospeed.errors import InvalidRequest, RequestError
from twospeed.gate import Finding
from twospeed.prompt.answer_form import ReviewFinding, read_findings
from twospeed.routing.lanes import BUILTIN_PROVIDER, ICONS
from twospeed.text.code.scope import Scope
from twospeed.text.document import Splice

from .next_steps import previous_edit_of

INSTRUCTION = "Review the change that carried out the earlier instruction."

MAX_ANSWER_CHARS = 64 * 1024
"""A longer answer is not read to its end."""


@dataclass(frozen=True, slots=True)
class FoundIssue:
    """A finding of a review, at lines ``start`` up to ``end`` of the current document."""

    finding: Finding
    start: int
    end: int


def begin_review(edit: InlineEdit) -> None:
    """Mark an edit as being reviewed; the caller of `review` unmarks it.

    Raises:
        RequestError: It is being reviewed already.
    """
    if edit.decision.is_model_reviewing:
        raise RequestError("a review of this edit is under way already")
    edit.decision.is_model_reviewing = True


def review_summary(found: Sequence[FoundIssue]) -> str:
    """Return one sentence about the findings of a review."""
    if not found:
        return f"{ICONS['deep']} the review has found nothing"
    first = found[0]
    more = f", and {len(found) - 1} more" if len(found) > 1 else ""
    return f"{ICONS['deep']} line {first.start + 1}: {first.finding.message}{more}"


async def review(
    edit: InlineEdit, source: ModelSource, delimiters: PromptDelimiters, ignore: Sequence[str]
) -> tuple[FoundIssue, ...]:
    """Return the deep lane's findings about an edit in review; none if the edit ended meanwhile.

    Raises:
        InvalidRequest: The edit is not in review, the file is never sent, no model can review, or its answer is unusable.
        TwospeedError: There is no model, or it failed.
    """
    if _is_over(edit):
        raise InvalidRequest("only an edit that waits for a decision can be reviewed", field="editId")
    if why := edit.request.why_never_sent(ignore):
        raise InvalidRequest(f"{edit.request.file_name} {why}", field="editId")
    if (await source.serving("deep")).provider == BUILTIN_PROVIDER:
        raise InvalidRequest(
            "a review needs a model for Deep; the built-in engine cannot judge code", field="editId"
        )
    places = _LinePlaces(edit)
    try:
        context = await _context(edit, delimiters)
        answer = await _answer(edit, context, source)
        found = read_findings(answer, n_lines=len(context.old_lines))
        if _is_over(edit):
            return ()
        if found is None:
            raise InvalidRequest(
                "Deep did not answer with findings; nothing is shown of what it wrote", field="editId"
            )
        return tuple(_placed(found, places, context))
    finally:
        places.stop()


def _is_over(edit: InlineEdit) -> bool:
    return edit.state is not EditState.REVIEW


async def _context(edit: InlineEdit, delimiters: PromptDelimiters) -> PromptContext:
    document = edit.channel.seen_by(edit.place.scopes)
    scope = Scope(edit.scope.kind, edit.scope.name, edit.live.start, edit.live.end)
    request = replace(
        edit.request,
        document=document,
        instruction=INSTRUCTION,
        diagnostics=(),
        comment_line=None,
        follows=previous_edit_of(edit),
        earlier=(),
        draft="",
        fault="",
    )
    return replace(await PromptContext.gather(request, scope, delimiters), is_review=True)


async def _answer(edit: InlineEdit, context: PromptContext, source: ModelSource) -> str:
    request = RetryingRequest(
        source, "deep", context, on_route=lambda _route: None, on_metered=edit.add_usage
    )
    receiver = _Receiver(edit)
    if finished := await request.read(receiver):
        request.accept_answer(finished)
    return receiver.text


class _Receiver(AnswerReceiver):
    def __init__(self, edit: InlineEdit) -> None:
        self.text = ""
        self._edit = edit

    @property
    def is_done(self) -> bool:
        return _is_over(self._edit) or len(self.text) > MAX_ANSWER_CHARS

    def begin(self) -> None:
        self.text = ""

    async def receive_text(self, text: str) -> None:
        self.text += text


def _placed(found: Sequence[ReviewFinding], places: _LinePlaces, context: PromptContext) -> list[FoundIssue]:
    # A secret of several lines is sent as one word. Then line numbers of the answer are wrong, and a finding is
    # about the whole scope.
    hidden = context.secrets.hide_in_scope("".join(context.old_lines))
    is_exact = hidden.count("\n") == "".join(context.old_lines).count("\n")
    placed: list[FoundIssue] = []
    for each in found:
        first = places.lines[each.line - 1] if is_exact else places.edit.live.start
        if first is None:
            continue
        last = first if is_exact else max(first, places.edit.live.end - 1)
        finding = Finding("review", 2 if each.kind == "bug" else 3, each.message, first, last)
        placed.append(FoundIssue(finding, first, last + 1))
    return placed


class _LinePlaces:
    """The current line of each line that was sent, None if it was deleted; a `delivery.client.Follower`."""

    def __init__(self, edit: InlineEdit) -> None:
        self.edit = edit
        self.lines: list[int | None] = list(range(edit.live.start, edit.live.end))
        edit.channel.add(self, same_document_as=edit.place.scopes)

    def follow(self, splice: Splice) -> None:
        self.lines = [None if at is None else _moved(at, splice) for at in self.lines]

    def stop(self) -> None:
        self.edit.channel.remove(self)


def _moved(line: int, splice: Splice) -> int | None:
    if line < splice.start:
        return line
    if line >= splice.end:
        return line + splice.delta
    # As many lines as before: the user typed inside of lines. Otherwise the line counts as deleted.
    return line if splice.delta == 0 else None

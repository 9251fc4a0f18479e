"""Take an answer the way a real edit goes, in this process: scope, stream, gate; and judge what the document reads.

Nothing is sent to an editor, and no model is asked again: where a server would ask once more, the answer is refused here.
"""

from __future__ import annotations

import difflib
import random
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from twospeed import syntax
from twospeed.edits.prompting.prompt_context import PromptContext, PromptDelimiters
from twospeed.edits.prompting.scope_resolution import resolve_scope
from twospeed.edits.values import EditRequest, Ending, Reason
from twospeed.edits.writing.part_answers import closes_its_blocks, may_be_part, merge_into_scope
from twospeed.edits.writing.validation import refusal_of, validate
from twospeed.errors import InvalidRequest
from twospeed.gate import GateSettings
from twospeed.prompt.answer_form import answer_fence_for
from twospeed.stream import AnswerView
from twospeed.text.document import Document
from twospeed.text.edits import LineEdit
from twospeed.text.lines import split_lines

from .cases import BadCase, Case, lines_of
from .forms import Answered, Form

Verdict = Literal["exact", "near", "refused", "found", "wrong", "no scope"]
"""``exact``: the document reads as it should. ``near``: but for blanks at line ends and blank lines. ``refused``: nothing
landed. ``found``: another text landed, with a finding that the right text does not have. ``wrong``: another text landed without
such a finding, or none did. ``no scope``: the scope that was found does not hold what has to change."""

_MEAN_PIECE = 9
"""Characters of a piece of an answer, in the mean."""


@dataclass(frozen=True)
class AnswerApplier:
    """What became of an answer.

    Attributes:
        verdict: How good it is.
        why: Code and message of a refusal, or the findings.
        text: The document afterwards.
    """

    verdict: Verdict
    why: str
    text: str


class Edit:
    """A case whose scope is found, ready to be answered.

    Args:
        case: What is edited.
        number: Of the case, for what takes turns.

    Raises:
        BadCase: What changes is not in the scope, nothing changes, or what is wanted breaks a file that could be parsed.
    """

    def __init__(self, case: Case, number: int) -> None:
        self.case = case
        uri = f"file:///everyday/{number}/{case.file_name}"
        self._document = Document.opened(uri, 1, case.language_id, case.document_text, "utf-16")
        self._request = EditRequest(
            self._document,
            case.selection,
            case.instruction,
            "lightning",
            choice=case.choice,
            path=case.file_name,
        )
        try:
            self.scope = resolve_scope(self._request)
        except InvalidRequest as error:
            raise BadCase(f"{case.id}: {error}") from error
        self._question = PromptContext.about(self._request, self.scope, PromptDelimiters())
        lines = lines_of(case.text)
        above, old, below = (
            lines[: self.scope.start],
            lines[self.scope.start : self.scope.end],
            lines[self.scope.end :],
        )
        new = case.changed(self.scope.start, self.scope.end)
        self.wanted_text = case.with_line_ends("".join((*above, *new, *below)))
        wanted = Document.opened(uri, 1, case.language_id, self.wanted_text, "utf-16")
        n_before = syntax.count_errors(self._document.lines, case.language_id)
        n_after = syntax.count_errors(wanted.lines, case.language_id)
        if n_before == 0 and n_after:
            raise BadCase(f"{case.id}: the text that is wanted cannot be parsed")
        self._secrets = self._question.secrets
        markers = syntax.comment_markers(case.language_id)
        self.facts = Answered(
            file_name=case.file_name,
            language_id=case.language_id,
            fence=answer_fence_for("".join(old), case.language_id),
            above=self._masked(above),
            old=self._as_shown(old),
            new=self._as_shown(new),
            below=self._masked(below),
            part=self._as_shown(self._part(above, old, new)),
            comment=markers[0] if markers else "",
            number=number,
        )
        self._findings: frozenset[tuple[str, str]] | None = None

    def in_whole_file(self) -> Edit:
        """Return the same edit, asked for in the whole file."""
        text = self.wanted_text.replace("\r\n", "\n")
        case = replace(self.case, choice="file", changes=(), everywhere=(), wanted=text)
        return Edit(case, self.facts.number)

    def answer(self, form: Form) -> str | None:
        """Write the answer in a form; ``None`` where the form makes no sense here."""
        return form.write(self.facts)

    async def landed(self, form: Form, answer: str) -> AnswerApplier:
        """Give an answer to the edit, in pieces, and judge the document at the end."""
        before = self._document.text
        view = AnswerView(self._document, self._question.old_lines)
        stream = self._question.stream(self._secrets)
        for piece in _pieces(answer, f"{self.case.id} {form.name}"):
            view.receive_ops(stream.receive_text(piece))
        view.receive_ops(stream.finish("stop"))
        lines: Sequence[str] = view.lines
        refusal: Ending | None
        if stream.refusal:
            refusal = Ending("refused", Reason(stream.refusal.code, stream.refusal.message))
        else:
            judgement = await validate(
                self._request,
                self.scope,
                lines,
                stream.dropped,
                GateSettings(),
                is_unclosed=stream.is_unclosed,
            )
            refusal = refusal_of(judgement)
        if refusal and may_be_part(refusal):
            code = stream.whole_code(complete_if_it_parses=closes_its_blocks(self.case.language_id))
            if part := await merge_into_scope(self._question, code, self._secrets):
                lines = part.lines
                judgement = await validate(
                    self._request, self.scope, lines, stream.dropped, GateSettings(), parts=part.parts
                )
                refusal = refusal_of(judgement)
        if refusal:
            assert refusal.reason
            return AnswerApplier("refused", f"{refusal.reason.code}: {refusal.reason.message}", before)
        edit = LineEdit(self.scope.start, self.scope.end - self.scope.start, tuple(lines))
        text = self._document.with_edits([edit]).text
        findings = {(finding.code, finding.message) for finding in judgement.findings}
        if text == self.wanted_text:
            return AnswerApplier("exact", "", text)
        if _without_blanks(text) == _without_blanks(self.wanted_text):
            return AnswerApplier("near", "", text)
        if text == before:
            return AnswerApplier("wrong", "unchanged", text)
        new_findings = findings - await self._findings_of_wanted()
        told = "; ".join(message for _, message in sorted(new_findings))
        return AnswerApplier("found" if new_findings else "wrong", told, text)

    def difference(self, text: str) -> str:
        """Show how a document differs from the one that is wanted."""
        wanted, got = self.wanted_text.splitlines(), text.splitlines()
        return "\n".join(difflib.unified_diff(wanted, got, "wanted", "landed", lineterm="", n=1))

    async def _findings_of_wanted(self) -> frozenset[tuple[str, str]]:
        if self._findings is None:
            wanted = [line for line in split_lines(self.wanted_text) if line]
            end = len(wanted) - len(self.facts.below)
            judgement = await validate(
                self._request, self.scope, wanted[self.scope.start : end], {}, GateSettings()
            )
            self._findings = frozenset((finding.code, finding.message) for finding in judgement.findings)
        return self._findings

    def _as_shown(self, lines: Sequence[str]) -> tuple[str, ...]:
        """Put what the model is shown in place of the scope's secrets."""
        return tuple(lines_of(self._secrets.hide_in_scope("".join(lines))))

    def _masked(self, lines: Sequence[str]) -> tuple[str, ...]:
        """Mask the secrets of lines around the scope, as the model is shown them."""
        return tuple(lines_of(self._secrets.mask("".join(lines))))

    def _part(self, above: Sequence[str], old: Sequence[str], new: Sequence[str]) -> Sequence[str]:
        """Return the lines of the smallest definition that holds all changes, if the scope holds more than it."""
        matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
        rows = [(op[3], op[4]) for op in matcher.get_opcodes() if op[0] != "equal"]
        text = [*above, *new, *self._below(len(above) + len(old))]
        changed = [row for start, end in rows for row in range(start, end) if new[row].strip()]
        if not changed:
            return ()
        first, last = min(changed) + len(above), max(changed) + len(above)
        column = len(text[first]) - len(text[first].lstrip())
        document = Document.opened("file:///part", 1, self.case.language_id, "".join(text), "utf-16")
        for scope in syntax.enclosing_scopes(document.lines, self.case.language_id, first, column):
            is_inside = len(above) <= scope.start and scope.end <= len(above) + len(new)
            is_part = scope.end - scope.start < len(new) - 1
            if scope.kind in ("function", "class") and is_inside and is_part and last < scope.end:
                return text[scope.start : scope.end]
        return ()

    def _below(self, end: int) -> Sequence[str]:
        return lines_of(self.case.text)[end:]


def _without_blanks(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def _pieces(answer: str, seed: str) -> list[str]:
    """Cut an answer into pieces of random size, the same ones each time."""
    rng = random.Random(zlib.crc32(seed.encode()))
    pieces, at = [], 0
    while at < len(answer):
        size = max(1, round(rng.expovariate(1 / _MEAN_PIECE)))
        pieces.append(answer[at : at + size])
        at += size
    return pieces

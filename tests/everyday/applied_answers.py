"""Apply an answer as a real edit does, in this process (scope, stream, gate), and judge the resulting document.

Nothing is sent to an editor. An answer that the server would request again is refused here.
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
from twospeed.edits.writing.validation import ReadAnswer, refusal_of, validate
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
"""``exact``: the document has the expected text. ``near``: only blanks at line ends and blank lines differ.
``refused``: nothing was applied. ``found``: another text was applied, with a finding that the expected text does not have.
``wrong``: another text was applied without such a finding, or nothing changed. ``no scope``: the scope does not contain
the change."""

_MEAN_PIECE = 9
"""Mean number of characters in a delta of an answer."""


@dataclass(frozen=True)
class AnswerResult:
    """The result of an answer.

    Attributes:
        verdict: The comparison with the expected text.
        why: Code and message of a refusal, or the findings.
        text: The resulting text of the document.
    """

    verdict: Verdict
    why: str
    text: str


class Edit:
    """A case with its scope, for which answers can be applied.

    Args:
        case: The case.
        number: The number of the case; it selects among variants of a form.

    Raises:
        BadCase: The change is not in the scope, nothing changes, or the expected text of a file that parses does not parse.
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
            raise BadCase(f"{case.id}: the expected text does not parse")
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
        """Return the same edit with the whole file as its scope."""
        text = self.wanted_text.replace("\r\n", "\n")
        case = replace(self.case, choice="file", changes=(), everywhere=(), wanted=text)
        return Edit(case, self.facts.number)

    def answer(self, form: Form) -> str | None:
        """Write the answer in a form; ``None`` if the form does not apply to the case."""
        return form.write(self.facts)

    async def apply(self, form: Form, answer: str) -> AnswerResult:
        """Apply an answer in deltas, and judge the resulting document."""
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
            read = ReadAnswer(lines, stream.dropped, stream.is_unclosed)
            judgement = await validate(self._request, self.scope, read, GateSettings())
            refusal = refusal_of(judgement.refusal)
        if refusal and may_be_part(refusal):
            code = stream.whole_code(complete_if_it_parses=closes_its_blocks(self.case.language_id))
            if part := await merge_into_scope(self._question, code, self._secrets):
                lines = part.lines
                read = ReadAnswer(lines, stream.dropped, parts=part.parts)
                judgement = await validate(self._request, self.scope, read, GateSettings())
                refusal = refusal_of(judgement.refusal)
        if refusal:
            assert refusal.reason
            return AnswerResult("refused", f"{refusal.reason.code}: {refusal.reason.message}", before)
        edit = LineEdit(self.scope.start, self.scope.end - self.scope.start, tuple(lines))
        text = self._document.with_edits([edit]).text
        findings = {(finding.code, finding.message) for finding in judgement.findings}
        if text == self.wanted_text:
            return AnswerResult("exact", "", text)
        if _without_blanks(text) == _without_blanks(self.wanted_text):
            return AnswerResult("near", "", text)
        if text == before:
            return AnswerResult("wrong", "unchanged", text)
        new_findings = findings - await self._findings_of_wanted()
        told = "; ".join(message for _, message in sorted(new_findings))
        return AnswerResult("found" if new_findings else "wrong", told, text)

    def difference(self, text: str) -> str:
        """Return the difference between a text and the expected one."""
        wanted, got = self.wanted_text.splitlines(), text.splitlines()
        return "\n".join(difflib.unified_diff(wanted, got, "expected", "document", lineterm="", n=1))

    async def _findings_of_wanted(self) -> frozenset[tuple[str, str]]:
        if self._findings is None:
            wanted = [line for line in split_lines(self.wanted_text) if line]
            end = len(wanted) - len(self.facts.below)
            read = ReadAnswer(wanted[self.scope.start : end])
            judgement = await validate(self._request, self.scope, read, GateSettings())
            self._findings = frozenset((finding.code, finding.message) for finding in judgement.findings)
        return self._findings

    def _as_shown(self, lines: Sequence[str]) -> tuple[str, ...]:
        """Replace the secrets of the scope by placeholders, as in the prompt."""
        return tuple(lines_of(self._secrets.hide_in_scope("".join(lines))))

    def _masked(self, lines: Sequence[str]) -> tuple[str, ...]:
        """Mask the secrets of lines around the scope, as in the prompt."""
        return tuple(lines_of(self._secrets.mask("".join(lines))))

    def _part(self, above: Sequence[str], old: Sequence[str], new: Sequence[str]) -> Sequence[str]:
        """Return the lines of the smallest definition with all changes, if the scope has more lines."""
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
    """Split an answer into deltas of random sizes, the same for the same seed."""
    rng = random.Random(zlib.crc32(seed.encode()))
    pieces, at = [], 0
    while at < len(answer):
        size = max(1, round(rng.expovariate(1 / _MEAN_PIECE)))
        pieces.append(answer[at : at + size])
        at += size
    return pieces

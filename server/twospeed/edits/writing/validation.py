"""Collect the facts about an answer for the gate, without what the user typed meanwhile."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from twospeed import gate, syntax
from twospeed.aio import in_thread
from twospeed.edits.prompting.sensitivity import Sensitivity, sensitivity_of
from twospeed.edits.values import EditRequest, Ending, Reason
from twospeed.gate import Finding, GateResult, GateSettings
from twospeed.gate.facts import FindingCode
from twospeed.text.code.scope import Scope
from twospeed.text.document import Document
from twospeed.text.edits import LineEdit
from twospeed.text.lines import bodies_of

from .new_code import repeated_functions, unresolved_names
from .new_imports import NewImports, plan_imports

_WORD = re.compile(r"\w+")

TREE_WAIT_S = 2.0
"""Seconds that an edit waits for the tree of a large document, once before the request and once before validation."""

MAX_CHARS_AT_ONCE = 10_000
"""Characters of old and new lines that the gate compares on the event loop: 2 ms, or 25 ms if each line is a finding."""

_GATE_CODES: dict[FindingCode, str] = {
    "syntax-errors": "syntax",
    "partial-answer": "partial",
    "lines-gone": "partial",
    "repeated-code": "duplicate",
    "name-gone": "name-gone",
    "growth": "growth",
    "emptied-body": "emptied",
    "dropped-definition": "dropped",
    "hidden-characters": "hidden",
    "new-address": "risk",
    "runs-code": "risk",
    "encoded-literal": "risk",
    "removed-safeguard": "risk",
    "duplicate-function": "duplicate",
    "unknown-name": "unknown-name",
}
"""The reason code of the contract for each finding that refuses."""


@dataclass(frozen=True, slots=True)
class ReadAnswer:
    """An answer that was read to its end.

    Attributes:
        lines: The new lines of the scope.
        dropped: How often each invisible Unicode character was removed from the answer.
        is_unclosed: Whether the answer's code block was not closed.
        parts: The replaced definitions of a merged answer, as in `MergedAnswer`.
        imports: The import lines that it brings for the file.
    """

    lines: Sequence[str]
    dropped: Mapping[str, int] = field(default_factory=dict)
    is_unclosed: bool = False
    parts: tuple[str, ...] = ()
    imports: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class ValidatedAnswer:
    """What the gate says of an answer, as in `GateResult`, and what the answer adds to the import block.

    The lines of findings are those of the document with the answer, without its imports.
    """

    refusal: Finding | None
    findings: tuple[Finding, ...]
    doubt: str
    imports: NewImports | None


async def validate(
    request: EditRequest,
    scope: Scope,
    answer: ReadAnswer,
    settings: GateSettings,
    *,
    sensitivity: Sensitivity | None = None,
) -> ValidatedAnswer:
    """Return the findings about an answer, and the refusal if there is one.

    Args:
        request: The request of the edit.
        scope: The lines of its document that the answer replaces.
        answer: The answer.
        settings: How strict the checks are.
        sensitivity: The sensitivity of the old lines; computed if absent.
    """
    imports, not_added = plan_imports(request, scope, answer.imports)
    sensitivity = sensitivity or sensitivity_of(request.document, scope)
    if imports is None:
        result = await _check(request, scope, answer, settings, sensitivity)
        return ValidatedAnswer(result.refusal, (*result.findings, *not_added), result.doubt, None)
    # The gate sees the document with the imports.
    document, moved = imports.applied_to(scope)
    await syntax.wait_for_tree(document.language_id, document.lines, limit_s=TREE_WAIT_S)
    sensitivity = replace(sensitivity, before=sensitivity_of(document, moved).before)
    result = await _check(replace(request, document=document), moved, answer, settings, sensitivity)
    n_lines = imports.growth_above(scope)
    findings = tuple(
        replace(each, first_line=each.first_line - n_lines, last_line=each.last_line - n_lines)
        for each in result.findings
    )
    return ValidatedAnswer(result.refusal, findings, result.doubt, imports)


async def _check(
    request: EditRequest, scope: Scope, answer: ReadAnswer, settings: GateSettings, sensitivity: Sensitivity
) -> GateResult:
    lines = answer.lines
    document = request.document
    n_before = scope.end - scope.start
    end = scope.start + len(lines)
    result = document.with_edits([LineEdit(scope.start, n_before, tuple(lines))])
    errors_before, errors_after = await _count_errors(document, result)
    if errors_before and errors_after and errors_after > errors_before:
        old, new = document.lines[scope.start : scope.end], result.lines[scope.start : end]
        is_fragment = await _parses_better_alone(old, new, document.language_id)
        if is_fragment or await _is_markup(document, result, errors_before):
            errors_after = errors_before  # the new errors come from broken code outside the scope
    is_worse = errors_before is not None and errors_after is not None and errors_after > errors_before
    language_id = document.language_id
    fault = None
    if not errors_before and not errors_after:
        places = (scope.start, scope.end, end)
        fault = await syntax.find_new_fault(document.lines, result.lines, language_id, document.uri, places)
    for text, last in ((document.lines, scope.end), (result.lines, end)):
        await syntax.wait_for_scope_code(text, language_id, scope.start, last)
    after = syntax.scope_code(result.lines, language_id, scope.start, end)
    facts = gate.GateFacts(
        kind=scope.kind,
        name=scope.name,
        first_line=scope.start,
        old_lines=tuple(bodies_of(document.lines[scope.start : scope.end])),
        new_lines=tuple(bodies_of(lines)),
        language_id=language_id,
        mode=sensitivity.mode,
        document=document.lines,
        errors_before=errors_before,
        errors_after=errors_after,
        new_errors=syntax.find_errors(result.lines, language_id, scope.start, end) if is_worse else (),
        fault=fault,
        before=sensitivity.before,
        after=after,
        sensitive_uses=sensitivity.sensitive_uses if sensitivity.mode == "lightning" else (),
        duplicates=await repeated_functions(request, result, sensitivity.before, after, settings),
        unresolved=await unresolved_names(request, result, sensitivity.before, after, settings),
        hidden_dropped=answer.dropped,
        is_unclosed=answer.is_unclosed,
        instruction_words=frozenset(_WORD.findall(request.all_words)),
        parts=answer.parts,
        enclosing=_enclosing(document, scope),
    )
    n_chars = sum(len(line) + 1 for line in (*facts.old_lines, *facts.new_lines))
    if n_chars <= MAX_CHARS_AT_ONCE:
        return gate.check(facts, settings)
    return await in_thread(lambda: gate.check(facts, settings))


def _enclosing(document: Document, scope: Scope) -> frozenset[tuple[str, str]]:
    """Return the kind and name of each function and class around a scope."""
    # Typing may have moved an insertion below a last line without a line end.
    if scope.kind == "file" or scope.start == len(document.lines):
        return frozenset()
    column = len(line := document.lines[scope.start]) - len(line.lstrip())
    scopes = syntax.enclosing_scopes(document.lines, document.language_id, scope.start, column)
    return frozenset(
        (each.kind, each.name)
        for each in scopes
        if each.name is not None and each.start < scope.start and scope.end <= each.end
    )


def refusal_of(refusal: Finding | None) -> Ending | None:
    """Return the ending of an answer that the gate refuses for a finding; ``None`` if it accepts the answer."""
    return Ending("refused", Reason(_GATE_CODES[refusal.code], refusal.message)) if refusal else None


async def _parses_better_alone(old: Sequence[str], new: Sequence[str], language_id: str) -> bool:
    """Return whether the new lines parse without their document, or with fewer errors than the old lines."""
    n_old, n_new = [await syntax.count_errors_of_fresh_tree(lines, language_id) for lines in (old, new)]
    return n_new == 0 or (n_old is not None and n_new is not None and n_new < n_old)


async def _is_markup(before: Document, after: Document, n_errors: int) -> bool:
    """Return whether documents in another language are HTML templates: tags at both ends, fewer errors as HTML."""
    texts = ["".join(document.lines).strip() for document in (before, after)]
    if not all(text.startswith("<") and text.endswith(">") for text in texts):
        return False
    n_before, n_after = [
        await syntax.count_errors_of_fresh_tree(each.lines, "html") for each in (before, after)
    ]
    return n_before is not None and n_after is not None and n_after <= n_before < n_errors


async def _count_errors(before: Document, after: Document) -> tuple[int | None, int | None]:
    """Count the syntax errors without and with the answer; ``None`` if a document cannot be parsed."""
    counts: list[int | None] = []
    for document in (before, after):
        await syntax.wait_for_tree(document.language_id, document.lines, limit_s=TREE_WAIT_S)
        counts.append(syntax.count_errors(document.lines, document.language_id))
    if None in counts:
        return await syntax.count_errors_by_library(before.lines, after.lines, before.language_id, before.uri)
    if counts[0] is not None and counts[1] is not None and counts[1] > counts[0]:
        counts = [
            await syntax.count_errors_of_fresh_tree(document.lines, document.language_id)
            for document in (before, after)
        ]
    return counts[0], counts[1]

"""The table of checks, the function that runs them, and checks of a few lines.

A new check needs a function from facts to remarks, and a row of ``CHECKS``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from twospeed.text.hidden import make_visible_in_line

from .facts import Finding, FindingCode, GateFacts, GateResult, GateSettings, Remark, Severity, Strictness
from .losses.cut_ends import cut_end
from .losses.lost_lines import lines_gone
from .losses.partial_answer import partial_answer
from .repeated import repeated_code
from .risks import (
    MAX_SHOWN,
    character_name,
    encoded_literals,
    hidden_in_new_lines,
    new_addresses,
    new_execution,
    removed_safeguards,
)

Mode = Literal["lightning", "deep"]

GROWTH_FACTOR = 3
"""An answer may add this many times the lines of the scope."""

GROWTH_LINES: Mapping[Mode, int] = {"lightning": 40, "deep": 120}
"""Added lines that are normal for any scope. A deep model is used for larger changes."""

MAX_REMARKS = 5
"""Remarks of one check. Further ones add little."""

MAX_NAMED = 3

MAX_NAME_CHARS = 40

_NAME = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True, slots=True)
class Check:
    """A check; ``remarks`` returns the most important first.

    Attributes:
        severity: Severity of its findings if they do not refuse the edit.
    """

    code: FindingCode
    strictness: Callable[[GateSettings], Strictness]
    remarks: Callable[[GateFacts], Iterable[Remark]]
    severity: Severity = 2


def check(facts: GateFacts, settings: GateSettings) -> GateResult:
    """Run every check that is not off; the first finding of one set to ``refuse`` is the refusal."""
    findings: list[Finding] = []
    refusal: Finding | None = None
    for each in CHECKS:
        strictness = each.strictness(settings)
        if strictness == "off":
            continue
        found = [
            _finding(each, strictness, remark, facts) for remark in islice(each.remarks(facts), MAX_REMARKS)
        ]
        findings += found
        if strictness == "refuse" and found and refusal is None:
            refusal = found[0]
    cut = cut_end(facts) if refusal is None and settings.partial == "refuse" else None
    return GateResult(refusal, tuple(findings), cut.message if cut else "")


def _finding(each: Check, strictness: Strictness, remark: Remark, facts: GateFacts) -> Finding:
    first, last = remark.lines or (facts.first_line, facts.last_line)
    severity: Severity = 1 if strictness == "refuse" else each.severity
    return Finding(each.code, severity, remark.message, first, last, remark.fix)


def _syntax_errors(facts: GateFacts) -> Iterator[Remark]:
    added = facts.errors_added
    if added <= 0:
        if (fault := facts.fault) is not None:
            message = f"the answer breaks the document: in line {fault.line + 1}, {fault.what}"
            yield Remark(message, (fault.line, fault.line))
        return
    message = f"the answer adds {added} syntax error{'s' if added > 1 else ''} to the document"
    if not facts.new_errors:
        yield Remark(f"{message}: these lines change how the text after them is parsed")
        return
    first = facts.new_errors[0]
    yield Remark(f"{message}: in line {first.line + 1}, {first.what}", (first.line, first.line))


def _name_gone(facts: GateFacts) -> Iterator[Remark]:
    definitions = facts.definitions_after
    if facts.name is None or facts.kind not in {"function", "class"} or definitions is None:
        return
    namesakes = {found.kind for found in definitions if found.name == facts.name}
    if facts.kind in namesakes or facts.is_renamed_as_requested(facts.kind, facts.name):
        return
    if namesakes:
        yield Remark(f'the {facts.kind} "{facts.name}" was replaced by a {namesakes.pop()}')
    else:
        yield Remark(
            f'the {facts.kind} "{facts.name}" was removed or renamed; code that uses this name will fail'
        )


def _emptied_bodies(facts: GateFacts) -> Iterator[Remark]:
    before = facts.definitions_before
    had_body = {each.path for each in before if not each.is_empty}
    had_none = Counter(each.path for each in before if each.is_empty)
    for each in facts.definitions_after or ():
        path = each.path
        if not each.is_empty or path not in had_body:
            continue
        had_none[path] -= 1
        if had_none[path] < 0:
            lines = (each.first_line, each.last_line)
            yield Remark(f'the body of the function "{each.name}" was removed', lines)


def _dropped_definitions(facts: GateFacts) -> Iterator[Remark]:
    for each in facts.missing_definitions:
        line = facts.line_of_removed(each.first_line - facts.first_line)
        yield Remark(f'the {each.kind} "{each.name}" was removed here', (line, line))


def _growth(facts: GateFacts) -> Iterator[Remark]:
    added = facts.lines_after - facts.lines_before
    if (
        facts.kind == "insertion"
        or added <= GROWTH_LINES[facts.mode]
        or added <= GROWTH_FACTOR * facts.lines_before
    ):
        return
    yield Remark(f"the answer adds {added} lines to a scope of {facts.lines_before}")


def _hidden_characters(facts: GateFacts) -> Iterator[Remark]:
    yield from hidden_in_new_lines(facts)
    dropped = sorted(facts.hidden_dropped.items(), key=lambda kind: (-kind[1], kind[0]))
    if not dropped:
        return
    total = sum(count for _, count in dropped)
    kinds = [f"{character_name(character)} ({count})" for character, count in dropped[:MAX_NAMED]]
    if (n_more := len(dropped) - MAX_NAMED) > 0:
        kinds.append(f"and {n_more} more")
    were = "character was" if total == 1 else "characters were"
    yield Remark(f"{total} hidden {were} removed from the answer: {', '.join(kinds)}")


def _duplicate_functions(facts: GateFacts) -> Iterator[Remark]:
    for each in facts.duplicates:
        place = f"in {each.path}, line" if each.path else "in line"
        message = f'"{each.name}" does the same as "{each.other}" {place} {each.other_line + 1}'
        yield Remark(make_visible_in_line(message), (each.line, each.line))


def _unknown_names(facts: GateFacts) -> Iterator[Remark]:
    for each in facts.unresolved:
        message = f'"{each.name}" is neither defined nor imported in this file'
        yield Remark(message, (each.line, each.line), each.fix)


def _deleted_scope(facts: GateFacts) -> Iterator[Remark]:
    n_removed = sum(bool(line.strip()) for line in facts.old_lines)
    if n_removed and not any(line.strip() for line in facts.new_lines):
        yield Remark(
            f"the answer deletes {'the line' if n_removed == 1 else f'all {n_removed} lines'} of the scope"
        )


def _secrets_gone(facts: GateFacts) -> Iterator[Remark]:
    removed = [facts.old_lines[index] for index in facts.removed_at]
    if not removed:
        return
    from twospeed.secrets.search import find_secrets  # noqa: PLC0415  # hundreds of patterns, load late

    text, left = "\n".join(removed), "\n".join(facts.new_lines)
    reported = set[int]()
    for found in sorted(find_secrets(text), key=lambda each: each.start):
        number = text.count("\n", 0, found.start)
        if number in reported or text[found.start : found.end] in left:
            continue
        reported.add(number)
        index = facts.removed_at[number]
        names = _NAME.findall(text[text.rfind("\n", 0, found.start) + 1 : found.start])
        named = f' ("{names[-1][:MAX_NAME_CHARS]}")' if names else ""
        line = facts.line_of_removed(index)
        yield Remark(
            f"the secret in line {facts.first_line + index + 1}{named} was removed; make sure that it is stored elsewhere",
            (line, line),
        )


def _merged_part(facts: GateFacts) -> Iterator[Remark]:
    if facts.parts:
        named, n_more = " and ".join(facts.parts[:MAX_NAMED]), len(facts.parts) - MAX_NAMED
        more = f" and {n_more} more" if n_more > 0 else ""
        yield Remark(
            f"the answer contained only the {named}{more}; all other lines of the scope are unchanged"
        )


def _sensitive_code(facts: GateFacts) -> Iterator[Remark]:
    for use in facts.sensitive_uses:
        message = f"this code concerns {use.topic} ({use.name[:MAX_SHOWN]}); consider deep mode for it"
        line = facts.line_of_removed(use.line - facts.first_line)
        yield Remark(message, (line, line))


CHECKS: tuple[Check, ...] = (
    Check("syntax-errors", lambda settings: settings.parse, _syntax_errors),
    Check("partial-answer", lambda settings: settings.partial, partial_answer),
    Check("name-gone", lambda settings: settings.renamed, _name_gone),
    Check("emptied-body", lambda settings: settings.emptied, _emptied_bodies),
    Check("dropped-definition", lambda settings: settings.dropped, _dropped_definitions),
    Check("lines-gone", lambda settings: settings.gone, lines_gone, severity=3),
    Check("repeated-code", lambda settings: settings.repeated, repeated_code),
    Check("growth", lambda settings: settings.growth, _growth),
    # The characters are removed already, or were there before. The user should know about the attempt.
    Check("hidden-characters", lambda settings: settings.hidden, _hidden_characters),
    Check("new-address", lambda settings: settings.address, new_addresses),
    Check("runs-code", lambda settings: settings.execution, new_execution),
    Check("encoded-literal", lambda settings: settings.encoded, encoded_literals),
    Check("removed-safeguard", lambda settings: settings.safeguard, removed_safeguards),
    Check("duplicate-function", lambda settings: settings.duplicate, _duplicate_functions),
    Check("unknown-name", lambda settings: settings.names, _unknown_names),
    # Always reported, because the remaining text does not show them.
    Check("deleted-scope", lambda _settings: "warn", _deleted_scope),
    Check("secret-gone", lambda _settings: "warn", _secrets_gone),
    Check("merged-part", lambda _settings: "warn", _merged_part, severity=3),
    Check(
        "sensitive-code",
        lambda settings: "off" if settings.sensitive == "off" else "warn",
        _sensitive_code,
        severity=3,
    ),
)

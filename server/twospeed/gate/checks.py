"""Judge an answer before its edit counts as applied.

A check is a plain function from facts to a sentence, or ``None`` where all is well; ``CHECKS`` says which
setting decides what follows. A new check is one function and one line of the table.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from .facts import Finding, FindingCode, GateFacts, GateSettings, Judgement, Severity, Strictness

GROWTH_FACTOR = 3
"""An answer that adds up to this many times the scope's lines is no surprise."""

GROWTH_LINES = 40
"""Fewer added lines than a screen holds are no surprise, however small the scope is."""

MAX_NAMED = 3
"""Kinds of hidden characters that are named, the most frequent first: more make no sentence."""


@dataclass(frozen=True, slots=True)
class Check:
    """One check: its code, the setting it answers to, and the function that looks."""

    code: FindingCode
    strictness: Callable[[GateSettings], Strictness]
    look: Callable[[GateFacts], str | None]


def check(facts: GateFacts, settings: GateSettings) -> Judgement:
    """Run every check that is not switched off.

    Args:
        facts: The answer in its place, next to what stood there before.
        settings: How strict each check is.

    Returns:
        What was found; the refusal, if any, is the first finding of a check set to ``refuse``.
    """
    findings: list[Finding] = []
    refusal: Finding | None = None
    for each in CHECKS:
        strictness = each.strictness(settings)
        message = None if strictness == "off" else each.look(facts)
        if message is None:
            continue
        severity: Severity = 1 if strictness == "refuse" else 2
        finding = Finding(each.code, severity, message, facts.first_line, facts.last_line)
        findings.append(finding)
        if strictness == "refuse" and refusal is None:
            refusal = finding
    return Judgement(refusal, tuple(findings))


def _syntax_errors(facts: GateFacts) -> str | None:
    if facts.errors_before is None or facts.errors_after is None:
        return None
    added = facts.errors_after - facts.errors_before
    if added <= 0:
        return None
    return f"the answer adds {added} syntax error{'s' if added > 1 else ''} to the document"


def _name_gone(facts: GateFacts) -> str | None:
    if facts.name is None or facts.definitions_after is None or facts.kind not in {"function", "class"}:
        return None
    namesakes = {found.kind for found in facts.definitions_after if found.name == facts.name}
    if facts.kind in namesakes:
        return None
    if namesakes:
        return f'the {facts.kind} "{facts.name}" is a {namesakes.pop()} now'
    return f'the {facts.kind} "{facts.name}" is gone; what calls it by this name will fail'


def _growth(facts: GateFacts) -> str | None:
    added = facts.lines_after - facts.lines_before
    if facts.kind == "insertion" or added <= GROWTH_LINES or added <= GROWTH_FACTOR * facts.lines_before:
        return None
    return f"the answer adds {added} lines to a scope of {facts.lines_before}"


def _hidden_characters(facts: GateFacts) -> str | None:
    dropped = sorted(facts.hidden_dropped.items(), key=lambda kind: (-kind[1], kind[0]))
    if not dropped:
        return None
    total = sum(count for _, count in dropped)
    kinds = [f"{_name_of(character)} ({count})" for character, count in dropped[:MAX_NAMED]]
    if (n_more := len(dropped) - MAX_NAMED) > 0:
        kinds.append(f"and {n_more} more")
    were = "character was" if total == 1 else "characters were"
    return f"{total} hidden {were} taken out of the answer: {', '.join(kinds)}"


def _name_of(character: str) -> str:
    return f"U+{ord(character):04X} {unicodedata.name(character, '')}".rstrip()


def _always_warn(_: GateSettings) -> Strictness:
    return "warn"


CHECKS: tuple[Check, ...] = (
    Check("syntax-errors", lambda settings: settings.parse, _syntax_errors),
    # A rename may be what was asked for, so no setting turns this one into a refusal.
    Check("name-gone", _always_warn, _name_gone),
    Check("growth", lambda settings: settings.growth, _growth),
    # They are gone already; the user should know that somebody tried.
    Check("hidden-characters", _always_warn, _hidden_characters),
)

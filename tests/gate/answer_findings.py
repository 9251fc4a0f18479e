"""Findings of an answer, with facts from a real parser: ``findings_of(old, new)``."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from twospeed import gate, syntax
from twospeed.gate.facts import GateFacts, GateSettings
from twospeed.text.code.scope import ScopeKind
from twospeed.text.lines import bodies_of, split_lines

QUIET = GateSettings(sensitive="off")


def facts_of(old: str, new: str, language_id: str = "python", above: str = "", **more: Any) -> GateFacts:
    """Return the facts of an edit whose scope is a whole document, or all of it below some lines.

    Args:
        old: The scope before.
        new: The answer.
        language_id: LSP language id.
        above: Whole lines of the document above the scope.
        more: Facts to replace.
    """
    before, after = split_lines(above + old), split_lines(above + new)
    n_before, n_after = len(before) - (not before[-1]), len(after) - (not after[-1])
    first = above.count("\n")
    kind: ScopeKind = "file"
    known = GateFacts(
        kind=kind,
        name=None,
        first_line=first,
        old_lines=tuple(bodies_of(before[first:n_before])),
        new_lines=tuple(bodies_of(after[first:n_after])),
        language_id=language_id,
        document=before,
        errors_before=0,
        errors_after=0,
        before=syntax.scope_code(before, language_id, first, n_before),
        after=syntax.scope_code(after, language_id, first, n_after),
    )
    return replace(known, **more)


def findings_of(
    old: str,
    new: str,
    language_id: str = "python",
    *,
    above: str = "",
    settings: GateSettings = QUIET,
    **more: Any,
) -> list[tuple[str, int, str]]:
    """Return the findings of an edit: code, first line and message of each."""
    findings = gate.check(facts_of(old, new, language_id, above, **more), settings).findings
    return [(each.code, each.first_line, each.message) for each in findings]

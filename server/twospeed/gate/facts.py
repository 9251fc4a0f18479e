"""What the gate is told, and what it says, as plain values.

Whoever runs the edit counts syntax errors and lines and names definitions; the gate only judges.
A fact that nobody can know, as in a language without a grammar, is ``None``, and its check is left out.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal

from twospeed.text.scope import ScopeKind

Strictness = Literal["refuse", "warn", "off"]
"""What a finding of a check leads to: the edit is refused, the user is told, nothing."""

FindingCode = Literal["syntax-errors", "name-gone", "growth", "hidden-characters"]

Severity = Literal[1, 2, 3, 4]
"""Error, warning, information, hint (LSP 3.17, ``DiagnosticSeverity``)."""


@dataclass(frozen=True, slots=True)
class GateSettings:
    """How strict each check is (contract, ``[gate]``).

    ``duplicate`` is read and kept; no check answers to it yet.
    """

    parse: Strictness = "refuse"
    duplicate: Strictness = "warn"
    growth: Strictness = "warn"


@dataclass(frozen=True, slots=True)
class Definition:
    """A named function or class of the source."""

    kind: Literal["function", "class"]
    name: str


@dataclass(frozen=True, slots=True)
class GateFacts:
    """A finished answer in its place, next to what stood there before.

    Attributes:
        kind: What the scope was.
        name: The scope's name, where it had one.
        first_line: First line of the scope as it is now; 0-based, of the document.
        lines_before: Lines of the scope before the edit; 0 for an insertion.
        lines_after: Lines of the scope now.
        errors_before: Syntax errors of the document before the edit.
        errors_after: Syntax errors of the document now.
        definitions_after: What the scope's lines define now, at any depth.
        hidden_dropped: How often each hidden character was taken out of the answer.
    """

    kind: ScopeKind
    name: str | None
    first_line: int
    lines_before: int
    lines_after: int
    errors_before: int | None = None
    errors_after: int | None = None
    definitions_after: Collection[Definition] | None = None
    hidden_dropped: Mapping[str, int] = field(default_factory=dict)

    @property
    def last_line(self) -> int:
        """Last line of the scope as it is now; the first one where nothing is left."""
        return self.first_line + max(self.lines_after, 1) - 1


@dataclass(frozen=True, slots=True)
class Finding:
    """Something a check has to say about lines ``first_line`` to ``last_line`` (0-based, inclusive)."""

    code: FindingCode
    severity: Severity
    message: str
    first_line: int
    last_line: int


@dataclass(frozen=True, slots=True)
class Judgement:
    """The gate's word: refused for ``refusal``, or let through with ``findings``, in the order of the checks.

    ``findings`` is complete either way; ``refusal`` is one of them.
    """

    refusal: Finding | None
    findings: tuple[Finding, ...]

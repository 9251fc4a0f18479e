"""Facts that the gate receives, and findings that it returns, as plain values.

The caller counts syntax errors and parses the scope; the gate only judges. An unknown fact is ``None``, as in
a language without a grammar, and its checks are skipped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from twospeed.text.code.scope import Definition, ScopeCode, ScopeKind, SyntaxErrorAt
from twospeed.text.edits import LineEdit
from twospeed.text.landmarks import landmarks

__all__ = [
    "Definition",
    "Finding",
    "FindingCode",
    "Fix",
    "GateFacts",
    "GateResult",
    "GateSettings",
    "Remark",
    "RepeatedFunction",
    "ScopeCode",
    "SensitiveCode",
    "SensitiveUse",
    "Severity",
    "Strictness",
    "SyntaxErrorAt",
    "Topic",
    "UnresolvedName",
]

Strictness = Literal["refuse", "warn", "off"]
"""Effect of a finding: the edit is refused, the user is warned, or nothing happens."""

SensitiveCode = Literal["deep", "offer", "off"]
"""Effect of sensitive code on a lightning edit: the deep lane edits it, is offered, or nothing happens."""

FindingCode = Literal[
    "syntax-errors",
    "partial-answer",
    "merged-part",
    "name-gone",
    "emptied-body",
    "dropped-definition",
    "lines-gone",
    "deleted-scope",
    "secret-gone",
    "repeated-code",
    "growth",
    "hidden-characters",
    "new-address",
    "runs-code",
    "encoded-literal",
    "removed-safeguard",
    "sensitive-code",
    "duplicate-function",
    "unknown-name",
    "review",
]

PROSE = frozenset({"markdown", "plaintext"})
"""LSP language ids of prose, in which any words may follow one another."""

Severity = Literal[1, 2, 3, 4]
"""Error, warning, information, hint (LSP 3.17, ``DiagnosticSeverity``)."""


Topic = Literal["authentication", "cryptography", "permissions", "SQL", "commands", "stored objects"]
"""Kinds of sensitive code."""


@dataclass(frozen=True, slots=True)
class SensitiveUse:
    """A line of sensitive code.

    Attributes:
        topic: Why it is sensitive.
        name: The name that shows it, as written.
    """

    topic: Topic
    line: int
    name: str


@dataclass(frozen=True, slots=True)
class GateSettings:
    """Strictness of each check (contract, ``[gate]``), and the effect of sensitive code."""

    parse: Strictness = "refuse"
    duplicate: Strictness = "warn"
    growth: Strictness = "warn"
    renamed: Strictness = "warn"
    emptied: Strictness = "warn"
    dropped: Strictness = "warn"
    hidden: Strictness = "warn"
    address: Strictness = "warn"
    execution: Strictness = "warn"
    encoded: Strictness = "warn"
    safeguard: Strictness = "warn"
    names: Strictness = "warn"
    partial: Strictness = "refuse"
    gone: Strictness = "warn"
    repeated: Strictness = "warn"
    sensitive: SensitiveCode = "offer"


@dataclass(frozen=True, slots=True)
class Fix:
    """A quick fix for a finding.

    Attributes:
        edits: Sorted, disjoint edits of the document with the answer applied.
    """

    title: str
    edits: tuple[LineEdit, ...]


@dataclass(frozen=True, slots=True)
class RepeatedFunction:
    """A new function that does the same as another one.

    Attributes:
        line: Its first line, in the document with the answer.
        path: File of the other function, relative to the workspace. Empty for the same document.
    """

    name: str
    line: int
    other: str
    path: str
    other_line: int


@dataclass(frozen=True, slots=True)
class UnresolvedName:
    """A name that is used but neither defined nor imported.

    Attributes:
        line: Line of its first use, in the document with the answer.
        fix: The import that defines it, if unambiguous.
    """

    name: str
    line: int
    fix: Fix | None = None


@dataclass(frozen=True)
class GateFacts:
    """An applied answer and the text that it replaced.

    Attributes:
        name: Name of the old scope, if it has one.
        first_line: First line of the new scope, 0-based, in the document.
        old_lines: Lines of the old scope, without line ends. Empty for an insertion.
        document: All lines of the document before the edit.
        errors_before: Number of syntax errors in the document before the edit.
        errors_after: Number of syntax errors in the document now.
        fault: A new error that the grammar accepts but the language forbids.
        sensitive_uses: Sensitive code in the old lines. Empty if it is not to be reported.
        repeated: New functions that do the same as others.
        unresolved: Names that are neither defined nor imported.
        hidden_dropped: How often each hidden character was removed from the answer.
        around: Kind and name of each definition that encloses the scope.
        is_open: Whether the code block of the answer was not closed, so lines may be missing at its end.
        instruction_words: Words of the instruction. Definitions that it names may be removed.
        parts: Definitions that were the whole answer and were merged into the scope, such as ``function "total"``.
    """

    kind: ScopeKind
    name: str | None
    first_line: int
    old_lines: tuple[str, ...] = ()
    new_lines: tuple[str, ...] = ()
    language_id: str = ""
    mode: Literal["lightning", "deep"] = "lightning"
    document: Sequence[str] = ()
    errors_before: int | None = None
    errors_after: int | None = None
    new_errors: tuple[SyntaxErrorAt, ...] = ()
    fault: SyntaxErrorAt | None = None
    before: ScopeCode | None = None
    after: ScopeCode | None = None
    sensitive_uses: tuple[SensitiveUse, ...] = ()
    repeated: tuple[RepeatedFunction, ...] = ()
    unresolved: tuple[UnresolvedName, ...] = ()
    hidden_dropped: Mapping[str, int] = field(default_factory=dict)
    is_open: bool = False
    instruction_words: frozenset[str] = frozenset()
    parts: tuple[str, ...] = ()
    around: frozenset[tuple[str, str]] = frozenset()

    @property
    def lines_before(self) -> int:
        """Number of lines of the old scope. 0 for an insertion."""
        return len(self.old_lines)

    @property
    def lines_after(self) -> int:
        """Number of lines of the new scope."""
        return len(self.new_lines)

    @property
    def last_line(self) -> int:
        """Last line of the new scope, or its first line if it is empty."""
        return self.first_line + max(self.lines_after, 1) - 1

    @property
    def errors_added(self) -> int:
        """Syntax errors that the answer adds to the document. 0 if unknown."""
        if self.errors_before is None or self.errors_after is None:
            return 0
        return self.errors_after - self.errors_before

    @property
    def definitions_before(self) -> tuple[Definition, ...]:
        """Definitions of the old scope. Empty if unknown."""
        return (self.before and self.before.definitions) or ()

    @property
    def definitions_after(self) -> tuple[Definition, ...] | None:
        """Definitions of the new scope. ``None`` if unknown or if the answer adds syntax errors."""
        return self.after.definitions if self.after and self.errors_added <= 0 else None

    @cached_property
    def added(self) -> tuple[tuple[int, str], ...]:
        """New lines with their numbers. A moved or re-indented line is not new."""
        known = set(self.kept.values())
        return tuple(
            (self.first_line + index, line)
            for index, line in enumerate(self.new_lines)
            if index not in known and line.strip()
        )

    @cached_property
    def removed_at(self) -> tuple[int, ...]:
        """Indexes of the ``old_lines`` that are not in the new scope."""
        return tuple(
            index for index, line in enumerate(self.old_lines) if index not in self.kept and line.strip()
        )

    @cached_property
    def changed_code(self) -> tuple[Sequence[tuple[int, str]], Sequence[tuple[int, str]]]:
        """Added and removed code, without lines in which only a comment or a string changed.

        Added code has its line in the document, removed code its index in ``old_lines``.
        """
        before, after = (each.code if each else () for each in (self.before, self.after))
        new = [(line, line - self.first_line) for line, _ in self.added]
        added = [(line, after[index]) for line, index in new if index < len(after)]
        removed = [(index, before[index]) for index in self.removed_at if index < len(before)]
        return _without(added, removed), _without(removed, added)

    def place_of_old(self, index: int) -> int:
        """Return the line that follows the text above one of ``old_lines``."""
        above = next((self.kept[at] + 1 for at in reversed(range(index)) if at in self.kept), 0)
        return self.first_line + min(above, max(self.lines_after - 1, 0))

    @cached_property
    def kept(self) -> Mapping[int, int]:
        """Index of the new line for each kept old line, compared without indentation.

        Lines next to those that occur once in both texts are matched first, the others anywhere.
        """
        return _paired([line.strip() for line in self.old_lines], [line.strip() for line in self.new_lines])


def _paired(old: Sequence[str], new: Sequence[str]) -> dict[int, int]:
    """Match equal lines of two texts: first in order, then the remaining ones anywhere."""
    paired: dict[int, int] = {}
    first = first_new = 0
    for end, end_new in [*landmarks(old, new), (len(old), len(new))]:
        at, at_new = first, first_new
        while at < end and at_new < end_new and old[at] == new[at_new]:
            paired[at] = at_new
            at, at_new = at + 1, at_new + 1
        last, last_new = end, end_new
        while last > at and last_new > at_new and old[last - 1] == new[last_new - 1]:
            last, last_new = last - 1, last_new - 1
            paired[last] = last_new
        first, first_new = end + 1, end_new + 1
    taken = set(paired.values())
    places: dict[str, list[int]] = {}
    for index in range(len(new) - 1, -1, -1):
        if index not in taken:
            places.setdefault(new[index], []).append(index)
    for index, line in enumerate(old):
        if index not in paired and (same := places.get(line)):
            paired[index] = same.pop()
    return paired


def _without(lines: Sequence[tuple[int, str]], others: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
    """Return lines with code, without as many of each as the others contain."""
    known = Counter(code.strip() for _, code in others)
    left: list[tuple[int, str]] = []
    for line, code in lines:
        if known[bare := code.strip()]:
            known[bare] -= 1
        elif bare:
            left.append((line, code))
    return left


@dataclass(frozen=True, slots=True)
class Remark:
    """A result of a check.

    Attributes:
        message: One sentence for the user, without a full stop.
        lines: First and last line, in the document with the answer. ``None`` means the whole scope.
        fix: A quick fix, if unambiguous.
    """

    message: str
    lines: tuple[int, int] | None = None
    fix: Fix | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """A remark with its code and severity. Lines are 0-based, ``last_line`` is inclusive."""

    code: FindingCode
    severity: Severity
    message: str
    first_line: int
    last_line: int
    fix: Fix | None = None


@dataclass(frozen=True, slots=True)
class GateResult:
    """The result of the gate: a refusal or none, and all findings in the order of the checks.

    ``findings`` includes ``refusal``.

    Attributes:
        doubt: Why an accepted answer may still be partial. The model is then asked once more.
    """

    refusal: Finding | None
    findings: tuple[Finding, ...]
    doubt: str = ""


def code_of(code: ScopeCode | None, lines: Sequence[str]) -> Sequence[str]:
    """Return the lines without comments and strings if they were parsed, otherwise ``lines``."""
    return code.code if code is not None and len(code.code) == len(lines) else lines

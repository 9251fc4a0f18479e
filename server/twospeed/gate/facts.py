"""Facts that the gate receives, and findings that it returns.

An unknown fact is ``None``, as in a language without a grammar, and its checks are skipped.
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
    "FunctionDuplicate",
    "GateFacts",
    "GateResult",
    "GateSettings",
    "Remark",
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
"""Effect of sensitive code on a lightning edit: the deep lane edits it, is offered, or nothing."""

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
    "import-not-added",
    "import-unused",
    "review",
    "new-problem",
]

PROSE = frozenset({"markdown", "plaintext"})
"""LSP language ids of text in which any words may follow one another."""

Severity = Literal[1, 2, 3, 4]
"""Error, warning, information, hint (LSP 3.17, ``DiagnosticSeverity``)."""


Topic = Literal["authentication", "cryptography", "permissions", "SQL", "commands", "deserialization"]
"""Kinds of sensitive code."""


@dataclass(frozen=True, slots=True)
class SensitiveUse:
    """A line of sensitive code, and the name that shows it."""

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
    """A quick fix: imports to add or to remove.

    Attributes:
        imports: The statements to add.
        edits: Sorted, disjoint edits of the new document; in a later document they are others.
        removes: The names whose imports are removed.
    """

    title: str
    imports: tuple[str, ...]
    edits: tuple[LineEdit, ...]
    removes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FunctionDuplicate:
    """A new function, its line in the new document, and another one that does the same.

    Attributes:
        path: File of the other function, relative to the workspace. Empty for the same document.
    """

    name: str
    line: int
    other: str
    path: str
    other_line: int


@dataclass(frozen=True, slots=True)
class UnresolvedName:
    """A name without a definition, its first line in the new document, and the only import that fits."""

    name: str
    line: int
    fix: Fix | None = None


@dataclass(frozen=True)
class GateFacts:
    """An applied answer and the text that it replaced.

    Attributes:
        first_line: First line of the new scope, 0-based.
        old_lines: Lines without line ends. Empty for an insertion.
        document: Lines of the document before the edit.
        errors_before: Number of syntax errors in the document.
        fault: A new error that the grammar accepts but the language forbids.
        hidden_dropped: How often each hidden character was removed from the answer.
        is_unclosed: Whether the code block of the answer was not closed, so lines may be missing.
        instruction_words: Definitions that the instruction names may be removed.
        parts: Definitions that were the whole answer and were merged into the scope: ``function "total"``.
        enclosing: Kind and name of each definition that encloses the scope.
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
    duplicates: tuple[FunctionDuplicate, ...] = ()
    unresolved: tuple[UnresolvedName, ...] = ()
    hidden_dropped: Mapping[str, int] = field(default_factory=dict)
    is_unclosed: bool = False
    instruction_words: frozenset[str] = frozenset()
    parts: tuple[str, ...] = ()
    enclosing: frozenset[tuple[str, str]] = frozenset()

    @property
    def lines_before(self) -> int:
        """Number of lines of the old scope."""
        return len(self.old_lines)

    @property
    def lines_after(self) -> int:
        """Number of lines of the new scope."""
        return len(self.new_lines)

    @property
    def last_line(self) -> int:
        """Last line of the new scope; its first line if it is empty."""
        return self.first_line + max(self.lines_after, 1) - 1

    @property
    def errors_added(self) -> int:
        """Syntax errors that the answer adds. 0 if unknown."""
        if self.errors_before is None or self.errors_after is None:
            return 0
        return self.errors_after - self.errors_before

    @property
    def definitions_before(self) -> tuple[Definition, ...]:
        """Definitions of the old scope. Empty if unknown."""
        return (self.before and self.before.definitions) or ()

    @property
    def definitions_after(self) -> tuple[Definition, ...] | None:
        """Definitions of the new scope. ``None`` if unknown or if there are new syntax errors."""
        return self.after.definitions if self.after and self.errors_added <= 0 else None

    @cached_property
    def added(self) -> tuple[tuple[int, str], ...]:
        """New lines with their numbers, without moved and re-indented ones."""
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
        """Added and removed lines in which more than a comment or a string changed.

        Added code has its line in the document, removed code its index in ``old_lines``.
        """
        before, after = (each.code if each else () for each in (self.before, self.after))
        new = [(line, line - self.first_line) for line, _ in self.added]
        added = [(line, after[index]) for line, index in new if index < len(after)]
        removed = [(index, before[index]) for index in self.removed_at if index < len(before)]
        return _code_without(added, removed), _code_without(removed, added)

    @cached_property
    def missing_definitions(self) -> tuple[Definition, ...]:
        """The outermost definitions that the answer omits, except the scope itself."""
        if self.definitions_after is None:
            return ()
        here = Counter(each.path for each in self.definitions_after)
        new = here - Counter(each.path for each in self.definitions_before)
        elsewhere = Counter(path[-1] for path in new.elements())
        missing: set[tuple[str, ...]] = set()
        outermost: list[Definition] = []
        for each in self.definitions_before:
            if here[each.path]:
                here[each.path] -= 1
            elif elsewhere[each.name]:
                elsewhere[each.name] -= 1  # moved to another class
            elif each.within in missing:
                missing.add(each.path)
            elif not (
                each.is_local
                or each.path == (self.name,)
                or self.is_renamed_as_requested(each.kind, each.name)
            ):
                # A definition inside a function is an implementation detail. `name-gone` reports the scope
                # itself.
                missing.add(each.path)
                outermost.append(each)
        return tuple(outermost)

    def is_renamed_as_requested(self, kind: str, name: str) -> bool:
        """Return whether the instruction names a definition and the new one, and no line outside has the old name."""
        end = self.first_line + len(self.old_lines)
        around = (*self.document[: self.first_line], *self.document[end:])
        if name not in self.instruction_words or any(name in line for line in around):
            return False
        old = {(each.kind, each.name) for each in self.definitions_before}
        new = {(each.kind, each.name) for each in self.definitions_after or ()} - old
        return any(each[0] == kind and each[1] in self.instruction_words for each in new)

    def line_of_removed(self, index: int) -> int:
        """Return the line below the kept text above one of ``old_lines``."""
        above = next((self.kept[at] + 1 for at in reversed(range(index)) if at in self.kept), 0)
        return self.first_line + min(above, max(self.lines_after - 1, 0))

    @cached_property
    def kept(self) -> Mapping[int, int]:
        """Index of the new line for each kept old line, compared without indentation."""
        return _matching_lines(
            [line.strip() for line in self.old_lines], [line.strip() for line in self.new_lines]
        )


def _matching_lines(old: Sequence[str], new: Sequence[str]) -> dict[int, int]:
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


def _code_without(
    lines: Sequence[tuple[int, str]], others: Sequence[tuple[int, str]]
) -> list[tuple[int, str]]:
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
    """A sentence for the user, without a full stop, about lines of the new document (``None``: the scope)."""

    message: str
    lines: tuple[int, int] | None = None
    fix: Fix | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """A remark with its code and severity. Lines are 0-based and inclusive."""

    code: FindingCode
    severity: Severity
    message: str
    first_line: int
    last_line: int
    fix: Fix | None = None


@dataclass(frozen=True, slots=True)
class GateResult:
    """All findings in the order of the checks, and the one that refuses the edit.

    Attributes:
        doubt: Why an accepted answer may be partial; another one is then requested.
    """

    refusal: Finding | None
    findings: tuple[Finding, ...]
    doubt: str = ""


def by_unique_path(definitions: Sequence[Definition]) -> dict[tuple[str, ...], Definition]:
    """Return the definitions whose path no other one has."""
    times = Counter(each.path for each in definitions)
    return {each.path: each for each in definitions if times[each.path] == 1}


def code_of(code: ScopeCode | None, lines: Sequence[str]) -> Sequence[str]:
    """Return the lines without comments and strings if they were parsed, else ``lines``."""
    return code.code if code is not None and len(code.code) == len(lines) else lines

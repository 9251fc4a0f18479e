"""What the gate is told, and what it says, as plain values.

Whoever runs the edit counts syntax errors and says what the scope's lines define and hold; the gate only judges.
A fact that nobody can know, as in a language without a grammar, is ``None``, and its checks are left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from twospeed.text.code.scope import ScopeKind
from twospeed.text.code.scope_code import Definition, ScopeCode, SyntaxErrorAt
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
"""What a finding of a check leads to: the edit is refused, the user is told, nothing."""

SensitiveCode = Literal["deep", "offer", "off"]
"""What happens to a lightning edit of code that much depends on: the deep lane takes it, is offered, nothing."""

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
"""LSP language ids of texts for people, in which any words may follow any others."""

Severity = Literal[1, 2, 3, 4]
"""Error, warning, information, hint (LSP 3.17, ``DiagnosticSeverity``)."""


Topic = Literal["authentication", "cryptography", "permissions", "SQL", "commands", "stored objects"]
"""What code may be about that much depends on."""


@dataclass(frozen=True, slots=True)
class SensitiveUse:
    """A line of a scope that much depends on.

    Attributes:
        topic: What it is about.
        line: Of the document.
        name: What says so, as written.
    """

    topic: Topic
    line: int
    name: str


@dataclass(frozen=True, slots=True)
class GateSettings:
    """How strict each check is (contract, ``[gate]``), and who edits sensitive code."""

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
    """What mends a finding.

    Attributes:
        title: What it does, for a menu.
        edits: Sorted and disjoint, against the lines of the document with the answer in place.
    """

    title: str
    edits: tuple[LineEdit, ...]


@dataclass(frozen=True, slots=True)
class RepeatedFunction:
    """A new function that does what another one does.

    Attributes:
        name: Its name.
        line: Its first line, of the document with the answer.
        other: The other one's name.
        path: Its file, relative to the workspace; empty where it is the same document.
        other_line: Its first line.
    """

    name: str
    line: int
    other: str
    path: str
    other_line: int


@dataclass(frozen=True, slots=True)
class UnresolvedName:
    """A name that is used and comes from nowhere.

    Attributes:
        name: The word.
        line: Where it is first used, of the document with the answer.
        fix: The import that brings it, where that is certain.
    """

    name: str
    line: int
    fix: Fix | None = None


@dataclass(frozen=True)
class GateFacts:
    """A finished answer in its place, next to what stood there before.

    Attributes:
        kind: What the scope was.
        name: The scope's name, where it had one.
        first_line: First line of the scope as it is now; 0-based, of the document.
        old_lines: The scope's lines before the edit, without line ends; none for an insertion.
        new_lines: The scope's lines now.
        language_id: LSP language id of the document.
        mode: The mode that carried the edit out.
        document: All lines of the document before the edit.
        errors_before: Syntax errors of the document before the edit.
        errors_after: Syntax errors of the document now.
        new_errors: Where it cannot be read now, as far as that is in the scope.
        fault: What the language refuses now and did not before, though its grammar reads it.
        before: What a parser sees in ``old_lines``.
        after: What it sees in ``new_lines``.
        touches: What in the old lines much depends on; not told where that is nobody's business.
        repeated: New functions that do what others do.
        unresolved: Names that come from nowhere.
        hidden_dropped: How often each hidden character was taken out of the answer.
        around: Kind and name of each function and class that the scope is in.
        is_open: Whether the answer's code block was never closed, so that lines may be missing at its end.
        words_asked: The words of the instruction; what it names may go.
        parts: The definitions that were all of the answer and were put into the scope, such as ``function "total"``.
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
    words_asked: frozenset[str] = frozenset()
    parts: tuple[str, ...] = ()
    around: frozenset[tuple[str, str]] = frozenset()

    @property
    def lines_before(self) -> int:
        """Lines of the scope before the edit; 0 for an insertion."""
        return len(self.old_lines)

    @property
    def lines_after(self) -> int:
        """Lines of the scope now."""
        return len(self.new_lines)

    @property
    def last_line(self) -> int:
        """Last line of the scope as it is now; the first one where nothing is left."""
        return self.first_line + max(self.lines_after, 1) - 1

    @property
    def errors_added(self) -> int:
        """Syntax errors that the answer adds to the document; 0 where that is not known."""
        if self.errors_before is None or self.errors_after is None:
            return 0
        return self.errors_after - self.errors_before

    @property
    def definitions_before(self) -> tuple[Definition, ...]:
        """What the scope defined; empty where that is not known."""
        return (self.before and self.before.definitions) or ()

    @property
    def definitions_after(self) -> tuple[Definition, ...] | None:
        """What the scope defines now; ``None`` where that is not known, as of an answer that cannot be parsed."""
        return self.after.definitions if self.after and self.errors_added <= 0 else None

    @cached_property
    def added(self) -> tuple[tuple[int, str], ...]:
        """Lines that stood nowhere in the scope before, with their numbers; one that was indented or moved is not new."""
        known = set(self.kept.values())
        return tuple(
            (self.first_line + index, line)
            for index, line in enumerate(self.new_lines)
            if index not in known and line.strip()
        )

    @cached_property
    def removed_at(self) -> tuple[int, ...]:
        """Which of ``old_lines`` stand nowhere in the scope any more."""
        return tuple(
            index for index, line in enumerate(self.old_lines) if index not in self.kept and line.strip()
        )

    @cached_property
    def changed_code(self) -> tuple[Sequence[tuple[int, str]], Sequence[tuple[int, str]]]:
        """The code that came and the code that went, without lines of which only a comment or a text has changed.

        What came is told with its line of the document, what went with its index in ``old_lines``.
        """
        before, after = (each.code if each else () for each in (self.before, self.after))
        new = [(line, line - self.first_line) for line, _ in self.added]
        came = [(line, after[index]) for line, index in new if index < len(after)]
        went = [(index, before[index]) for index in self.removed_at if index < len(before)]
        return _without(came, went), _without(went, came)

    def place_of_old(self, index: int) -> int:
        """Return the line that stands where one of ``old_lines`` stood: below what was above it."""
        above = next((self.kept[at] + 1 for at in reversed(range(index)) if at in self.kept), 0)
        return self.first_line + min(above, max(self.lines_after - 1, 0))

    @cached_property
    def kept(self) -> Mapping[int, int]:
        """Which of the new lines each of the old ones is, by their text without indentation.

        Lines beside those that occur once in both texts keep their place; the rest is looked for anywhere.
        """
        return _paired([line.strip() for line in self.old_lines], [line.strip() for line in self.new_lines])


def _paired(old: Sequence[str], new: Sequence[str]) -> dict[int, int]:
    """Pair each line of a text with an equal one of another: first in order, then wherever one is left."""
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
    """Leave out lines without code, and as many of each code as there are among the others."""
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
    """What a check has to say.

    Attributes:
        message: One sentence for people, without a dot.
        lines: First and last line it is about, of the document with the answer in place; the whole scope where ``None``.
        fix: What mends it, where that is certain.
    """

    message: str
    lines: tuple[int, int] | None = None
    fix: Fix | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """Something a check has to say about lines ``first_line`` to ``last_line`` (0-based, inclusive)."""

    code: FindingCode
    severity: Severity
    message: str
    first_line: int
    last_line: int
    fix: Fix | None = None


@dataclass(frozen=True, slots=True)
class GateResult:
    """The gate's word: refused for ``refusal``, or let through with ``findings``, in the order of the checks.

    ``findings`` is complete either way; ``refusal`` is one of them.

    Attributes:
        doubt: Why an answer that may land may be a part of its scope all the same, for a model that is asked once more.
    """

    refusal: Finding | None
    findings: tuple[Finding, ...]
    doubt: str = ""


def code_of(code: ScopeCode | None, lines: Sequence[str]) -> Sequence[str]:
    """Return lines without comments and texts where a parser knows them."""
    return code.code if code is not None and len(code.code) == len(lines) else lines


def width_of(line: str) -> int:
    """Return how many characters of white space a line begins with."""
    return len(line) - len(line.lstrip())

"""What goes into an edit and what comes out, as plain values."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from twospeed.delivery import Style
from twospeed.gate import Finding
from twospeed.routing import Mode, Route
from twospeed.text.code.scope import ScopeChoice, ScopeKind
from twospeed.text.code.symbols import SymbolPlace
from twospeed.text.document import Document
from twospeed.text.edits import TextEdit
from twospeed.text.positions import Range
from twospeed.workspace.never_send import is_never_sent

Outcome = Literal["applied", "unchanged", "refused", "conflict", "cancelled", "failed"]
Verdict = Literal["accepted", "rejected"]
Place = tuple[int, int]
"""A line and an index into it, in code points."""


@dataclass(frozen=True, slots=True)
class PreviousEdit:
    """The edit that another one refines.

    Attributes:
        instruction: Its instruction, the last one where it was steered.
        changes: The lines it has changed, ``-`` before the old ones and ``+`` before the new; empty where that is not known.
        is_rejected: Whether the user has taken them back.
        earlier: The instructions that it was given before, in order, where it was steered.
    """

    instruction: str
    changes: str = ""
    is_rejected: bool = False
    earlier: tuple[str, ...] = ()

    @property
    def instructions(self) -> tuple[str, ...]:
        """Everything it was asked for, in order."""
        return (*self.earlier, self.instruction)


async def nothing_to_wait_for() -> None:
    """Wait for no workspace."""


async def no_notes() -> str:
    """Tell of no notes."""
    return ""


def nothing_known(_word: str) -> Sequence[SymbolPlace]:
    """Look in no workspace."""
    return ()


@dataclass(frozen=True, slots=True)
class ForcedAnswer:
    """An answer that was refused and that the user wants nevertheless.

    Attributes:
        lines: The lines of the scope, without line ends.
        old: The lines that they replace, with line ends; where there are others now the user has typed there.
        route: Which model wrote them.
    """

    lines: tuple[str, ...]
    old: tuple[str, ...]
    route: Route


@dataclass(frozen=True, slots=True)
class EditRequest:
    """One edit asked for.

    Attributes:
        document: The document at the version the request was made for.
        selection: Start and end, equal for a cursor.
        instruction: The user's words, not blank.
        mode: The speed asked for.
        choice: How the scope is to be found.
        style: How changes are to reach the document.
        diagnostics: Messages of diagnostics the client sent along.
        comment_line: Line of the instruction comment the edit consumes, if that is where the words come from.
        follows: The edit this one refines.
        earlier: Instructions it was steered away from, in order.
        draft: The scope as far as it was rewritten when it was steered, or as an answer had it that does not parse.
        fault: What the parser could not read in the draft, a line each; without a draft, why the last answer could not be
            used. Empty where it was steered.
        edit_id: Chosen by the client, if it did.
        confirmation_reason: Why somebody has to say yes before it lands; ``None`` where nobody has to.
        n_answers: How many answers are asked for at once; the first one lands.
        given: What to put in the place of the scope; no model is asked then.
        path: The document's path: relative to the workspace where it is inside, else absolute.
        real_path: The same with every link followed; empty where that is not known.
        definitions_of: Returns the definitions of a name in the indexed files of the workspace, from memory.
        wait_until_indexed: Awaits the workspace index; only `twospeed edit` waits.
        fingerprinted: Returns the functions of the indexed files that have a fingerprint.
        notes: Reads what the project has models know; see `lsp.workspace.project_notes`.
    """

    document: Document
    selection: tuple[Place, Place]
    instruction: str
    mode: Mode
    choice: ScopeChoice = "auto"
    style: Style = "atomic"
    diagnostics: tuple[str, ...] = ()
    comment_line: int | None = None
    follows: PreviousEdit | None = None
    earlier: tuple[str, ...] = ()
    draft: str = ""
    fault: str = ""
    edit_id: str | None = None
    n_answers: int = 1
    given: ForcedAnswer | None = None
    path: str = ""
    real_path: str = ""
    confirmation_reason: str | None = None
    definitions_of: Callable[[str], Sequence[SymbolPlace]] = nothing_known
    wait_until_indexed: Callable[[], Awaitable[None]] = nothing_to_wait_for
    fingerprinted: Callable[[], Iterable[SymbolPlace]] = tuple
    notes: Callable[[], Awaitable[str]] = no_notes

    @property
    def file_name(self) -> str:
        """The document's name without its path."""
        return self.path.rpartition("/")[2]

    def why_never_sent(self, ignore: Iterable[str]) -> str | None:
        """Say why the document's text is never sent, by either of its paths; see `is_never_sent`."""
        return is_never_sent(self.path, ignore) or is_never_sent(self.real_path, ignore)

    @property
    def all_words(self) -> str:
        """Every instruction that was given, in order, for a title: those it was steered away from come first."""
        return "; ".join((*self.earlier, self.instruction))

    @property
    def first_words(self) -> str:
        """The instruction before any steering: what an instruction comment says."""
        return (*self.earlier, self.instruction)[0]


@dataclass(frozen=True, slots=True)
class Reason:
    """Why an edit ended other than applied or unchanged; ``code`` is one of the contract's closed list."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Ending:
    """How the writing ended, before the document is brought to what that demands."""

    outcome: Outcome
    reason: Reason | None = None


@dataclass(slots=True)
class Stats:
    """Times in milliseconds since the edit was taken up, tokens of all its requests as the providers count them.

    Attributes:
        ttft_ms: Until the first text of an answer.
        queued_ms: Until its turn came: there was nothing in its way any more.
        duration_ms: Until its outcome.
        input_tokens: These and the other tokens are ``None`` where no provider has counted.
        tokens_per_second: Of the answer that landed, while it was written.
        cost: By the prices of the user's config; ``None`` where one that was asked has none.
        requests: How many were sent.
        uncounted: How many of them nobody has counted to the end, so that tokens and cost may be more.
    """

    ttft_ms: float | None = None
    queued_ms: float | None = None
    duration_ms: float = 0.0
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost: float | None = None
    requests: int = 0
    uncounted: int = 0
    tokens_per_second: float | None = None
    lines_added: int = 0
    lines_removed: int = 0
    chars_sent: int = 0


@dataclass(frozen=True, slots=True)
class PlacedScope:
    """A scope and its range in the document as it stands."""

    kind: ScopeKind
    name: str | None
    range: Range


@dataclass(frozen=True, slots=True)
class PlacedHunk:
    """A change that can be decided alone."""

    id: str
    range: Range
    removed: str


@dataclass(frozen=True, slots=True)
class PlacedClash:
    """The user's own lines, left alone."""

    range: Range
    proposed: str


@dataclass(frozen=True, slots=True)
class PlacedFinding:
    """What a check noticed, and where."""

    finding: Finding
    range: Range


@dataclass(frozen=True, slots=True)
class Report:
    """An edit as it stands; every range is at ``version``.

    Attributes:
        answer: What a refused edit would have made of its scope; ``None`` where there is no such text.
        message: What the model wrote beside its code; ``None`` where it wrote nothing.
    """

    edit_id: str
    outcome: Outcome
    reason: Reason | None
    mode: Mode
    provider: str | None
    model: str | None
    route: str | None
    version: int
    scope: PlacedScope | None
    new_text: str
    preview: tuple[TextEdit, ...] | None
    hunks: tuple[PlacedHunk, ...]
    clashes: tuple[PlacedClash, ...]
    findings: tuple[PlacedFinding, ...]
    stats: Stats = field(default_factory=Stats)
    answer: str | None = None
    message: str | None = None


class PartialSink(Protocol):
    """Where partial results go, in the model's own view of the scope."""

    def started(self, edit_id: str, mode: Mode, provider: str, model: str, scope: PlacedScope) -> None:
        """The edit starts; comes first."""

    def reasoning(self, text: str) -> None:
        """A piece of the model's thinking."""

    def edits(self, seq: int, edits: list[TextEdit]) -> None:
        """Batch ``seq`` (from 1) against the scope's text after the batch before; line 0 is its first."""

"""Results of requests, and notifications of the server."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from .basic import Message, Range, TextEdit, VersionedDocument
from .words import Mode, Outcome, ReasonCode, ScopeKind, State, Verdict


class Reason(Message):
    """Why an edit is neither applied nor unchanged."""

    code: ReasonCode
    message: str


class NamedScope(Message):
    """A scope and its range."""

    kind: ScopeKind
    name: str | None
    range: Range


class Hunk(Message):
    """One contiguous change that can be decided separately; ``removed`` is the old text."""

    id: str
    range: Range
    removed: str


class Conflict(Message):
    """Lines that keep the text of the user; ``proposed`` is the text of the answer for them."""

    range: Range
    proposed: str


class Finding(Message):
    """A finding of a check; ``severity`` is an LSP ``DiagnosticSeverity``."""

    code: str
    severity: Literal[1, 2, 3, 4]
    message: str
    range: Range


class Stats(Message):
    """Times are milliseconds since the server accepted the request; tokens are sums over all requests to models.

    Tokens are null if no provider counted them. ``cost`` is null if the config has no price for a model.
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


class TextDocumentEdit(Message):
    """LSP ``TextDocumentEdit``."""

    text_document: VersionedDocument
    edits: list[TextEdit]


class WorkspaceEdit(Message):
    """LSP ``WorkspaceEdit`` with versioned document changes only."""

    document_changes: list[TextDocumentEdit]


class RefusedAnswer(Message):
    """Text of the scope if the refused answer were applied; ``message`` is what the model wrote outside its code block.

    ``imports`` are the lines that it has for the import block of the file.
    """

    text: str
    imports: list[str] = Field(default_factory=list)
    message: str | None = None


class AlsoChanged(Message):
    """Another place that an edit changes: the import block. Its hunks are decided like those of the scope."""

    kind: Literal["imports"] = "imports"
    range: Range
    hunks: list[Hunk]


class PlaceResult(Message):
    """The result of one of the places of ``ranges``; ``editId`` names it alone, and is ``null`` if no edit could begin."""

    edit_id: str | None
    uri: str
    version: int
    range: Range
    outcome: Outcome
    reason: Reason | None = None
    new_text: str = ""
    hunks: list[Hunk] = Field(default_factory=list)
    also_changed: list[AlsoChanged] = Field(default_factory=list)
    conflicts: list[Conflict] = Field(default_factory=list)
    findings: list[Finding] = Field(default_factory=list)


class EditResult(Message):
    """Result of ``twospeed/edit``, ``twospeed/cancel`` and ``twospeed/variation``.

    ``message`` is what the model wrote outside its code block. ``edit`` is the change that a preview proposes.
    """

    edit_id: str
    outcome: Outcome
    reason: Reason | None = None
    mode: Mode
    provider: str | None = None
    model: str | None = None
    route: str | None = None
    version: int
    scope: NamedScope | None = None
    new_text: str = ""
    answer: RefusedAnswer | None = None
    message: str | None = None
    edit: WorkspaceEdit | None = None
    hunks: list[Hunk] = Field(default_factory=list)
    also_changed: list[AlsoChanged] = Field(default_factory=list)
    conflicts: list[Conflict] = Field(default_factory=list)
    findings: list[Finding] = Field(default_factory=list)
    stats: Stats = Field(default_factory=Stats)
    places: list[PlaceResult] | None = None


class StartedPart(Message):
    """First partial result."""

    type: Literal["started"] = "started"
    edit_id: str
    mode: Mode
    provider: str
    model: str
    scope: NamedScope


class ReasoningPart(Message):
    """A piece of the model's reasoning, if the provider streams it."""

    type: Literal["reasoning"] = "reasoning"
    text: str


class EditsPart(Message):
    """Edits of the scope as it was after batch ``seq - 1``, without typed text; line 0 is the first line of the scope."""

    type: Literal["edits"] = "edits"
    seq: int
    edits: list[TextEdit]


class ServedBy(Message):
    """The provider and model that a mode uses now."""

    provider: str
    model: str


class ModeState(Message):
    """Result of ``twospeed/setMode``, params of ``twospeed/modeChanged``."""

    mode: Mode
    lightning: ServedBy
    deep: ServedBy


class DecidedPlace(Message):
    """The hunks of one place of ``ranges`` that are not decided, at ``version``; ``editId`` names the place."""

    edit_id: str
    uri: str
    version: int
    hunks: list[Hunk]
    also_changed: list[AlsoChanged] = Field(default_factory=list)


class DecideResult(Message):
    """Result of ``twospeed/decide``: the hunks that are not decided, at ``version``.

    For the id of ``ranges``, those of each place are in ``places``, and ``hunks`` is empty.
    """

    edit_id: str
    version: int
    hunks: list[Hunk]
    also_changed: list[AlsoChanged] = Field(default_factory=list)
    places: list[DecidedPlace] = Field(default_factory=list)


class DiagnosticsResult(Message):
    """Result of ``twospeed/diagnostics``: new errors, and one sentence about them for the user."""

    findings: list[Finding] = Field(default_factory=list)
    message: str | None = None


class ScopesResult(Message):
    """Result of ``twospeed/scopes``, innermost first."""

    version: int
    scopes: list[NamedScope]


class LaneStatus(Message):
    """One entry of a lane; ``reason`` states why it is not ready."""

    provider: str
    model: str
    ready: bool
    reason: str | None


class Lanes(Message):
    """The lanes of both modes, in their order of preference."""

    lightning: list[LaneStatus]
    deep: list[LaneStatus]


class EditStatus(Message):
    """One edit in the result of ``twospeed/status``."""

    edit_id: str
    uri: str
    state: State
    outcome: Outcome | None
    verdict: Verdict | None
    reason: Reason | None
    mode: Mode
    provider: str | None
    model: str | None
    stats: Stats


class Today(Message):
    """Usage since midnight by all editors of this user on this machine.

    ``edits`` and ``tokens`` count against the budget. ``linesAdded`` is the sum over all applied edits.
    """

    edits: int = 0
    tokens: int = 0
    lines_added: int = 0


class StatusResult(Message):
    """Result of ``twospeed/status``; ``edits`` holds the last 50, newest last."""

    mode: Mode
    lanes: Lanes
    today: Today = Field(default_factory=Today)
    edits: list[EditStatus]


class EditStarted(Message):
    """Result of the command ``twospeed.edit``."""

    edit_id: str


class CallerPlace(Message):
    """A place that uses a changed definition; ``certain`` if its name is bound to it. ``text`` is its line.

    ``reason`` is why a certain place is not edited.
    """

    uri: str
    line: int
    certain: bool
    text: str
    reason: str | None = None


class CallersUpdated(Message):
    """Result of ``twospeed.updateCallers``: the group of edits, its number of places, and the places without an edit."""

    edit_id: str | None
    places: int
    elsewhere: list[CallerPlace]


class EditChanged(Message):
    """Params of ``twospeed/editChanged``; ``range`` and ``hunks`` are at ``version``."""

    edit_id: str
    uri: str
    version: int
    state: State
    outcome: Outcome | None
    verdict: Verdict | None
    mode: Mode
    provider: str | None
    model: str | None
    route: str | None = None
    range: Range | None
    hunks: list[Hunk]
    also_changed: list[AlsoChanged] = Field(default_factory=list)
    stats: Stats


class ShownAnswer(Message):
    """Result of ``twospeed.showAnswer``: ``text`` would replace ``range`` of the document at ``version``."""

    edit_id: str
    uri: str
    version: int
    range: Range
    text: str
    message: str | None = None


class PromptMessage(Message):
    """One message of a prompt."""

    role: Literal["system", "user", "assistant"]
    content: str


class PromptResult(Message):
    """Result of the command ``twospeed.showPrompt``: the exact prompt, and the model that would receive it."""

    provider: str
    model: str
    messages: list[PromptMessage]

"""What the server sends: results, partial results, notifications and its own request."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from .basic import Message, Range, TextEdit, VersionedDocument
from .words import Mode, Outcome, ReasonCode, ScopeKind, State, Verdict


class Reason(Message):
    """Why an edit ended other than applied or unchanged."""

    code: ReasonCode
    message: str


class NamedScope(Message):
    """A scope, and where it stands."""

    kind: ScopeKind
    name: str | None
    range: Range


class Hunk(Message):
    """One contiguous change that can be decided alone; ``removed`` is the old text that stood there."""

    id: str
    range: Range
    removed: str


class Conflict(Message):
    """The user's own lines, left alone; ``proposed`` is what the answer wanted there."""

    range: Range
    proposed: str


class Finding(Message):
    """What a check of the result noticed; ``severity`` as LSP ``DiagnosticSeverity``."""

    code: str
    severity: Literal[1, 2, 3, 4]
    message: str
    range: Range


class Stats(Message):
    """Times in milliseconds since the request was taken up; tokens of all its requests as the providers count them.

    Tokens are null where no provider has counted, ``cost`` is null where the config has no price.
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
    """LSP ``WorkspaceEdit`` with versioned document changes and nothing else."""

    document_changes: list[TextDocumentEdit]


class RefusedAnswer(Message):
    """The code that was read from the answer of a refused edit, and what the model wrote beside it."""

    text: str
    message: str | None = None


class EditResult(Message):
    """Result of ``twospeed/edit``, ``twospeed/cancel`` and ``twospeed/variation``."""

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
    conflicts: list[Conflict] = Field(default_factory=list)
    findings: list[Finding] = Field(default_factory=list)
    stats: Stats = Field(default_factory=Stats)


class StartedPart(Message):
    """First partial result."""

    type: Literal["started"] = "started"
    edit_id: str
    mode: Mode
    provider: str
    model: str
    scope: NamedScope


class ReasoningPart(Message):
    """The model's thinking, as far as the provider streams it."""

    type: Literal["reasoning"] = "reasoning"
    text: str


class EditsPart(Message):
    """Edits against the model's own view of the scope after batch ``seq - 1``; line 0 is the scope's first."""

    type: Literal["edits"] = "edits"
    seq: int
    edits: list[TextEdit]


class ServedBy(Message):
    """Who serves a mode now."""

    provider: str
    model: str


class ModeState(Message):
    """Result of ``twospeed/setMode``, params of ``twospeed/modeChanged``."""

    mode: Mode
    lightning: ServedBy
    deep: ServedBy


class DecideResult(Message):
    """Result of ``twospeed/decide``: what is left to decide, at ``version``."""

    edit_id: str
    version: int
    hunks: list[Hunk]


class ScopesResult(Message):
    """Result of ``twospeed/scopes``, innermost first."""

    version: int
    scopes: list[NamedScope]


class LaneStatus(Message):
    """One entry of a lane; ``reason`` says why it is not ready."""

    provider: str
    model: str
    ready: bool
    reason: str | None


class Lanes(Message):
    """Both modes' lanes, first entry first."""

    lightning: list[LaneStatus]
    deep: list[LaneStatus]


class EditStatus(Message):
    """One line of the list of edits."""

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
    """What all editors of this user have spent and changed since midnight, counted on this machine.

    ``edits`` and ``tokens`` are those that the budget is for, ``linesAdded`` those of all edits that landed.
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


class EditChanged(Message):
    """Params of ``twospeed/editChanged``."""

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
    stats: Stats


class ApplyEditParams(Message):
    """Params of ``twospeed/applyEdit``."""

    edit_id: str
    seq: int
    text_document: VersionedDocument
    edits: list[TextEdit]
    undo_stop_before: bool
    undo_stop_after: bool


class ShownAnswer(Message):
    """Result of ``twospeed.showAnswer``: ``text`` would replace ``range`` of the document at ``version``."""

    edit_id: str
    uri: str
    version: int
    range: Range
    text: str
    message: str | None = None


class ApplyEditResult(Message):
    """What a client answers to ``twospeed/applyEdit``; unknown keys are ignored."""

    applied: bool
    version: int | None = None
    reason: Literal["stale", "hidden", "readOnly", "closed"] | None = None


class ClientFeatures(Message):
    """``capabilities.experimental.twospeed`` of a client."""

    apply_edit: bool = False
    events: bool = False


class ServerFeatures(Message):
    """``capabilities.experimental.twospeed`` of the server."""

    protocol: int
    modes: list[Mode]
    features: list[str]


class PromptMessage(Message):
    """One message that would be sent to a model."""

    role: Literal["system", "user", "assistant"]
    content: str


class PromptResult(Message):
    """Result of the command ``twospeed.showPrompt``: exactly what would be sent, and to whom."""

    provider: str
    model: str
    messages: list[PromptMessage]

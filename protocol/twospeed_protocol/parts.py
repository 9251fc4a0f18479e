"""Structures that several messages of the server contain."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from .basic import Message, Range, TextEdit, VersionedDocument
from .words import DeepState, ReasonCode, ScopeKind


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


class OfferedHunk(Message):
    """One place that the deep answer would change: ``newText`` would replace the whole lines of ``range``."""

    id: str
    range: Range
    new_text: str


class Offer(Message):
    """What the deep answer would change in the present text, at the version of the message.

    A preview has no hunks. Its ``edit`` is the whole deep answer, in place of the edit that the result proposes.
    """

    hunks: list[OfferedHunk] = Field(default_factory=list)
    edit: WorkspaceEdit | None = None


class DeepAnswer(Message):
    """The deep answer of an edit of mode ``both``, with its own usage: ``stats`` of the edit are without it.

    ``offered`` is the number of places when it was ready, ``taken`` how many of them the user took.
    """

    state: DeepState
    provider: str | None = None
    model: str | None = None
    reason: Reason | None = None
    offered: int = 0
    taken: int = 0
    stats: Stats = Field(default_factory=Stats)

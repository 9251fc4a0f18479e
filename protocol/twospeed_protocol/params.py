"""What clients send: unknown keys are refused, types are not coerced."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .basic import DocumentId, Instruction, Position, Range, Step, Strict, Token, VersionedDocument
from .words import Mode, ScopeChoice


class EditContext(Strict):
    """What the client knows of the place; ``diagnostics`` are LSP ``Diagnostic`` objects."""

    diagnostics: list[dict[str, object]] = Field(default_factory=list, max_length=100)


class EditParams(Strict):
    """``twospeed/edit``."""

    edit_id: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    text_document: VersionedDocument
    range: Range
    instruction: Instruction
    mode: Mode | None = None
    scope: ScopeChoice | None = None
    follows: str | None = None
    variations: Annotated[int, Field(ge=1, le=16)] = 1
    context: EditContext = Field(default_factory=EditContext)
    deliver: Literal["document", "preview"] = "document"
    work_done_token: Token | None = None
    partial_result_token: Token | None = None


class PrepareParams(Strict):
    """``twospeed/prepare``."""

    text_document: DocumentId
    range: Range
    mode: Mode | None = None


class SteerParams(Strict):
    """``twospeed/steer``."""

    edit_id: str
    instruction: Instruction


class CancelParams(Strict):
    """``twospeed/cancel``."""

    edit_id: str
    keep: Literal["none", "partial"] = "none"


class DecideParams(Strict):
    """``twospeed/decide``."""

    edit_id: str
    action: Literal["accept", "reject"]
    hunk: str | None = None


class VariationParams(Strict):
    """``twospeed/variation``."""

    edit_id: str
    step: Step


class ScopesParams(Strict):
    """``twospeed/scopes``."""

    text_document: DocumentId
    position: Position


class SetModeParams(Strict):
    """``twospeed/setMode``; no mode toggles."""

    mode: Mode | None = None


class StatusParams(Strict):
    """``twospeed/status``."""


class EditArguments(Strict):
    """Argument of the commands ``twospeed.edit`` and ``twospeed.showPrompt``."""

    uri: str
    range: Range
    instruction: Instruction
    mode: Mode | None = None
    scope: ScopeChoice | None = None


class DecideArguments(Strict):
    """Argument of ``twospeed.accept`` and ``twospeed.reject``."""

    edit_id: str | None = None
    hunk: str | None = None


class DismissArguments(Strict):
    """Argument of ``twospeed.dismiss``: a finding, by the number that its code action gave it."""

    edit_id: str
    finding: int


class SteerArguments(Strict):
    """Argument of ``twospeed.steer``."""

    edit_id: str | None = None
    instruction: Instruction


class RetryArguments(Strict):
    """Argument of ``twospeed.retry``."""

    edit_id: str | None = None
    mode: Mode | None = None


class RepeatArguments(Strict):
    """Argument of ``twospeed.repeat``."""

    uri: str
    range: Range

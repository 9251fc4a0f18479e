"""Messages that clients send: unknown keys are refused, types are not coerced."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from . import MAX_PLACES
from .basic import (
    Diagnostic,
    DocumentId,
    Instruction,
    Position,
    Range,
    Step,
    Strict,
    Token,
    VersionedDocument,
)
from .words import Mode, ModeChoice, ScopeChoice

MAX_DOCUMENT_DIAGNOSTICS = 500


class EditContext(Strict):
    """What the client knows; ``diagnostics`` are LSP ``Diagnostic`` objects of the range.

    ``documentDiagnostics`` are the errors and warnings of the whole document, errors first, to compare with
    ``twospeed/diagnostics``.
    """

    diagnostics: list[dict[str, object]] = Field(default_factory=list, max_length=100)
    document_diagnostics: Annotated[list[Diagnostic], Field(max_length=MAX_DOCUMENT_DIAGNOSTICS)] | None = (
        None
    )


class PlaceRange(Strict):
    """A range of another document in ``ranges``."""

    text_document: VersionedDocument
    range: Range


Places = Annotated[list[Range | PlaceRange], Field(min_length=1, max_length=MAX_PLACES)]


class EditParams(Strict):
    """Params of ``twospeed/edit``: either ``range`` or ``ranges``."""

    edit_id: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    text_document: VersionedDocument
    range: Range | None = None
    ranges: Places | None = None
    instruction: Instruction
    mode: ModeChoice | None = None
    scope: ScopeChoice | None = None
    follows: str | None = None
    variations: Annotated[int, Field(ge=1, le=16)] = 1
    context: EditContext = Field(default_factory=EditContext)
    deliver: Literal["document", "preview"] = "document"
    work_done_token: Token | None = None
    partial_result_token: Token | None = None


class PrepareParams(Strict):
    """Params of ``twospeed/prepare``."""

    text_document: DocumentId
    range: Range
    mode: ModeChoice | None = None


class SteerParams(Strict):
    """Params of ``twospeed/steer``."""

    edit_id: str
    instruction: Instruction


class CancelParams(Strict):
    """Params of ``twospeed/cancel``."""

    edit_id: str
    keep: Literal["none", "partial"] = "none"


class DecideParams(Strict):
    """Params of ``twospeed/decide``; ``take`` and ``dismiss`` decide the offer of the deep answer."""

    edit_id: str
    action: Literal["accept", "reject", "take", "dismiss"]
    hunk: str | None = None


class DiagnosticsParams(Strict):
    """Params of ``twospeed/diagnostics``: the errors and warnings of an edit's document at ``version``, errors first."""

    edit_id: str
    version: int
    diagnostics: Annotated[list[Diagnostic], Field(max_length=MAX_DOCUMENT_DIAGNOSTICS)]


class VariationParams(Strict):
    """Params of ``twospeed/variation``."""

    edit_id: str
    step: Step


class ScopesParams(Strict):
    """Params of ``twospeed/scopes``."""

    text_document: DocumentId
    position: Position


class SetModeParams(Strict):
    """Params of ``twospeed/setMode``; without ``mode`` it toggles."""

    mode: ModeChoice | None = None


class StatusParams(Strict):
    """Params of ``twospeed/status``."""


class EditArguments(Strict):
    """Argument of the commands ``twospeed.edit`` and ``twospeed.showPrompt``."""

    uri: str
    range: Range | None = None
    ranges: Places | None = None
    instruction: Instruction
    mode: ModeChoice | None = None
    scope: ScopeChoice | None = None


class DecideArguments(Strict):
    """Argument of ``twospeed.accept``, ``twospeed.reject``, ``twospeed.take`` and ``twospeed.dismissOffer``."""

    edit_id: str | None = None
    hunk: str | None = None


class DismissArguments(Strict):
    """Argument of ``twospeed.dismiss``; ``finding`` is the number in the finding's code action."""

    edit_id: str
    finding: int


class SteerArguments(Strict):
    """Argument of ``twospeed.steer``."""

    edit_id: str | None = None
    instruction: Instruction


class RetryArguments(Strict):
    """Argument of ``twospeed.retry``; with ``scope`` the mode stays by default."""

    edit_id: str | None = None
    mode: Mode | None = None
    scope: ScopeChoice | None = None


class RepeatArguments(Strict):
    """Argument of ``twospeed.repeat``."""

    uri: str
    range: Range

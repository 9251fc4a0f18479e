"""Requests of the server to the client with their results, and the features that both sides announce."""

from __future__ import annotations

from typing import Literal

from .basic import DocumentId, Message, Position, Range, TextEdit, VersionedDocument
from .words import Mode


class ApplyEditParams(Message):
    """Params of ``twospeed/applyEdit``: edits of one document version, sorted and disjoint, possibly none."""

    edit_id: str
    seq: int
    text_document: VersionedDocument
    edits: list[TextEdit]
    undo_stop_before: bool
    undo_stop_after: bool


class ApplyEditResult(Message):
    """Result of ``twospeed/applyEdit``, sent by the client; unknown keys are ignored."""

    applied: bool
    version: int | None = None
    reason: Literal["stale", "hidden", "readOnly", "closed"] | None = None


class OpenDocumentParams(Message):
    """Params of ``twospeed/openDocument``."""

    text_document: DocumentId


class ReferencesParams(Message):
    """Params of ``twospeed/references``: the position of a name."""

    text_document: VersionedDocument
    position: Position


class Location(Message):
    """LSP ``Location``, an item of the result of ``twospeed/references``; unknown keys are ignored."""

    uri: str
    range: Range


class ClientFeatures(Message):
    """``capabilities.experimental.twospeed`` of a client."""

    apply_edit: bool = False
    events: bool = False
    open_document: bool = False
    references: bool = False


class ServerFeatures(Message):
    """``capabilities.experimental.twospeed`` of the server."""

    protocol: int
    modes: list[Mode]
    features: list[str]

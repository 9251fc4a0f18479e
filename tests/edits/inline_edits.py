"""An edit in review without a server: its record, its live scope and a channel for the changes of a test."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from twospeed.delivery import DocumentChannel
from twospeed.edits.inline_edit import InlineEdit
from twospeed.edits.values import EditRequest
from twospeed.gate import Finding
from twospeed.text.code.scope import Scope
from twospeed.text.document import ContentChange, Document
from twospeed.text.positions import Position, Range

URI = "file:///a.py"


def opened(text: str, *, language_id: str = "python") -> Document:
    return Document.opened(URI, 1, language_id, text, "utf-16")


def edit_in(
    text: str,
    scope: Scope,
    *,
    findings: Sequence[Finding] = (),
    channel: DocumentChannel | None = None,
    **more: Any,
) -> InlineEdit:
    """Return an edit of an open document whose place follows the document."""
    document = opened(text)
    channel = channel or DocumentChannel(document, cast("Any", None))
    start = (scope.start, 0)
    request = EditRequest(document, (start, start), "do it", "lightning", **more)
    edit = InlineEdit("e1", request, channel, scope, partials=None, on_change=lambda _: None)
    edit.answer.findings = tuple(findings)
    channel.add(edit.place.scopes)
    return edit


def replace_lines(edit: InlineEdit, start: int, end: int, text: str) -> None:
    """Replace whole lines, as a user does."""
    change = ContentChange(Range(Position(start, 0), Position(end, 0)), text)
    edit.channel.receive_changes([change], edit.channel.document.version + 1)

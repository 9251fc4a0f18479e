"""Code lenses: accept and reject above each hunk of an edit in review."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types

from twospeed.edits.inline_edit import InlineEdit
from twospeed.lsp.session.session import Session
from twospeed.lsp.wire.convert import lsp_range
from twospeed.routing.lanes import ICONS
from twospeed_protocol import methods


def code_lens(session: Session, params: types.CodeLensParams) -> list[types.CodeLens]:
    """List the lenses of a document."""
    uri = params.text_document.uri
    session.channel(uri)  # a document that is not open has none
    return [lens for edit in session.scheduler.in_review(uri) for lens in _lenses(edit)]


def _lenses(edit: InlineEdit) -> Iterator[types.CodeLens]:
    hunks = edit.place.placed_hunks()
    for number, hunk in enumerate(hunks, 1):
        where = lsp_range(hunk.range)
        at = types.Range(where.start, where.start)
        count = f" {number}/{len(hunks)}" if len(hunks) > 1 else ""
        named = {"editId": edit.id, "hunk": hunk.id}
        for verb, command in (("Accept", methods.COMMAND_ACCEPT), ("Reject", methods.COMMAND_REJECT)):
            title = f"{ICONS[edit.mode]} {verb}{count}"
            yield types.CodeLens(at, types.Command(title=title, command=command, arguments=[named]))

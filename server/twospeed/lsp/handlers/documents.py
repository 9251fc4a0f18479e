"""Documents come, change, are saved and go."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

from lsprotocol import types

from twospeed import syntax
from twospeed.edits.after.review import decide
from twospeed.edits.inline_edit import InlineEdit
from twospeed.errors import UnknownEdit
from twospeed.lsp.session.session import Session
from twospeed.lsp.wire.convert import content_changes_from
from twospeed.text.code.language_ids import canonical_language_id
from twospeed.text.document import Document


def did_open(session: Session, params: types.DidOpenTextDocumentParams) -> None:
    """Take a document."""
    item = params.text_document
    if not session.documents.has_room_for(item.uri, item.text):
        return
    language_id = canonical_language_id(item.language_id)
    document = Document.opened(item.uri, item.version, language_id, item.text, session.documents.encoding)
    session.documents.open(document)
    is_large = not syntax.is_at_hand(document.language_id, document.lines)
    if is_large:  # nobody shall wait for it later
        syntax.start_parsing(document.language_id, document.lines)


def did_change(session: Session, params: types.DidChangeTextDocumentParams) -> None:
    """Follow a document's changes."""
    document, changes = params.text_document, content_changes_from(params.content_changes)
    session.documents.change(document.uri, changes, document.version)
    session.notifications.diagnostics.publish(document.uri)
    session.preconnect.note_typing(session.mode)


def did_close(session: Session, params: types.DidCloseTextDocumentParams) -> None:
    """Let go of a document."""
    session.documents.close(params.text_document.uri)


def did_save(session: Session, params: types.DidSaveTextDocumentParams) -> None:
    """Saving accepts what is in review, unless the settings say otherwise; half an edit that is saved is warned of."""
    uri = params.text_document.uri
    if any(edit.uri == uri and edit.is_live and edit.live.has_landed for edit in session.scheduler.edits):
        session.notifications.warn_once(
            "a file was saved while an edit was still writing into it; what runs on saving has seen half of the edit"
        )
    session.history.record_survival(uri)
    session.workspace.symbols.files_changed([uri])
    if session.settings.accept_on != "save":
        return

    async def accept(edits: Sequence[InlineEdit]) -> None:
        for edit in edits:
            with contextlib.suppress(UnknownEdit):  # decided already, by another message
                await decide(edit, "accept")

    session.tasks.spawn(accept(session.scheduler.in_review(uri)))


def did_change_watched_files(session: Session, params: types.DidChangeWatchedFilesParams) -> None:
    """Take note of files that were written elsewhere; they are read again if any are read at all."""
    session.workspace.symbols.files_changed(change.uri for change in params.changes)


def did_change_configuration(session: Session, params: types.DidChangeConfigurationParams) -> None:
    """Take the editor's settings."""
    session.configuration.change(params.settings)

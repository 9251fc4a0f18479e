"""Notifications about documents, files and settings."""

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
    """Open a document, and parse a large one in the background."""
    item = params.text_document
    if not session.documents.has_room_for(item.uri, item.text):
        return
    language_id = canonical_language_id(item.language_id)
    document = Document.opened(item.uri, item.version, language_id, item.text, session.documents.encoding)
    session.documents.open(document)
    is_large = not syntax.is_tree_ready(document.language_id, document.lines)
    if is_large:  # nobody shall wait for it later
        syntax.start_parsing(document.language_id, document.lines)


def did_change(session: Session, params: types.DidChangeTextDocumentParams) -> None:
    """Apply a document's changes."""
    document, changes = params.text_document, content_changes_from(params.content_changes)
    session.documents.change(document.uri, changes, document.version)
    session.notifications.diagnostics.publish(document.uri)
    session.preconnect.note_typing(session.mode)


def did_close(session: Session, params: types.DidCloseTextDocumentParams) -> None:
    """Close a document, which stops its edits."""
    session.documents.close(params.text_document.uri)


def did_save(session: Session, params: types.DidSaveTextDocumentParams) -> None:
    """Accept the edits in review if the settings say so; warn if an edit is still writing into the file."""
    uri = params.text_document.uri
    if any(edit.uri == uri and edit.is_live and edit.live.has_written for edit in session.scheduler.edits):
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
    """Update the index for files that another program changed."""
    session.workspace.symbols.files_changed(change.uri for change in params.changes)


def did_change_configuration(session: Session, params: types.DidChangeConfigurationParams) -> None:
    """Apply the editor's settings."""
    session.configuration.change(params.settings)

"""The client's notifications."""

from __future__ import annotations

from lsprotocol import types

from twospeed import syntax
from twospeed.edits.after.saving import HALF_WRITTEN_WARNING, accept_all, is_half_written
from twospeed.edits.deepen.offer import cancel_deep
from twospeed.lsp.session.session import Session
from twospeed.lsp.wire.convert import content_changes_from
from twospeed.text.code.language_ids import canonical_language_id
from twospeed.text.document import Document


def did_open(session: Session, params: types.DidOpenTextDocumentParams) -> None:
    """Open a document, and parse it in the background."""
    open_document(session, params.text_document)


def open_document(session: Session, item: types.TextDocumentItem) -> None:
    """Open a document or a cell of a notebook."""
    if not session.documents.has_room_for(item.uri, item.text):
        return
    language_id = canonical_language_id(item.language_id)
    document = Document.opened(item.uri, item.version, language_id, item.text, session.documents.encoding)
    session.documents.open(document)
    if not syntax.is_tree_ready(document.language_id, document.lines):
        syntax.start_parsing(document.language_id, document.lines)


def did_change(session: Session, params: types.DidChangeTextDocumentParams) -> None:
    """Apply the changes of a document."""
    document, changes = params.text_document, content_changes_from(params.content_changes)
    session.documents.change(document.uri, changes, document.version)
    session.notifications.diagnostics.publish(document.uri)
    session.notifications.deep.text_changed(document.uri)
    session.preconnect.note_typing(session.draft_mode)


def did_close(session: Session, params: types.DidCloseTextDocumentParams) -> None:
    """Close a document, which stops its edits."""
    session.documents.close(params.text_document.uri)


def did_save(session: Session, params: types.DidSaveTextDocumentParams) -> None:
    """Warn of a half-written edit, and accept the edits in review if ``accept_on`` is ``save``."""
    document_saved(session, params.text_document.uri)


def document_saved(session: Session, uri: str) -> None:
    """Handle a saved document or cell."""
    if is_half_written(uri, session.scheduler.edits):
        session.notifications.warn_once(HALF_WRITTEN_WARNING)
    session.history.record_survival(uri)
    session.workspace.symbols.files_changed([uri])
    if session.settings.accept_on == "save":
        edits = session.scheduler.in_review(uri)
        session.tasks.spawn(accept_all(edits, session.notifications.edit_decided))


def did_change_watched_files(session: Session, params: types.DidChangeWatchedFilesParams) -> None:
    """Update the index for files that another program changed."""
    session.workspace.symbols.files_changed(change.uri for change in params.changes)


def did_change_configuration(session: Session, params: types.DidChangeConfigurationParams) -> None:
    """Apply the client's settings."""
    session.configuration.change(params.settings)


def work_done_progress_cancel(session: Session, params: types.WorkDoneProgressCancelParams) -> None:
    """Cancel the edit or the verification whose progress is reported on the token."""
    if session.commands.verifying.cancel(params.token):
        return
    if deepened := session.notifications.progress.deepened.get(params.token):
        cancel_deep(deepened)
    for edit in session.notifications.progress.edits.get(params.token, ()):
        if edit.is_unfinished:
            session.scheduler.stop(edit)

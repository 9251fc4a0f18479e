"""The client's notifications of notebooks: each cell is a document, which is edited like any other."""

from __future__ import annotations

import logging

from lsprotocol import types

from twospeed.errors import DocumentNotOpen, DocumentUnmanaged, TwospeedError
from twospeed.lsp.handlers import notifications
from twospeed.lsp.session.session import Session

from .cells import Cell

logger = logging.getLogger(__name__)


def did_open(session: Session, params: types.DidOpenNotebookDocumentParams) -> None:
    """Open a notebook and its cells."""
    notebook = params.notebook_document
    _close(session, notebook.uri)
    session.workspace.notebooks.add(notebook.uri, list(map(_cell, notebook.cells)))
    for item in params.cell_text_documents:
        notifications.open_document(session, item)


def did_change(session: Session, params: types.DidChangeNotebookDocumentParams) -> None:
    """Change which cells a notebook has, then their data, then their text."""
    uri, cells = params.notebook_document.uri, params.change.cells
    if cells is None:  # its metadata changed
        return
    if cells.structure:
        _change_structure(session, uri, cells.structure)
    if cells.data:
        session.workspace.notebooks.update(uri, map(_cell, cells.data))
    for content in cells.text_content or ():
        _change_text(session, content)


def did_save(session: Session, params: types.DidSaveNotebookDocumentParams) -> None:
    """Handle the cells as saved documents."""
    for uri in session.workspace.notebooks.cells_of(params.notebook_document.uri):
        notifications.document_saved(session, uri)


def did_close(session: Session, params: types.DidCloseNotebookDocumentParams) -> None:
    """Close a notebook and its cells, which stops their edits."""
    for cell in params.cell_text_documents:
        session.documents.close(cell.uri)
    _close(session, params.notebook_document.uri)


def _change_structure(
    session: Session, uri: str, structure: types.NotebookDocumentCellChangeStructure
) -> None:
    notebooks, array = session.workspace.notebooks, structure.array
    cells = list(map(_cell, array.cells or ()))
    removed = notebooks.replace(uri, array.start, array.delete_count, cells)
    closed = [*removed, *(each.uri for each in structure.did_close or ())]
    for each in closed:
        session.documents.close(each)
    opened = structure.did_open or ()
    notebooks.forget(set(closed).difference((cell.uri for cell in cells), (item.uri for item in opened)))
    for item in opened:
        notifications.open_document(session, item)


def _change_text(session: Session, content: types.NotebookDocumentCellContentChanges) -> None:
    # The text of one cell may be lost, and the others are changed nevertheless.
    uri = content.document.uri
    try:
        notifications.did_change(
            session, types.DidChangeTextDocumentParams(content.document, content.changes)
        )
    except (DocumentNotOpen, DocumentUnmanaged):
        logger.debug("a change of a cell that is not followed")
    except Exception as error:  # noqa: BLE001 - an error must not end the server
        is_ours = isinstance(error, TwospeedError)
        logger.warning("a change of a cell: %s", type(error).__name__)
        session.documents.mark_unmanaged(
            uri, str(error) if is_ours else "a change of the document was not understood"
        )


def _close(session: Session, uri: str) -> None:
    for cell in session.workspace.notebooks.cells_of(uri):
        session.documents.close(cell)
    session.workspace.notebooks.close(uri)


def _cell(cell: types.NotebookCell) -> Cell:
    return Cell(cell.document, is_code=cell.kind is types.NotebookCellKind.Code)

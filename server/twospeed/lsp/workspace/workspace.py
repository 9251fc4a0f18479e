"""The workspace of one connection: names of documents, definitions, and notes for models."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from twospeed.lsp.client.consent import ConsentDialog
from twospeed.lsp.session.tasks import SessionTasks
from twospeed.text.document import Document

from .document_paths import DocumentPaths
from .project_notes import ProjectNotes
from .workspace_symbols import WorkspaceSymbols


class SessionWorkspace:
    """Holds what a prompt may take from the workspace.

    Args:
        paths: Names documents by their path in the workspace.
        ignore: Returns the patterns of files that are never sent.
        documents: Returns the open documents.
        consent: Knows whether the user agrees to the project's notes, and asks.
        tasks: Runs that question.
        waits: Whether an edit waits for the index and the answer; only for `twospeed edit`, which ends with its edit.

    Attributes:
        paths: See above.
        symbols: The definitions in the workspace's files.
        notes: The project's notes for models.
    """

    def __init__(
        self,
        paths: DocumentPaths,
        *,
        ignore: Callable[[], Sequence[str]],
        documents: Callable[[], Iterable[Document]],
        consent: ConsentDialog,
        tasks: SessionTasks,
        waits: bool,
    ) -> None:
        self.paths = paths
        self.symbols = WorkspaceSymbols(
            paths.root, ignore=ignore, documents=documents, path_of=paths.of, waits=waits
        )
        self.notes = ProjectNotes(
            paths.root,
            ignore=ignore,
            has_yes=consent.allows_notes,
            ask=consent.ask_about_notes,
            run=tasks.run,
            waits=waits,
        )

    def close(self) -> None:
        """Stop indexing."""
        self.symbols.close()

"""The index of definitions of one workspace. It starts with the first edit, or with ``twospeed/prepare``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from twospeed import syntax
from twospeed.aio import in_thread
from twospeed.text.code.symbols import SymbolPlace
from twospeed.text.document import Document

if TYPE_CHECKING:  # loaded by the first edit
    from twospeed.workspace.index import WorkspaceIndex

WAIT_S = 1.0
"""Of `twospeed edit`; a small project is indexed by then."""


class WorkspaceSymbols:
    """The index of one workspace.

    Args:
        root: Its folder; ``None`` for no workspace, whose index is empty.
        ignore: Returns the patterns of files that are never sent.
        documents: Returns the open documents.
        path_of: Returns a document's path, by its URI: relative to the workspace where it is inside.
        waits: Whether an edit waits until files are read, as at a terminal, where the session ends with the edit.
    """

    def __init__(
        self,
        root: Path | None,
        *,
        ignore: Callable[[], Sequence[str]],
        documents: Callable[[], Iterable[Document]],
        path_of: Callable[[str], str],
        waits: bool,
    ) -> None:
        self._root = root
        self._ignore = ignore
        self._documents = documents
        self._path_of = path_of
        self._waits = waits
        self._indexed: tuple[tuple[str, ...], WorkspaceIndex] | None = None

    def update(self) -> None:
        """Start indexing, or re-read changed files, in the background."""
        if index := self._index():
            from twospeed.workspace.index import OpenText  # noqa: PLC0415  # loaded by the first edit

            index.wake(
                {
                    self._path_of(document.uri): OpenText(document.lines, partial("".join, document.lines))
                    for document in self._documents()
                }
            )

    def definitions_of(self, word: str) -> Sequence[SymbolPlace]:
        """Return the definitions of a name in the files indexed so far."""
        return self._indexed[1].definitions_of(word) if self._indexed else ()

    def fingerprinted(self) -> Iterable[SymbolPlace]:
        """Return the functions with a fingerprint in the files indexed so far."""
        return self._indexed[1].marked() if self._indexed else ()

    def files_changed(self, uris: Iterable[str]) -> None:
        """Mark files as changed, created or deleted."""
        if self._indexed:
            self._indexed[1].note_changed(self._path_of(uri) for uri in uris)

    async def wait_until_indexed(self) -> None:
        """Wait for the index, at most ``WAIT_S``, in `twospeed edit` only; in an editor, return at once."""
        if self._waits:
            await in_thread(partial(self.wait, WAIT_S))

    def wait(self, limit_s: float) -> bool:
        """Block until the index is complete, for tests; return whether it is."""
        return self._indexed is None or self._indexed[1].wait(limit_s)

    def close(self) -> None:
        """Stop indexing."""
        if self._indexed:
            self._indexed[1].close()

    def _index(self) -> WorkspaceIndex | None:
        """Return the index; a new one if the ignore patterns have changed."""
        if self._root is None:
            return None
        ignore = tuple(self._ignore())
        if self._indexed is None or self._indexed[0] != ignore:
            self.close()
            from twospeed.workspace.files import WorkspaceFiles  # noqa: PLC0415  # loaded by the first edit
            from twospeed.workspace.index import WorkspaceIndex  # noqa: PLC0415  # as above

            self._indexed = (
                ignore,
                WorkspaceIndex(WorkspaceFiles(self._root, ignore), mark=syntax.fingerprint_of),
            )
        return self._indexed[1]

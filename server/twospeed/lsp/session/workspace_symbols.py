"""The definitions of a connection's workspace, kept for its edits.

The index begins with the first edit, or the first word that one is likely; a session in which nobody edits reads nothing.
"""

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
"""At a terminal: a small project is read by then, and who waits for a model does not mind."""


class WorkspaceSymbols:
    """What is known of a workspace's files.

    Args:
        root: Its folder; ``None`` where the editor has named none, then nothing is known.
        ignore: Gives the patterns of files that are never sent.
        documents: Gives the documents that are open.
        path_of: Gives a document's path, by its URI: relative to the workspace where it is inside.
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
        """Have files read, or looked at for changes; returns at once."""
        if index := self._index():
            from twospeed.workspace.index import OpenText  # noqa: PLC0415  # loaded by the first edit

            index.wake(
                {
                    self._path_of(document.uri): OpenText(document.lines, partial("".join, document.lines))
                    for document in self._documents()
                }
            )

    def definitions_of(self, word: str) -> Sequence[SymbolPlace]:
        """Return every definition of a name, as far as files are read."""
        return self._indexed[1].definitions_of(word) if self._indexed else ()

    def fingerprinted(self) -> Iterable[SymbolPlace]:
        """Return every function that is long enough to have a fingerprint, as far as files are read."""
        return self._indexed[1].marked() if self._indexed else ()

    def files_changed(self, uris: Iterable[str]) -> None:
        """Take note that files were written, made or removed."""
        if self._indexed:
            self._indexed[1].note_changed(self._path_of(uri) for uri in uris)

    async def wait_until_indexed(self) -> None:
        """Wait for what is being read, but not for long, and not in an editor: there it is read ahead."""
        if self._waits:
            await in_thread(partial(self.wait, WAIT_S))

    def wait(self, limit_s: float) -> bool:
        """Wait until nothing is left to read, for tests; return whether that is so. Holds up the event loop."""
        return self._indexed is None or self._indexed[1].wait(limit_s)

    def close(self) -> None:
        """Read no more."""
        if self._indexed:
            self._indexed[1].close()

    def _index(self) -> WorkspaceIndex | None:
        """Return the index; another one where other files are ignored now."""
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

"""The workspace of one connection: paths of documents, definitions, and notes for models."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from twospeed import syntax
from twospeed.aio import in_thread
from twospeed.edits.inline_edit import InlineEdit
from twospeed.edits.phases import EditState
from twospeed.lsp.client.consent_dialog import ConsentDialog
from twospeed.lsp.client.editor_client import EditorClient
from twospeed.lsp.client.references import references_of
from twospeed.lsp.notebooks.cells import Notebooks
from twospeed.text.code.symbols import SymbolPlace
from twospeed.text.document import Document

from .document_paths import DocumentPaths
from .tasks import SessionTasks

if TYPE_CHECKING:  # imported by the first edit
    from twospeed.workspace.call_search import Caller
    from twospeed.workspace.index import WorkspaceIndex

WAIT_S = 1.0
"""Seconds in which a small project is indexed."""


class SessionWorkspace:
    """The parts of a workspace that a prompt may contain.

    Edits wait for the index and the user (``waits``) only in `twospeed edit`, whose session ends with its edit.
    """

    def __init__(
        self,
        paths: DocumentPaths,
        *,
        ignore: Callable[[], Sequence[str]],
        documents: Callable[[], Iterable[Document]],
        client: EditorClient,
        consent: ConsentDialog,
        tasks: SessionTasks,
        waits: bool,
    ) -> None:
        self.paths = paths
        self._client = client
        self._ignore = ignore
        self.notebooks = Notebooks(paths.notebook_of)

        def files() -> Iterable[Document]:  # a cell is no file whose definitions others import
            return [each for each in documents() if each.uri not in paths.notebook_of]

        self._documents = files
        self.symbols = WorkspaceSymbols(
            paths.root, ignore=ignore, documents=files, path_of=paths.of, waits=waits
        )
        self.notes = ProjectNotes(
            paths.root,
            ignore=ignore,
            has_consent=consent.allows_notes,
            ask=consent.ask_about_notes,
            run=tasks.run,
            waits=waits,
        )

    async def callers_of(self, edit: InlineEdit) -> Sequence[Caller]:
        """Search for the callers of what an edit in review changed; empty if it changed nothing for them."""
        from twospeed.edits.after.callers import find_callers  # noqa: PLC0415  # imported by the first edit
        from twospeed.workspace.call_search import CallSearch, OpenCode  # noqa: PLC0415  # as above

        documents = {document.uri: document for document in self._documents()}
        paths = {uri: self.paths.of(uri) for uri in documents}
        texts = {
            paths[uri]: OpenCode(document.lines, document.language_id) for uri, document in documents.items()
        }
        home = self.paths.of(edit.uri)
        if home not in texts:
            return ()
        search = CallSearch(
            self.paths.root,
            tuple(self._ignore()),
            texts,
            edit.document.encoding,
            lambda: edit.state is not EditState.REVIEW,
        )
        references = partial(
            references_of, self._client, path_of=lambda uri: paths.get(uri) or self.paths.below_root(uri)
        )
        return await find_callers(edit, home, search, self.symbols.files_defining, references)

    def readable(self, paths: Iterable[str]) -> set[str]:
        """Return which files of the workspace may be context now. Call it in a thread: it reads them."""
        from twospeed.workspace.files import WorkspaceFiles  # noqa: PLC0415  # imported by the first edit

        if self.paths.root is None:
            return set()
        files = WorkspaceFiles(self.paths.root, tuple(self._ignore()))
        return {path for path in paths if files.read(files.root / path) is not None}

    def uri_of(self, path: str) -> str:
        """Return the URI of a file of the workspace."""
        return (self.paths.root or Path("/")).joinpath(path).as_uri()


class WorkspaceSymbols:
    """The index of definitions; the first edit or ``twospeed/prepare`` starts it."""

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
            from twospeed.workspace.index import OpenText  # noqa: PLC0415  # imported by the first edit

            index.wake(
                {
                    self._path_of(document.uri): OpenText(document.lines, partial("".join, document.lines))
                    for document in self._documents()
                }
            )

    def definitions_of(self, word: str) -> Sequence[SymbolPlace]:
        """Return the definitions of a name in the files indexed so far."""
        return self._indexed[1].definitions_of(word) if self._indexed else ()

    def files_defining(self, word: str) -> set[str]:
        """Return the files, of those indexed so far, that define a function or class of this name outside classes."""
        places = self.definitions_of(word)
        return {place.path for place in places if place.symbol.depth == 0 and place.symbol.kind != "value"}

    def fingerprinted(self) -> Iterable[SymbolPlace]:
        """Return the functions with a fingerprint in the files indexed so far."""
        return self._indexed[1].marked() if self._indexed else ()

    def files_changed(self, uris: Iterable[str]) -> None:
        """Mark files as changed, created or deleted."""
        if self._indexed:
            self._indexed[1].note_changed(self._path_of(uri) for uri in uris)

    async def wait_until_indexed(self) -> None:
        """Wait for the index, at most ``WAIT_S``, in `twospeed edit` only."""
        if self._waits:
            await in_thread(partial(self.wait, WAIT_S))

    def wait(self, limit_s: float) -> bool:
        """Block until the index is complete; return whether it is."""
        return self._indexed is None or self._indexed[1].wait(limit_s)

    def close(self) -> None:
        """Stop indexing."""
        if self._indexed:
            self._indexed[1].close()

    def _index(self) -> WorkspaceIndex | None:
        if self._root is None:
            return None
        ignore = tuple(self._ignore())
        if self._indexed is None or self._indexed[0] != ignore:
            self.close()
            from twospeed.workspace.files import WorkspaceFiles  # noqa: PLC0415  # imported by the first edit
            from twospeed.workspace.index import WorkspaceIndex  # noqa: PLC0415  # as above

            index = WorkspaceIndex(WorkspaceFiles(self._root, ignore), mark=syntax.fingerprint_of)
            self._indexed = (ignore, index)
        return self._indexed[1]


@dataclass(slots=True)
class ProjectNotes:
    """A project's notes for models, if the user agreed to a hash of their text.

    A repository can change its notes, so the user is asked about each new text, once a session.
    """

    root: Path | None
    ignore: Callable[[], Sequence[str]]
    has_consent: Callable[[str], bool]
    ask: Callable[[str], Coroutine[None, None, bool | None]]
    run: Callable[[Coroutine[None, None, bool | None]], object]
    waits: bool = False
    _asked: set[str] = field(default_factory=set)

    async def approved(self, *, asks: bool = True) -> str:
        """Return the notes that a model may receive now, or an empty text."""
        if self.root is None:
            return ""
        notes = await asyncio.to_thread(_read_notes, self.root, tuple(self.ignore()))
        digest = hashlib.sha256(notes.encode()).hexdigest()
        if not notes or self.has_consent(digest):
            return notes
        if not asks or digest in self._asked:
            return ""
        self._asked.add(digest)
        if self.waits:
            return notes if await self.ask(digest) else ""
        self.run(self.ask(digest))  # no edit waits for it; `ask` stores a late answer
        return ""


def _read_notes(root: Path, ignore: Sequence[str]) -> str:
    from twospeed.workspace.files import WorkspaceFiles  # noqa: PLC0415  # imported by the first edit
    from twospeed.workspace.notes import project_notes  # noqa: PLC0415  # as above

    return project_notes(WorkspaceFiles(root, ignore))

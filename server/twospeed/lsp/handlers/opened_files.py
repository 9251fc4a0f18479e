"""Files that the client opens for an edit, which is then as exact as in any open document."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from functools import partial

from twospeed.aio import in_thread
from twospeed.errors import DocumentNotOpen, RequestError
from twospeed.lsp.client.editor_client import one_line
from twospeed.lsp.session.open_documents import MAX_DOCUMENTS
from twospeed.lsp.session.session import Session
from twospeed.lsp.wire.error_codes import RpcError

MAX_OPENED = 50
"""Files that one command opens in the background: the user has to review each."""

MAX_SHOWN = 10
"""The same if the client can only show a file: each is a tab or a window of the user."""

OPEN_S = 10.0
"""Seconds until all files must be open. An editor opens one in 50 ms, and starts other plugins for the first."""


class OpenedFiles:
    """Asks the client to open files, each at most once.

    Attributes:
        reasons: Why files are not open, by path.
    """

    def __init__(self, session: Session) -> None:
        self.reasons: dict[str, str] = {}
        self._session = session
        self._most = self._n_left = most_files(session)
        self._tried: set[str] = set()

    async def open_in_editor(self, paths: Iterable[str]) -> bool:
        """Open files of the workspace that may be context; return whether one is open now."""
        new = [path for path in dict.fromkeys(paths) if path not in self._tried]
        wanted, rest = new[: self._n_left], new[self._n_left :]
        self._tried.update(wanted)
        self._n_left -= len(wanted)
        self.reasons |= dict.fromkeys(rest, self._reason_for_rest())
        if not wanted:
            return False
        readable = await in_thread(partial(self._session.workspace.readable, wanted))
        documents, path_of = self._session.documents, self._session.workspace.paths.of
        waiting = {path: asyncio.Event() for path in wanted if path in readable}

        def note_opened(uri: str) -> None:
            if opened := waiting.get(path_of(uri)):
                opened.set()

        documents.on_open.add(note_opened)
        try:
            reasons = await asyncio.gather(*(self._open(path, opened) for path, opened in waiting.items()))
        finally:
            documents.on_open.discard(note_opened)
        found = dict.fromkeys(wanted, "the file cannot be read any more")
        found |= dict(zip(waiting, reasons, strict=True))
        self.reasons |= {path: reason for path, reason in found.items() if reason}
        return any(not reason for reason in found.values())

    async def _open(self, path: str, opened: asyncio.Event) -> str:
        """Return why a file is not open; an empty text if it is."""
        uri = self._session.workspace.uri_of(path)
        try:
            self._session.channel(uri)
        except DocumentNotOpen:
            pass
        except RequestError as error:  # it is open, and not followed
            return str(error)
        try:
            async with asyncio.timeout(OPEN_S):
                if not await self._session.client.open_document(uri):
                    return "the editor did not open it"
                await opened.wait()
        except TimeoutError:
            return f"the editor did not open it within {OPEN_S:.0f} s"
        except RpcError as error:
            return one_line(f"the editor did not open it: {error}")
        return ""

    def _reason_for_rest(self) -> str:
        if not self._most:
            return "this editor opens no files for the server"
        return f"one command opens at most {self._most} files; repeat it for the rest"


def most_files(session: Session) -> int:
    """Return how many files one command may open."""
    profile = session.client.profile
    limit = MAX_OPENED if profile.opens_documents else MAX_SHOWN if profile.shows_documents else 0
    return max(0, min(limit, MAX_DOCUMENTS - len(session.documents.all)))

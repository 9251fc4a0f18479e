"""A project's notes for models, if the user agreed to their text.

A repository can change its notes, so consent is given for a hash of their text. The user is asked about a new text once a
session. In an editor, no edit waits for the answer; until then, models do not receive the notes.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(slots=True)
class ProjectNotes:
    """The notes of one workspace.

    Attributes:
        root: Its folder; ``None`` where there is none, then there are no notes.
        ignore: Gives the patterns of files that are never sent.
        has_yes: Whether the user has agreed to notes of this hash.
        ask: Asks; ``True`` is a yes, which the callee remembers by the hash, also where it comes late.
        run: Runs the question beside everything else.
        waits: Whether an edit waits for the answer, as at a terminal, where the session ends with the edit.
    """

    root: Path | None
    ignore: Callable[[], Sequence[str]]
    has_yes: Callable[[str], bool]
    ask: Callable[[str], Coroutine[None, None, bool | None]]
    run: Callable[[Coroutine[None, None, bool | None]], object]
    waits: bool = False
    _asked: set[str] = field(default_factory=set)

    async def approved(self, *, asks: bool = True) -> str:
        """Return the notes as a model may be told them now; empty where there are none, or no yes.

        Args:
            asks: Whether the user may be asked about notes that are new.
        """
        if self.root is None:
            return ""
        notes = await asyncio.to_thread(_read, self.root, tuple(self.ignore()))
        digest = hashlib.sha256(notes.encode()).hexdigest()
        if not notes or self.has_yes(digest):
            return notes
        if not asks or digest in self._asked:
            return ""
        self._asked.add(digest)
        if self.waits:
            return notes if await self.ask(digest) else ""
        self.run(self.ask(digest))
        return ""


def _read(root: Path, ignore: Sequence[str]) -> str:
    from twospeed.workspace.files import WorkspaceFiles  # noqa: PLC0415  # loaded by the first edit
    from twospeed.workspace.notes import project_notes  # noqa: PLC0415  # as above

    return project_notes(WorkspaceFiles(root, ignore))

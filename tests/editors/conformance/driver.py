"""What a driver does for the journeys: hands on one editor's keyboard, and eyes on its screen.

A driver does what a person does, by the editor's own means: keys, the client's prompt, its commands.
Whatever an editor has no way to do, its driver leaves as it stands here and names in `LACKS`, with the reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, NoReturn

from tests.editors.conformance.wire import Wire

_NO_WORDS = "code actions have no place for words"
_WHOLE = "code actions accept and reject an edit as a whole"
_ONE_ANSWER = "a code action asks for one answer"

LACKS_BUT_FOR_CODE_ACTIONS: Mapping[str, str] = {
    "mode_line": "a language client has nothing to show a server's mode in; the switch is told in a message",
    "steer": _NO_WORDS,
    "accept_hunk": _WHOLE,
    "reject_hunk": _WHOLE,
    "follow_up": _NO_WORDS,
    "repeat": "no code action gives an instruction again",
    "edit_for_answers": _ONE_ANSWER,
    "next_answer": _ONE_ANSWER,
}
"""What a language client lacks that knows nothing of twospeed."""


class NotPossible(Exception):
    """The editor has no way to do this; says why."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where an editor is started.

    Attributes:
        folder: Empty, for whatever it wants to write; it is its home too.
        project: Where the files are.
        command: What starts the server, with a tap on what it and the editor say.
        wire: Where the tap leads; for an editor that needs another one.
        environment: To be started with, in the place of the test's own.
    """

    folder: Path
    project: Path
    command: Sequence[str]
    wire: Wire
    environment: Mapping[str, str]


class Driver:
    """One editor, started with a client of twospeed or with nothing but a language client.

    Attributes:
        TITLE: Its name in the table.
        INSTALL: What installs it.
        LACKS: What it cannot do, by the method's name, with the reason.
        STREAMS: Whether an edit arrives as it is written, and not whole at its end.
        RUNNING: What is in the mode line as long as an edit runs.
        PRESETS: Instructions that the user's config offers as code actions, for who has no other way to give them.
        ALONE: Why no second server has the same documents; empty where one has, the one that ``TWOSPEED_NEIGHBOUR`` in
            the environment starts.
    """

    TITLE: ClassVar[str]
    INSTALL: ClassVar[str]
    LACKS: ClassVar[Mapping[str, str]] = {}
    STREAMS: ClassVar[bool] = True
    RUNNING: ClassVar[str] = "…"
    PRESETS: ClassVar[Sequence[str]] = ()
    ALONE: ClassVar[str] = ""

    @classmethod
    def is_installed(cls) -> bool:
        """Tell whether the editor is on this machine."""
        raise NotImplementedError

    @classmethod
    def started(cls, place: Place) -> AbstractAsyncContextManager[Driver]:
        """Start the editor; it and all it started have ended when the block is left."""
        raise NotImplementedError

    # Files

    async def begin(self, *paths: Path) -> None:
        """Be told of all files of the next journey, where an editor has to know them in advance."""

    async def open(self, path: Path) -> None:
        """Show a file, which may be open already; return when the server is attached to it."""
        raise NotImplementedError

    async def text(self) -> str:
        """Give the shown file's text as it stands in the editor; its line ends as ``\\n``."""
        raise NotImplementedError

    async def save(self) -> None:
        """Save every file; return when they are on disk."""
        raise NotImplementedError

    # Hands

    async def put_cursor(self, line: int, column: int) -> None:
        """Put the cursor before a character; lines and characters (code points) are counted from 0."""
        raise NotImplementedError

    async def select_lines(self, first: int, last: int) -> None:
        """Select whole lines, the last one too."""
        raise NotImplementedError

    async def type(self, text: str) -> None:
        """Press keys at the cursor, ``\\n`` is Enter; a modal editor stays in its insert mode until something else is done.

        Nothing that an editor adds on its own (indentation, pairs, completion) may come with it.
        """
        raise NotImplementedError

    async def undo(self) -> None:
        """Undo one step."""
        raise NotImplementedError

    # Twospeed

    async def edit(self, instruction: str) -> None:
        """Ask for an edit of what is selected or of where the cursor is; return when it is asked, not when it ends."""
        self._lack("edit")

    async def take_action(self, title: str) -> None:
        """Run the code action at the cursor whose title has these words."""
        self._lack("take_action")

    async def toggle(self) -> None:
        """Switch the mode by the client's key or command."""
        self._lack("toggle")

    async def mode_line(self) -> str:
        """Give what the editor shows of mode and running edits: it has the mode's icon in it."""
        self._lack("mode_line")

    async def cancel(self) -> None:
        """Stop the edit that runs."""
        self._lack("cancel")

    async def steer(self, instruction: str) -> None:
        """Say more to the edit that runs."""
        self._lack("steer")

    async def accept(self) -> None:
        """Accept the newest edit."""
        self._lack("accept")

    async def reject(self) -> None:
        """Reject the newest edit."""
        self._lack("reject")

    async def accept_hunk(self) -> None:
        """Accept the hunk at the cursor."""
        self._lack("accept_hunk")

    async def reject_hunk(self) -> None:
        """Reject the hunk at the cursor."""
        self._lack("reject_hunk")

    async def follow_up(self, instruction: str) -> None:
        """Ask for an edit that goes on from the one at the cursor."""
        self._lack("follow_up")

    async def retry(self) -> None:
        """Have the other mode make the newest edit anew."""
        self._lack("retry")

    async def repeat(self) -> None:
        """Give the last instruction again, for where the cursor is."""
        self._lack("repeat")

    async def edit_for_answers(self, instruction: str, count: int) -> None:
        """Ask for so many answers at once, as with `edit`."""
        self._lack("edit_for_answers")

    async def next_answer(self) -> None:
        """Put another answer in the place of the one that stands there."""
        self._lack("next_answer")

    async def restart_server(self) -> None:
        """Start a server again after it was killed; return when it is attached to the shown file."""
        self._lack("restart_server")

    def _lack(self, name: str) -> NoReturn:
        if name not in self.LACKS:
            raise AssertionError(f"{self.TITLE}: the driver has no {name}, and LACKS does not say why")
        raise NotPossible(self.LACKS[name])

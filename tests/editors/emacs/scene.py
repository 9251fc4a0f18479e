"""A file in a real Emacs, the client, a real server, and a model that says what it was told to say."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

from tests.editors.emacs.emacs import LIMIT_S, PACKAGE, Emacs, emacs, string
from tests.editors.lanes import lanes_config

from twospeed.testing.script import Script
from twospeed.testing.scripted_server import ScriptedServer

LOOK_AGAIN_S = 0.05
COMMAND = [sys.executable, "-P", "-m", "twospeed"]
TEXT = "(save-restriction (widen) (buffer-substring-no-properties (point-min) (point-max)))"


class Scene:
    """What a test sees of it.

    Attributes:
        path: The file that is open.
    """

    path: Path

    def __init__(self, editor: Emacs, model: ScriptedServer, folder: Path) -> None:
        self.emacs, self.model, self.folder = editor, model, folder

    async def open(self, name: str, content: bytes) -> None:
        """Write a new file, open it, and wait until it is open at the server."""
        self.path = self.folder / name
        self.path.write_bytes(content)
        await self.emacs.eval(f"(progn (find-file {string(str(self.path))}) t)")
        await self.emacs.when(lambda: self.path.as_uri() in self.emacs.told("opened"))

    async def go_to(self, line: int, column: int = 0) -> None:
        """Put the cursor somewhere, counted from 0."""
        await self.emacs.eval(
            f"(progn (goto-char (point-min)) (forward-line {line}) (forward-char {column}) t)"
        )

    async def text(self) -> str:
        """Give the buffer's text."""
        text: str = await self.emacs.eval(TEXT)
        return text

    def texts(self) -> Sequence[str]:
        """Give the text after each shipment."""
        return self.emacs.told("text")

    def n_landed(self) -> int:
        """Count the shipments that are in the buffer."""
        return sum(apply_request["applied"] is True for apply_request in self.emacs.told("shipment"))

    async def landed(self, count: int) -> None:
        """Wait for so many shipments in all."""
        await self.emacs.when(lambda: self.n_landed() >= count)

    async def ended(self, **wanted: str) -> dict[str, Any]:
        """Wait for an edit's outcome or verdict, such as ``outcome="applied"``; return what was told of it."""

        def found() -> list[Any]:
            return [edit for edit in self.emacs.told("edit") if wanted.items() <= edit.items()]

        await self.emacs.when(lambda: bool(found()))
        last: dict[str, Any] = found()[-1]
        return last

    async def lighter(self) -> str:
        """Give the client's part of the mode line."""
        shown: str = await self.emacs.eval("(substring-no-properties (twospeed-lighter))")
        return shown

    async def shows(self, wanted: str) -> None:
        """Wait until the mode line shows this."""
        await self.until("(substring-no-properties (twospeed-lighter))", wanted)

    async def until(self, form: str, wanted: object) -> None:
        """Look again and again until a form has a value: not all that changes what is shown is told."""
        value = None
        try:
            async with asyncio.timeout(LIMIT_S):
                while (value := await self.emacs.eval(form)) != wanted:
                    await self.emacs.next(LOOK_AGAIN_S)
        except TimeoutError:
            raise AssertionError(f"{form} is {value!r}, not {wanted!r}") from None

    async def saved(self) -> bytes:
        """Save as a person would, and read what is on disk."""
        await self.emacs.typed("\x18\x13")
        return self.path.read_bytes()


@contextlib.asynccontextmanager
async def scene(
    folder: Path, content: bytes, *answers: Script, name: str = "shop.py", has_site: bool = False
) -> AsyncIterator[Scene]:
    """Open a file of this content and wait until it is open; all has ended when the block is left.

    With ``has_site`` packages of the system are there.
    """
    project, home = folder / "project", folder / "home"
    for each in (project, home):
        each.mkdir()
    config = folder / "config.toml"
    async with ScriptedServer(answers) as model:
        config.write_text(lanes_config(model.base_url))
        environment = {
            **os.environ,
            "HOME": str(home),
            "TWOSPEED_CONFIG": str(config),
            "TWOSPEED_PACKAGE": str(PACKAGE),
            "TWOSPEED_COMMAND": json.dumps(COMMAND),
        }
        async with emacs(environment, has_site=has_site) as editor:
            opened = Scene(editor, model, project)
            await opened.open(name, content)
            yield opened

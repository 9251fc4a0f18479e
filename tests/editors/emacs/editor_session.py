"""A file in a real Emacs with the package, a real server and a scripted model."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

from tests.editors.emacs.emacs import LIMIT_S, PACKAGE, Emacs, emacs, string
from tests.editors.lanes import lanes_config

from twospeed.testing.script import Script
from twospeed.testing.scripted_server import RecordedRequest, ScriptedServer

POLL_S = 0.05
COMMAND = [sys.executable, "-P", "-m", "twospeed"]
TEXT = "(save-restriction (widen) (buffer-substring-no-properties (point-min) (point-max)))"


class EditorSession:
    """The editor, model and file of a test.

    Attributes:
        path: The open file.
    """

    path: Path

    def __init__(self, editor: Emacs, model: ScriptedServer, folder: Path) -> None:
        self.emacs, self.model, self.folder = editor, model, folder

    async def open(self, name: str, content: bytes) -> None:
        """Write a new file, open it, and wait for its didOpen notification."""
        self.path = self.folder / name
        self.path.write_bytes(content)
        await self.emacs.eval(f"(progn (find-file {string(str(self.path))}) t)")
        await self.emacs.wait_until(lambda: self.path.as_uri() in self.emacs.events_of("opened"))

    async def go_to(self, line: int, column: int = 0) -> None:
        """Put the cursor at a line and column, counted from 0."""
        await self.emacs.eval(
            f"(progn (goto-char (point-min)) (forward-line {line}) (forward-char {column}) t)"
        )

    async def text(self) -> str:
        """Return the text of the buffer."""
        text: str = await self.emacs.eval(TEXT)
        return text

    def texts(self) -> Sequence[str]:
        """Return the text after each applyEdit request."""
        return self.emacs.events_of("text")

    def n_applied(self) -> int:
        """Return the number of applied applyEdit requests."""
        return sum(apply_request["applied"] is True for apply_request in self.emacs.events_of("applyEdit"))

    async def until_applied(self, count: int) -> None:
        """Wait until `count` applyEdit requests are applied."""
        await self.emacs.wait_until(lambda: self.n_applied() >= count)

    async def until_edit(self, **wanted: str) -> dict[str, Any]:
        """Wait for an edit with these fields, such as ``outcome="applied"``; return its last report."""

        def found() -> list[Any]:
            return [edit for edit in self.emacs.events_of("edit") if wanted.items() <= edit.items()]

        await self.emacs.wait_until(lambda: bool(found()))
        last: dict[str, Any] = found()[-1]
        return last

    async def lighter(self) -> str:
        """Return the part of the mode line that the package writes."""
        shown: str = await self.emacs.eval("(substring-no-properties (twospeed-lighter))")
        return shown

    async def until_mode_line(self, wanted: str) -> None:
        """Wait until this part of the mode line equals `wanted`."""
        await self.until("(substring-no-properties (twospeed-lighter))", wanted)

    async def until(self, form: str, wanted: object) -> None:
        """Evaluate a form until it has a value: Emacs sends no event for some changes."""
        value = None
        try:
            async with asyncio.timeout(LIMIT_S):
                while (value := await self.emacs.eval(form)) != wanted:
                    await self.emacs.wait_for_next(POLL_S)
        except TimeoutError:
            raise AssertionError(f"{form} is {value!r}, not {wanted!r}") from None

    async def save_and_read(self) -> bytes:
        """Save with C-x C-s, and return the content of the file."""
        await self.emacs.typed("\x18\x13")
        return self.path.read_bytes()


@contextlib.asynccontextmanager
async def editor_session(
    folder: Path,
    content: bytes,
    *answers: Script,
    choose: Callable[[RecordedRequest], Script] | None = None,
    name: str = "shop.py",
    has_site: bool = False,
    more_config: str = "",
) -> AsyncIterator[EditorSession]:
    """Open a file with this content in Emacs; end all processes when the context closes.

    ``choose``, in place of answers, returns the answer to a request.
    With ``has_site``, the packages of the system are available.
    """
    project, home = folder / "project", folder / "home"
    for each in (project, home):
        each.mkdir(exist_ok=True)
    config = folder / "config.toml"
    async with ScriptedServer(choose or answers) as model:
        config.write_text(lanes_config(model.base_url) + more_config)
        environment = {
            **os.environ,
            "HOME": str(home),
            "TWOSPEED_CONFIG": str(config),
            "TWOSPEED_PACKAGE": str(PACKAGE),
            "TWOSPEED_COMMAND": json.dumps(COMMAND),
        }
        async with emacs(environment, has_site=has_site) as editor:
            opened = EditorSession(editor, model, project)
            await opened.open(name, content)
            yield opened

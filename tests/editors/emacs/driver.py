"""Emacs in the journeys: with the package of this project."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Self

from tests.editors.conformance.driver import Driver, Place
from tests.editors.emacs import emacs as real
from tests.editors.emacs.emacs import Emacs, emacs, string

TEXT = "(save-restriction (widen) (buffer-substring-no-properties (point-min) (point-max)))"
GO_TO = (
    "(progn (goto-char (point-min)) (forward-line {line}) (forward-char {column})"
    " (deactivate-mark) (set-window-point nil (point)) t)"
)


class WithPackage(Driver):
    """Emacs in a terminal with the package."""

    TITLE = "Emacs"
    INSTALL = real.INSTALL

    def __init__(self, editor: Emacs) -> None:
        self.emacs = editor

    @classmethod
    def is_installed(cls) -> bool:
        return real.program() is not None

    @classmethod
    @contextlib.asynccontextmanager
    async def started(cls, place: Place) -> AsyncIterator[Self]:
        variables = {
            **place.environment,
            "TWOSPEED_PACKAGE": str(real.PACKAGE),
            "TWOSPEED_COMMAND": json.dumps(list(place.command[:-2])),
        }
        async with emacs(variables) as editor:
            yield cls(editor)

    # Files

    async def open(self, path: Path) -> None:
        await self.emacs.eval(f"(progn (switch-to-buffer (find-file-noselect {string(str(path))})) t)")
        await self._until_attached(path)

    async def _until_attached(self, path: Path) -> None:
        if not await self.emacs.eval("(and twospeed-document-uri t)"):
            await self.emacs.when(lambda: path.as_uri() in self.emacs.told("opened"))

    async def text(self) -> str:
        text: str = await self.emacs.eval(TEXT)
        return text

    async def save(self) -> None:
        await self.emacs.eval("(progn (save-some-buffers t) t)")

    # Hands

    async def put_cursor(self, line: int, column: int) -> None:
        await self.emacs.eval(GO_TO.format(line=line, column=column))

    async def select_lines(self, first: int, last: int) -> None:
        await self.put_cursor(first, 0)
        await self.emacs.typed("\0")  # C-SPC
        await self.emacs.keys("C-n " * (last - first + 1))

    async def type(self, text: str) -> None:
        await self.emacs.typed(text.replace("\n", "\r"))

    async def undo(self) -> None:
        await self.emacs.typed("\x1f")

    # Twospeed

    async def edit(self, instruction: str) -> None:
        await self.emacs.typed(f"\x03*e{instruction}\r")

    async def take_action(self, title: str) -> None:
        n_asked = len(self.emacs.told("asked"))
        await self.emacs.typed("\x03*c")
        await self.emacs.when(lambda: len(self.emacs.told("asked")) > n_asked)
        [offered] = [each for each in self.emacs.told("asked")[-1] if title in each]
        await self.emacs.typed(f"{offered}\r")

    async def toggle(self) -> None:
        await self.emacs.keys("C-S-l")

    async def mode_line(self) -> str:
        line: str = await self.emacs.eval("(substring-no-properties (format-mode-line mode-line-format))")
        return line

    async def cancel(self) -> None:
        await self.emacs.typed("\x07")  # C-g

    async def steer(self, instruction: str) -> None:
        await self.emacs.typed(f"\x03*e{instruction}\r")

    async def accept(self) -> None:
        await self.emacs.typed("\x03*a")

    async def reject(self) -> None:
        await self.emacs.typed("\x03*r")

    async def reject_hunk(self) -> None:
        while not await self.emacs.eval("(and (twospeed-review-hunk-here) t)"):
            n_events = len(self.emacs.events)
            await self.emacs.when(lambda: len(self.emacs.events) > n_events)  # noqa: B023 - waited for at once
        await self.emacs.typed("\x03*R")

    async def restart_server(self) -> None:
        n_opened = len(self.emacs.told("opened"))
        await self.emacs.typed("\x1bxtwospeed-restart\r")
        await self.emacs.when(lambda: len(self.emacs.told("opened")) > n_opened)

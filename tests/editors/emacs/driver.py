"""Emacs in the journeys: with the package of this project, and with twospeed among the servers of lsp-mode."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import ClassVar, Self

from tests.editors.conformance.driver import LACKS_BUT_FOR_CODE_ACTIONS, Driver, Place
from tests.editors.emacs import emacs as real
from tests.editors.emacs.emacs import Emacs, emacs, string

LOOK_AGAIN_S = 0.05
ACTIONS_OF_LSP_MODE = "\x1bxlsp-execute-code-action\r"
TEXT = "(save-restriction (widen) (buffer-substring-no-properties (point-min) (point-max)))"
GO_TO = (
    "(progn (goto-char (point-min)) (forward-line {line}) (forward-char {column})"
    " (deactivate-mark) (set-window-point nil (point)) t)"
)


class _Emacs(Driver):
    INSTALL = real.INSTALL
    IS_OPEN: ClassVar[str]

    def __init__(self, editor: Emacs) -> None:
        self.emacs = editor

    @classmethod
    def is_installed(cls) -> bool:
        return real.program() is not None

    # Files

    async def open(self, path: Path) -> None:
        await self.emacs.eval(f"(progn (switch-to-buffer (find-file-noselect {string(str(path))})) t)")
        await self.emacs.typed()  # Eglot connects behind a command
        await self._until_open()

    async def _until_open(self) -> None:
        while not await self.emacs.eval(self.IS_OPEN):
            await self.emacs.next(LOOK_AGAIN_S)

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

    async def _choose(self, keys: str, title: str, limit_s: float = real.LIMIT_S) -> None:
        """Press keys that open a menu until it has a line with these words, and take that."""
        async with asyncio.timeout(limit_s):
            while not (offered := [each for each in await self._menu(keys) if title in each]):
                await self.emacs.typed("\x07")
        await self.emacs.typed(f"{offered[0]}\r")

    async def _menu(self, keys: str) -> list[str]:
        n_asked = len(self.emacs.told("asked"))
        await self.emacs.typed(keys)
        await self.emacs.when(lambda: len(self.emacs.told("asked")) > n_asked)
        menu: list[str] = self.emacs.told("asked")[-1]
        return menu


class WithPackage(_Emacs):
    """Emacs in a terminal with the package, and a second server of Eglot's."""

    TITLE = "Emacs"
    IS_OPEN = "(and twospeed-document-uri (eglot-managed-p) t)"

    @classmethod
    def is_installed(cls) -> bool:
        return super().is_installed() and real.has_library("eglot")

    @classmethod
    @contextlib.asynccontextmanager
    async def started(cls, place: Place) -> AsyncIterator[Self]:
        variables = {
            **place.environment,
            "TWOSPEED_PACKAGE": str(real.PACKAGE),
            "TWOSPEED_COMMAND": json.dumps(list(place.command[:-2])),
        }
        async with emacs(variables, more=real.HERE / "init_neighbour.el", has_site=True) as editor:
            yield cls(editor)

    async def take_action(self, title: str) -> None:
        await self._choose("\x03*c", title)

    async def edit(self, instruction: str) -> None:
        await self.emacs.typed(f"\x03*e{instruction}\r")

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

    async def accept_hunk(self) -> None:
        await self._until_on_hunk()
        await self.emacs.typed("\x03*A")

    async def reject_hunk(self) -> None:
        await self._until_on_hunk()
        await self.emacs.typed("\x03*R")

    async def _until_on_hunk(self) -> None:
        while not await self.emacs.eval("(and (twospeed-review-hunk-here) t)"):
            n_events = len(self.emacs.events)
            await self.emacs.when(lambda: len(self.emacs.events) > n_events)  # noqa: B023 - waited for at once

    async def follow_up(self, instruction: str) -> None:
        await self.emacs.typed(f"\x03*f{instruction}\r")

    async def retry(self) -> None:
        await self.emacs.typed("\x03*m")

    async def repeat(self) -> None:
        await self.emacs.typed("\x03*.")

    async def edit_for_answers(self, instruction: str, count: int) -> None:
        await self.emacs.typed(f"\x15{count}\x03*e{instruction}\r")

    async def next_answer(self) -> None:
        await self.emacs.typed("\x03*v")

    async def restart_server(self) -> None:
        n_opened = len(self.emacs.told("opened"))
        await self.emacs.typed("\x1bxtwospeed-restart\r")
        await self.emacs.when(lambda: len(self.emacs.told("opened")) > n_opened)


class LspMode(_Emacs):
    """Emacs with lsp-mode as the system has it, and the add-on that makes twospeed one of its servers."""

    TITLE = "lsp-mode"
    IS_OPEN = "(and (test-lsp-workspace) t)"
    STREAMS = False
    LACKS = LACKS_BUT_FOR_CODE_ACTIONS

    @classmethod
    def is_installed(cls) -> bool:
        return super().is_installed() and real.has_library("lsp-mode")

    @classmethod
    @contextlib.asynccontextmanager
    async def started(cls, place: Place) -> AsyncIterator[Self]:
        variables = {
            **place.environment,
            "TWOSPEED_ADD_ON": str(real.PACKAGE),
            "TWOSPEED_COMMAND": json.dumps(list(place.command[:-2])),
        }
        async with emacs(variables, more=real.HERE / "init_lsp_mode.el", has_site=True) as editor:
            yield cls(editor)

    async def take_action(self, title: str) -> None:
        await self._choose(ACTIONS_OF_LSP_MODE, title)

    async def edit(self, instruction: str) -> None:
        await self.emacs.typed(f"\x1bxtwospeed-lsp-mode-edit\r{instruction}\r")

    async def toggle(self) -> None:
        await self.emacs.typed("\x1bxtwospeed-lsp-mode-toggle\r")

    async def cancel(self) -> None:
        await self.take_action("Cancel this edit")

    async def accept(self) -> None:
        await self.take_action("Accept this edit")

    async def reject(self) -> None:
        with contextlib.suppress(TimeoutError):  # there may be nothing to reject
            await self._choose(ACTIONS_OF_LSP_MODE, "Reject this edit", limit_s=3)

    async def retry(self) -> None:
        await self.take_action("Retry this edit in")

    async def restart_server(self) -> None:
        while await self.emacs.eval(self.IS_OPEN):  # it hears of the end a moment later
            await self.emacs.next(LOOK_AGAIN_S)
        await self.emacs.typed("\x1bxlsp\r")
        await self._until_open()

"""Emacs in the journeys: with the package of this project, and with twospeed among the servers of lsp-mode."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import ClassVar, Self

from tests.editors.conformance.by_menu import ByMenu
from tests.editors.conformance.driver import Driver, Place
from tests.editors.emacs import emacs as real
from tests.editors.emacs.emacs import Emacs, emacs, string

LOOK_AGAIN_S = 0.05
TEXT = "(save-restriction (widen) (buffer-substring-no-properties (point-min) (point-max)))"
CLOSE = "\x1b\x1b\x1b"
"""Leaves a menu; C-g, which does too, may take the keys behind it along."""

COMMAND_ON_PAGES = '"/path/to/twospeed/.venv/bin/twospeed" "serve" "--stdio"'
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
        """Press keys that open a menu until it has a line with these words, and take that.

        A menu that does not have it is closed again, also the last one: an open one would get the next keys.

        Raises:
            TimeoutError: So many seconds went by without it.
        """
        now = asyncio.get_running_loop().time
        deadline = now() + limit_s
        while not (offered := [each for each in await self._menu(keys) if title in each]):
            await self.emacs.typed(CLOSE)
            if now() > deadline:
                raise TimeoutError(f"no {title!r} in the menu")
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


class _LspMode(ByMenu, _Emacs):
    """Emacs with lsp-mode as the system has it, and twospeed among its servers."""

    IS_OPEN = "(and (test-lsp-workspace) t)"
    EDIT: ClassVar[str]
    TOGGLE: ClassVar[str]

    @classmethod
    def is_installed(cls) -> bool:
        return super().is_installed() and real.has_library("lsp-mode")

    @classmethod
    @contextlib.asynccontextmanager
    async def _run(cls, place: Place, **environment: str) -> AsyncIterator[Self]:
        variables = {**place.environment, **environment}
        async with emacs(variables, more=real.HERE / "init_lsp_mode.el", has_site=True) as editor:
            yield cls(editor)

    async def take_within(self, title: str, limit_s: float) -> None:
        await self._choose("\x1bxlsp-execute-code-action\r", title, limit_s)

    async def edit(self, instruction: str) -> None:
        await self.emacs.typed(f"\x1bx{self.EDIT}\r{instruction}\r")

    async def toggle(self) -> None:
        await self.emacs.typed(f"\x1bx{self.TOGGLE}\r")

    async def restart_server(self) -> None:
        while await self.emacs.eval(self.IS_OPEN):  # it hears of the end a moment later
            await self.emacs.next(LOOK_AGAIN_S)
        await self.emacs.typed("\x1bxlsp\r")
        await self._until_open()


class LspMode(_LspMode):
    """With the add-on of this project."""

    TITLE = "lsp-mode with the add-on"
    EDIT, TOGGLE = "twospeed-lsp-mode-edit", "twospeed-lsp-mode-toggle"

    @classmethod
    def started(cls, place: Place) -> contextlib.AbstractAsyncContextManager[Self]:
        command = json.dumps(list(place.command[:-2]))
        return cls._run(place, TWOSPEED_ADD_ON=str(real.PACKAGE), TWOSPEED_COMMAND=command)


class LspModeAlone(_LspMode):
    """With nothing but what `editors/lsp-mode.md` says to write into the configuration."""

    TITLE = "lsp-mode"
    ALONE = "lsp-mode 8.0 tells of what a server has edited to that server alone; the add-on has all told"
    EDIT, TOGGLE = "my-twospeed-edit", "my-twospeed-toggle"

    @classmethod
    def started(cls, place: Place) -> contextlib.AbstractAsyncContextManager[Self]:
        page = (real.PACKAGE.parent / "lsp-mode.md").read_text("utf-8")
        [code] = re.findall(r"^```elisp\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
        assert COMMAND_ON_PAGES in code
        configuration = place.folder / "page.el"
        configuration.write_text(
            code.replace(COMMAND_ON_PAGES, " ".join(map(string, place.command))), "utf-8"
        )
        return cls._run(place, TWOSPEED_PAGE=str(configuration))

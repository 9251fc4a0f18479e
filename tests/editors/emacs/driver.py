"""Drivers of Emacs: with the package of this project, and with twospeed as a server of lsp-mode."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import ClassVar, Self

from tests.editors.conformance.code_action_driver import CodeActionDriver
from tests.editors.conformance.driver import Driver, Launch
from tests.editors.emacs import emacs as real
from tests.editors.emacs.emacs import Emacs, emacs, string

POLL_S = 0.05
TEXT = "(save-restriction (widen) (buffer-substring-no-properties (point-min) (point-max)))"
CLOSE = "\x1b\x1b\x1b"
"""Closes a menu. C-g closes it too, but may discard the keys after it."""

COMMAND_ON_PAGES = '"/path/to/twospeed/.venv/bin/twospeed" "serve" "--stdio"'
GO_TO = (
    "(progn (goto-char (point-min)) (forward-line {line}) (forward-char {column})"
    " (deactivate-mark) (set-window-point nil (point)) t)"
)


class _Emacs(Driver):
    INSTALL = real.INSTALL
    IS_READY: ClassVar[str]

    def __init__(self, editor: Emacs) -> None:
        self.emacs = editor

    @classmethod
    def is_installed(cls) -> bool:
        return real.program() is not None

    # Files

    async def open(self, path: Path) -> None:
        await self.emacs.eval(f"(progn (switch-to-buffer (find-file-noselect {string(str(path))})) t)")
        await self.emacs.typed()  # Eglot connects after a command
        await self._until_open()

    async def _until_open(self) -> None:
        while not await self.emacs.eval(self.IS_READY):
            await self.emacs.wait_for_next(POLL_S)

    async def text(self) -> str:
        text: str = await self.emacs.eval(TEXT)
        return text

    async def save(self) -> None:
        await self.emacs.eval("(progn (save-some-buffers t) t)")

    # Keyboard

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

    async def redo(self) -> None:
        await self.emacs.typed("\x06\x1f")  # after another command, undo takes back the undo

    async def _choose(self, keys: str, title: str, limit_s: float = real.LIMIT_S) -> None:
        """Open a menu with `keys` until it has an entry that contains `title`, and select this entry.

        Each menu without it is closed, because an open menu would receive the next keys.

        Raises:
            TimeoutError: No menu had the entry within `limit_s` seconds.
        """
        now = asyncio.get_running_loop().time
        deadline = now() + limit_s
        while not (offered := [each for each in await self._menu(keys) if title in each]):
            await self.emacs.typed(CLOSE)
            if now() > deadline:
                raise TimeoutError(f"no {title!r} in the menu")
        await self.emacs.typed(f"{offered[0]}\r")

    async def _menu(self, keys: str) -> list[str]:
        n_before = len(self.emacs.events_of("choices"))
        await self.emacs.typed(keys)
        await self.emacs.wait_until(lambda: len(self.emacs.events_of("choices")) > n_before)
        menu: list[str] = self.emacs.events_of("choices")[-1]
        return menu


class WithPackage(_Emacs):
    """Emacs in a terminal with the package, and Eglot with a second server."""

    TITLE = "Emacs"
    IS_READY = "(and twospeed-document-uri (eglot-managed-p) t)"

    @classmethod
    def is_installed(cls) -> bool:
        return super().is_installed() and real.has_library("eglot")

    @classmethod
    @contextlib.asynccontextmanager
    async def started(cls, launch: Launch) -> AsyncIterator[Self]:
        variables = {
            **launch.environment,
            "TWOSPEED_PACKAGE": str(real.PACKAGE),
            "TWOSPEED_COMMAND": json.dumps(list(launch.command[:-2])),
        }
        async with emacs(variables, more=real.HERE / "init_second_server.el", has_site=True) as editor:
            yield cls(editor)

    async def run_code_action(self, title: str) -> None:
        await self._choose("\x03*c", title)

    async def edit(self, instruction: str) -> None:
        await self.emacs.typed(f"\x03*e{instruction}\r")

    async def edit_places(self, lines: Sequence[int], instruction: str) -> None:
        for line in lines:
            await self.put_cursor(line, 4)
            await self.emacs.typed("\x03*+")
        await self.edit(instruction)

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
        while not await self.emacs.eval("(and (twospeed-review-here #'twospeed-review-hunks) t)"):
            n_events = len(self.emacs.events)
            await self.emacs.wait_until(lambda: len(self.emacs.events) > n_events)  # noqa: B023 - awaited in this iteration

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
        n_opened = len(self.emacs.events_of("opened"))
        await self.emacs.typed("\x1bxtwospeed-restart\r")
        await self.emacs.wait_until(lambda: len(self.emacs.events_of("opened")) > n_opened)


class _LspMode(CodeActionDriver, _Emacs):
    """Emacs with the lsp-mode of the system, and twospeed as one of its servers."""

    IS_READY = "(and (test-lsp-workspace) t)"
    EDIT: ClassVar[str]
    TOGGLE: ClassVar[str]

    @classmethod
    def is_installed(cls) -> bool:
        return super().is_installed() and real.has_library("lsp-mode")

    @classmethod
    @contextlib.asynccontextmanager
    async def _run(cls, launch: Launch, **environment: str) -> AsyncIterator[Self]:
        variables = {**launch.environment, **environment}
        async with emacs(variables, more=real.HERE / "init_lsp_mode.el", has_site=True) as editor:
            yield cls(editor)

    async def run_code_action_within(self, title: str, limit_s: float) -> None:
        await self._choose("\x1bxlsp-execute-code-action\r", title, limit_s)

    async def edit(self, instruction: str) -> None:
        await self.emacs.typed(f"\x1bx{self.EDIT}\r{instruction}\r")

    async def toggle(self) -> None:
        await self.emacs.typed(f"\x1bx{self.TOGGLE}\r")

    async def restart_server(self) -> None:
        while await self.emacs.eval(self.IS_READY):  # lsp-mode notices the end with a delay
            await self.emacs.wait_for_next(POLL_S)
        await self.emacs.typed("\x1bxlsp\r")
        await self._until_open()


class LspMode(_LspMode):
    """lsp-mode with the add-on of this project."""

    TITLE = "lsp-mode with the add-on"
    EDIT, TOGGLE = "twospeed-lsp-mode-edit", "twospeed-lsp-mode-toggle"

    @classmethod
    def started(cls, launch: Launch) -> contextlib.AbstractAsyncContextManager[Self]:
        command = json.dumps(list(launch.command[:-2]))
        return cls._run(launch, TWOSPEED_ADD_ON=str(real.PACKAGE), TWOSPEED_COMMAND=command)


class LspModeAlone(_LspMode):
    """lsp-mode with only the configuration of `editors/lsp-mode.md`."""

    TITLE = "lsp-mode"
    NO_SECOND_SERVER = (
        "lsp-mode 8.0 reports an edit of a server only to that server; the add-on reports it to all"
    )
    EDIT, TOGGLE = "my-twospeed-edit", "my-twospeed-toggle"

    @classmethod
    def started(cls, launch: Launch) -> contextlib.AbstractAsyncContextManager[Self]:
        page = (real.PACKAGE.parent / "lsp-mode.md").read_text("utf-8")
        [code] = re.findall(r"^```elisp\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
        assert COMMAND_ON_PAGES in code
        configuration = launch.folder / "page.el"
        configuration.write_text(
            code.replace(COMMAND_ON_PAGES, " ".join(map(string, launch.command))), "utf-8"
        )
        return cls._run(launch, TWOSPEED_PAGE=str(configuration))

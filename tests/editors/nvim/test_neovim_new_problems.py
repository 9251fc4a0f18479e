"""Errors that another language server reports only after an edit, in a real Neovim with both servers."""

from __future__ import annotations

import asyncio
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest
from tests.editors.conformance.problem_server import COMMAND
from tests.editors.nvim.editor_session import EditorSession, editor_session
from tests.editors.scenarios import NEW, SHOP

from twospeed.testing.script import Script

pytestmark = pytest.mark.process

OLD = SHOP + "\n\nprint(missing_before)\n"
TAX = "    # the tax comes last\n"
BROKEN = NEW.replace(TAX, f"{TAX}    items.missing_after()\n")
ASK = "<Esc>:7<CR>:Twospeed edit count them<CR>"
SHOWN = (
    "return vim.tbl_map(function(each) return { each.source or '', each.message } end, vim.diagnostic.get(0))"
)


def answer(code: str) -> Script:
    return Script(f"```python\n{code}```\n")


def shop(folder: Path, *codes: str, has_problems: bool = True) -> AbstractAsyncContextManager[EditorSession]:
    answers = [answer(code) for code in codes]
    command = COMMAND if has_problems else ()
    return editor_session(folder, OLD.encode(), *answers, second_server=command)


async def until_shown(session: EditorSession, wanted: list[Any]) -> None:
    """Wait until these are the diagnostics of the buffer."""
    shown = None
    try:
        async with asyncio.timeout(20):
            while (shown := sorted(await session.nvim.lua(SHOWN))) != wanted:
                await session.nvim.lua("vim.wait(50)")
    except TimeoutError:
        raise AssertionError(f"the diagnostics are {shown}") from None


BEFORE = ["problems", "missing_before is not defined"]
AFTER = ["problems", "missing_after is not defined"]
FINDING = ["twospeed", "problems: missing_after is not defined"]


async def test_a_new_error_is_a_finding_that_a_follow_up_edit_mends(tmp_path: Path) -> None:
    async with shop(tmp_path, BROKEN, NEW) as session:
        await until_shown(session, [BEFORE])
        await session.nvim.typed(ASK)
        await session.until_edit(state="review")
        await session.nvim.typed("ggO# typed<Esc>")
        await until_shown(session, sorted([AFTER, BEFORE, FINDING]))
        [message] = session.events_of("notification")
        assert "has 1 new error since the edit; line " in message
        assert message.endswith("problems: missing_after is not defined")
        await session.nvim.typed(":Twospeed mend<CR>")
        await session.until_edit(state="review", editId="e2", mode="lightning")
        await until_shown(session, [BEFORE])
        assert "a tool reports: problems: missing_after" in str(session.model.requests[-1].body)
        assert len(session.model.requests) == 2


async def test_without_another_server_nothing_is_sent(tmp_path: Path) -> None:
    async with shop(tmp_path, BROKEN, has_problems=False) as session:
        await session.nvim.lua(
            "local request = vim.lsp.client.request\n"
            "vim.lsp.client.request = function(self, method, ...)\n"
            "  if method == 'twospeed/diagnostics' then vim.rpcnotify(0, 'event', 'sent', method) end\n"
            "  return request(self, method, ...)\n"
            "end"
        )
        await session.nvim.typed(ASK)
        await session.until_edit(state="review")
        await session.nvim.lua("vim.wait(2000, function() return false end)")
        assert session.events_of("sent") == []
        await session.nvim.typed(":Twospeed mend<CR>")
        await session.nvim.wait_until(lambda: bool(session.events_of("notification")))

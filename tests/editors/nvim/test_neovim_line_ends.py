"""Edits after a change of the file format in Neovim are applied once, as one undo step."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.editors.conformance.driver import Driver
from tests.editors.conformance.scenario_run import scenario_run
from tests.editors.nvim.driver import Plain, WithPlugin
from tests.editors.nvim.neovim import Neovim
from tests.editors.scenarios import EDITED, IN_TOTAL, NEW, OLD, SHOP

pytestmark = pytest.mark.process

EOLS = {"unix": "\n", "dos": "\r\n"}

HEAD = "def total(items, tax=RATE):\n"
DOCUMENTED = OLD.replace(HEAD, f'{HEAD}    """Add up prices.\n\n    The tax comes last.\n    """\n')
"""An answer that only adds lines: if it were applied twice, they would be there twice."""


def nvim_of(driver: Driver) -> Neovim:
    assert isinstance(driver, WithPlugin | Plain)
    return driver.nvim


@pytest.mark.parametrize(("was", "becomes"), [("unix", "dos"), ("dos", "unix")])
@pytest.mark.parametrize("kind", [WithPlugin, Plain], ids=lambda kind: kind.TITLE)
async def test_edit_after_a_file_format_change_is_applied_once_as_one_undo_step(
    tmp_path: Path, kind: type[Driver], was: str, becomes: str
) -> None:
    if not kind.is_installed():
        pytest.skip(kind.INSTALL)
    async with scenario_run(kind, tmp_path) as run:
        await run.begin("shop.py", SHOP.replace("\n", EOLS[was]))
        await nvim_of(run.driver).typed(
            "ggO# mine<Esc>"
        )  # at version 0, a client without the plugin does not check versions
        await nvim_of(run.driver).typed(f":set fileformat={becomes}<CR>")
        answer = await run.request_edit(DOCUMENTED, IN_TOTAL + 1)
        await answer.finish()
        expected = f"# mine\n{SHOP.replace(OLD, DOCUMENTED)}"
        await run.until_in_review(expected)
        if kind is not Plain:  # such a client receives no edit state, and no progress of a fast edit
            assert run.edit_states() == {"review"}
        await run.until_text(expected)
        await run.driver.save()
        assert run.path.read_bytes() == expected.replace("\n", EOLS[becomes]).encode()
        await run.undo_until(f"# mine\n{SHOP}")
        assert run.undo_steps == 1
        await run.driver.save()
        assert run.path.read_bytes() == f"# mine\n{SHOP}".replace("\n", EOLS[becomes]).encode()


async def test_reject_after_a_file_format_change_during_an_edit_restores_the_text(
    tmp_path: Path,
) -> None:
    async with scenario_run(WithPlugin, tmp_path) as run:
        await run.begin("shop.py", SHOP)
        answer = await run.request_edit(NEW, IN_TOTAL)
        await run.stream(answer, 3)
        await nvim_of(run.driver).typed("<Esc>:set fileformat=dos<CR>")
        await run.stream(answer, 9)
        await answer.finish()
        await run.until_in_review(EDITED)
        await run.driver.reject()
        await run.until(lambda text: text == SHOP, "the old text is restored")
        await run.driver.save()
        assert run.path.read_bytes() == SHOP.replace("\n", "\r\n").encode()

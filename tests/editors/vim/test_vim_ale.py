"""Vim with ALE: the file for ALE starts the server as it is, and a refused command leaves the text."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.editors.conformance.scenario_run import scenario_run
from tests.editors.scenarios import EDITED, IN_TOTAL, NEW, SHOP
from tests.editors.vim import vim
from tests.editors.vim.driver import WithAle

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(vim.program() is None, reason=f"Vim with ALE is not installed: {vim.INSTALL}"),
]


async def test_a_rejection_is_refused_with_the_reason_and_undo_takes_the_edit_back(tmp_path: Path) -> None:
    async with scenario_run(WithAle, tmp_path) as run:
        await run.begin("shop.py", SHOP)
        answer = await run.request_edit(NEW, IN_TOTAL)
        await answer.finish()
        await run.until_in_review(EDITED)
        driver = run.driver
        assert isinstance(driver, WithAle)
        await driver.run_code_action("Reject this edit")
        await run.until_value(
            driver.screen,
            lambda screen: "takes no edits from a server" in screen,
            "Vim shows the refusal",
        )
        assert await run.driver.text() == EDITED
        assert run.edits_sent == 0
        await run.undo_until(SHOP)
        assert run.undo_steps == 1
        await run.save_and_compare(SHOP)

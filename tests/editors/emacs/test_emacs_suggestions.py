"""Suggestions at the cursor, in a real Emacs with the package."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.editors.conformance.scenario_run import scenario_run
from tests.editors.emacs.driver import LspMode
from tests.editors.emacs.editor_session import POLL_S, EditorSession, editor_session
from tests.editors.emacs.emacs import needs_emacs
from tests.lane_config import lane, provider

from twospeed.testing.script import Script
from twospeed.testing.scripted_server import ScriptedServer

pytestmark = [pytest.mark.process, needs_emacs]

TEXT = "import math\n\n\ndef area(side):\n    \n"
CODE = "return Decimal(side) ** 2"
ACCEPTED = TEXT.replace("    \n", f"    {CODE}\n").replace(
    "import math\n", "import math\nfrom decimal import Decimal\n"
)
ANSWER = Script(f"```python\nfrom decimal import Decimal\n\n\n{CODE}\n```\n")
ENABLED = "\n[completion]\nenabled = true\n"
SUGGEST, ACCEPT = "\x03*i", "\t"
SHOWN = (
    "(and twospeed-suggest--shown"
    " (substring-no-properties (overlay-get twospeed-suggest--shown 'after-string)))"
)


async def shown(session: EditorSession) -> None:
    """Ask for a suggestion in the body of the function, and wait until it is shown."""
    await session.until("(and (twospeed-server-suggests twospeed-server) t)", wanted=True)
    await session.go_to(4, 4)
    await session.emacs.press(SUGGEST)
    await session.until(SHOWN, CODE)
    assert await session.text() == TEXT


async def test_a_suggestion_is_shown_and_accepted_and_its_command_adds_the_import(tmp_path: Path) -> None:
    async with editor_session(tmp_path, TEXT.encode(), ANSWER, more_config=ENABLED) as session:
        await shown(session)
        await session.emacs.typed(ACCEPT)
        await session.until("(buffer-substring-no-properties (point-min) (point-max))", ACCEPTED)
        assert await session.emacs.eval(SHOWN) is None


async def test_any_other_command_removes_the_suggestion(tmp_path: Path) -> None:
    async with editor_session(tmp_path, TEXT.encode(), ANSWER, more_config=ENABLED) as session:
        await shown(session)
        await session.emacs.typed("\x02")  # C-b
        assert await session.emacs.eval(SHOWN) is None
        assert await session.text() == TEXT


async def test_a_change_outside_of_a_command_removes_the_suggestion(tmp_path: Path) -> None:
    async with editor_session(tmp_path, TEXT.encode(), ANSWER, more_config=ENABLED) as session:
        await shown(session)
        await session.emacs.eval('(save-excursion (goto-char (point-min)) (insert "# above\\n") t)')
        assert await session.emacs.eval(SHOWN) is None


async def test_without_suggestions_in_the_config_the_key_says_so(tmp_path: Path) -> None:
    async with editor_session(tmp_path, TEXT.encode()) as session:
        await session.emacs.typed(SUGGEST)
        assert "The config of twospeed has no suggestions: [completion] enabled = true" in (
            session.emacs.events_of("message")
        )


@pytest.mark.skipif(not LspMode.is_installed(), reason="this Emacs has no lsp-mode")
async def test_lsp_mode_shows_and_accepts_a_suggestion_and_its_command_adds_the_import(
    tmp_path: Path,
) -> None:
    async with ScriptedServer([ANSWER]) as model:
        config = ENABLED + lane("completion", "scripted") + provider("scripted", model.base_url)
        async with scenario_run(LspMode, tmp_path, more_config=config) as run:
            assert isinstance(run.driver, LspMode)
            await run.begin("shop.py", TEXT)
            await run.driver.put_cursor(4, 4)
            await run.driver.emacs.typed("\x1bxtwospeed-suggest\r")
            while await run.driver.emacs.eval(SHOWN) != CODE:
                await run.driver.emacs.wait_for_next(POLL_S)
            await run.driver.emacs.typed(ACCEPT)
            await run.until_text(ACCEPTED)

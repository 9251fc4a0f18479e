"""Imports of an answer that waits as a code action, for editors that refuse late edits."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.scenarios.delivery.test_delivery_by_client import KATES, actions, apply_action
from tests.scenarios.editor import Editor
from tests.scenarios.edits.test_imports import ANSWER, EDITED, FIRST, IMPORT
from tests.scenarios.scripted import result_of, steps_of, text_of
from tests.scenarios.shop import OLD, TEXT

from twospeed.testing.scripted_model import ScriptedModel


async def offered(answer: str = ANSWER, text: str = TEXT) -> tuple[Editor, asyncio.Future[Any]]:
    editor = await Editor.started(KATES)
    editor.open(text)
    editor.serve(ScriptedModel(steps_of(answer)))
    _, running = editor.ask("twospeed/edit", editor.edit_params(FIRST))
    await editor.wait_for(lambda: editor.messages("window/showMessage"))
    return editor, running


async def offer_of(editor: Editor, line: int = FIRST + 1) -> Any:
    (action,) = [each for each in await actions(editor, line) if "edit" in each]
    return action


async def test_an_offered_edit_contains_both_places() -> None:
    editor, running = await offered()
    async with editor:
        apply_action(editor, await offer_of(editor))
        assert (await result_of(running))["outcome"] == "applied"
        assert text_of(editor) == EDITED
        await editor.command("twospeed.reject")
        sent = [params for method, params in editor.requests if method.endswith("applyEdit")]
        assert len(sent) <= 1


MORE = f"{IMPORT}, ROUND_UP\n"


@pytest.mark.parametrize("typed", [MORE, "import decimal\n"], ids=["the same", "another"])
async def test_an_offer_adds_imports_to_the_block_of_the_moment(typed: str) -> None:
    editor, running = await offered()
    async with editor:
        await actions(editor)
        editor.type(0, 0, typed)
        apply_action(editor, await offer_of(editor))
        assert (await result_of(running))["outcome"] == "applied"
        assert text_of(editor).count(IMPORT) == 1
        assert text_of(editor).startswith(typed)


async def test_an_offer_of_imports_that_the_user_types_ends() -> None:
    editor, running = await offered(f"{IMPORT}\n\n\n{OLD}")
    async with editor:
        editor.type(0, 0, MORE)
        assert [each for each in await actions(editor, FIRST + 1) if "edit" in each] == []
        assert (await result_of(running))["outcome"] == "unchanged"
        assert text_of(editor) == MORE + TEXT


async def test_imports_that_an_offer_leaves_out_are_named() -> None:
    editor, running = await offered()
    async with editor:
        editor.type(0, 0, "Decimal = float\n")
        apply_action(editor, await offer_of(editor))
        result = await result_of(running)
        assert result["outcome"] == "applied"
        assert [each["code"] for each in result["findings"]] == ["import-not-added"]
        assert text_of(editor) == "Decimal = float\n" + EDITED.replace(f"{IMPORT}\n", "")

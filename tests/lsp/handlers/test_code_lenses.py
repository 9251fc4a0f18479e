"""Code lenses offer the decisions of an edit at its place."""

from __future__ import annotations

from typing import Any

from tests.scenarios.editor import STREAMING, URI, Editor
from tests.scenarios.shop import EDITED, NEW, TEXT

from twospeed.testing.scripted_model import ScriptedModel, scripted_answer

LENSES: dict[str, Any] = {
    "textDocument": {"codeLens": {}},
    "workspace": {"codeLens": {"refreshSupport": True}},
}
FIRST = 3


async def lenses(editor: Editor) -> list[Any]:
    found = await editor.request("textDocument/codeLens", {"textDocument": {"uri": URI}})
    assert isinstance(found, list)
    return found


async def test_every_hunk_in_review_can_be_decided_by_its_lenses() -> None:
    async with await Editor.started(LENSES) as editor:
        assert editor.initialized["capabilities"]["codeLensProvider"] == {"resolveProvider": False}
        editor.open(TEXT)
        assert await lenses(editor) == []
        editor.serve(ScriptedModel(scripted_answer(NEW)))
        result = await editor.edit(FIRST)
        found = await lenses(editor)
        assert len(found) == 2 * len(result["hunks"])
        assert found[0]["range"]["start"] == result["hunks"][0]["range"]["start"]
        command = next(each["command"] for each in found if each["command"]["title"].endswith("Reject 1/2"))
        await editor.command(command["command"], *command["arguments"])
        await editor.wait_for(lambda: editor.buffers[URI].text != EDITED)
        assert len(await lenses(editor)) == 2
        assert ("workspace/codeLens/refresh", None) in editor.requests


async def test_an_accepted_hunk_is_reported_and_loses_its_lens() -> None:
    async with await Editor.started({**LENSES, **STREAMING}) as editor:
        editor.open(TEXT)
        editor.serve(ScriptedModel(scripted_answer(NEW)))
        first, second = (await editor.edit(FIRST))["hunks"]
        editor.requests.clear()
        accept = (await lenses(editor))[0]["command"]
        assert accept["title"].endswith("Accept 1/2")
        await editor.command(accept["command"], *accept["arguments"])
        await editor.wait_for(lambda: ("workspace/codeLens/refresh", None) in editor.requests)
        told = editor.messages("twospeed/editChanged")[-1]
        assert (told["state"], [hunk["id"] for hunk in told["hunks"]]) == ("review", [second["id"]])
        assert first["id"] not in str(await lenses(editor))


async def test_lenses_are_numbered_from_the_top_also_in_the_import_block() -> None:
    async with await Editor.started(LENSES) as editor:
        editor.open(TEXT)
        editor.serve(ScriptedModel(scripted_answer(f"from decimal import Decimal\n\n\n{NEW}")))
        await editor.edit(FIRST)
        found = [
            (each["range"]["start"]["line"], each["command"]["title"].partition("Accept ")[2])
            for each in await lenses(editor)
            if "Accept" in each["command"]["title"]
        ]
        assert [number for _, number in found] == ["1/3", "2/3", "3/3"]
        assert found == sorted(found)


async def test_lenses_are_not_announced_to_a_client_without_code_lenses() -> None:
    async with await Editor.started() as editor:
        assert "codeLensProvider" not in editor.initialized["capabilities"]

"""An accepted suggestion: its row in the statistics, its survival, and its imports."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.scenarios.completion.suggestions import DYNAMIC, ENABLED, accept, items_at, suggesting
from tests.scenarios.editor import URI, Editor, RequestFailed
from tests.scenarios.model_lanes import shown_to_person

from twospeed.history.rows import EditRow
from twospeed.testing.script import Script
from twospeed.testing.scripted_server import RecordedRequest

TEXT = "import math\n\n\ndef area(radius):\n    \n"
IMPORTED = TEXT.replace("import math\n", "import math\nfrom decimal import Decimal\n")
ANSWER = "from decimal import Decimal\nreturn Decimal(math.pi)"


async def accepted(editor: Editor, text: str = TEXT) -> Any:
    editor.open(text)
    (item,) = await items_at(editor, 4, 4)
    await accept(editor, item)
    return item


async def text_after(editor: Editor, n_edits: int = 1) -> str:
    await editor.wait_for(
        lambda: sum(method == "workspace/applyEdit" for method, _ in editor.requests) >= n_edits
    )
    return editor.buffers[URI].text


def record_into(editor: Editor, record: Callable[[EditRow], None]) -> None:
    """Receive the rows of the statistics."""
    assert editor.server.session
    recorder = editor.server.session.history._recorder
    assert recorder
    setattr(recorder, "record", record)  # noqa: B010 - mypy knows no way to replace a method


async def test_imports_of_the_answer_are_added_to_the_file(tmp_path: Path) -> None:
    async with suggesting(tmp_path, [Script(ANSWER)]) as (editor, _):
        item = await accepted(editor)
        assert item["insertText"] == "return Decimal(math.pi)"
        assert await text_after(editor) == IMPORTED.replace("    \n", "    return Decimal(math.pi)\n")


async def test_imports_are_added_once_they_are_agreed_to(tmp_path: Path) -> None:
    config = ENABLED + '[edit]\nimports = "offer"\n'
    capabilities = {**DYNAMIC, "window": {"showMessage": {}}}
    async with suggesting(tmp_path, [Script(ANSWER)], config=config, capabilities=capabilities) as (
        editor,
        _,
    ):
        editor.answer = lambda method, _: {"title": "Add"} if method == "window/showMessageRequest" else None
        await accepted(editor)
        assert "from decimal import Decimal" in await text_after(editor)


async def test_imports_stay_where_the_model_wrote_them_if_that_is_configured(tmp_path: Path) -> None:
    config = ENABLED + '[edit]\nimports = "off"\n'
    answer = ANSWER.replace("\n", "\n    ")
    async with suggesting(tmp_path, [Script(answer)], config=config) as (editor, _):
        item = await accepted(editor)
        assert item["insertText"] == answer


async def test_the_imports_of_a_typed_suggestion_are_not_added(tmp_path: Path) -> None:
    async with suggesting(tmp_path, [Script(ANSWER)]) as (editor, _):
        editor.open(TEXT)
        (item,) = await items_at(editor, 4, 4)
        await editor.command("twospeed.completionAccepted", *item["command"]["arguments"])
        await editor.request("twospeed/status", {})
        assert editor.buffers[URI].text == TEXT


async def test_an_import_that_the_file_has_is_not_added_again(tmp_path: Path) -> None:
    answer = "import math\nreturn math.pi"
    async with suggesting(tmp_path, [Script(answer)]) as (editor, _):
        item = await accepted(editor)
        await editor.request("twospeed/status", {})
        assert item["insertText"] == "return math.pi"
        assert editor.buffers[URI].text == TEXT.replace("    \n", "    return math.pi\n")


async def test_an_acceptance_is_recorded_with_its_survival(tmp_path: Path) -> None:
    rows: dict[str, EditRow] = {}
    async with suggesting(tmp_path, [Script("total = 1\n    return total")]) as (editor, _):
        record_into(editor, lambda row: rows.__setitem__(row.id, row))
        await accepted(editor)
        editor.type(4, 0, "", end=(5, 0))
        editor.notify("textDocument/didSave", {"textDocument": {"uri": URI}})
    (row,) = rows.values()
    assert (row.mode, row.outcome, row.verdict) == ("completion", "applied", "accepted")
    assert (row.lines_written, row.lines_surviving, row.requests) == (2, 1, 1)
    assert row.output_tokens


async def test_a_suggestion_that_is_only_shown_is_recorded_as_shown(tmp_path: Path) -> None:
    rows: list[EditRow] = []
    async with suggesting(tmp_path, [Script("return 1")]) as (editor, _):
        record_into(editor, rows.append)
        editor.open(TEXT)
        for _ in range(2):
            assert await items_at(editor, 4, 4)
    assert [(row.outcome, row.verdict) for row in rows] == [("shown", None)]


async def test_an_unknown_suggestion_is_ignored(tmp_path: Path) -> None:
    async with suggesting(tmp_path, []) as (editor, _):
        assert await editor.command("twospeed.completionAccepted", "s99") is None
        with pytest.raises(RequestFailed, match="-32602"):
            await editor.command("twospeed.completionAccepted")
        assert shown_to_person(editor) == []


async def test_a_suggestion_that_came_while_the_user_typed_can_be_accepted(tmp_path: Path) -> None:
    def answer(_: RecordedRequest) -> Script:
        editor.type(4, 4, "ret")
        return Script(ANSWER)

    async with suggesting(tmp_path, answer) as (editor, _):
        editor.open(TEXT)
        assert await items_at(editor, 4, 4) == []
        (item,) = await items_at(editor, 4, 7)
        await accept(editor, item)
        assert await text_after(editor) == IMPORTED.replace("    \n", "    return Decimal(math.pi)\n")

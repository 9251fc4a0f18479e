"""Imports that an answer brings above its function land in the import block, with the edit."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.scenarios.editor import STREAMING, URI, Editor, place_range
from tests.scenarios.scripted import result_of, steps_of, text_of, wait_for_requests
from tests.scenarios.shop import NEW, OLD, TEXT

from twospeed.models.base import Finished, TextDelta
from twospeed.testing.scripted_model import ScriptedModel

FIRST = 3
KINDS = pytest.mark.parametrize("kind", [STREAMING, None], ids=["streaming", "stock"])
ROUNDED = OLD.replace("return result", "return Decimal(result)")
IMPORT = "from decimal import Decimal"
ANSWER = f"{IMPORT}\n\n\n{ROUNDED}"
EDITED = TEXT.replace("import math\n", f"import math\n{IMPORT}\n").replace(OLD, ROUNDED)


async def begun(kind: Any, answer: str = ANSWER, text: str = TEXT, **options: Any) -> Editor:
    editor = await Editor.started(kind, **options)
    editor.open(text)
    editor.serve(ScriptedModel(steps_of(answer)))
    return editor


def sent_by(editor: Editor) -> list[Any]:
    """Return the requests that changed text or ended the undo step."""
    return [params for method, params in editor.requests if method.endswith("applyEdit")]


@KINDS
async def test_an_import_lands_in_the_import_block(kind: Any) -> None:
    async with await begun(kind) as editor:
        result = await editor.edit(FIRST)
        assert text_of(editor) == EDITED
        assert (result["outcome"], result["newText"]) == ("applied", ROUNDED)
        (also,) = result["alsoChanged"]
        assert also["kind"] == "imports"
        assert [hunk["id"] for hunk in also["hunks"]] == ["i1"]
        assert [hunk["range"]["start"]["line"] for hunk in also["hunks"]] == [1]
        assert [hunk["id"] for hunk in result["hunks"]] == ["h1"]
        assert (result["stats"]["linesAdded"], result["stats"]["linesRemoved"]) == (2, 1)
        assert result["findings"] == []


async def test_a_stock_editor_receives_both_places_in_one_edit() -> None:
    async with await begun(None) as editor:
        await editor.edit(FIRST)
        (sent,) = sent_by(editor)
        (change,) = sent["edit"]["documentChanges"]
        assert len(change["edits"]) == 2


async def test_the_last_streamed_batch_contains_the_imports() -> None:
    async with await begun(STREAMING) as editor:
        await editor.edit(FIRST)
        sent = sent_by(editor)
        assert [each["undoStopBefore"] for each in sent] == [True, *[False] * (len(sent) - 1)]
        assert [each["undoStopAfter"] for each in sent] == [*[False] * (len(sent) - 1), True]
        assert any(IMPORT in edit["newText"] for edit in sent[-1]["edits"])


async def test_a_preview_contains_both_places() -> None:
    async with await begun(None) as editor:
        result = await editor.edit(FIRST, deliver="preview")
        assert text_of(editor) == TEXT
        (change,) = result["edit"]["documentChanges"]
        buffer = editor.open(TEXT, uri="file:///other.py")
        buffer.apply(change["edits"])
        assert buffer.text == EDITED
        assert [each["range"]["start"]["line"] for each in result["alsoChanged"]] == [0]


@KINDS
async def test_reject_restores_both_places(kind: Any) -> None:
    async with await begun(kind) as editor:
        result = await editor.edit(FIRST)
        decided = {"editId": result["editId"], "action": "reject"}
        left = await editor.request("twospeed/decide", decided)
        assert text_of(editor) == TEXT
        assert (left["hunks"], left["alsoChanged"]) == ([], [])


@pytest.mark.parametrize(("line", "is_offered"), [(1, True), (FIRST + 2, True), (12, False)])
async def test_code_actions_decide_the_edit_at_both_places(line: int, is_offered: bool) -> None:
    async with await begun(None) as editor:
        await editor.edit(FIRST)
        params = {
            "textDocument": {"uri": URI},
            "range": place_range(line, 0, line, 0),
            "context": {"diagnostics": []},
        }
        titles = [each["title"] for each in await editor.request("textDocument/codeAction", params)]
        assert ("⚡ Reject this edit" in titles) == is_offered


async def test_each_place_is_decided_alone(streaming: Editor) -> None:
    streaming.serve(ScriptedModel(steps_of(ANSWER)))
    edit_id = (await streaming.edit(FIRST))["editId"]
    left = await streaming.request("twospeed/decide", {"editId": edit_id, "action": "reject", "hunk": "i1"})
    assert text_of(streaming) == TEXT.replace(OLD, ROUNDED)
    assert [hunk["id"] for hunk in left["hunks"]] == ["h1"]
    assert left["alsoChanged"] == []
    left = await streaming.request("twospeed/decide", {"editId": edit_id, "action": "reject", "hunk": "h1"})
    assert text_of(streaming) == TEXT
    assert left["hunks"] == []


async def test_an_accepted_import_stays_when_the_rest_is_rejected(streaming: Editor) -> None:
    streaming.serve(ScriptedModel(steps_of(ANSWER)))
    edit_id = (await streaming.edit(FIRST))["editId"]
    await streaming.request("twospeed/decide", {"editId": edit_id, "action": "accept", "hunk": "i1"})
    await streaming.request("twospeed/decide", {"editId": edit_id, "action": "reject"})
    assert text_of(streaming) == TEXT.replace("import math\n", f"import math\n{IMPORT}\n")


@KINDS
async def test_typing_in_the_import_block_is_followed(kind: Any) -> None:
    async with await begun(kind) as editor:
        result = await editor.edit(FIRST)
        editor.type(0, 0, "import os\n")
        editor.type(0, 0, "# imports\n")
        await editor.request("twospeed/decide", {"editId": result["editId"], "action": "reject"})
        assert text_of(editor) == "# imports\nimport os\n" + TEXT


@KINDS
@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("import os\n", "import os\nimport math\nfrom decimal import Decimal\n"),
        (f"{IMPORT}\n", f"{IMPORT}\nimport math\n"),
    ],
    ids=["another import", "the same import"],
)
async def test_imports_are_placed_in_the_text_of_the_moment(kind: Any, typed: str, expected: str) -> None:
    async with await Editor.started(kind) as editor:
        editor.open(TEXT)
        go_on = asyncio.Event()
        editor.serve(ScriptedModel([TextDelta(ANSWER[:60]), go_on, TextDelta(ANSWER[60:]), Finished("stop")]))
        _, running = editor.ask("twospeed/edit", editor.edit_params(FIRST))
        editor.type(0, 0, typed)
        go_on.set()
        assert (await result_of(running))["outcome"] == "applied"
        assert text_of(editor) == expected + EDITED.partition(f"{IMPORT}\n")[2]


@KINDS
async def test_two_edits_add_the_same_import_once(kind: Any) -> None:
    area = TEXT[TEXT.index("def area") :]
    other = f"{IMPORT}\n\n\n" + area.replace("math.pi", "Decimal(math.pi)")
    async with await Editor.started(kind) as editor:
        editor.open(TEXT)
        editor.serve(ScriptedModel(steps_of(ANSWER), steps_of(other)))
        running = [editor.ask("twospeed/edit", editor.edit_params(line))[1] for line in (FIRST, 11)]
        results = [await result_of(each) for each in running]
        assert [each["outcome"] for each in results] == ["applied", "applied"]
        assert text_of(editor) == EDITED.replace("math.pi", "Decimal(math.pi)")
        assert sorted(len(each["alsoChanged"]) for each in results) == [0, 1]


@KINDS
async def test_another_answer_replaces_the_imports_too(kind: Any) -> None:
    fraction = ANSWER.replace("decimal", "fractions").replace("Decimal", "Fraction")
    async with await Editor.started(kind) as editor:
        editor.open(TEXT)
        editor.serve(ScriptedModel(steps_of(ANSWER), steps_of(fraction), steps_of(NEW)))
        result = await editor.edit(FIRST, variations=3)
        texts = [text_of(editor)]
        for _ in range(3):
            await editor.request("twospeed/variation", {"editId": result["editId"], "step": 1})
            texts.append(text_of(editor))
        with_fraction = EDITED.replace("decimal", "fractions").replace("Decimal", "Fraction")
        assert texts == [EDITED, with_fraction, TEXT.replace(OLD, NEW), EDITED]
        await editor.request("twospeed/decide", {"editId": result["editId"], "action": "reject"})
        assert text_of(editor) == TEXT


UNDO = [
    {"range": place_range(8, 4, 8, 26), "text": "return result"},
    {"range": place_range(1, 0, 2, 0), "text": ""},
]


@KINDS
@pytest.mark.parametrize("changes", [UNDO, [{"text": TEXT}]], ids=["two changes", "the whole text"])
async def test_an_undo_in_the_editor_takes_both_back_and_ends_the_edit(kind: Any, changes: Any) -> None:
    async with await begun(kind) as editor:
        result = await editor.edit(FIRST)
        document = {"uri": URI, "version": editor.buffers[URI].version + 1}
        editor.notify("textDocument/didChange", {"textDocument": document, "contentChanges": changes})
        status = await editor.request("twospeed/status", {})
        assert [(each["editId"], each["state"], each["verdict"]) for each in status["edits"]] == [
            (result["editId"], "ended", "rejected")
        ]


async def test_a_cancelled_edit_adds_no_import(streaming: Editor) -> None:
    wait = asyncio.Event()
    model = ScriptedModel([TextDelta(ANSWER[:-20]), wait, Finished("stop")])
    streaming.serve(model)
    _, running = streaming.ask("twospeed/edit", streaming.edit_params(FIRST, editId="c1"))
    await wait_for_requests(model)
    await streaming.request("twospeed/cancel", {"editId": "c1"})
    assert (await result_of(running))["outcome"] == "cancelled"
    assert text_of(streaming) == TEXT


@KINDS
async def test_a_file_without_imports_gets_its_first(kind: Any) -> None:
    text = TEXT.removeprefix("import math\n\n\n")
    async with await begun(kind, text=text) as editor:
        result = await editor.edit(0)
        assert result["outcome"] == "applied"
        assert text_of(editor) == f"{IMPORT}\n\n\n" + text.replace(OLD, ROUNDED)
        await editor.request("twospeed/decide", {"editId": result["editId"], "action": "reject"})
        assert text_of(editor) == text


@KINDS
async def test_an_import_that_the_file_has_is_not_added(kind: Any) -> None:
    async with await begun(kind, answer=f"import math\n\n\n{NEW}") as editor:
        result = await editor.edit(FIRST)
        assert text_of(editor) == TEXT.replace(OLD, NEW)
        assert (result["alsoChanged"], result["findings"]) == ([], [])


@KINDS
async def test_an_import_whose_place_is_uncertain_is_reported(kind: Any) -> None:
    text = TEXT.replace("import math\n", "import math\n\nDecimal = float\n")
    async with await begun(kind, text=text) as editor:
        result = await editor.edit(6)
        assert text_of(editor) == text.replace(OLD, ROUNDED)
        (finding,) = result["findings"]
        assert (finding["code"], finding["severity"]) == ("import-not-added", 2)
        assert IMPORT in finding["message"]


OFFER, OFF = '[edit]\nimports = "offer"\n', '[edit]\nimports = "off"\n'


@KINDS
async def test_imports_can_be_offered_instead(kind: Any, tmp_path: Any) -> None:
    config = tmp_path / "config.toml"
    config.write_text(OFFER)
    async with await begun(kind, environ={"TWOSPEED_CONFIG": str(config)}) as editor:
        result = await editor.edit(FIRST)
        assert text_of(editor) == TEXT.replace(OLD, ROUNDED)
        codes = {each["code"]: each["message"] for each in result["findings"]}
        assert codes["import-not-added"] == f"the answer needs an import: {IMPORT}"


async def test_imports_can_stay_where_the_model_wrote_them(tmp_path: Any) -> None:
    config = tmp_path / "config.toml"
    config.write_text(OFF)
    fenced = f"```python\n{ANSWER}```\n"
    async with await begun(None, fenced, environ={"TWOSPEED_CONFIG": str(config)}) as editor:
        result = await editor.edit(FIRST)
        assert text_of(editor) == TEXT.replace(OLD, ANSWER)
        assert result["alsoChanged"] == []

"""A cell of a notebook is edited as a document: the edit never leaves it, and the cells above are read."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.scenarios.editor import LITERALS, URI, Editor, RequestFailed, place_range
from tests.scenarios.notebooks.notebook import KINDS, NOTEBOOK, NotebookEditor, cell_uri
from tests.scenarios.scripted import prompts_of, result_of, steps_of, wait_for_requests
from tests.scenarios.shop import EDITED, NEW, OLD, TEXT

from twospeed.models.base import Finished, TextDelta
from twospeed.testing.scripted_model import ScriptedModel

FIRST = 3
LOAD = "import pandas as pd\n\nframe = pd.read_csv('sales.csv')\n"
SHOW = "frame.plot()"
BOTH = pytest.mark.parametrize("kind", KINDS)


@pytest.fixture
async def editor() -> AsyncIterator[NotebookEditor]:
    """A streaming editor whose notebook has the cells a to c; b is the shop."""
    async with await NotebookEditor.started(KINDS["streaming"]) as editor:
        editor.open_notebook(a=LOAD, b=TEXT, c=SHOW)
        yield editor


def served(editor: Editor, answer: str = NEW) -> ScriptedModel:
    model = ScriptedModel(steps_of(answer))
    editor.serve(model)
    return model


async def test_notebooks_are_announced_to_clients_that_have_them() -> None:
    async with await Editor.started(KINDS["stock"]) as editor:
        capabilities = editor.initialized["capabilities"]
        assert capabilities["notebookDocumentSync"] == {"notebookSelector": [{"notebook": "*"}], "save": True}
        assert "notebooks" in capabilities["experimental"]["twospeed"]["features"]
    async with await Editor.started() as editor:
        assert "notebookDocumentSync" not in editor.initialized["capabilities"]


@BOTH
async def test_an_edit_of_a_cell_has_the_exact_result(kind: str) -> None:
    async with await NotebookEditor.started(KINDS[kind]) as editor:
        editor.open_notebook(a=LOAD, b=TEXT, c=SHOW)
        served(editor)
        result = await editor.edit(FIRST, uri=cell_uri("b"))
        assert (editor.text("a"), editor.text("b"), editor.text("c")) == (LOAD, EDITED, SHOW)
        assert (result["outcome"], result["reason"]) == ("applied", None)
        assert result["scope"] == {"kind": "function", "name": "total", "range": place_range(3, 0, 8, 0)}
        changed = {
            params["edit"]["documentChanges"][0]["textDocument"]["uri"]
            if "edit" in params
            else params["textDocument"]["uri"]
            for method, params in editor.requests
            if method.endswith("applyEdit")
        }
        assert changed == {cell_uri("b")}
        rejected = await editor.request("twospeed/decide", {"editId": result["editId"], "action": "reject"})
        assert (editor.text("b"), rejected["hunks"]) == (TEXT, [])


async def test_text_typed_meanwhile_stays(editor: NotebookEditor) -> None:
    go_on = asyncio.Event()
    half = NEW.index("    return")
    editor.serve(ScriptedModel([TextDelta(NEW[:half]), go_on, TextDelta(NEW[half:]), Finished("stop")]))
    _, running = editor.ask("twospeed/edit", editor.edit_params(FIRST, uri=cell_uri("b")))
    await editor.wait_for(lambda: "amount = 0" in editor.text("b"))
    editor.type(0, 0, "# typed\n", uri=cell_uri("b"))
    editor.type(0, 0, "# in another cell\n", uri=cell_uri("a"))
    go_on.set()
    result = await result_of(running)
    assert result["outcome"] == "applied"
    assert editor.text("b") == "# typed\n" + EDITED
    assert editor.text("a") == "# in another cell\n" + LOAD


@pytest.mark.parametrize("reports_close", [True, False])
async def test_an_edit_ends_with_its_deleted_cell_as_with_a_closed_document(
    editor: NotebookEditor, reports_close: bool
) -> None:
    model = ScriptedModel([TextDelta(NEW[:60]), asyncio.Event()])
    editor.serve(model)
    editor.open(TEXT)
    _, in_file = editor.ask("twospeed/edit", editor.edit_params(FIRST))
    await wait_for_requests(model, 1)
    editor.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
    _, in_cell = editor.ask("twospeed/edit", editor.edit_params(FIRST, uri=cell_uri("b")))
    await wait_for_requests(model, 2)
    editor.delete("b", reports_close=reports_close)
    expected, result = await result_of(in_file), await result_of(in_cell)
    assert (result["outcome"], result["reason"]) == (expected["outcome"], expected["reason"])
    assert result["outcome"] == "cancelled"
    with pytest.raises(RequestFailed, match="not open"):
        await editor.edit(FIRST, uri=cell_uri("b"))
    served(editor)
    assert (await editor.edit(0, uri=cell_uri("c")))["outcome"] == "applied"


async def test_an_edit_continues_in_a_cell_that_is_moved(editor: NotebookEditor) -> None:
    go_on = asyncio.Event()
    editor.serve(ScriptedModel([TextDelta(NEW[:60]), go_on, TextDelta(NEW[60:]), Finished("stop")]))
    _, running = editor.ask("twospeed/edit", editor.edit_params(FIRST, uri=cell_uri("b")))
    await editor.wait_for(lambda: editor.text("b") != TEXT)
    editor.restructure(1, 2, ["c", "b"])
    go_on.set()
    assert (await result_of(running))["outcome"] == "applied"
    assert editor.text("b") == EDITED


async def test_the_request_has_the_code_cells_above_and_not_those_below() -> None:
    async with await NotebookEditor.started(KINDS["streaming"]) as editor:
        languages = {"b": "markdown", "c": "sql"}
        editor.open_notebook(
            languages, a=LOAD, b="# Sales of May\n", c="select 1 as one", d=TEXT, e="SECOND = frame.sum()"
        )
        model = served(editor)
        await editor.edit(FIRST, uri=cell_uri("d"))
        (prompt,) = prompts_of(model)
        assert LOAD in prompt
        for absent in ("Sales of May", "select 1", "SECOND"):
            assert absent not in prompt
        cells, above = prompt.index("=== cells of the notebook above"), prompt.index("=== lines above")
        assert cells < prompt.index("read_csv") < above < prompt.index("import math")
        assert 'file: "sales.ipynb"' in prompt


async def test_the_first_cell_has_nothing_above(editor: NotebookEditor) -> None:
    model = served(editor, LOAD)
    await editor.edit(2, uri=cell_uri("a"))
    assert "cells of the notebook" not in prompts_of(model)[0]


async def test_the_cells_above_are_those_of_the_moment(editor: NotebookEditor) -> None:
    editor.type(2, 0, "LIMIT = 7\n", uri=cell_uri("a"))
    editor.insert(1, "x", "INSERTED = 1\n")
    editor.insert(3, "y", "BELOW = 1\n")
    editor.delete("c")
    editor.restructure(0, 2, ["x", "a"])  # moved
    model = served(editor, TEXT)
    await editor.edit(FIRST, scope="file", uri=cell_uri("b"))
    (prompt,) = prompts_of(model)
    assert prompt.index("INSERTED = 1\n\nimport pandas") < prompt.index("LIMIT = 7")
    assert "BELOW" not in prompt


async def test_a_cell_that_becomes_text_is_not_read(editor: NotebookEditor) -> None:
    editor.languages["a"] = "markdown"
    editor.change({"data": [editor._cell("a")]})
    model = served(editor)
    await editor.edit(FIRST, uri=cell_uri("b"))
    assert "read_csv" not in prompts_of(model)[0]


async def test_many_cells_above_are_bounded_and_the_nearest_are_kept() -> None:
    texts = {f"n{number}": f"# number {number}\n" + "x = 1  # filler\n" * 400 for number in range(60)}
    async with await NotebookEditor.started(KINDS["streaming"]) as editor:
        editor.open_notebook(**texts, last=TEXT)
        model = served(editor)
        assert (await editor.edit(FIRST, uri=cell_uri("last")))["outcome"] == "applied"
        (prompt,) = prompts_of(model)
        assert "# number 59\n" in prompt
        assert "# number 0\n" not in prompt
        assert "cells of the notebook above this one, to be read (" in prompt
        assert " more left out) ===" in prompt
        assert "import math" in prompt


@pytest.mark.security("R4.1")
async def test_the_path_of_the_notebook_decides_whether_a_cell_is_sent(tmp_path: Path) -> None:
    async with await NotebookEditor.started(
        KINDS["streaming"], root=tmp_path.as_uri(), options={"ignore": ["private/*"]}
    ) as editor:
        model = served(editor)
        for folder, is_sent in (("private", False), (".ssh", False), ("public", True)):
            notebook = f"{tmp_path.as_uri()}/{folder}/sales.ipynb"
            editor.open_notebook(notebook=notebook, a=LOAD, b=TEXT)
            result = await editor.edit(FIRST, uri=editor.uri("b"))
            assert (result["outcome"] == "applied") is is_sent, folder
        assert len(model.requests) == 1


@pytest.mark.security("R3.1")
async def test_secrets_in_the_cells_above_are_hidden(editor: NotebookEditor) -> None:
    key = "sk-proj-" + "Ab3dEf6hIj9kLm2nOp5q" * 3
    editor.type(0, 0, f'client = OpenAI(api_key="{key}")\n', uri=cell_uri("a"))
    model = served(editor)
    await editor.edit(FIRST, uri=cell_uri("b"))
    (prompt,) = prompts_of(model)
    assert "client = OpenAI" in prompt
    assert key not in prompt


async def test_imports_land_in_the_cell(editor: NotebookEditor) -> None:
    rounded = OLD.replace("return result", "return Decimal(result)")
    served(editor, f"from decimal import Decimal\n\n\n{rounded}")
    result = await editor.edit(FIRST, uri=cell_uri("b"))
    expected = TEXT.replace("import math\n", "import math\nfrom decimal import Decimal\n").replace(
        OLD, rounded
    )
    assert (editor.text("b"), editor.text("a")) == (expected, LOAD)
    assert [each["kind"] for each in result["alsoChanged"]] == ["imports"]


async def test_a_name_of_a_cell_above_is_defined(editor: NotebookEditor) -> None:
    for name, codes in (("frame", []), ("display", []), ("nowhere", ["unknown-name"])):
        served(editor, NEW.replace("amount = 0", f"amount = {name}"))
        result = await editor.edit(FIRST, uri=cell_uri("b"))
        assert [each["code"] for each in result["findings"]] == codes, name
        await editor.request("twospeed/decide", {"editId": result["editId"], "action": "reject"})


async def test_saving_the_notebook_accepts_the_edits_of_its_cells(editor: NotebookEditor) -> None:
    served(editor)
    result = await editor.edit(FIRST, uri=cell_uri("b"))
    editor.save_notebook()
    await editor.wait_for(
        lambda: any(
            each["editId"] == result["editId"] and each["verdict"] == "accepted"
            for each in editor.messages("twospeed/editChanged")
        )
    )


async def test_a_closed_notebook_has_no_documents(editor: NotebookEditor) -> None:
    editor.close_notebook()
    for name in "abc":
        with pytest.raises(RequestFailed, match="not open"):
            await editor.edit(0, uri=cell_uri(name))


async def test_a_notebook_that_is_opened_again_has_its_new_cells(editor: NotebookEditor) -> None:
    editor.open_notebook(b=TEXT, d="TOTAL = 1")
    with pytest.raises(RequestFailed, match="not open"):
        await editor.edit(0, uri=cell_uri("a"))
    model = served(editor)
    assert (await editor.edit(FIRST, uri=cell_uri("b")))["outcome"] == "applied"
    assert "read_csv" not in prompts_of(model)[0]


async def test_a_cell_of_a_notebook_that_is_not_open_is_edited_alone() -> None:
    async with await NotebookEditor.started(KINDS["streaming"]) as editor:
        editor.insert(0, "a", LOAD)
        editor.insert(1, "b", TEXT)
        model = served(editor)
        assert (await editor.edit(FIRST, uri=cell_uri("b")))["outcome"] == "applied"
        assert "read_csv" not in prompts_of(model)[0]


async def test_a_change_that_cannot_be_read_ends_the_edits_of_the_notebook_alone(
    editor: NotebookEditor,
) -> None:
    editor.open(TEXT)
    served(editor)
    editor.change({"structure": {"array": {"start": "one"}}})
    for name in "abc":
        with pytest.raises(RequestFailed, match="a change of the document was not understood"):
            await editor.edit(0, uri=cell_uri(name))
    assert (await editor.edit(FIRST))["outcome"] == "applied"
    editor.open_notebook(b=TEXT)
    assert (await editor.edit(FIRST, uri=cell_uri("b")))["outcome"] == "applied"


async def test_a_message_of_a_notebook_that_is_no_json_concerns_its_cells_alone(
    editor: NotebookEditor,
) -> None:
    editor.open(TEXT)
    served(editor)
    head = (
        b'{"jsonrpc":"2.0","method":"notebookDocument/didChange","params":{"notebookDocument":{"uri":"%s"},['
    )
    editor.server.receive_body(head % NOTEBOOK.encode())
    with pytest.raises(RequestFailed, match="a change of the document was lost"):
        await editor.edit(FIRST, uri=cell_uri("b"))
    assert (await editor.edit(FIRST))["outcome"] == "applied"


async def test_a_notebook_may_be_larger_than_a_message_without_documents(editor: NotebookEditor) -> None:
    large = "# comment\n" * 120_000
    editor.open_notebook(a=large, b=TEXT)
    served(editor)
    assert (await editor.edit(FIRST, uri=cell_uri("b")))["outcome"] == "applied"
    editor.insert(0, "c", large)
    assert (await editor.edit(FIRST, uri=cell_uri("b")))["outcome"] == "unchanged"


async def test_a_wrong_change_of_one_cell_leaves_the_others(editor: NotebookEditor) -> None:
    wrong = {
        "document": {"uri": cell_uri("a"), "version": 2},
        "changes": [{"range": place_range(99, 0, 99, 0), "text": "x"}],
    }
    right = {"document": {"uri": cell_uri("c"), "version": 2}, "changes": [{"text": TEXT}]}
    editor.buffers[cell_uri("c")].text, editor.buffers[cell_uri("c")].version = TEXT, 2
    editor.change({"textContent": [wrong, right]})
    served(editor)
    assert (await editor.edit(FIRST, uri=cell_uri("c")))["outcome"] == "applied"
    with pytest.raises(RequestFailed):
        await editor.edit(0, uri=cell_uri("a"))


async def test_code_actions_of_a_cell_are_those_of_a_document() -> None:
    async with await NotebookEditor.started(KINDS["stock"] | LITERALS) as editor:
        editor.open_notebook(a=LOAD, b=f"# ai: count them\n{TEXT}")
        params = {
            "textDocument": {"uri": cell_uri("b")},
            "range": place_range(0, 0, 0, 0),
            "context": {"diagnostics": []},
        }
        actions = await editor.request("textDocument/codeAction", params)
        assert any("count them" in action["title"] for action in actions)


def test_the_notebook_of_these_tests_is_a_file() -> None:
    assert cell_uri("a") == "vscode-notebook-cell:///project/sales.ipynb#a"
    assert NOTEBOOK.startswith("file:")

"""Findings are diagnostics while an edit is in review, with actions for each."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.scenarios.editor import LITERALS, STREAMING, URI, Editor, place_range
from tests.scenarios.shop import NEW, OLD, TEXT

from twospeed.models.base import Model
from twospeed.testing.scripted_model import ScriptedModel, scripted_answer

SHOWS: dict[str, Any] = {
    **STREAMING,
    "textDocument": {**LITERALS["textDocument"], "publishDiagnostics": {"versionSupport": True}},
    "workspace": {"workspaceEdit": {"documentChanges": True}},
}
DUMPS = OLD.replace("return result", "return json.dumps(result)")
"""An answer that uses a module nobody imports, in line 7 of the document."""

TOTAL = """\
def total(items):
    result = 0
    for item in items:
        if item.due:
            result += item.price
    return result
"""
LATER = "def later():\n    return None\n"
BILLING = f"{TOTAL}\n\n{LATER}"

AT_DUMPS = place_range(7, 4, 7, 29)


@pytest.fixture
async def showing() -> AsyncIterator[Editor]:
    """An editor that shows diagnostics."""
    async with await Editor.started(SHOWS) as editor:
        editor.open(TEXT)
        yield editor


def shown(editor: Editor) -> list[Any]:
    return editor.messages("textDocument/publishDiagnostics")


async def edited(editor: Editor, answer: str = DUMPS) -> Any:
    model: Model = ScriptedModel(scripted_answer(answer), scripted_answer(answer))
    editor.serve(model)
    return await editor.edit(4)


async def actions(editor: Editor, line: int) -> list[Any]:
    (last,) = shown(editor)[-1:]
    found = await editor.request(
        "textDocument/codeAction",
        {
            "textDocument": {"uri": URI},
            "range": place_range(line, 0, line, 0),
            "context": {"diagnostics": last["diagnostics"], "only": ["quickfix"]},
        },
    )
    assert isinstance(found, list)
    return found


async def test_a_finding_is_shown_at_its_lines_and_the_document_version(showing: Editor) -> None:
    result = await edited(showing)
    (said,) = shown(showing)
    assert said["uri"] == URI
    assert said["version"] == showing.buffers[URI].version
    assert said["diagnostics"] == [
        {
            "range": AT_DUMPS,
            "severity": 2,
            "code": "unknown-name",
            "source": "twospeed",
            "message": '"json" is neither defined nor imported in this file',
        }
    ]
    assert [each["code"] for each in result["findings"]] == ["unknown-name"]


async def test_an_answer_without_findings_publishes_no_diagnostics(showing: Editor) -> None:
    await edited(showing, NEW)
    assert shown(showing) == []


async def test_an_editor_that_did_not_announce_diagnostics_gets_none(streaming: Editor) -> None:
    await edited(streaming)
    assert shown(streaming) == []


@pytest.mark.parametrize("action", ["accept", "reject"])
async def test_a_decision_clears_the_findings(showing: Editor, action: str) -> None:
    result = await edited(showing)
    await showing.request("twospeed/decide", {"editId": result["editId"], "action": action})
    assert [said["diagnostics"] for said in shown(showing)[1:]] == [[]]


async def test_undoing_the_edit_clears_the_findings(showing: Editor) -> None:
    await edited(showing)
    showing.type(7, 11, "result", end=(7, 29))
    assert [said["diagnostics"] for said in shown(showing)[1:]] == [[]]


async def test_closing_the_document_clears_the_findings(showing: Editor) -> None:
    await edited(showing)
    showing.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
    assert [said["diagnostics"] for said in shown(showing)[1:]] == [[]]


async def test_a_finding_moves_with_lines_typed_above_it(showing: Editor) -> None:
    await edited(showing)
    showing.type(0, 0, "# shop\n")
    *_, said = shown(showing)
    assert len(shown(showing)) == 2
    assert said["diagnostics"][0]["range"] == place_range(8, 4, 8, 29)
    assert said["version"] == showing.buffers[URI].version


async def test_typing_that_moves_no_finding_publishes_nothing(showing: Editor) -> None:
    await edited(showing)
    showing.type(11, 0, "# below\n")
    showing.type(0, 11, "  # above")
    assert len(shown(showing)) == 1


async def test_a_finding_ends_with_its_line(showing: Editor) -> None:
    await edited(showing)
    showing.type(7, 0, "", end=(8, 0))
    assert [said["diagnostics"] for said in shown(showing)[1:]] == [[]]


async def test_a_line_that_is_typed_in_keeps_its_finding(showing: Editor) -> None:
    await edited(showing)
    showing.type(7, 29, "  # as text")
    assert shown(showing)[-1]["diagnostics"][0]["range"] == place_range(7, 4, 7, 40)


async def test_a_finding_of_several_lines_shrinks_with_them(showing: Editor) -> None:
    await edited(showing, OLD + "".join(f"    number_{n} = {n}\n" for n in range(60)))
    (said,) = shown(showing)
    assert [(each["code"], each["range"]["start"]["line"]) for each in said["diagnostics"]] == [("growth", 3)]
    showing.type(3, 0, "", end=(5, 0))
    (found,) = shown(showing)[-1]["diagnostics"]
    assert found["range"] == place_range(3, 4, 65, 18)


async def test_the_fix_is_an_edit_at_the_current_version(showing: Editor) -> None:
    await edited(showing)
    showing.type(0, 0, "# shop\n")
    fix = next(each for each in await actions(showing, 8) if each.get("edit"))
    assert (fix["title"], fix["kind"]) == ("Add import json", "quickfix.twospeed")
    assert fix["diagnostics"] == shown(showing)[-1]["diagnostics"]
    (change,) = fix["edit"]["documentChanges"]
    assert change["textDocument"] == {"uri": URI, "version": showing.buffers[URI].version}
    showing.buffers[URI].apply(change["edits"])
    assert showing.buffers[URI].text.startswith("# shop\nimport json\nimport math\n\n")


async def test_an_applied_fix_ends_its_finding_and_not_the_edit(showing: Editor) -> None:
    result = await edited(showing)
    showing.type(1, 0, "import json\n")
    assert shown(showing)[-1]["diagnostics"] == []
    assert not [each for each in await actions(showing, 8) if each.get("edit")]
    status = await showing.request("twospeed/status", {})
    assert [(each["editId"], each["state"]) for each in status["edits"]] == [(result["editId"], "review")]


async def test_a_finding_can_be_dismissed(showing: Editor) -> None:
    await edited(showing)
    dismiss = next(each for each in await actions(showing, 7) if each["title"].startswith("Dismiss: "))
    await showing.command(dismiss["command"]["command"], *dismiss["command"]["arguments"])
    assert shown(showing)[-1]["diagnostics"] == []


async def test_a_finding_offers_a_retry_in_deep(showing: Editor) -> None:
    await edited(showing)
    retry = next(each for each in await actions(showing, 7) if "Retry in Deep" in each["title"])
    await showing.command(retry["command"]["command"], *retry["command"]["arguments"])
    await showing.wait_for(
        lambda: any(each["mode"] == "deep" for each in showing.messages("twospeed/editChanged"))
    )
    await showing.wait_for(lambda: shown(showing)[-1]["diagnostics"])
    assert [bool(said["diagnostics"]) for said in shown(showing)] == [True, False, True]


async def test_rejecting_a_hunk_removes_only_its_findings(showing: Editor) -> None:
    result = await edited(showing, DUMPS.replace("result = 0", "result = decimal.Decimal(0)"))
    assert [each["range"]["start"]["line"] for each in shown(showing)[-1]["diagnostics"]] == [4, 7]
    decision = {"editId": result["editId"], "action": "reject", "hunk": result["hunks"][0]["id"]}
    await showing.request("twospeed/decide", decision)
    assert [each["range"] for each in shown(showing)[-1]["diagnostics"]] == [AT_DUMPS]
    assert len(shown(showing)) == 2


async def test_a_repeated_function_is_reported_with_the_existing_one(showing: Editor) -> None:
    owed = "\n\ndef owed(things):\n    return sum(each.price for each in things if each.due)\n"
    showing.open(BILLING)
    result = await showing_answer(showing, LATER + owed, line=9)
    assert [each["message"] for each in result["findings"]] == ['"owed" does the same as "total" in line 1']
    assert result["findings"][0]["code"] == "duplicate-function"
    assert result["findings"][0]["range"] == place_range(12, 0, 13, 0)


async def test_a_function_under_another_name_is_not_reported_as_repeated(showing: Editor) -> None:
    showing.open(BILLING)
    result = await showing_answer(showing, TOTAL.replace("total", "sum_of_due"), line=1)
    assert "duplicate-function" not in [each["code"] for each in result["findings"]]


async def showing_answer(editor: Editor, answer: str, *, line: int) -> Any:
    editor.serve(ScriptedModel(scripted_answer(answer)))
    return await editor.edit(line)


async def test_a_function_of_another_file_is_reported_with_an_import_from_there(tmp_path: Path) -> None:
    root = tmp_path / "shop"
    root.mkdir()
    (root / "billing.py").write_text(TOTAL)
    (root / "rates.py").write_text("def rate_of(item):\n    return item.rate\n")
    till = (root / "till.py").as_uri()
    async with await Editor.started(SHOWS, root=root.as_uri()) as editor:
        editor.open(f"import math\n\n\n{LATER}", uri=till)
        document = {"uri": till, "version": 1}
        await editor.request("twospeed/prepare", {"textDocument": document, "range": place_range(3, 0, 3, 0)})
        assert editor.server.session
        assert editor.server.session.workspace.symbols.wait(20)
        owed = "\n\ndef owed(things):\n    return sum(each.price for each in things if each.due)\n"
        editor.serve(ScriptedModel(scripted_answer(LATER.replace("None", "rate_of(1)") + owed)))
        result = await editor.edit(3, uri=till)
    said = {each["code"]: each["message"] for each in result["findings"]}
    assert said == {
        "duplicate-function": '"owed" does the same as "total" in billing.py, line 1',
        "unknown-name": '"rate_of" is neither defined nor imported in this file',
    }

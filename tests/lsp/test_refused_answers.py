"""The answer of a refused edit is in its result, and the user may have it applied nevertheless."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.lsp.editor import LITERALS, STREAMING, URI, Editor, RequestFailed, place_range
from tests.lsp.model_lanes import with_lanes
from tests.lsp.shop import EDITED, NEW, OLD, TEXT

from twospeed.models.base import FinishReason
from twospeed.models.scripted import ScriptedModel, scripted_answer

FIRST = 3
SHOWING = {**STREAMING, "textDocument": {"publishDiagnostics": {}}}
ELIDED = NEW.replace("    amount = 0\n", "    # ... as before\n")
BROKEN = NEW.replace("in items:", "in (items:")
PART = "print(len(items))\n"
HALF = NEW[: NEW.index("    return")]
TALK = "I would write it with a sum,\nwhich is shorter.\n"
TWO = f"```python\n{NEW}```\n\nor\n\n```python\n{OLD.replace('price', 'cost')}```\n"
LONG = ELIDED + "".join(f"    print({number})\n" for number in range(400))

REFUSED = {
    "elided": (ELIDED, ELIDED),
    "elided in a block": (f"Here:\n\n```python\n{ELIDED}```\nDone.\n", ELIDED),
    "syntax": (f"```python\n{BROKEN}```\n", BROKEN),
    "partial": (f"```python\n{PART}```\n", PART),
    "not-code": (TALK, TALK),
    "ambiguous": (TWO, TWO),
    "truncated": (f"```python\n{HALF}", HALF),
    "elided and long": (LONG, LONG),
}


async def refuse(editor: Editor, answer: str, *, reason: FinishReason = "stop") -> Any:
    editor.serve(ScriptedModel(scripted_answer(answer, reason=reason)))
    result = await editor.edit(FIRST)
    assert result["outcome"] == "refused", result
    assert editor.buffers[URI].text == TEXT
    return result


async def apply_anyway(editor: Editor, *arguments: Any) -> Any:
    n_before = len((await editor.request("twospeed/status", {}))["edits"])
    await editor.command("twospeed.applyAnyway", *arguments)
    async with editor.news:
        await editor.news.wait_for(
            lambda: (changed := editor.messages("twospeed/editChanged")) and changed[-1]["state"] == "review"
        )
    edits = (await editor.request("twospeed/status", {}))["edits"]
    assert len(edits) == n_before + 1
    return edits[-1]


@pytest.mark.parametrize("name", REFUSED)
async def test_the_result_of_a_refused_edit_holds_its_answer(tmp_path: Path, name: str) -> None:
    answer, expected = REFUSED[name]
    async with with_lanes(tmp_path) as editor:
        result = await refuse(editor, answer)
        assert result["reason"]["code"] == name.partition(" ")[0]
        assert result["answer"] == expected


async def test_an_answer_that_the_provider_cut_off_is_kept_as_far_as_it_came(tmp_path: Path) -> None:
    async with with_lanes(tmp_path) as editor:
        assert (await refuse(editor, f"```python\n{HALF}", reason="length"))["answer"] == HALF


async def test_an_edit_that_lands_and_one_without_an_answer_hold_none(tmp_path: Path) -> None:
    async with with_lanes(tmp_path) as editor:
        assert (await refuse(editor, ""))["answer"] is None
        editor.serve(ScriptedModel(scripted_answer(NEW)))
        assert (await editor.edit(FIRST))["answer"] is None


@pytest.mark.parametrize("name", REFUSED)
async def test_a_refused_answer_is_applied_and_can_be_rejected(tmp_path: Path, name: str) -> None:
    answer, expected = REFUSED[name]
    async with with_lanes(tmp_path) as editor:
        refused = await refuse(editor, answer)
        edit = await apply_anyway(editor, {"editId": refused["editId"]})
        assert (edit["state"], edit["outcome"]) == ("review", "applied")
        assert editor.buffers[URI].text == TEXT.replace(OLD, expected)
        await editor.request("twospeed/decide", {"editId": edit["editId"], "action": "reject"})
        assert editor.buffers[URI].text == TEXT


async def test_it_is_one_undo_step_and_asks_no_model(tmp_path: Path) -> None:
    async with with_lanes(tmp_path, capabilities=SHOWING) as editor:
        await refuse(editor, f"```python\n{BROKEN}```\n")
        model = ScriptedModel(scripted_answer(NEW))
        editor.serve(model)
        n_before = len(editor.requests)
        await apply_anyway(editor)
        sent = [params for method, params in editor.requests[n_before:] if method == "twospeed/applyEdit"]
        assert [each["undoStopBefore"] for each in sent] == [True] + [False] * (len(sent) - 1)
        assert [each["undoStopAfter"] for each in sent] == [False] * (len(sent) - 1) + [True]
        assert model.requests == []
        shown = editor.messages("textDocument/publishDiagnostics")[-1]["diagnostics"]
        assert any("syntax error" in each["message"] for each in shown), "what the gate says is shown"


async def test_a_stock_client_finds_it_among_the_code_actions_until_the_text_changes(tmp_path: Path) -> None:
    async with with_lanes(tmp_path, capabilities=LITERALS) as editor:
        await refuse(editor, ELIDED)

        async def titles() -> list[str]:
            params = {
                "textDocument": {"uri": URI},
                "range": place_range(FIRST, 0, FIRST, 0),
                "context": {"diagnostics": []},
            }
            return [each["title"] for each in await editor.request("textDocument/codeAction", params)]

        assert "⚡ Apply the refused answer anyway" in await titles()
        editor.type(0, 0, "#")
        assert "⚡ Apply the refused answer anyway" not in await titles()
        with pytest.raises(RequestFailed, match="the text has changed since that edit ended"):
            await editor.command("twospeed.applyAnyway")
        editor.serve(ScriptedModel(scripted_answer(NEW)))
        await editor.edit(FIRST)
        assert editor.buffers[URI].text == "#" + EDITED
        with pytest.raises(RequestFailed, match="that edit has no answer that was refused"):
            await editor.command("twospeed.applyAnyway")

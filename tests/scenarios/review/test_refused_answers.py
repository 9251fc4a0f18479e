"""The answer of a refused edit is in its result, and the user may still apply it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pytest
from tests.scenarios.editor import LITERALS, STREAMING, URI, Editor, RequestFailed, place_range
from tests.scenarios.model_lanes import with_lanes
from tests.scenarios.shop import EDITED, NEW, OLD, TEXT

from twospeed.models.base import FinishReason
from twospeed.testing.scripted_model import ScriptedModel, Step, scripted_answer

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
async def test_the_result_of_a_refused_edit_contains_its_answer(tmp_path: Path, name: str) -> None:
    answer, expected = REFUSED[name]
    async with with_lanes(tmp_path) as editor:
        result = await refuse(editor, answer)
        assert result["reason"]["code"] == name.partition(" ")[0]
        assert result["answer"] == {"text": expected, "imports": [], "message": result["message"]}


async def test_an_answer_that_the_provider_cut_off_is_kept_up_to_the_cut(tmp_path: Path) -> None:
    async with with_lanes(tmp_path) as editor:
        assert (await refuse(editor, f"```python\n{HALF}", reason="length"))["answer"]["text"] == HALF


async def test_applied_edits_and_edits_without_an_answer_have_no_refused_answer(tmp_path: Path) -> None:
    async with with_lanes(tmp_path) as editor:
        assert (await refuse(editor, ""))["answer"] is None
        editor.serve(ScriptedModel(scripted_answer(NEW)))
        assert (await editor.edit(FIRST))["answer"] is None


@pytest.mark.parametrize("name", REFUSED)
async def test_a_refused_answer_is_applied_and_can_be_rejected(tmp_path: Path, name: str) -> None:
    answer, expected = REFUSED[name]
    async with with_lanes(tmp_path) as editor:
        refused = await refuse(editor, answer)
        edit = await apply_anyway(editor, refused["editId"])
        assert (edit["state"], edit["outcome"]) == ("review", "applied")
        assert editor.buffers[URI].text == TEXT.replace(OLD, expected)
        await editor.request("twospeed/decide", {"editId": edit["editId"], "action": "reject"})
        assert editor.buffers[URI].text == TEXT


async def test_applying_a_refused_answer_is_one_undo_step_without_a_request(tmp_path: Path) -> None:
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
        assert any("syntax error" in each["message"] for each in shown), "the message of the gate is shown"


async def test_a_refused_answer_is_a_code_action_until_the_text_changes(tmp_path: Path) -> None:
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
        with pytest.raises(RequestFailed, match="that edit has no refused answer"):
            await editor.command("twospeed.applyAnyway")


async def test_prose_of_the_answer_is_kept_with_the_result(tmp_path: Path) -> None:
    async with with_lanes(tmp_path) as editor:
        prose = "".join(f"Line {number}.\n\n" for number in range(9))
        editor.serve(ScriptedModel(scripted_answer(f"I count them.\n\n```python\n{NEW}```\n\n{prose}")))
        result = await editor.edit(FIRST)
        assert result["outcome"] == "applied"
        assert result["message"] == "I count them.\nLine 0.\nLine 1.\nLine 2.\nLine 3."
        assert editor.buffers[URI].text == EDITED


async def test_code_alone_has_no_message_and_a_long_message_is_cut(tmp_path: Path) -> None:
    async with with_lanes(tmp_path) as editor:
        editor.serve(ScriptedModel(scripted_answer(f"```python\n{NEW}```\n")))
        assert (await editor.edit(FIRST))["message"] is None
        editor.serve(ScriptedModel(scripted_answer(f"{'x' * 900}\n```python\n{NEW}```\n")))
        assert (await editor.edit(FIRST))["message"] == "x" * 500


COUNT = {"uri": URI, "range": place_range(FIRST, 0, FIRST, 0), "instruction": "count them"}


async def told(editor: Editor, *answer: Step, typed: Callable[[], None] = lambda: None) -> list[Any]:
    """Run an edit by command, as a stock client does; return the messages shown to the user."""
    editor.serve(ScriptedModel(answer))
    n_before = len(editor.messages("window/showMessage"))
    begun = await editor.command("twospeed.edit", COUNT)
    typed()
    session = editor.server.session
    assert session
    await session.scheduler.get_any(begun["editId"]).finished
    await editor.request("twospeed/status", {})
    return [(each["type"], each["message"]) for each in editor.messages("window/showMessage")[n_before:]]


async def test_a_stock_client_shows_that_nothing_changed_with_the_models_message(
    tmp_path: Path,
) -> None:
    async with with_lanes(tmp_path, capabilities={}) as editor:
        unchanged = "\u26a1 unchanged: the model returned the lines as they are"
        block = f"```python\n{OLD}```\n"
        assert await told(editor, *scripted_answer(block)) == [(3, unchanged)]
        said = [(3, f"{unchanged}; its message: It counts them already.")]
        assert await told(editor, *scripted_answer(f"It counts them already.\n\n{block}")) == said


async def test_a_stock_client_shows_how_many_typed_lines_stay(tmp_path: Path) -> None:
    async with with_lanes(tmp_path, capabilities={}) as editor:
        go_on = asyncio.Event()

        def typed() -> None:
            editor.type(6, len("        result += item.price"), "  # mine")
            go_on.set()

        new = OLD.replace("item.price", "item.price * item.count").replace("result = 0", "result = 0.0")
        shown = await told(editor, go_on, *scripted_answer(f"```python\n{new}```\n"), typed=typed)
        assert shown == [
            (2, "\u26a1 applied: 1 line keeps what you typed, although the answer would change it")
        ]


async def test_a_refused_answer_does_not_replace_text_typed_while_it_was_written(tmp_path: Path) -> None:
    async with with_lanes(tmp_path, capabilities=LITERALS) as editor:
        go_on = asyncio.Event()

        def typed() -> None:
            editor.type(6, len("        result += item.price"), "  # mine")
            go_on.set()

        await told(editor, go_on, *scripted_answer(f"```python\n{HALF}", reason="length"), typed=typed)
        params = {
            "textDocument": {"uri": URI},
            "range": place_range(FIRST, 0, FIRST, 0),
            "context": {"diagnostics": []},
        }
        titles = [each["title"] for each in await editor.request("textDocument/codeAction", params)]
        assert "⚡ Show the refused answer" in titles
        assert "⚡ Apply the refused answer anyway" not in titles
        with pytest.raises(
            RequestFailed, match="you typed in the lines of that edit while the model was writing"
        ):
            await editor.command("twospeed.applyAnyway")
        assert (await editor.command("twospeed.showAnswer"))["text"] == HALF
        assert "# mine" in editor.buffers[URI].text


async def test_a_refused_answer_does_not_replace_text_typed_when_it_is_applied(tmp_path: Path) -> None:
    async with with_lanes(tmp_path) as editor:
        await refuse(editor, ELIDED)
        n_before = len(editor.messages("twospeed/editChanged"))
        await editor.command("twospeed.applyAnyway")
        editor.type(6, len("        result += item.price"), "  # mine")
        async with editor.news:
            await editor.news.wait_for(
                lambda: any(
                    each["state"] in ("ended", "review")
                    for each in editor.messages("twospeed/editChanged")[n_before:]
                )
            )
        assert "result += item.price  # mine" in editor.buffers[URI].text


async def test_a_refused_answer_replaces_only_its_own_lines(tmp_path: Path) -> None:
    async with with_lanes(tmp_path) as editor:
        editor.serve(ScriptedModel(scripted_answer(ELIDED)))
        editor.type(FIRST + 1, 0, "    # ts: count them\n")
        command = editor.command("twospeed.edit", {**COUNT, "range": place_range(FIRST + 1, 4, FIRST + 1, 4)})
        begun = await command
        session = editor.server.session
        assert session
        report = await session.scheduler.get_any(begun["editId"]).finished
        assert report.outcome == "refused"
        await apply_anyway(editor, begun["editId"])
        assert editor.buffers[URI].text == TEXT.replace(OLD, ELIDED)


async def test_an_edit_visible_in_the_document_sends_no_message(tmp_path: Path) -> None:
    async with with_lanes(tmp_path, capabilities={}) as editor:
        assert await told(editor, *scripted_answer(f"```python\n{NEW}```\n")) == []


async def test_a_refused_answer_is_shown_with_the_range_that_it_would_replace(tmp_path: Path) -> None:
    async with with_lanes(tmp_path) as editor:
        refused = await refuse(editor, f"I left lines out.\n\n```python\n{ELIDED}```\n")
        shown = await editor.command("twospeed.showAnswer")
        assert shown == {
            "editId": refused["editId"],
            "uri": URI,
            "version": editor.buffers[URI].version,
            "range": refused["scope"]["range"],
            "text": ELIDED,
            "message": "I left lines out.",
        }
        assert await editor.command("twospeed.showAnswer", refused["editId"]) == shown
        assert [method for method, _ in editor.requests if method == "window/showDocument"] == []
        editor.type(0, 0, "#")
        with pytest.raises(RequestFailed, match="the text has changed since that edit ended"):
            await editor.command("twospeed.showAnswer")
        with pytest.raises(RequestFailed, match=r"arguments\.0: the id of an edit is a string"):
            await editor.command("twospeed.showAnswer", {"editId": refused["editId"]})


DIFF = [
    "--- shop.py",
    "+++ shop.py (refused answer)",
    "@@ -2,10 +2,10 @@",
    " ",
    " ",
    " def total(items):",
    "-    result = 0",
    "+    # ... as before",
    "     for item in items:",
    "-        result += item.price",
    "-    return result",
    "+        amount += item.price * item.count",
    "+    return amount",
    " ",
    " ",
    " def area(radius):",
]


async def test_a_stock_client_opens_the_diff_of_a_refused_answer(tmp_path: Path) -> None:
    async with with_lanes(tmp_path, capabilities={"window": {"showDocument": {"support": True}}}) as editor:
        await refuse(editor, ELIDED)
        await editor.command("twospeed.showAnswer")
        async with editor.news:
            await editor.news.wait_for(lambda: "window/showDocument" in dict(editor.requests))
        asked = dict(editor.requests)["window/showDocument"]
        assert asked["takeFocus"]
        assert private_lines_of(asked["uri"]) == DIFF
    with pytest.raises(FileNotFoundError):  # it is removed when the session ends
        private_lines_of(asked["uri"])


def private_lines_of(uri: str) -> list[str]:
    path = Path(url2pathname(urlsplit(uri).path))
    assert path.parent.stat().st_mode & 0o077 == 0
    return path.read_text("utf-8").splitlines()


async def test_a_client_that_opens_no_documents_gets_advice_about_the_answer(tmp_path: Path) -> None:
    async with with_lanes(tmp_path, capabilities={}) as editor:
        await refuse(editor, ELIDED)
        await editor.command("twospeed.showAnswer")
        await editor.request("twospeed/status", {})
        (said,) = editor.messages("window/showMessage")
        assert said["message"].startswith("this editor cannot open the answer; apply it anyway")


async def test_the_message_about_a_refusal_offers_to_apply_the_answer(tmp_path: Path) -> None:
    asking = {**STREAMING, "window": {"showMessage": {"messageActionItem": {}}}}
    async with with_lanes(tmp_path, capabilities=asking) as editor:
        editor.serve(ScriptedModel(scripted_answer(ELIDED)))
        editor.answer = lambda method, params: (
            params["actions"][-1] if method == "window/showMessageRequest" else None
        )
        await editor.command("twospeed.edit", COUNT)
        await editor.wait_for(
            lambda: any(each["state"] == "review" for each in editor.messages("twospeed/editChanged"))
        )
        assert editor.buffers[URI].text == TEXT.replace(OLD, ELIDED)


async def test_a_question_about_a_refusal_lets_the_client_show_the_answer(
    tmp_path: Path,
) -> None:
    window = {"showMessage": {"messageActionItem": {}}, "showDocument": {"support": True}}
    async with with_lanes(tmp_path, capabilities={**STREAMING, "window": window}) as editor:
        editor.serve(ScriptedModel(scripted_answer(ELIDED)))
        editor.answer = lambda method, params: (
            {"title": "Show the answer"} if method == "window/showMessageRequest" else None
        )
        await editor.command("twospeed.edit", COUNT)
        await editor.wait_for(lambda: "window/showDocument" in dict(editor.requests))
        assert private_lines_of(dict(editor.requests)["window/showDocument"]["uri"]) == DIFF

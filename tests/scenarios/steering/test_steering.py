"""A running edit is redirected: what it wrote is taken back and told to the model, the new words come last."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.scenarios.editor import STREAMING, URI, Editor, RequestFailed, place_range
from tests.scenarios.shop import EDITED, NEW, OLD, TEXT

from twospeed.models.base import TextDelta
from twospeed.testing.scripted_model import ScriptedModel, scripted_answer

FIRST = 3
HALF = NEW[: NEW.index("item.price")]
OTHER = OLD.replace("item.price", "item.cost")


def stops(part: str) -> list[Any]:
    return [TextDelta(part), asyncio.Event()]


def whole(answer: str) -> list[Any]:
    return list(scripted_answer(answer))


async def steered(editor: Editor, *words: str, edit_id: str = "c1") -> None:
    for each in words:
        params = {"editId": edit_id, "instruction": each}
        assert await editor.request("twospeed/steer", params) == {"editId": edit_id}


def begin(editor: Editor, words: str = "first words", **more: Any) -> asyncio.Future[Any]:
    return editor.ask("twospeed/edit", editor.edit_params(FIRST, words, editId="c1", **more))[1]


async def ended(result: asyncio.Future[Any]) -> Any:
    async with asyncio.timeout(5):
        return await result


async def asked(model: ScriptedModel) -> None:
    async with asyncio.timeout(5):
        while not model.requests:  # noqa: ASYNC110 - a model tells nobody that it was asked
            await asyncio.sleep(0)


def prompts(model: ScriptedModel) -> list[str]:
    return [request.messages[-1].content for request in model.requests]


def text(editor: Editor) -> str:
    return editor.buffers[URI].text


async def test_the_new_answer_stands_where_the_old_one_was_going_to() -> None:
    async with await Editor.started(STREAMING) as editor:
        editor.open(TEXT)
        model = ScriptedModel(stops(HALF), whole(OTHER))
        editor.serve(model)
        result = begin(editor)
        await editor.wait_for(lambda: "amount = 0" in text(editor))
        await steered(editor, "other words")
        assert (await ended(result))["outcome"] == "applied"
        assert text(editor) == TEXT.replace(OLD, OTHER)
        prompt = prompts(model)[1]
        assert "amount = 0" in prompt, "what was certain is context"
        assert prompt.index("first words") < prompt.index("other words")
        assert prompt.endswith("other words")
        assert model.closed == 2
        decided = await editor.request("twospeed/decide", {"editId": "c1", "action": "reject"})
        assert decided["hunks"] == []
        assert text(editor) == TEXT


async def test_a_steered_edit_is_one_undo_step() -> None:
    async with await Editor.started(STREAMING) as editor:
        editor.open(TEXT)
        editor.serve(ScriptedModel(stops(HALF), whole(OTHER)))
        result = begin(editor)
        await editor.wait_for(lambda: "amount = 0" in text(editor))
        await steered(editor, "other words")
        await ended(result)
        sent = [params for method, params in editor.requests if method == "twospeed/applyEdit"]
        assert [params["undoStopBefore"] for params in sent] == [True] + [False] * (len(sent) - 1)
        assert [params["undoStopAfter"] for params in sent] == [False] * (len(sent) - 1) + [True]


async def test_steering_twice_at_once_takes_all_the_words_in_order() -> None:
    async with await Editor.started(STREAMING) as editor:
        editor.open(TEXT)
        model = ScriptedModel(stops(HALF), whole(OTHER))
        editor.serve(model)
        result = begin(editor)
        await editor.wait_for(lambda: "amount = 0" in text(editor))
        await steered(editor, "second words", "third words")
        assert (await ended(result))["outcome"] == "applied"
        prompt = prompts(model)[-1]
        assert prompt.index("first words") < prompt.index("second words") < prompt.index("third words")
        assert text(editor) == TEXT.replace(OLD, OTHER)


async def test_steering_before_the_first_token() -> None:
    async with await Editor.started(STREAMING) as editor:
        editor.open(TEXT)
        model = ScriptedModel([asyncio.Event()], whole(NEW))
        editor.serve(model)
        result = begin(editor)
        await asked(model)
        await steered(editor, "other words")
        assert (await ended(result))["outcome"] == "applied"
        assert text(editor) == EDITED
        assert prompts(model)[-1].endswith("other words")


async def test_steering_while_queued() -> None:
    async with await Editor.started(STREAMING) as editor:
        editor.open(TEXT)
        go_on = asyncio.Event()
        model = ScriptedModel([go_on, *whole(NEW)], whole(NEW.replace("amount", "sum")))
        editor.serve(model)
        ahead = editor.ask("twospeed/edit", editor.edit_params(FIRST, "ahead", editId="c0"))[1]
        result = begin(editor)
        await steered(editor, "other words")
        go_on.set()
        assert (await ended(ahead))["outcome"] == "applied"
        assert (await ended(result))["outcome"] == "applied"
        assert len(model.requests) == 2
        assert prompts(model)[1].endswith("other words")
        assert text(editor) == EDITED.replace("amount", "sum")


async def test_steering_after_the_last_line_while_it_is_on_its_way() -> None:
    async with await Editor.started(STREAMING) as editor:
        editor.open(TEXT)
        model = ScriptedModel(whole(NEW), whole(OTHER))
        editor.serve(model)
        answers: list[asyncio.Future[Any]] = []

        def steer_on_the_last(method: str, params: Any) -> None:
            if method == "twospeed/applyEdit" and params["undoStopAfter"] and not answers:
                words = {"editId": "c1", "instruction": "other words"}
                answers.append(editor.ask("twospeed/steer", words)[1])

        editor.answer = steer_on_the_last
        assert (await ended(begin(editor)))["outcome"] == "applied"
        assert text(editor) == TEXT.replace(OLD, OTHER)
        assert await answers[0] == {"editId": "c1"}


async def test_a_finished_edit_is_not_steered() -> None:
    async with await Editor.started(STREAMING) as editor:
        editor.open(TEXT)
        editor.serve(ScriptedModel(whole(NEW)))
        await ended(begin(editor))
        for edit_id in ("c1", "nobody"):
            with pytest.raises(RequestFailed) as caught:
                await steered(editor, "other words", edit_id=edit_id)
            assert caught.value.code == -32803
        assert text(editor) == EDITED


async def test_what_was_typed_meanwhile_stays_and_is_seen_by_the_model() -> None:
    async with await Editor.started(STREAMING) as editor:
        editor.open(TEXT)
        typed = OTHER.replace("    return", "    # mine\n    return")
        model = ScriptedModel(stops(HALF), whole(typed))
        editor.serve(model)
        result = begin(editor)
        await editor.wait_for(lambda: "amount = 0" in text(editor))
        line = text(editor).splitlines().index("    return result")
        editor.type(line, 0, "    # mine\n")
        editor.type(0, 0, "# above\n")
        await steered(editor, "other words")
        assert (await ended(result))["outcome"] == "applied"
        assert text(editor) == "# above\n" + TEXT.replace(OLD, typed)
        assert "# mine" in prompts(model)[1]


@pytest.mark.parametrize(
    ("where", "told"),
    [
        (
            place_range(FIRST + 1, 4, FIRST + 1, 4),
            ("the cursor is on line 2 of", "the cursor is on line 3 of"),
        ),
        (place_range(FIRST + 1, 0, FIRST + 3, 0), ("are the lines 2 to 3 of", "are the lines 3 to 4 of")),
    ],
)
async def test_the_selection_moves_with_what_is_typed_before_an_edit_is_steered(
    where: object, told: tuple[str, str]
) -> None:
    async with await Editor.started(STREAMING) as editor:
        editor.open(TEXT)
        model = ScriptedModel(stops(""), whole(NEW))
        editor.serve(model)
        result = begin(editor, range=where, scope="function")
        await asked(model)
        editor.type(FIRST + 1, 0, "    # mine\n")
        editor.type(0, 0, "# above\n" * 5)
        await steered(editor, "other words")
        await ended(result)
        assert told[0] in prompts(model)[0]
        assert told[1] in prompts(model)[1]


async def test_a_selected_line_that_the_user_changes_is_told_no_more() -> None:
    async with await Editor.started(STREAMING) as editor:
        editor.open(TEXT)
        model = ScriptedModel(stops(""), whole(NEW))
        editor.serve(model)
        result = begin(editor)
        await asked(model)
        editor.type(FIRST, 4, "xy")
        await steered(editor, "other words")
        await ended(result)
        assert ["the cursor is on line" in prompt for prompt in prompts(model)] == [True, False]


async def test_partial_results_lead_from_the_old_text_to_the_last_answer() -> None:
    async with await Editor.started(STREAMING) as editor:
        editor.open(TEXT)
        editor.serve(ScriptedModel(stops(HALF), whole(OTHER)))
        result = begin(editor, deliver="preview", partialResultToken="p")
        await editor.wait_for(lambda: len(editor.progress("p")) > 1)
        await steered(editor, "other words")
        last = await ended(result)
        assert last["newText"] == OTHER
        editor.open(OLD, uri="file:///scope")
        parts = editor.progress("p")
        assert [part["type"] for part in parts].count("started") == 1
        seqs = [part["seq"] for part in parts if part["type"] == "edits"]
        assert seqs == list(range(1, len(seqs) + 1))
        for part in parts[1:]:
            editor.buffers["file:///scope"].apply(part["edits"])
        assert editor.buffers["file:///scope"].text == OTHER
        assert text(editor) == TEXT


async def test_cancelling_a_steered_edit_brings_the_old_text_back() -> None:
    async with await Editor.started(STREAMING) as editor:
        editor.open(TEXT)
        model = ScriptedModel(stops(HALF), stops(OTHER[: OTHER.index("result", OTHER.index("return"))]))
        editor.serve(model)
        result = begin(editor)
        await editor.wait_for(lambda: "amount = 0" in text(editor))
        await steered(editor, "other words")
        await editor.wait_for(lambda: "item.cost" in text(editor))
        assert (await editor.request("twospeed/cancel", {"editId": "c1"}))["outcome"] == "cancelled"
        await ended(result)
        assert text(editor) == TEXT
        assert model.closed == 2


async def test_a_cancel_right_behind_a_steer_is_the_end() -> None:
    async with await Editor.started(STREAMING) as editor:
        editor.open(TEXT)
        editor.serve(ScriptedModel(stops(HALF), whole(OTHER)))
        result = begin(editor)
        await editor.wait_for(lambda: "amount = 0" in text(editor))
        editor.ask("twospeed/steer", {"editId": "c1", "instruction": "other words"})
        assert (await editor.request("twospeed/cancel", {"editId": "c1"}))["outcome"] == "cancelled"
        assert (await ended(result))["outcome"] == "cancelled"
        assert text(editor) == TEXT


async def test_the_command_steers_the_newest_edit() -> None:
    async with await Editor.started(STREAMING) as editor:
        editor.open(TEXT)
        model = ScriptedModel([asyncio.Event()], whole(NEW))
        editor.serve(model)
        result = begin(editor)
        await asked(model)
        assert await editor.command("twospeed.steer", {"instruction": "other words"}) == {"editId": "c1"}
        assert (await ended(result))["outcome"] == "applied"
        with pytest.raises(RequestFailed):
            await editor.command("twospeed.steer", {"instruction": "other words"})


async def test_an_instruction_comment_is_still_consumed() -> None:
    async with await Editor.started(STREAMING) as editor:
        lines = TEXT.replace("    result = 0\n", "    # ai: count them\n    result = 0\n")
        editor.open(lines)
        model = ScriptedModel([asyncio.Event()], whole(NEW))
        editor.serve(model)
        params = editor.edit_params(FIRST + 1, "count them", editId="c1")
        result = editor.ask("twospeed/edit", params)[1]
        await asked(model)
        await steered(editor, "other words", "and more")
        assert (await ended(result))["outcome"] == "applied"
        assert text(editor) == EDITED


async def test_a_blank_instruction_steers_nothing() -> None:
    async with await Editor.started(STREAMING) as editor:
        editor.open(TEXT)
        editor.serve(ScriptedModel([asyncio.Event(), *whole(NEW)]))
        begin(editor)
        with pytest.raises(RequestFailed) as caught:
            await steered(editor, "  ")
        assert caught.value.code == -32602

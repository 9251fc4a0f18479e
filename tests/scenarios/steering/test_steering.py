"""A running edit is steered: its text is reverted and quoted to the model, and the new instruction comes last."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.scenarios.editor import STREAMING, Editor, RequestFailed, place_range
from tests.scenarios.scripted import prompts_of, result_of, steps_of, text_of, wait_for_requests
from tests.scenarios.shop import EDITED, NEW, OLD, TEXT

from twospeed.models.base import TextDelta
from twospeed.testing.scripted_model import ScriptedModel

FIRST = 3
HALF = NEW[: NEW.index("item.price")]
OTHER = OLD.replace("item.price", "item.cost")


def stops(part: str) -> list[Any]:
    return [TextDelta(part), asyncio.Event()]


async def steered(editor: Editor, *words: str, edit_id: str = "c1") -> None:
    for each in words:
        params = {"editId": edit_id, "instruction": each}
        assert await editor.request("twospeed/steer", params) == {"editId": edit_id}


def begin(editor: Editor, words: str = "first words", **more: Any) -> asyncio.Future[Any]:
    return editor.ask("twospeed/edit", editor.edit_params(FIRST, words, editId="c1", **more))[1]


async def test_a_steered_answer_replaces_the_old_one_in_its_place(streaming: Editor) -> None:
    model = ScriptedModel(stops(HALF), steps_of(OTHER))
    streaming.serve(model)
    result = begin(streaming)
    await streaming.wait_for(lambda: "amount = 0" in text_of(streaming))
    await steered(streaming, "other words")
    assert (await result_of(result))["outcome"] == "applied"
    assert text_of(streaming) == TEXT.replace(OLD, OTHER)
    prompt = prompts_of(model)[1]
    assert "amount = 0" in prompt, "certain changes are in the prompt"
    assert prompt.index("first words") < prompt.index("other words")
    assert prompt.endswith("other words")
    assert model.closed == 2
    decided = await streaming.request("twospeed/decide", {"editId": "c1", "action": "reject"})
    assert decided["hunks"] == []
    assert text_of(streaming) == TEXT


async def test_a_steered_edit_is_one_undo_step(streaming: Editor) -> None:
    streaming.serve(ScriptedModel(stops(HALF), steps_of(OTHER)))
    result = begin(streaming)
    await streaming.wait_for(lambda: "amount = 0" in text_of(streaming))
    await steered(streaming, "other words")
    await result_of(result)
    sent = [params for method, params in streaming.requests if method == "twospeed/applyEdit"]
    assert [params["undoStopBefore"] for params in sent] == [True] + [False] * (len(sent) - 1)
    assert [params["undoStopAfter"] for params in sent] == [False] * (len(sent) - 1) + [True]


async def test_steering_twice_at_once_keeps_all_instructions_in_order(streaming: Editor) -> None:
    model = ScriptedModel(stops(HALF), steps_of(OTHER))
    streaming.serve(model)
    result = begin(streaming)
    await streaming.wait_for(lambda: "amount = 0" in text_of(streaming))
    await steered(streaming, "second words", "third words")
    assert (await result_of(result))["outcome"] == "applied"
    prompt = prompts_of(model)[-1]
    assert prompt.index("first words") < prompt.index("second words") < prompt.index("third words")
    assert text_of(streaming) == TEXT.replace(OLD, OTHER)


async def test_steering_before_the_first_token(streaming: Editor) -> None:
    model = ScriptedModel([asyncio.Event()], steps_of(NEW))
    streaming.serve(model)
    result = begin(streaming)
    await wait_for_requests(model)
    await steered(streaming, "other words")
    assert (await result_of(result))["outcome"] == "applied"
    assert text_of(streaming) == EDITED
    assert prompts_of(model)[-1].endswith("other words")


async def test_steering_while_queued(streaming: Editor) -> None:
    go_on = asyncio.Event()
    model = ScriptedModel([go_on, *steps_of(NEW)], steps_of(NEW.replace("amount", "sum")))
    streaming.serve(model)
    ahead = streaming.ask("twospeed/edit", streaming.edit_params(FIRST, "ahead", editId="c0"))[1]
    result = begin(streaming)
    await steered(streaming, "other words")
    go_on.set()
    assert (await result_of(ahead))["outcome"] == "applied"
    assert (await result_of(result))["outcome"] == "applied"
    assert len(model.requests) == 2
    assert prompts_of(model)[1].endswith("other words")
    assert text_of(streaming) == EDITED.replace("amount", "sum")


async def test_steering_while_the_last_line_is_in_flight(streaming: Editor) -> None:
    model = ScriptedModel(steps_of(NEW), steps_of(OTHER))
    streaming.serve(model)
    answers: list[asyncio.Future[Any]] = []

    def steer_on_the_last(method: str, params: Any) -> None:
        if method == "twospeed/applyEdit" and params["undoStopAfter"] and not answers:
            words = {"editId": "c1", "instruction": "other words"}
            answers.append(streaming.ask("twospeed/steer", words)[1])

    streaming.answer = steer_on_the_last
    assert (await result_of(begin(streaming)))["outcome"] == "applied"
    assert text_of(streaming) == TEXT.replace(OLD, OTHER)
    assert await answers[0] == {"editId": "c1"}


async def test_a_finished_edit_is_not_steered(streaming: Editor) -> None:
    streaming.serve(ScriptedModel(steps_of(NEW)))
    await result_of(begin(streaming))
    for edit_id in ("c1", "nobody"):
        with pytest.raises(RequestFailed) as caught:
            await steered(streaming, "other words", edit_id=edit_id)
        assert caught.value.code == -32803
    assert text_of(streaming) == EDITED


async def test_typing_before_a_steer_stays_and_is_in_the_prompt(streaming: Editor) -> None:
    typed = OTHER.replace("    return", "    # mine\n    return")
    model = ScriptedModel(stops(HALF), steps_of(typed))
    streaming.serve(model)
    result = begin(streaming)
    await streaming.wait_for(lambda: "amount = 0" in text_of(streaming))
    line = text_of(streaming).splitlines().index("    return result")
    streaming.type(line, 0, "    # mine\n")
    streaming.type(0, 0, "# above\n")
    await steered(streaming, "other words")
    assert (await result_of(result))["outcome"] == "applied"
    assert text_of(streaming) == "# above\n" + TEXT.replace(OLD, typed)
    assert "# mine" in prompts_of(model)[1]


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
async def test_the_selection_moves_with_typing_before_a_steer(
    where: object, told: tuple[str, str], streaming: Editor
) -> None:
    model = ScriptedModel(stops(""), steps_of(NEW))
    streaming.serve(model)
    result = begin(streaming, range=where, scope="function")
    await wait_for_requests(model)
    streaming.type(FIRST + 1, 0, "    # mine\n")
    streaming.type(0, 0, "# above\n" * 5)
    await steered(streaming, "other words")
    await result_of(result)
    assert told[0] in prompts_of(model)[0]
    assert told[1] in prompts_of(model)[1]


async def test_a_changed_selected_line_is_no_longer_in_the_prompt_as_selection(streaming: Editor) -> None:
    model = ScriptedModel(stops(""), steps_of(NEW))
    streaming.serve(model)
    result = begin(streaming)
    await wait_for_requests(model)
    streaming.type(FIRST, 4, "xy")
    await steered(streaming, "other words")
    await result_of(result)
    assert ["the cursor is on line" in prompt for prompt in prompts_of(model)] == [True, False]


async def test_partial_results_lead_from_the_old_text_to_the_last_answer(streaming: Editor) -> None:
    streaming.serve(ScriptedModel(stops(HALF), steps_of(OTHER)))
    result = begin(streaming, deliver="preview", partialResultToken="p")
    await streaming.wait_for(lambda: len(streaming.progress("p")) > 1)
    await steered(streaming, "other words")
    last = await result_of(result)
    assert last["newText"] == OTHER
    streaming.open(OLD, uri="file:///scope")
    parts = streaming.progress("p")
    assert [part["type"] for part in parts].count("started") == 1
    seqs = [part["seq"] for part in parts if part["type"] == "edits"]
    assert seqs == list(range(1, len(seqs) + 1))
    for part in parts[1:]:
        streaming.buffers["file:///scope"].apply(part["edits"])
    assert streaming.buffers["file:///scope"].text == OTHER
    assert text_of(streaming) == TEXT


async def test_cancelling_a_steered_edit_brings_the_old_text_back(streaming: Editor) -> None:
    model = ScriptedModel(stops(HALF), stops(OTHER[: OTHER.index("result", OTHER.index("return"))]))
    streaming.serve(model)
    result = begin(streaming)
    await streaming.wait_for(lambda: "amount = 0" in text_of(streaming))
    await steered(streaming, "other words")
    await streaming.wait_for(lambda: "item.cost" in text_of(streaming))
    assert (await streaming.request("twospeed/cancel", {"editId": "c1"}))["outcome"] == "cancelled"
    await result_of(result)
    assert text_of(streaming) == TEXT
    assert model.closed == 2


async def test_a_cancel_right_after_a_steer_ends_the_edit(streaming: Editor) -> None:
    streaming.serve(ScriptedModel(stops(HALF), steps_of(OTHER)))
    result = begin(streaming)
    await streaming.wait_for(lambda: "amount = 0" in text_of(streaming))
    streaming.ask("twospeed/steer", {"editId": "c1", "instruction": "other words"})
    assert (await streaming.request("twospeed/cancel", {"editId": "c1"}))["outcome"] == "cancelled"
    assert (await result_of(result))["outcome"] == "cancelled"
    assert text_of(streaming) == TEXT


async def test_the_command_steers_the_newest_edit(streaming: Editor) -> None:
    model = ScriptedModel([asyncio.Event()], steps_of(NEW))
    streaming.serve(model)
    result = begin(streaming)
    await wait_for_requests(model)
    assert await streaming.command("twospeed.steer", {"instruction": "other words"}) == {"editId": "c1"}
    assert (await result_of(result))["outcome"] == "applied"
    with pytest.raises(RequestFailed):
        await streaming.command("twospeed.steer", {"instruction": "other words"})


async def test_an_instruction_comment_is_still_consumed() -> None:
    async with await Editor.started(STREAMING) as editor:
        lines = TEXT.replace("    result = 0\n", "    # ai: count them\n    result = 0\n")
        editor.open(lines)
        model = ScriptedModel([asyncio.Event()], steps_of(NEW))
        editor.serve(model)
        params = editor.edit_params(FIRST + 1, "count them", editId="c1")
        result = editor.ask("twospeed/edit", params)[1]
        await wait_for_requests(model)
        await steered(editor, "other words", "and more")
        assert (await result_of(result))["outcome"] == "applied"
        assert text_of(editor) == EDITED


async def test_a_blank_instruction_steers_nothing(streaming: Editor) -> None:
    streaming.serve(ScriptedModel([asyncio.Event(), *steps_of(NEW)]))
    begin(streaming)
    with pytest.raises(RequestFailed) as caught:
        await steered(streaming, "  ")
    assert caught.value.code == -32602

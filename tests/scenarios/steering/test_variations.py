"""Several answers to one instruction: the first is applied, and each other may replace it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.scenarios.editor import STREAMING, URI, Editor, RequestFailed
from tests.scenarios.scripted import steps_of, text_of
from tests.scenarios.shop import EDITED, NEW, OLD, TEXT

from twospeed.models.base import Finished, TextDelta
from twospeed.testing.scripted_model import ScriptedModel

FIRST = 3
SUM = OLD.replace("result", "sum_of_items")
PRICES = OLD.replace("item.price", "item.cost")


async def begun(editor: Editor, model: ScriptedModel, n: int = 3) -> dict[str, Any]:
    """Return an applied edit with ``n`` answers."""
    editor.open(TEXT)
    editor.serve(model)
    params = editor.edit_params(FIRST, "tidy up", editId="c1", variations=n)
    result = await editor.request("twospeed/edit", params)
    assert result["outcome"] == "applied"
    assert text_of(editor) == EDITED
    return result


async def turn(editor: Editor, step: int = 1) -> Any:
    return await editor.request("twospeed/variation", {"editId": "c1", "step": step})


async def decide(editor: Editor, action: str, **more: Any) -> Any:
    return await editor.request("twospeed/decide", {"editId": "c1", "action": action, **more})


def with_answer(answer: str) -> str:
    return TEXT.replace(OLD, answer)


@pytest.mark.parametrize("kind", [STREAMING, None], ids=["streaming", "stock"])
async def test_each_answer_replaces_the_one_before(kind: Any) -> None:
    async with await Editor.started(kind) as editor:
        await begun(editor, ScriptedModel(steps_of(NEW), steps_of(SUM), steps_of(PRICES)))
        for answer, step in ((SUM, 1), (PRICES, 1), (NEW, 1), (PRICES, -1), (SUM, -1)):
            result = await turn(editor, step)
            assert text_of(editor) == with_answer(answer)
            assert (result["outcome"], result["newText"]) == ("applied", answer)
            assert result["version"] == editor.buffers[URI].version
        assert (await decide(editor, "reject"))["hunks"] == []
        assert text_of(editor) == TEXT


async def test_variation_steps_sent_at_once_are_applied_in_order() -> None:
    async with await Editor.started(STREAMING) as editor:
        await begun(editor, ScriptedModel(steps_of(NEW), steps_of(SUM)), n=2)
        there, back = await asyncio.gather(turn(editor, 1), turn(editor, -1))
        assert (there["newText"], back["newText"]) == (SUM, NEW)
        assert text_of(editor) == EDITED


async def test_another_answer_is_one_minimal_undo_step() -> None:
    async with await Editor.started(STREAMING) as editor:
        await begun(editor, ScriptedModel(steps_of(NEW), steps_of(NEW.replace("0", "1"))), n=2)
        n_sent = len(editor.requests)
        await turn(editor)
        (sent,) = [params for _, params in editor.requests[n_sent:]]
        assert [edit["newText"] for edit in sent["edits"]] == ["1"]
        assert sent["undoStopBefore"]
        assert sent["undoStopAfter"]


async def test_a_step_waits_for_an_unfinished_answer() -> None:
    async with await Editor.started(STREAMING) as editor:
        gate = asyncio.Event()
        late: list[Any] = [gate, *steps_of(SUM)]
        await begun(editor, ScriptedModel(steps_of(NEW), late), n=2)
        waiting = asyncio.ensure_future(turn(editor))
        await asyncio.sleep(0)
        assert text_of(editor) == EDITED
        gate.set()
        await waiting
        assert text_of(editor) == with_answer(SUM)


async def test_a_refused_answer_is_skipped() -> None:
    async with await Editor.started(STREAMING) as editor:
        cut_off: list[Any] = [TextDelta(SUM), Finished("length")]
        broken = steps_of(SUM.replace("in items:", "in items"))
        talk = steps_of("I would rather not.")
        await begun(
            editor, ScriptedModel(steps_of(NEW), cut_off, broken, talk, steps_of(OLD), steps_of(PRICES)), n=6
        )
        await turn(editor)
        assert text_of(editor) == with_answer(PRICES)
        await turn(editor)
        assert text_of(editor) == EDITED


async def test_equal_answers_are_no_variations() -> None:
    async with await Editor.started(STREAMING) as editor:
        await begun(editor, ScriptedModel(steps_of(NEW), steps_of(NEW)), n=2)
        with pytest.raises(RequestFailed, match="no other answer"):
            await turn(editor)
        assert text_of(editor) == EDITED


async def test_another_answer_keeps_typed_text() -> None:
    async with await Editor.started(STREAMING) as editor:
        await begun(editor, ScriptedModel(steps_of(NEW), steps_of(SUM)), n=2)
        editor.type(5, 0, "    # mine\n")
        editor.type(0, 0, "import os\n")
        await turn(editor)
        lines = SUM.splitlines(keepends=True)
        assert text_of(editor) == "import os\n" + with_answer(
            "".join([*lines[:2], "    # mine\n", *lines[2:]])
        )


async def test_a_decided_hunk_prevents_other_answers() -> None:
    async with await Editor.started(STREAMING) as editor:
        result = await begun(editor, ScriptedModel(steps_of(NEW), steps_of(SUM)), n=2)
        await decide(editor, "accept", hunk=result["hunks"][0]["id"])
        with pytest.raises(RequestFailed, match="decided"):
            await turn(editor)
        assert text_of(editor) == EDITED


async def test_accepting_an_edit_stops_requests_for_other_answers() -> None:
    async with await Editor.started(STREAMING) as editor:
        model = ScriptedModel(steps_of(NEW), [asyncio.Event()])
        await begun(editor, model, n=2)
        await decide(editor, "accept")
        await editor.wait_for(lambda: model.closed == 2)
        with pytest.raises(RequestFailed):
            await turn(editor)


async def test_the_command_shows_the_next_answer() -> None:
    async with await Editor.started(STREAMING) as editor:
        await begun(editor, ScriptedModel(steps_of(NEW), steps_of(SUM)), n=2)
        await editor.command("twospeed.nextVariation")
        await editor.wait_for(lambda: text_of(editor) == with_answer(SUM))


async def test_unfinished_answers_end_with_the_session() -> None:
    before = asyncio.all_tasks()
    async with await Editor.started(STREAMING) as editor:
        model = ScriptedModel(steps_of(NEW), [asyncio.Event()], [asyncio.Event()])
        await begun(editor, model)
    assert model.closed == 3
    await asyncio.gather(*editor._tasks)
    assert asyncio.all_tasks() <= before

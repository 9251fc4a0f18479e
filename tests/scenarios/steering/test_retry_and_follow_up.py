"""Retry, repeat and follow-up requests contain everything that was in the first request."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from tests.scenarios.editor import STREAMING, URI, Editor
from tests.scenarios.scripted import prompts_of, steps_of, wait_for_requests
from tests.scenarios.shop import EDITED, NEW, OLD, TEXT

from twospeed.testing.scripted_model import ScriptedModel

FIRST, SECOND = "rename result to amount", "and count the items"
COMMENTED = TEXT.replace("    for item", "    # ai: count them\n    for item")
OTHER = "file:///project/other.py"


async def outcomes(editor: Editor, n: int) -> list[str]:
    """Wait until ``n`` edits have an outcome."""

    def ended() -> list[str]:
        states = {each["editId"]: each["outcome"] for each in editor.messages("twospeed/editChanged")}
        return [outcome for outcome in states.values() if outcome]

    await editor.wait_for(lambda: len(ended()) >= n)
    return ended()


@pytest.fixture
async def editor() -> AsyncIterator[Editor]:
    async with await Editor.started(STREAMING) as editor:
        editor.open(TEXT)
        yield editor


async def steered(editor: Editor, *answers: str, **more: Any) -> ScriptedModel:
    """Return an edit of ``total`` that was steered once; ``answers`` are those of the following edits."""
    model = ScriptedModel([asyncio.Event()], steps_of(NEW), *map(steps_of, answers))
    editor.serve(model)
    _, running = editor.ask("twospeed/edit", editor.edit_params(4, FIRST, editId="c1", **more))
    await wait_for_requests(model, 1)
    await editor.request("twospeed/steer", {"editId": "c1", "instruction": SECOND})
    assert (await running)["outcome"] == "applied"
    return model


def says_both(prompt: str) -> bool:
    return -1 < prompt.find(FIRST) < prompt.find(SECOND)


async def test_a_retry_of_a_steered_edit_contains_all_instructions(editor: Editor) -> None:
    model = await steered(editor, NEW)
    await editor.command("twospeed.retry", {"editId": "c1"})
    assert await outcomes(editor, 2) == ["applied", "applied"]
    assert says_both(prompts_of(model)[-1])
    assert prompts_of(model)[-1].endswith(SECOND)


async def test_a_retry_of_a_retry_contains_all_instructions(editor: Editor) -> None:
    model = await steered(editor, NEW, NEW)
    for n in (2, 3):
        await editor.command("twospeed.retry")
        await outcomes(editor, n)
    assert [says_both(prompt) for prompt in prompts_of(model)[1:]] == [True] * 3


async def test_a_steered_retry_contains_all_three_instructions(editor: Editor) -> None:
    model = ScriptedModel([asyncio.Event()], steps_of(NEW), [asyncio.Event()], steps_of(NEW))
    editor.serve(model)
    _, running = editor.ask("twospeed/edit", editor.edit_params(4, FIRST, editId="c1"))
    await wait_for_requests(model, 1)
    await editor.request("twospeed/steer", {"editId": "c1", "instruction": SECOND})
    await running
    await editor.command("twospeed.retry", {"editId": "c1"})
    await wait_for_requests(model, 3)
    await editor.command("twospeed.steer", {"instruction": "in one line"})
    await outcomes(editor, 2)
    assert says_both(prompts_of(model)[-1])
    assert prompts_of(model)[-1].endswith("in one line")


async def test_a_retry_of_a_running_steered_edit_contains_all_instructions(editor: Editor) -> None:
    model = ScriptedModel([asyncio.Event()], [asyncio.Event()], steps_of(NEW))
    editor.serve(model)
    editor.ask("twospeed/edit", editor.edit_params(4, FIRST, editId="c1"))
    await wait_for_requests(model, 1)
    await editor.request("twospeed/steer", {"editId": "c1", "instruction": SECOND})
    await wait_for_requests(model, 2)
    await editor.command("twospeed.retry", {"editId": "c1"})
    assert await outcomes(editor, 2) == ["cancelled", "applied"]
    assert says_both(prompts_of(model)[-1])


async def test_a_steered_edit_is_repeated_elsewhere_with_all_instructions(editor: Editor) -> None:
    model = await steered(editor, NEW)
    editor.open(TEXT, uri=OTHER)
    place = {"start": {"line": 4, "character": 0}, "end": {"line": 4, "character": 0}}
    await editor.command("twospeed.repeat", {"uri": OTHER, "range": place})
    await outcomes(editor, 2)
    assert editor.buffers[OTHER].text == EDITED
    assert says_both(prompts_of(model)[-1])


async def test_a_follow_up_of_a_steered_edit_contains_all_instructions(editor: Editor) -> None:
    model = await steered(editor, NEW)
    await editor.edit(4, "shorter", follows="c1")
    assert says_both(prompts_of(model)[-1])
    assert prompts_of(model)[-1].endswith("shorter")


async def test_requests_for_variations_of_a_steered_edit_contain_all_instructions(editor: Editor) -> None:
    model = ScriptedModel(
        [asyncio.Event()], [asyncio.Event()], steps_of(NEW), steps_of(NEW.replace("amount", "sum"))
    )
    editor.serve(model)
    _, running = editor.ask("twospeed/edit", editor.edit_params(4, FIRST, editId="c1", variations=2))
    await wait_for_requests(model, 2)
    await editor.request("twospeed/steer", {"editId": "c1", "instruction": SECOND})
    assert (await running)["outcome"] == "applied"
    await wait_for_requests(model, 4)
    assert [says_both(prompt) for prompt in prompts_of(model)[2:]] == [True, True]


async def test_a_retry_keeps_the_refined_edit_and_the_diagnostics(editor: Editor) -> None:
    model = ScriptedModel(
        steps_of(NEW), steps_of(NEW.replace("amount", "sum")), steps_of(NEW.replace("amount", "all"))
    )
    editor.serve(model)
    first = (await editor.edit(4, "count them"))["editId"]
    problems = {"diagnostics": [{"message": "amount is no word"}]}
    await editor.edit(4, "another name", follows=first, context=problems)
    await editor.command("twospeed.retry")
    await outcomes(editor, 3)
    again = prompts_of(model)[-1]
    assert "count them" in again
    assert "amount is no word" in again


@pytest.mark.parametrize("answer", [NEW, "No."], ids=["in review", "refused"])
@pytest.mark.parametrize(
    "at", [COMMENTED, COMMENTED.replace("import math\n\n\n", "")], ids=["below", "first"]
)
async def test_a_retried_instruction_comment_is_hidden_and_consumed(
    editor: Editor, answer: str, at: str
) -> None:
    editor.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
    editor.open(at)
    model = ScriptedModel(steps_of(answer), steps_of(NEW))
    editor.serve(model)
    line = at.splitlines().index("    # ai: count them")
    result = await editor.edit(line, "count them", scope="function")
    await editor.command("twospeed.retry", {"editId": result["editId"]})
    await outcomes(editor, 2)
    assert "ai:" not in prompts_of(model)[-1]
    assert editor.buffers[URI].text == at.replace("    # ai: count them\n", "").replace(OLD, NEW)


async def test_a_retried_comment_of_a_steered_edit_is_consumed_too(editor: Editor) -> None:
    editor.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
    editor.open(COMMENTED)
    model = ScriptedModel([asyncio.Event()], steps_of(NEW), steps_of(NEW))
    editor.serve(model)
    _, running = editor.ask("twospeed/edit", editor.edit_params(5, "count them", editId="c1"))
    await wait_for_requests(model, 1)
    await editor.request("twospeed/steer", {"editId": "c1", "instruction": SECOND})
    await running
    await editor.command("twospeed.retry", {"editId": "c1"})
    await outcomes(editor, 2)
    assert editor.buffers[URI].text == EDITED
    assert "count them" in prompts_of(model)[-1]


async def test_a_retry_selects_its_lines_despite_lines_inserted_above(editor: Editor) -> None:
    model = ScriptedModel([asyncio.Event()], steps_of(NEW))
    editor.serve(model)
    _, running = editor.ask("twospeed/edit", editor.edit_params(4, FIRST))
    await wait_for_requests(model, 1)
    assert editor.server.session
    (edit,) = editor.server.session.scheduler.edits
    above = "def empty():\n    return 0\n\n\n" * 2
    edit.finished.add_done_callback(lambda _: editor.type(0, 0, above))
    editor.ask("workspace/executeCommand", {"command": "twospeed.retry"})
    await running
    await outcomes(editor, 2)
    assert editor.buffers[URI].text == above + EDITED


async def test_a_retry_of_deleted_lines_is_refused(editor: Editor) -> None:
    model = ScriptedModel([asyncio.Event()], steps_of(NEW))
    editor.serve(model)
    _, running = editor.ask("twospeed/edit", editor.edit_params(4, FIRST))
    await wait_for_requests(model, 1)
    assert editor.server.session
    (edit,) = editor.server.session.scheduler.edits
    edit.finished.add_done_callback(lambda _: editor.type(0, 0, "", end=(10, 0)))
    editor.ask("workspace/executeCommand", {"command": "twospeed.retry"})
    await running
    await editor.wait_for(lambda: editor.messages("window/showMessage"))
    assert editor.messages("window/showMessage")[-1]["message"] == (
        "the lines of that edit no longer exist; start a new edit"
    )
    assert len(model.requests) == 1


async def test_a_retry_includes_a_first_line_that_the_answer_deleted(editor: Editor) -> None:
    editor.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
    decorated = "import math\n\n\n@cached\n" + OLD
    editor.open(decorated)
    half = OLD[: OLD.index("item.price")]
    editor.serve(model := ScriptedModel([*steps_of(half)[:-1], asyncio.Event()], steps_of("@cached\n" + NEW)))
    editor.ask("twospeed/edit", editor.edit_params(4, "no decorator", editId="c1"))
    await editor.wait_for(lambda: "@cached" not in editor.buffers[URI].text)
    await editor.command("twospeed.retry", {"editId": "c1"})
    await outcomes(editor, 2)
    assert editor.buffers[URI].text == "import math\n\n\n@cached\n" + NEW
    assert "@cached" in prompts_of(model)[-1]

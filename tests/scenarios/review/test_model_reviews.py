"""``twospeed.review``: the deep lane reviews an edit, and its findings are on the edit's lines."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.scenarios.editor import URI, Editor, RequestFailed, place_range
from tests.scenarios.review.test_diagnostics import SHOWS, shown
from tests.scenarios.shop import NEW, TEXT

from twospeed.errors import ModelUnavailable
from twospeed.models.base import Finished, TextDelta, Usage
from twospeed.testing.scripted_model import ScriptedModel, scripted_answer

CONFIG = """\
[[lanes.lightning]]
provider = "lab"
model = "quick"

[[lanes.deep]]
provider = "lab"
model = "thorough"

[providers.lab]
api = "chat"
base_url = "http://127.0.0.1:9/v1"
"""


@pytest.fixture
async def reviewing(tmp_path: Path) -> AsyncIterator[Editor]:
    """An editor that shows diagnostics, with an edit of ``total`` in review."""
    config = tmp_path / "config.toml"
    config.write_text(CONFIG)
    async with await Editor.started(SHOWS, environ={"TWOSPEED_CONFIG": str(config)}) as editor:
        editor.open(TEXT)
        editor.serve(ScriptedModel(scripted_answer(NEW)))
        assert (await editor.edit(4, "count each item as often as it is there"))["outcome"] == "applied"
        yield editor


def answering(editor: Editor, *answers: str) -> ScriptedModel:
    model = ScriptedModel(*map(scripted_answer, answers))
    editor.serve(model)
    return model


async def reviewed(editor: Editor, *arguments: object) -> str:
    """Request a review, and return the message to the user."""
    n_before = len(editor.messages("window/showMessage"))
    assert await editor.command("twospeed.review", *arguments) is None
    await editor.wait_for(lambda: len(editor.messages("window/showMessage")) > n_before)
    message: str = editor.messages("window/showMessage")[-1]["message"]
    return message


async def test_a_review_finding_is_shown_on_its_lines(reviewing: Editor) -> None:
    answering(
        reviewing, "4: bug: item.count is None for items that are sold by weight\n2: note: the name changed\n"
    )
    said = await reviewed(reviewing)
    assert said == "🧠 line 7: item.count is None for items that are sold by weight, and 1 more"
    assert [
        (each["code"], each["severity"], each["source"], each["range"]["start"])
        for each in shown(reviewing)[-1]["diagnostics"]
    ] == [
        ("review", 2, "twospeed", {"line": 6, "character": 8}),
        ("review", 3, "twospeed", {"line": 4, "character": 4}),
    ]


async def test_a_review_of_a_steered_edit_contains_all_instructions(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text(CONFIG)
    async with await Editor.started(SHOWS, environ={"TWOSPEED_CONFIG": str(config)}) as editor:
        editor.open(TEXT)
        editor.serve(
            model := ScriptedModel([asyncio.Event()], scripted_answer(NEW), scripted_answer("none\n"))
        )
        _, running = editor.ask("twospeed/edit", editor.edit_params(4, "count each item", editId="c1"))
        async with asyncio.timeout(60):
            while not model.requests:  # noqa: ASYNC110 - a model tells nobody that it was asked
                await asyncio.sleep(0)
        await editor.request("twospeed/steer", {"editId": "c1", "instruction": "and call it amount"})
        assert (await running)["outcome"] == "applied"
        await reviewed(editor)
        prompt = model.requests[-1].messages[-1].content
        assert -1 < prompt.find("count each item") < prompt.find("and call it amount")


async def test_text_of_the_model_is_no_link_in_a_message(reviewing: Editor) -> None:
    answering(reviewing, "4: bug: [see](command:workbench.action.terminal.new) the log\n")
    assert await reviewed(reviewing) == "🧠 line 7: [see] (command:workbench.action.terminal.new) the log"


async def test_a_review_prompt_contains_old_lines_new_lines_and_the_instruction(reviewing: Editor) -> None:
    model = answering(reviewing, "NONE")
    assert await reviewed(reviewing) == "🧠 the review has found nothing"
    (request,) = model.requests
    told = request.messages[-1].content
    assert "4|         amount += item.price * item.count\n" in told
    assert "-         result += item.price\n" in told
    assert "count each item as often as it is there" in told
    assert shown(reviewing) == []


async def test_a_review_finding_follows_typing_during_the_review(reviewing: Editor) -> None:
    go_on = asyncio.Event()
    reviewing.serve(ScriptedModel([go_on, TextDelta("4: bug: wrong"), Finished("stop")]))
    await reviewing.command("twospeed.review")
    reviewing.type(0, 0, "# one\n# two\n")
    go_on.set()
    await reviewing.wait_for(lambda: shown(reviewing))
    (found,) = shown(reviewing)[-1]["diagnostics"]
    assert found["range"] == place_range(8, 8, 8, 41)
    assert shown(reviewing)[-1]["version"] == reviewing.buffers[URI].version


async def test_a_review_answer_without_findings_is_reported_and_not_shown(reviewing: Editor) -> None:
    answering(reviewing, "Looks good to me! I would also run rm -rf / to be sure.")
    assert await reviewed(reviewing) == "Deep did not answer with findings; nothing is shown of what it wrote"
    assert shown(reviewing) == []
    assert reviewing.buffers[URI].text.count("amount") == TEXT.count("result")


async def test_an_edit_decided_during_its_review_gets_no_findings(reviewing: Editor) -> None:
    go_on = asyncio.Event()
    model = ScriptedModel([go_on, TextDelta("4: bug: wrong"), Finished("stop")])
    reviewing.serve(model)
    await reviewing.command("twospeed.review")
    await reviewing.command("twospeed.accept")
    go_on.set()
    await reviewing.wait_for(lambda: reviewing.messages("twospeed/editChanged")[-1]["state"] == "ended")
    assert reviewing.server.session
    assert shown(reviewing) == []


async def test_only_an_edit_in_review_can_be_reviewed(reviewing: Editor) -> None:
    edit_id = reviewing.messages("twospeed/editChanged")[-1]["editId"]
    await reviewing.request("twospeed/decide", {"editId": edit_id, "action": "accept"})
    for arguments in ([], [edit_id]):
        with pytest.raises(RequestFailed):
            await reviewing.command("twospeed.review", *arguments)


async def test_an_edit_has_one_review_at_a_time(reviewing: Editor) -> None:
    reviewing.serve(ScriptedModel([asyncio.Event()]))
    await reviewing.command("twospeed.review")
    with pytest.raises(RequestFailed, match="under way already"):
        await reviewing.command("twospeed.review")


async def test_a_review_by_an_unreachable_model_is_tried_three_times_and_reported(reviewing: Editor) -> None:
    error = ModelUnavailable("lab is down", provider="lab", model="thorough")
    model = ScriptedModel([error], [error], [error], [error])
    reviewing.serve(model)
    assert "lab is down" in await reviewed(reviewing)
    assert 1 <= len(model.requests) <= 3


async def test_the_cost_of_a_review_is_counted_with_its_edit(reviewing: Editor) -> None:
    reviewing.serve(
        ScriptedModel([TextDelta("NONE"), Usage(input_tokens=700, output_tokens=2), Finished("stop")])
    )
    await reviewed(reviewing)
    status = await reviewing.request("twospeed/status", {})
    stats: dict[str, Any] = status["edits"][-1]["stats"]
    assert (stats["requests"], stats["inputTokens"], stats["outputTokens"]) == (2, 100 + 700, 34 + 2)


async def test_the_built_in_engine_reviews_nothing(streaming: Editor) -> None:
    streaming.serve(ScriptedModel(scripted_answer(NEW)))
    await streaming.edit(4)
    assert "needs a model for Deep" in await reviewed(streaming)

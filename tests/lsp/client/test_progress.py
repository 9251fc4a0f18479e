"""Progress that is reported while an edit runs."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.scenarios.editor import Editor
from tests.scenarios.shop import NEW, TEXT

from twospeed.lsp.client import progress
from twospeed.models.base import ReasoningDelta
from twospeed.testing.scripted_model import ScriptedModel, scripted_answer

BARS: dict[str, Any] = {"window": {"workDoneProgress": True}}
FIRST = 3


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "QUIET_S", 0.01)
    monkeypatch.setattr(progress, "TICK_S", 0.01)


async def test_an_edit_that_is_done_at_once_shows_no_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "QUIET_S", 60.0)  # whatever this machine does beside
    async with await Editor.started(BARS) as editor:
        editor.open(TEXT)
        editor.serve(ScriptedModel(scripted_answer(NEW)))
        assert (await editor.edit(FIRST))["outcome"] == "applied"
        assert not editor.messages("$/progress")
        assert "window/workDoneProgress/create" not in dict(editor.requests)


@pytest.mark.usefixtures("quick")
async def test_a_longer_edit_reports_seconds_and_reasoning() -> None:
    async with await Editor.started(BARS) as editor:
        editor.open(TEXT)
        go_on = asyncio.Event()
        thought = ReasoningDelta("I read the loop. It sums up prices. The count is miss")
        editor.serve(ScriptedModel([thought, go_on, *scripted_answer(NEW)]))
        _, result = editor.ask("twospeed/edit", editor.edit_params(FIRST, mode="deep"))

        def reports() -> list[Any]:
            return [value for value in editor.progress("twospeed-edit-e1") if value["kind"] == "report"]

        await editor.wait_for(lambda: any("·" in value["message"] for value in reports()))
        assert ("window/workDoneProgress/create", {"token": "twospeed-edit-e1"}) in editor.requests
        session = editor.server.session
        assert session
        shown = session.notifications.progress.edits
        assert [(token, edits[0]) for token, edits in shown.items()] == [
            ("twospeed-edit-e1", session.scheduler.get_active("e1"))
        ]
        seconds, _, rest = reports()[-1]["message"].partition(" ")
        assert (int(seconds) < 60, rest) == (True, "s · It sums up prices.")
        go_on.set()
        assert (await result)["outcome"] == "applied"
        await editor.wait_for(lambda: editor.progress("twospeed-edit-e1")[-1]["kind"] == "end")
        assert session.notifications.progress.edits == {}
        first = editor.progress("twospeed-edit-e1")[0]
        assert (first["kind"], first["title"], first["cancellable"]) == ("begin", "🧠 Deep", True)


@pytest.mark.usefixtures("quick")
async def test_a_queued_edit_reports_that_it_waits() -> None:
    async with await Editor.started(BARS) as editor:
        editor.open(TEXT)
        go_on = asyncio.Event()
        editor.serve(ScriptedModel([go_on, *scripted_answer(NEW)]))
        for _ in range(2):
            editor.ask("twospeed/edit", editor.edit_params(FIRST))
        await editor.wait_for(
            lambda: any("waits" in each.get("message", "") for each in editor.progress("twospeed-edit-e2"))
        )
        go_on.set()

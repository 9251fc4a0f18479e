"""No part of an unfinished edit stays in a file that needs confirmation, and saving accepts nothing if configured so."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from tests.scenarios.editor import STREAMING, URI, Editor, RequestFailed
from tests.scenarios.shop import EDITED, NEW, TEXT

from twospeed.edits.phases import EditState
from twospeed.errors import ModelUnavailable
from twospeed.models.base import TextDelta
from twospeed.testing.scripted_model import ScriptedModel, scripted_answer

TOOL_FILE = "file:///project/conftest.py"
BEGUN = "def total(items):\n    # sums up\n    result = 0\n    for item in items:\n"
"""Of an answer that is broken off: a line that is new, and old ones."""


@pytest.mark.security("R1")
async def test_cancelling_keeps_no_part_in_a_file_that_needs_confirmation(streaming: Editor) -> None:
    streaming.open(TEXT, uri=TOOL_FILE)
    streaming.serve(ScriptedModel([TextDelta(BEGUN), asyncio.Event()]))
    params = streaming.edit_params(4, uri=TOOL_FILE, editId="c7")
    _, running = streaming.ask("twospeed/edit", params)
    session = streaming.server.session
    assert session
    [edit] = session.scheduler.edits
    for _ in range(10_000):
        if edit.state is EditState.RUNNING and edit.live.next_batch():
            break
        await asyncio.sleep(0)
    result = await streaming.request("twospeed/cancel", {"editId": "c7", "keep": "partial"})
    assert (await running, result["outcome"], result["hunks"]) == (result, "cancelled", [])
    assert streaming.buffers[TOOL_FILE].text == TEXT
    assert not any(method.endswith("applyEdit") for method, _ in streaming.requests)


async def state_after_saving(tmp_path: Path, review: str) -> Any:
    config = tmp_path / "config.toml"
    config.write_text(review)
    async with await Editor.started(STREAMING, environ={"TWOSPEED_CONFIG": str(config)}) as editor:
        editor.open(TEXT)
        editor.serve(ScriptedModel(scripted_answer(NEW)))
        await editor.edit(4)
        editor.notify("textDocument/didSave", {"textDocument": {"uri": URI}})
        [edit] = (await editor.request("twospeed/status", {}))["edits"]
        assert editor.buffers[URI].text == EDITED
        return edit["state"]


async def test_saving_leaves_an_edit_in_review_if_the_settings_say_never(tmp_path: Path) -> None:
    assert await state_after_saving(tmp_path, '[review]\naccept_on = "never"\n') == "review"


async def test_saving_ends_the_review_by_default(tmp_path: Path) -> None:
    assert await state_after_saving(tmp_path, "") == "ended"


async def test_an_edit_that_is_being_reverted_is_not_steered(streaming: Editor) -> None:
    begun = TextDelta(NEW[: NEW.index("item.price")])
    failure = ModelUnavailable("it went away", provider="lab", model="m")
    held = asyncio.Event()
    streaming.serve(ScriptedModel([begun, held, failure]))
    _, running = streaming.ask("twospeed/edit", streaming.edit_params(4, editId="c7"))
    await streaming.wait_for(lambda: "amount = 0" in streaming.buffers[URI].text)
    steered: list[asyncio.Future[Any]] = []

    def steers(editor: Editor) -> None:
        if not steered:
            params = {"editId": "c7", "instruction": "other words"}
            steered.append(editor.ask("twospeed/steer", params)[1])

    streaming.before_apply = steers
    held.set()
    assert (await running)["outcome"] == "failed"
    with pytest.raises(RequestFailed):
        await steered[0]
    assert streaming.buffers[URI].text == TEXT

"""Messages of one read are processed in order, even if their work takes a while."""

from __future__ import annotations

import asyncio
import sys

import pytest
from tests.scenarios.editor import STREAMING, URI, Editor, RequestFailed
from tests.scenarios.model_lanes import shown_to_person
from tests.scenarios.shop import EDITED, NEW, OLD, TEXT

from twospeed.testing.scripted_model import ScriptedModel, scripted_answer

begins_at_once = pytest.mark.skipif(
    sys.version_info < (3, 12), reason="a task begins one turn of the loop later there"
)


async def verdicts(editor: Editor) -> list[str | None]:
    return [edit["verdict"] for edit in (await editor.request("twospeed/status", {}))["edits"]]


async def test_an_edit_right_after_a_mode_switch_uses_the_new_mode(streaming: Editor) -> None:
    streaming.serve(ScriptedModel(scripted_answer(NEW)))
    _, switched = streaming.ask("twospeed/setMode", {"mode": "deep"})
    assert (await streaming.edit(4))["mode"] == "deep"
    assert (await switched)["mode"] == "deep"


@pytest.mark.parametrize("is_command", [True, False])
async def test_toggling_the_mode_twice_restores_it(streaming: Editor, is_command: bool) -> None:
    for _ in range(2):
        if is_command:
            streaming.ask("workspace/executeCommand", {"command": "twospeed.toggleMode"})
        else:
            streaming.ask("twospeed/setMode", {})
    await streaming.wait_for(lambda: len(streaming.messages("twospeed/modeChanged")) == 2)
    assert streaming.messages("twospeed/modeChanged")[-1]["mode"] == "lightning"
    assert (await streaming.request("twospeed/status", {}))["mode"] == "lightning"


async def test_a_mode_switch_is_reported_if_its_request_is_cancelled(streaming: Editor) -> None:
    request_id, switched = streaming.ask("twospeed/setMode", {"mode": "deep"})
    streaming.notify("$/cancelRequest", {"id": request_id})
    await streaming.wait_for(lambda: streaming.messages("twospeed/modeChanged"))
    assert streaming.messages("twospeed/modeChanged")[0]["mode"] == "deep"
    await asyncio.wait([switched])


@begins_at_once
async def test_edits_are_accepted_if_the_file_is_saved_and_closed_at_once(streaming: Editor) -> None:
    streaming.serve(ScriptedModel(scripted_answer(NEW)))
    await streaming.edit(4)
    for method in ("textDocument/didSave", "textDocument/didClose"):
        streaming.notify(method, {"textDocument": {"uri": URI}})
    assert await verdicts(streaming) == ["accepted"]


@begins_at_once
@pytest.mark.parametrize("is_command", [True, False])
async def test_an_accepted_edit_stays_accepted_after_undo(streaming: Editor, is_command: bool) -> None:
    streaming.serve(ScriptedModel(scripted_answer(NEW)))
    edit_id = (await streaming.edit(4))["editId"]
    if is_command:
        streaming.ask("workspace/executeCommand", {"command": "twospeed.accept"})
    else:
        streaming.ask("twospeed/decide", {"editId": edit_id, "action": "accept"})
    streaming.type(3, 0, OLD, end=(8, 0))
    assert streaming.buffers[URI].text == TEXT
    assert await verdicts(streaming) == ["accepted"]


async def test_a_retry_during_shutdown_begins_no_edit(streaming: Editor) -> None:
    streaming.serve(model := ScriptedModel([asyncio.Event()], scripted_answer(NEW)))
    _, running = streaming.ask("twospeed/edit", streaming.edit_params(4))
    await streaming.wait_for(lambda: model.requests)
    streaming.ask("workspace/executeCommand", {"command": "twospeed.retry"})
    await streaming.request("shutdown", None)
    assert (await running)["outcome"] == "cancelled"
    await streaming.wait_for(lambda: shown_to_person(streaming))
    assert shown_to_person(streaming) == ["the editor shut twospeed down"]
    assert len(model.requests) == 1
    assert streaming.buffers[URI].text == TEXT


async def test_a_retry_is_refused_if_the_document_was_reopened(streaming: Editor) -> None:
    streaming.serve(model := ScriptedModel([asyncio.Event()], scripted_answer(NEW)))
    _, running = streaming.ask("twospeed/edit", streaming.edit_params(4))
    await streaming.wait_for(lambda: model.requests)
    streaming.ask("workspace/executeCommand", {"command": "twospeed.retry"})
    streaming.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
    streaming.open("# another\n" * 3 + TEXT)
    await running
    await streaming.wait_for(lambda: shown_to_person(streaming))
    assert shown_to_person(streaming) == ["the document was closed; start a new edit"]
    assert len(model.requests) == 1


async def test_a_retry_in_preview_delivery_leaves_the_edit_unchanged(streaming: Editor) -> None:
    streaming.serve(ScriptedModel(scripted_answer(NEW)))
    await streaming.edit(4)
    streaming.notify("workspace/didChangeConfiguration", {"settings": {"delivery": {"style": "preview"}}})
    with pytest.raises(RequestFailed, match=r"-32803: delivery\.style is preview"):
        await streaming.command("twospeed.retry")
    assert streaming.buffers[URI].text == EDITED
    assert await verdicts(streaming) == [None]


async def test_a_mode_change_by_settings_is_reported() -> None:
    async with await Editor.started(STREAMING) as editor:
        editor.notify("workspace/didChangeConfiguration", {"settings": {"mode": "deep"}})
        await editor.wait_for(lambda: editor.messages("twospeed/modeChanged"))
        editor.notify("workspace/didChangeConfiguration", {"settings": {"mode": "deep", "scope": "auto"}})
        await editor.request("twospeed/status", {})
        assert [state["mode"] for state in editor.messages("twospeed/modeChanged")] == ["deep"]

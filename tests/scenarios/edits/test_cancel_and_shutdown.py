"""Cancel, close, decide and shut down at any moment: one outcome, one response, nothing left."""

from __future__ import annotations

import asyncio
import gc
import warnings
from typing import Any

import pytest
from tests.scenarios.editor import STREAMING, URI, Editor, RequestFailed, place_range
from tests.scenarios.shop import EDITED, NEW, OLD, TEXT

from twospeed.models.base import Finished, ReasoningDelta, TextDelta
from twospeed.testing.scripted_model import ScriptedModel, scripted_answer


async def half_written(streaming: Editor, **more: Any) -> asyncio.Future[Any]:
    """Request an edit whose model stops in the middle; return the future response."""
    streaming.serve(ScriptedModel([TextDelta(NEW[: NEW.index("    return")]), asyncio.Event()]))
    _, running = streaming.ask("twospeed/edit", streaming.edit_params(4, **more))
    await streaming.wait_for(lambda: "item.count" in streaming.buffers[URI].text)
    return running


async def test_a_request_that_is_cancelled_at_once_stops_its_edit(editor: Editor) -> None:
    model = ScriptedModel(scripted_answer(NEW))
    editor.serve(model)
    request_id, running = editor.ask("twospeed/edit", editor.edit_params(4))
    editor.notify("$/cancelRequest", {"id": request_id})
    with pytest.raises(RequestFailed, match="-32800"):
        await running
    status = await editor.request("twospeed/status", {})
    assert [edit["outcome"] for edit in status["edits"]] == ["cancelled"]
    assert editor.buffers[URI].text == TEXT


async def test_an_edit_stops_although_the_cancel_request_is_cancelled(streaming: Editor) -> None:
    running = await half_written(streaming, editId="e1")
    request_id, cancelled = streaming.ask("twospeed/cancel", {"editId": "e1"})
    streaming.notify("$/cancelRequest", {"id": request_id})
    with pytest.raises(RequestFailed, match="-32800"):
        await cancelled
    async with asyncio.timeout(60):
        assert (await running)["outcome"] == "cancelled"
    assert streaming.buffers[URI].text == TEXT


async def test_two_decisions_at_once_are_one_decision_and_one_refusal(streaming: Editor) -> None:
    streaming.serve(ScriptedModel(scripted_answer(NEW)))
    edit_id = (await streaming.edit(4))["editId"]
    asked = [
        streaming.ask("twospeed/decide", {"editId": edit_id, "action": action})[1]
        for action in ("reject", "accept")
    ]
    streaming.notify("textDocument/didSave", {"textDocument": {"uri": URI}})
    assert (await asked[0])["hunks"] == []
    with pytest.raises(RequestFailed, match="-32803"):
        await asked[1]
    assert streaming.buffers[URI].text == TEXT
    assert streaming.messages("window/showMessage") == []


async def test_a_decision_is_applied_although_its_request_is_cancelled(streaming: Editor) -> None:
    streaming.serve(ScriptedModel(scripted_answer(NEW)))
    edit_id = (await streaming.edit(4))["editId"]
    request_id, decided = streaming.ask("twospeed/decide", {"editId": edit_id, "action": "reject"})
    streaming.notify("$/cancelRequest", {"id": request_id})
    with pytest.raises(RequestFailed, match="-32800"):
        await decided
    await streaming.wait_for(lambda: streaming.messages("twospeed/editChanged")[-1]["verdict"] == "rejected")
    assert streaming.buffers[URI].text == TEXT


def undoes_and_denies(editor: Editor, method: str) -> Any:
    """Type and undo the first edit while a batch is in flight, and refuse the batch."""
    if method != "twospeed/applyEdit":
        return None
    if NEW in editor.buffers[URI].text:
        editor.type(0, 0, "# mine\n")
        editor.type(4, 0, OLD, end=(9, 0))
    return {"applied": False, "version": editor.buffers[URI].version, "reason": "readOnly"}


async def test_an_edit_undone_while_another_is_refused_is_rejected(streaming: Editor) -> None:
    streaming.serve(ScriptedModel(scripted_answer(NEW), scripted_answer("def area(radius):\n    return 0\n")))
    await streaming.edit(4)
    streaming.answer = lambda method, _: undoes_and_denies(streaming, method)
    assert (await streaming.edit(10))["outcome"] == "failed"
    status = await streaming.request("twospeed/status", {})
    assert [edit["verdict"] for edit in status["edits"]] == ["rejected", None]
    assert streaming.buffers[URI].text == "# mine\n" + TEXT


async def test_an_edit_undone_while_its_rejection_is_refused_is_rejected(streaming: Editor) -> None:
    streaming.serve(ScriptedModel(scripted_answer(NEW)))
    edit_id = (await streaming.edit(4))["editId"]
    streaming.answer = lambda method, _: undoes_and_denies(streaming, method)
    with pytest.raises(RequestFailed, match="-32803"):
        await streaming.request("twospeed/decide", {"editId": edit_id, "action": "reject"})
    assert streaming.messages("twospeed/editChanged")[-1]["verdict"] == "rejected"
    assert streaming.buffers[URI].text == "# mine\n" + TEXT


async def test_an_error_about_an_existing_edit_names_its_state(streaming: Editor) -> None:
    go_on = asyncio.Event()
    streaming.serve(ScriptedModel([go_on, *scripted_answer(NEW)]))
    _, running = streaming.ask("twospeed/edit", streaming.edit_params(4, editId="e1"))
    accept, stop = {"editId": "e1", "action": "accept"}, {"editId": "e1"}
    with pytest.raises(RequestFailed, match="-32803: the edit e1 is not in review yet"):
        await streaming.request("twospeed/decide", accept)
    go_on.set()
    await running
    with pytest.raises(RequestFailed, match="-32803: the edit e1 has its outcome already"):
        await streaming.request("twospeed/cancel", stop)
    await streaming.request("twospeed/decide", accept)
    for method, params in (("twospeed/decide", accept), ("twospeed/cancel", stop)):
        with pytest.raises(RequestFailed, match="-32803: the edit e1 has ended"):
            await streaming.request(method, params)
    with pytest.raises(RequestFailed, match="-32803: no such edit: e2"):
        await streaming.request("twospeed/cancel", {"editId": "e2"})


@pytest.mark.parametrize("command", ["accept", "reject", "steer"])
async def test_an_empty_id_is_an_unknown_id(streaming: Editor, command: str) -> None:
    streaming.serve(ScriptedModel(scripted_answer(NEW)))
    await streaming.edit(4)
    more = {"instruction": "more"} if command == "steer" else {}
    with pytest.raises(RequestFailed, match="-32803: no such edit"):
        await streaming.command(f"twospeed.{command}", {"editId": "", **more})
    assert streaming.buffers[URI].text == EDITED


async def test_an_unconfirmed_rejection_is_not_retried(streaming: Editor) -> None:
    streaming.serve(ScriptedModel(scripted_answer(NEW)))
    edit_id = (await streaming.edit(4))["editId"]
    assert streaming.server.session
    streaming.server.session.channel(URI)._confirm_s = 0.01
    streaming.answer = lambda method, _: {"applied": True, "version": 9} if "apply" in method else None
    text = streaming.buffers[URI].text
    for why in ("did not report the change", "has ended"):
        with pytest.raises(RequestFailed, match=why):
            await streaming.request("twospeed/decide", {"editId": edit_id, "action": "reject"})
    last = streaming.messages("twospeed/editChanged")[-1]
    assert (last["state"], last["verdict"]) == ("ended", None)
    assert streaming.buffers[URI].text == text


@pytest.mark.parametrize("n_turns", range(14))
async def test_a_session_that_ends_during_a_retry_leaves_no_task(n_turns: int) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RuntimeWarning)
        editor = await Editor.started({"window": {"workDoneProgress": True}})
        editor.open(TEXT)
        editor.serve(ScriptedModel([asyncio.Event()], [asyncio.Event()]))
        _, first = editor.ask("twospeed/edit", editor.edit_params(4, editId="e1"))
        session = editor.server.session
        assert session
        await editor.wait_for(lambda: session.scheduler.edits[0].state.value == "running")
        editor.ask("workspace/executeCommand", {"command": "twospeed.retry", "arguments": [{"editId": "e1"}]})
        for _ in range(n_turns):
            await asyncio.sleep(0)
        await editor.server.aclose()
        gc.collect()
    await asyncio.wait([first])
    assert first.exception() is None or "-32800" in str(first.exception())
    assert asyncio.all_tasks() - editor._tasks == {asyncio.current_task()}
    assert [str(each.message) for each in caught] == []


async def test_a_queued_edit_finds_its_instruction_comment_at_its_current_line(streaming: Editor) -> None:
    streaming.buffers.clear()
    comment = "    # ai: count the items\n"
    streaming.open(TEXT.replace("    result = 0\n", comment + "    result = 0\n"))
    first = OLD.replace("    result = 0\n", "    check(items)\n" + comment + "    result = 0\n")
    last = first.replace(comment, "").replace("item.price", "item.count")
    go_on = asyncio.Event()
    model = ScriptedModel([go_on, *scripted_answer(first)], scripted_answer(last))
    streaming.serve(model)
    _, ahead = streaming.ask("twospeed/edit", streaming.edit_params(3))
    _, queued = streaming.ask("twospeed/edit", streaming.edit_params(4, "count the items"))
    await asyncio.sleep(0)
    go_on.set()
    assert (await ahead)["outcome"] == (await queued)["outcome"] == "applied"
    assert model.requests[1].task.scope_text == first.replace(comment, "")
    assert streaming.buffers[URI].text == TEXT.replace(OLD, last)


async def test_an_edit_waits_for_another_that_deletes_its_lines(streaming: Editor) -> None:
    go_on = asyncio.Event()
    kept = "    for item in items:\n"
    model = ScriptedModel(
        [TextDelta(kept), go_on, Finished("stop")], scripted_answer("def total(items):\n    # ours\n")
    )
    streaming.serve(model)
    begun: list[asyncio.Future[Any]] = []

    def ask(first: int, last: int) -> asyncio.Future[Any]:
        selection = {"range": place_range(first, 0, last, 0)}
        return streaming.ask("twospeed/edit", {**streaming.edit_params(first), **selection})[1]

    def ask_while_it_is_on_its_way(_: Editor) -> None:
        streaming.before_apply = None
        begun.append(ask(3, 5))

    streaming.before_apply = ask_while_it_is_on_its_way
    ahead = ask(4, 6)
    await streaming.wait_for(lambda: "result = 0" not in streaming.buffers[URI].text)
    for _ in range(30):
        await asyncio.sleep(0)
    assert len(model.requests) == 1
    go_on.set()
    assert (await ahead)["outcome"] == (await begun[0])["outcome"] == "applied"
    assert streaming.buffers[URI].text == TEXT.replace("    result = 0\n", "    # ours\n")


async def test_a_queued_edit_whose_lines_are_gone_ends_as_a_conflict(streaming: Editor) -> None:
    model = ScriptedModel([asyncio.Event()])
    streaming.serve(model)
    _, ahead = streaming.ask("twospeed/edit", streaming.edit_params(4))
    _, queued = streaming.ask("twospeed/edit", streaming.edit_params(5))
    await streaming.wait_for(lambda: model.requests and len(streaming.messages("twospeed/editChanged")) > 1)
    streaming.type(3, 0, "", end=(8, 0))
    assert (await ahead)["reason"]["code"] == (await queued)["reason"]["code"] == "boundary"
    assert len(model.requests) == 1
    assert streaming.buffers[URI].text == TEXT.replace(OLD, "")


async def test_the_undo_step_begins_with_the_first_applied_batch(streaming: Editor) -> None:
    keys = iter("x")

    def press(editor: Editor) -> None:
        if key := next(keys, None):
            editor.type(0, 0, f"# {key}\n")

    streaming.before_apply = press
    streaming.serve(ScriptedModel(scripted_answer(NEW)))
    await streaming.edit(4)
    first, second, *_ = [
        params["undoStopBefore"] for method, params in streaming.requests if "apply" in method
    ]
    assert (first, second) == (True, True)


async def test_a_stock_client_may_keep_a_part_of_a_cancelled_edit(editor: Editor) -> None:
    body = OLD.split("\n", 1)[1]
    part = "def total(items):\n    # sums up\n" + body[: body.index("    return")]
    editor.serve(ScriptedModel([TextDelta(part), ReasoningDelta("on"), asyncio.Event()]))
    _, running = editor.ask("twospeed/edit", editor.edit_params(4, editId="c7", partialResultToken="p"))
    await editor.wait_for(lambda: any(part["type"] == "reasoning" for part in editor.progress("p")))
    result = await editor.request("twospeed/cancel", {"editId": "c7", "keep": "partial"})
    assert (result["outcome"], len(result["hunks"])) == ("cancelled", 1)
    assert editor.buffers[URI].text == TEXT.replace("items):\n", "items):\n    # sums up\n", 1)
    assert (await running) == result


async def test_shutdown_restores_the_old_text_and_responds_to_the_edit(streaming: Editor) -> None:
    model = ScriptedModel([TextDelta(NEW[:100]), asyncio.Event()])
    streaming.serve(model)
    _, running = streaming.ask("twospeed/edit", streaming.edit_params(4))
    await streaming.wait_for(lambda: "amount" in streaming.buffers[URI].text)
    await streaming.request("shutdown", None)
    result = await running
    assert (result["outcome"], result["reason"]["code"]) == ("cancelled", "shutdown")
    assert streaming.buffers[URI].text == TEXT
    assert model.closed == 1


async def test_a_disconnect_during_an_edit_leaves_no_task_and_no_stream() -> None:
    before = asyncio.all_tasks()
    async with await Editor.started(STREAMING) as editor:
        editor.open(TEXT)
        model = ScriptedModel([TextDelta(NEW[:100]), asyncio.Event()])
        editor.serve(model)
        editor.before_apply = lambda editor: None
        _, running = editor.ask("twospeed/edit", editor.edit_params(4))
        _, queued = editor.ask("twospeed/edit", editor.edit_params(5))
        await editor.wait_for(lambda: editor.requests)  # the first batch is in flight
    for answer in (running, queued):
        with pytest.raises(RequestFailed, match="-32800"):
            await answer
    await asyncio.gather(*editor._tasks)
    assert asyncio.all_tasks() <= before
    assert model.closed == 1


async def test_a_retry_of_an_edit_whose_lines_have_moved_is_refused(editor: Editor) -> None:
    editor.serve(ScriptedModel(scripted_answer("No."), scripted_answer(NEW)))
    refused = await editor.edit(4)
    editor.type(0, 0, "# typed\n")
    with pytest.raises(RequestFailed, match="has changed"):
        await editor.command("twospeed.retry", {"editId": refused["editId"]})
    assert editor.buffers[URI].text == "# typed\n" + TEXT


async def test_a_rejected_edit_is_not_rebuilt_after_a_cancel(streaming: Editor) -> None:
    streaming.serve(ScriptedModel([TextDelta(NEW[: NEW.index("item.price")]), asyncio.Event()]))
    sent: list[str] = []

    def refuses(method: str, params: Any) -> Any:
        if method != "twospeed/applyEdit":
            return None
        sent.append("".join(edit["newText"] for edit in params["edits"]))
        if len(sent) == 1:
            streaming.ask("twospeed/cancel", {"editId": "c1"})
            streaming.type(0, 0, "# typed\n")
            return {"applied": False, "version": 2, "reason": "stale"}
        return None

    streaming.answer = refuses
    _, result = streaming.ask("twospeed/edit", streaming.edit_params(3, editId="c1"))
    async with asyncio.timeout(60):
        assert (await result)["outcome"] == "cancelled"
    assert streaming.buffers[URI].text == "# typed\n" + TEXT
    assert not any(sent[1:]), "except the request that ends the undo step"


async def test_a_revert_that_the_editor_refuses_is_reported(streaming: Editor) -> None:
    session = streaming.server.session
    assert session
    session.channel(URI)._confirm_s = 0.01
    streaming.serve(ScriptedModel([TextDelta(NEW[: NEW.index("item.price")]), asyncio.Event()]))
    _, result = streaming.ask("twospeed/edit", streaming.edit_params(3, editId="c1"))
    await streaming.wait_for(lambda: "amount = 0" in streaming.buffers[URI].text)
    no = {"applied": False, "version": 2}
    streaming.answer = lambda method, _: no if method == "twospeed/applyEdit" else None
    ended = await streaming.request("twospeed/cancel", {"editId": "c1"})
    assert (ended["outcome"], ended["reason"]["code"]) == ("conflict", "unconfirmed")
    assert "amount = 0" in streaming.buffers[URI].text
    await result


async def test_a_deep_edit_continues_while_lightning_edits_around_it() -> None:
    functions = [f"def f{number}(a):\n    x = a\n    return x\n" for number in range(3)]
    async with await Editor.started(STREAMING) as editor:
        buffer = editor.open("\n\n".join(functions))
        go_on = asyncio.Event()
        answers = [each.replace("x", "y") for each in functions]
        begun, rest = answers[1].split("    return")
        slow = [TextDelta(begun + "    ret"), go_on, *scripted_answer("urn" + rest)]
        editor.serve(ScriptedModel(slow, scripted_answer(answers[0]), scripted_answer(answers[2])))
        _, deep = editor.ask("twospeed/edit", editor.edit_params(5, mode="deep"))
        await editor.wait_for(lambda: buffer.text.count("    y = a\n") == 1)
        assert (await editor.edit(0, mode="lightning"))["outcome"] == "applied"
        editor.type(0, 0, "# above\n")
        assert (await editor.edit(11, mode="lightning"))["outcome"] == "applied"
        assert not deep.done()
        go_on.set()
        async with asyncio.timeout(60):
            result = await deep
        assert (result["outcome"], result["mode"]) == ("applied", "deep")
        assert buffer.text == "# above\n" + "\n\n".join(answers)
        await editor.request("twospeed/decide", {"editId": result["editId"], "action": "reject"})
        assert buffer.text == "# above\n" + "\n\n".join([answers[0], functions[1], answers[2]])


async def test_a_closing_session_begins_no_edit(streaming: Editor) -> None:
    session = streaming.server.session
    assert session
    before = asyncio.all_tasks()
    closing = asyncio.create_task(session.aclose())
    await asyncio.sleep(0)
    began: list[str] = []

    async def ask_for_another_mode() -> None:  # as at the end of an edit that is refused at that moment
        began.append("asked")
        await asyncio.Event().wait()

    session.tasks.spawn(ask_for_another_mode())
    await closing
    session.tasks.spawn(ask_for_another_mode())
    await asyncio.sleep(0)
    assert began == []
    assert asyncio.all_tasks() <= before


async def test_typing_across_the_edge_ends_an_edit_while_its_model_is_silent(
    streaming: Editor,
) -> None:
    running = await half_written(streaming)
    streaming.type(1, 0, "", end=(4, 0))
    async with asyncio.timeout(60):
        result = await running
    assert (result["outcome"], result["reason"]["code"]) == ("conflict", "boundary")
    typed = TEXT.replace("\n\ndef total(items):\n", "", 1)
    assert streaming.buffers[URI].text == typed


async def test_an_edit_whose_document_was_closed_cannot_be_decided(
    streaming: Editor,
) -> None:
    running = await half_written(streaming)
    streaming.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
    async with asyncio.timeout(60):
        assert (await running)["reason"]["code"] == "closed"
    last = streaming.messages("twospeed/editChanged")[-1]
    assert (last["state"], last["outcome"], last["verdict"]) == ("ended", "cancelled", None)
    with pytest.raises(RequestFailed, match="there is no edit to act on"):
        await streaming.command("twospeed.accept")

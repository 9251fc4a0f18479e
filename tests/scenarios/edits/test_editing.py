"""One edit through the whole server, as an editor observes it."""

from __future__ import annotations

import asyncio

import pytest
from tests.scenarios.editor import URI, Editor, RequestFailed, place_range
from tests.scenarios.shop import EDITED, NEW, OLD, TEXT

from twospeed.errors import ModelUnavailable
from twospeed.models.base import Finished, ReasoningDelta, TextDelta
from twospeed.testing.scripted_model import ScriptedModel, Step, scripted_answer


async def test_a_stock_client_gets_one_versioned_edit(editor: Editor) -> None:
    editor.serve(ScriptedModel(scripted_answer(NEW)))
    result = await editor.edit(4)
    assert editor.buffers[URI].text == EDITED
    assert [method for method, _ in editor.requests] == ["workspace/applyEdit"]
    assert (result["outcome"], result["reason"], result["version"]) == ("applied", None, 2)
    assert result["scope"] == {"kind": "function", "name": "total", "range": place_range(3, 0, 8, 0)}
    assert result["newText"] == NEW
    assert result["edit"] is None


async def test_a_client_with_apply_edit_receives_the_answer_as_it_streams(streaming: Editor) -> None:
    go_on = asyncio.Event()
    half = NEW.index("    return")
    steps: list[Step] = [TextDelta(NEW[:half]), go_on, TextDelta(NEW[half:]), Finished("stop")]
    streaming.serve(ScriptedModel(steps))
    _, running = streaming.ask("twospeed/edit", streaming.edit_params(4))
    await streaming.wait_for(lambda: "amount = 0" in streaming.buffers[URI].text)
    assert "return result" in streaming.buffers[URI].text
    go_on.set()
    result = await running
    assert streaming.buffers[URI].text == EDITED
    assert result["outcome"] == "applied"
    apply_requests = [params for method, params in streaming.requests if method == "twospeed/applyEdit"]
    assert [params["seq"] for params in apply_requests] == list(range(1, len(apply_requests) + 1))
    assert [params["undoStopBefore"] for params in apply_requests] == [
        True,
        *[False] * (len(apply_requests) - 1),
    ]
    assert [params["undoStopAfter"] for params in apply_requests] == [
        *[False] * (len(apply_requests) - 1),
        True,
    ]
    assert (
        sum(len(edit["newText"]) for params in apply_requests for edit in params["edits"])
        == result["stats"]["charsSent"]
    )


async def test_partial_results_turn_the_old_scope_into_the_answer(editor: Editor) -> None:
    editor.serve(ScriptedModel([ReasoningDelta("hm"), *scripted_answer(NEW)]))
    await editor.edit(4, partialResultToken="p", deliver="preview")
    started, reasoning, *edits = editor.progress("p")
    assert started["type"] == "started"
    assert started["scope"]["name"] == "total"
    assert reasoning == {"type": "reasoning", "text": "hm"}
    assert [part["seq"] for part in edits] == list(range(1, len(edits) + 1))
    view = editor.open(OLD, uri="untitled:view")
    for part in edits:
        view.apply(part["edits"])
    assert view.text == NEW


async def test_a_preview_returns_the_edit_without_a_change_of_the_document(editor: Editor) -> None:
    editor.serve(ScriptedModel(scripted_answer(NEW)))
    result = await editor.edit(4, deliver="preview")
    assert editor.buffers[URI].text == TEXT
    assert editor.requests == []
    (change,) = result["edit"]["documentChanges"]
    assert change["textDocument"] == {"uri": URI, "version": 1}
    editor.buffers[URI].apply(change["edits"])
    assert editor.buffers[URI].text == EDITED
    assert (result["newText"], result["hunks"], result["version"]) == (NEW, [], 1)
    assert (result["stats"]["linesAdded"], result["stats"]["linesRemoved"]) == (3, 3)


async def test_an_answer_equal_to_the_old_text_sends_nothing(editor: Editor) -> None:
    editor.serve(ScriptedModel(scripted_answer(f"```python\n{OLD}```")))
    result = await editor.edit(4)
    assert (result["outcome"], result["hunks"], result["version"]) == ("unchanged", [], 1)
    assert editor.requests == []


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (scripted_answer("I'm sorry, I cannot do that."), "not-code"),
        (scripted_answer(NEW, reason="length"), "truncated"),
        (scripted_answer(""), "empty"),
        (scripted_answer(NEW.replace("for item in items:", "for item in items")), "syntax"),
        ([TextDelta(NEW[:80]), Finished("content_filter")], "declined"),
    ],
)
@pytest.mark.parametrize("kind", ["stock", "streaming"])
async def test_an_unusable_answer_leaves_the_old_text(
    editor: Editor, streaming: Editor, answer: list, code: str, kind: str
) -> None:
    client = editor if kind == "stock" else streaming
    client.serve(ScriptedModel(answer))
    result = await client.edit(4)
    assert (result["outcome"], result["reason"]["code"]) == ("refused", code)
    assert client.buffers[URI].text == TEXT
    assert result["newText"] == OLD


async def test_an_empty_block_deletes_the_scope_as_one_hunk_in_review(streaming: Editor) -> None:
    streaming.serve(ScriptedModel(scripted_answer("```python\n```\n")))
    result = await streaming.edit(4)
    assert (result["outcome"], len(result["hunks"]), result["newText"]) == ("applied", 1, "")
    assert streaming.buffers[URI].text == TEXT.replace(OLD, "")
    told = [each["message"] for each in result["findings"] if each["code"] == "deleted-scope"]
    assert told == [f"the answer deletes all {len(OLD.splitlines())} lines of the scope"]


@pytest.mark.parametrize("kind", ["stock", "streaming"])
async def test_a_model_that_fails_during_its_answer_leaves_the_old_text(
    editor: Editor, streaming: Editor, kind: str
) -> None:
    client = editor if kind == "stock" else streaming
    error = ModelUnavailable("the connection was lost", provider="p", model="m")
    client.serve(ScriptedModel([TextDelta(NEW[:100]), error]))
    result = await client.edit(4)
    assert result["outcome"] == "failed"
    assert result["reason"] == {"code": "model-unavailable", "message": "the connection was lost"}
    assert client.buffers[URI].text == TEXT


async def test_an_answer_without_an_end_fails_the_edit(streaming: Editor) -> None:
    streaming.serve(ScriptedModel([TextDelta(NEW[:100])]))
    result = await streaming.edit(4)
    assert (result["outcome"], result["reason"]["code"]) == ("failed", "model-protocol")
    assert streaming.buffers[URI].text == TEXT


async def test_cancelling_restores_the_old_text_and_responds_to_both_requests(streaming: Editor) -> None:
    model = ScriptedModel([TextDelta(NEW[:100]), asyncio.Event()])
    streaming.serve(model)
    _, running = streaming.ask("twospeed/edit", streaming.edit_params(4, editId="c7"))
    await streaming.wait_for(lambda: "amount" in streaming.buffers[URI].text)
    result = await streaming.request("twospeed/cancel", {"editId": "c7"})
    assert result["outcome"] == "cancelled"
    assert await running == result
    assert streaming.buffers[URI].text == TEXT
    assert model.closed == 1


async def test_cancelling_may_keep_certain_changes(streaming: Editor) -> None:
    part = NEW[: NEW.index("    return")]
    kept_line = "def total(items):\n"
    streaming.serve(
        ScriptedModel(
            [
                TextDelta(kept_line + "    # sums up\n" + OLD.split("\n")[1] + "\n" + part[60:]),
                asyncio.Event(),
            ]
        )
    )
    _, running = streaming.ask("twospeed/edit", streaming.edit_params(4, editId="c7"))
    await streaming.wait_for(lambda: "# sums up" in streaming.buffers[URI].text)
    result = await streaming.request("twospeed/cancel", {"editId": "c7", "keep": "partial"})
    assert result["outcome"] == "cancelled"
    assert streaming.buffers[URI].text == TEXT.replace(kept_line, kept_line + "    # sums up\n")
    assert len(result["hunks"]) == 1
    await running


async def test_cancel_request_stops_the_edit_too(streaming: Editor) -> None:
    streaming.serve(ScriptedModel([TextDelta(NEW[:100]), asyncio.Event()]))
    request_id, running = streaming.ask("twospeed/edit", streaming.edit_params(4))
    await streaming.wait_for(lambda: "amount" in streaming.buffers[URI].text)
    streaming.notify("$/cancelRequest", {"id": request_id})
    with pytest.raises(RequestFailed) as caught:
        await running
    assert caught.value.code == -32800
    await streaming.wait_for(lambda: streaming.buffers[URI].text == TEXT)


async def test_typing_above_below_and_inside_survives_a_stream(streaming: Editor) -> None:
    pauses = [asyncio.Event() for _ in range(3)]
    cut = [NEW.index("    for"), NEW.index("    return")]
    steps: list[Step] = [
        TextDelta(NEW[: cut[0]] + "    f"),
        pauses[0],
        TextDelta(NEW[cut[0] + 5 : cut[1]] + "    r"),
        pauses[1],
        TextDelta(NEW[cut[1] + 5 :]),
        Finished("stop"),
    ]
    streaming.serve(ScriptedModel(steps))
    _, running = streaming.ask("twospeed/edit", streaming.edit_params(4))
    await streaming.wait_for(lambda: "amount = 0" in streaming.buffers[URI].text)
    streaming.type(0, 0, "# above\n")
    pauses[0].set()
    await streaming.wait_for(lambda: "item.count" in streaming.buffers[URI].text)
    below = streaming.buffers[URI].text.split("\n").index("def area(radius):") - 1
    streaming.type(below, 0, "# below\n")
    streaming.type(5, 0, "    # inside\n")
    pauses[1].set()
    result = await running
    expected = "# above\n" + EDITED.replace("    amount = 0\n", "    # inside\n    amount = 0\n").replace(
        "\n\ndef area", "\n# below\n\ndef area"
    )
    assert result["outcome"] == "applied"
    assert streaming.buffers[URI].text == expected


async def test_a_keystroke_in_transit_when_an_edit_arrives_is_not_lost(streaming: Editor) -> None:
    keys = iter("xyz")

    def press(editor: Editor) -> None:
        if key := next(keys, None):
            editor.type(0, 0, f"# {key}\n")

    streaming.before_apply = press
    streaming.serve(ScriptedModel(scripted_answer(NEW)))
    result = await streaming.edit(4)
    assert result["outcome"] == "applied"
    assert streaming.buffers[URI].text == "# z\n# y\n# x\n" + EDITED


async def test_a_line_changed_by_the_user_stays_and_is_listed(editor: Editor) -> None:
    go_on = asyncio.Event()
    new = OLD.replace("item.price", "item.price * item.count").replace("result = 0", "result = 0.0")
    editor.serve(ScriptedModel([go_on, *scripted_answer(new)]))
    _, running = editor.ask("twospeed/edit", editor.edit_params(4))
    await asyncio.sleep(0)
    editor.type(6, len("        result += item.price"), "  # mine")
    go_on.set()
    result = await running
    assert "        result += item.price  # mine\n" in editor.buffers[URI].text
    assert "    result = 0.0\n" in editor.buffers[URI].text
    (conflict,) = result["conflicts"]
    assert conflict["range"] == place_range(6, 0, 7, 0)
    assert conflict["proposed"] == "        result += item.price * item.count"


async def test_typing_across_the_edge_of_the_scope_ends_as_a_conflict(streaming: Editor) -> None:
    streaming.serve(
        ScriptedModel(
            [TextDelta(NEW[:100]), go_on := asyncio.Event(), TextDelta(NEW[100:]), Finished("stop")]
        )
    )
    _, running = streaming.ask("twospeed/edit", streaming.edit_params(4))
    await streaming.wait_for(lambda: "amount = 0" in streaming.buffers[URI].text)
    streaming.type(1, 0, "", end=(3, 4))
    go_on.set()
    result = await running
    assert (result["outcome"], result["reason"]["code"]) == ("conflict", "boundary")
    assert streaming.buffers[URI].text == TEXT.replace("\n\ndef total", "total")


async def test_a_client_that_accepts_and_ignores_an_edit_is_reported(editor: Editor) -> None:
    editor.answer = lambda method, params: {"applied": True} if method == "workspace/applyEdit" else None
    assert editor.server.session
    editor.server.session.channel(URI)._confirm_s = 0.02
    editor.serve(ScriptedModel(scripted_answer(NEW)))
    result = await editor.edit(4)
    assert (result["outcome"], result["reason"]["code"]) == ("conflict", "unconfirmed")
    assert editor.buffers[URI].text == TEXT


async def test_reject_restores_the_old_text_and_accept_keeps_the_new_text(streaming: Editor) -> None:
    streaming.serve(ScriptedModel(scripted_answer(NEW)))
    first = await streaming.edit(4)
    streaming.type(0, 0, "# typed\n")
    decided = await streaming.request("twospeed/decide", {"editId": first["editId"], "action": "reject"})
    assert decided["hunks"] == []
    assert streaming.buffers[URI].text == "# typed\n" + TEXT
    second = await streaming.edit(5)
    await streaming.request("twospeed/decide", {"editId": second["editId"], "action": "accept"})
    assert streaming.buffers[URI].text == "# typed\n" + EDITED
    with pytest.raises(RequestFailed) as caught:
        await streaming.request("twospeed/decide", {"editId": second["editId"], "action": "reject"})
    assert caught.value.code == -32803


async def test_one_hunk_can_be_rejected_alone(streaming: Editor) -> None:
    new = OLD.replace("    result = 0\n", "    result = 0.0\n").replace(
        "    return result\n", "    return round(result)\n"
    )
    streaming.serve(ScriptedModel(scripted_answer(new)))
    result = await streaming.edit(4)
    first, second = result["hunks"]
    assert (first["removed"], second["removed"]) == ("    result = 0\n", "    return result\n")
    decided = await streaming.request(
        "twospeed/decide", {"editId": result["editId"], "action": "reject", "hunk": first["id"]}
    )
    assert [hunk["id"] for hunk in decided["hunks"]] == [second["id"]]
    assert streaming.buffers[URI].text == TEXT.replace("    return result\n", "    return round(result)\n")


async def test_saving_accepts_edits_in_review(streaming: Editor) -> None:
    streaming.serve(ScriptedModel(scripted_answer(NEW)))
    await streaming.edit(4)
    streaming.notify("textDocument/didSave", {"textDocument": {"uri": URI}})
    await streaming.wait_for(lambda: streaming.messages("twospeed/editChanged")[-1]["verdict"] == "accepted")


async def test_edits_that_overlap_queue_and_others_run_side_by_side(streaming: Editor) -> None:
    go_on = asyncio.Event()
    area = "def area(radius):\n    return math.tau * radius**2 / 2\n"
    model = ScriptedModel(
        [TextDelta(NEW[:60]), go_on, TextDelta(NEW[60:]), Finished("stop")],
        scripted_answer(area),
        scripted_answer(NEW.replace("amount", "sum_")),
    )
    streaming.serve(model)
    _, first = streaming.ask("twospeed/edit", streaming.edit_params(4))
    await asyncio.sleep(0)
    below = await streaming.edit(11)
    assert (below["outcome"], below["scope"]["name"]) == ("applied", "area")
    _, queued = streaming.ask("twospeed/edit", streaming.edit_params(5))
    await asyncio.sleep(0)
    assert len(model.requests) == 2
    go_on.set()
    assert (await first)["outcome"] == "applied"
    assert (await queued)["outcome"] == "applied"
    assert streaming.buffers[URI].text == TEXT.replace(OLD, NEW.replace("amount", "sum_")).replace(
        "math.pi * radius**2", "math.tau * radius**2 / 2"
    )
    assert "amount" in model.requests[2].task.scope_text


async def test_every_step_of_an_edits_life_is_reported(streaming: Editor) -> None:
    streaming.serve(ScriptedModel(scripted_answer(NEW)))
    result = await streaming.edit(4)
    await streaming.request("twospeed/decide", {"editId": result["editId"], "action": "reject"})
    told = [
        (each["state"], each["outcome"], each["verdict"])
        for each in streaming.messages("twospeed/editChanged")
    ]
    assert told == [("running", None, None), ("review", "applied", None), ("ended", "applied", "rejected")]


async def test_an_instruction_comment_is_consumed_by_its_edit(editor: Editor) -> None:
    editor.buffers.clear()
    editor.open(TEXT.replace("def total", "# ai: count the items\ndef total"))
    model = ScriptedModel(scripted_answer(NEW))
    editor.serve(model)
    where = place_range(3, 0, 3, 0)
    await editor.command("twospeed.edit", {"uri": URI, "range": where, "instruction": "count the items"})
    await editor.wait_for(lambda: editor.buffers[URI].text == EDITED)
    assert model.requests[0].task.scope_text == OLD
    assert "# ai:" not in "".join(message.content for message in model.requests[0].messages)


@pytest.mark.parametrize("eol", ["\r\n", "\r"])
async def test_a_document_keeps_its_line_ends_and_its_missing_last_one(editor: Editor, eol: str) -> None:
    text = TEXT.replace("\n", eol).removesuffix(eol)
    editor.open(text)
    new = "def area(radius):\n    return 3 * radius**2\n"
    editor.serve(ScriptedModel(scripted_answer(new)))
    result = await editor.edit(10)
    assert result["outcome"] == "applied"
    assert editor.buffers[URI].text == text.replace("math.pi", "3")


async def test_emoji_before_the_change_do_not_move_it(editor: Editor) -> None:
    text = 'def hello():\n    return "😀é", 1\n'
    editor.open(text)
    editor.serve(ScriptedModel(scripted_answer(text.replace("1", "2"))))
    await editor.edit(1)
    assert editor.buffers[URI].text == text.replace("1", "2")


async def test_an_empty_document_accepts_an_insertion(editor: Editor) -> None:
    editor.open("")
    editor.serve(ScriptedModel(scripted_answer("x = 1\n")))
    result = await editor.edit(0)
    assert result["scope"]["kind"] == "insertion"
    assert editor.buffers[URI].text == "x = 1\n"
    await editor.request("twospeed/decide", {"editId": result["editId"], "action": "reject"})
    assert editor.buffers[URI].text == ""

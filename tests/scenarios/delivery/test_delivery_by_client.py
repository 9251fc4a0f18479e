"""Each editor gets its edits as its capabilities and the client table require."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.scenarios.editor import LITERALS, URI, Editor, RequestFailed
from tests.scenarios.scripted import wait_for_requests
from tests.scenarios.shop import EDITED, NEW, OLD, TEXT

from twospeed.delivery import behavior_of, document_events, style_for
from twospeed.delivery.client_table import KATE, KATES_ACTION_KINDS, KNOWN, UNKNOWN
from twospeed.testing.scripted_model import ScriptedModel, scripted_answer

KATES: dict[str, Any] = {
    "textDocument": {
        "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": KATES_ACTION_KINDS}}}
    },
    "window": {"workDoneProgress": True},
}
TAKES_NO_EDITS: dict[str, Any] = {"workspace": {"applyEdit": False}, **LITERALS}
STREAM = {"delivery": {"style": "stream"}}
FIRST, LAST = 3, 7  # of the edited function


def model(answer: str) -> ScriptedModel:
    return ScriptedModel(scripted_answer(answer))


def apply_action(editor: Editor, action: Any) -> None:
    """Apply a literal edit as an editor does, and report the change."""
    (edits,) = action["edit"]["changes"].values()
    editor.buffers[URI].apply(edits)
    changes = [{"range": each["range"], "text": each["newText"]} for each in reversed(edits)]
    editor._did_change(editor.buffers[URI], changes)


async def actions(editor: Editor, line: int = FIRST) -> list[Any]:
    at = {"line": line, "character": 0}
    params = {
        "textDocument": {"uri": URI},
        "range": {"start": at, "end": at},
        "context": {"diagnostics": []},
    }
    found = await editor.request("textDocument/codeAction", params)
    assert isinstance(found, list)
    return found


async def offered(editor: Editor) -> Any:
    await editor.wait_for(lambda: editor.messages("window/showMessage"))
    action, *others = await actions(editor)
    assert action.get("command") is None
    assert all("edit" not in each for each in others)
    return action


@pytest.mark.parametrize(
    ("name", "takes_stream", "has_changed", "wanted", "style"),
    [
        ("", True, False, "auto", "stream"),
        ("Neovim", True, False, "auto", "stream"),
        ("", True, False, "atomic", "atomic"),
        ("", True, False, "preview", "preview"),
        ("", False, False, "auto", "atomic"),
        ("", False, False, "stream", "atomic"),
        ("Visual Studio Code", False, False, "auto", "atomic"),
        ("Visual Studio Code", False, False, "stream", "stream"),
        ("Neovim", False, False, "auto", "offer"),
        ("Neovim", False, True, "auto", "atomic"),
        ("Neovim", False, True, "stream", "stream"),
        ("Neovim", False, False, "atomic", "atomic"),
        ("coc.nvim", False, False, "auto", "offer"),
        ("coc.nvim", False, True, "stream", "atomic"),
        ("Kate", False, True, "stream", "offer"),
    ],
)
def test_setting_and_client_choose_the_delivery_style(
    name: str, takes_stream: bool, has_changed: bool, wanted: Any, style: str
) -> None:
    behavior = behavior_of(name, takes_stream=takes_stream, takes_edits=True, action_kinds=None)
    assert style_for(wanted, behavior, has_changed=has_changed) == style


def test_kate_is_recognized_without_a_name() -> None:
    def kate(**more: Any) -> object:
        known = {"takes_stream": False, "takes_edits": None, "action_kinds": KATES_ACTION_KINDS, **more}
        return behavior_of(known.pop("name", ""), **known)

    assert kate() is KATE
    assert kate(takes_edits=True) is UNKNOWN
    assert kate(name="another") is UNKNOWN
    assert kate(action_kinds=[*KATES_ACTION_KINDS, "source.fixAll"]) is UNKNOWN


def test_every_known_client_has_an_observation() -> None:
    assert all(behavior.fact and name == name.lower() for name, behavior in KNOWN.items())


async def test_a_finished_edit_is_a_code_action_for_a_client_that_refuses_late_edits() -> None:
    async with await Editor.started(KATES) as editor:
        editor.open(TEXT)
        editor.serve(model(NEW))
        _, result = editor.ask("twospeed/edit", editor.edit_params(FIRST, "count them"))
        action = await offered(editor)
        assert editor.buffers[URI].text == TEXT
        assert action["title"].endswith("Apply: count them")
        apply_action(editor, action)
        assert (await result)["outcome"] == "applied"
        assert editor.buffers[URI].text == EDITED
        assert not any(method.endswith("applyEdit") for method, _ in editor.requests)


async def test_a_client_that_takes_no_edits_is_sent_none_even_for_a_reject() -> None:
    async with await Editor.started(TAKES_NO_EDITS) as editor:
        editor.open(TEXT)
        editor.serve(model(NEW))
        _, result = editor.ask("twospeed/edit", editor.edit_params(FIRST, "count them"))
        apply_action(editor, await offered(editor))
        assert (await result)["outcome"] == "applied"
        with pytest.raises(RequestFailed, match="takes no edits from a server; its undo takes an edit back"):
            await editor.request("twospeed/decide", {"editId": "e1", "action": "reject"})
        assert editor.buffers[URI].text == EDITED
        assert not any(method.endswith("applyEdit") for method, _ in editor.requests)


async def test_an_offer_moves_with_typing_before_it_is_applied() -> None:
    async with await Editor.started(KATES) as editor:
        editor.open(TEXT)
        editor.serve(model(NEW))
        _, result = editor.ask("twospeed/edit", editor.edit_params(FIRST))
        await offered(editor)
        editor.type(0, 0, "# above\n")
        apply_action(editor, await offered_again(editor))
        assert (await result)["outcome"] == "applied"
        assert editor.buffers[URI].text == "# above\n" + EDITED


async def offered_again(editor: Editor) -> Any:
    (action,) = [each for each in await actions(editor, FIRST + 1) if "edit" in each]
    return action


async def test_an_offer_applied_together_with_typing_is_recognized() -> None:
    """An editor that sends changes only after a typing pause sends both as one full text."""
    async with await Editor.started(KATES) as editor:
        buffer = editor.open(TEXT)
        editor.serve(model(NEW))
        _, result = editor.ask("twospeed/edit", editor.edit_params(FIRST))
        await offered(editor)
        buffer.text, buffer.version = "# typed\n" + EDITED, buffer.version + 1
        editor._did_change(buffer, [{"text": buffer.text}])
        assert (await result)["outcome"] == "applied"
        rejected = await editor.request("twospeed/decide", {"editId": "e1", "action": "reject"})
        assert rejected["hunks"] == []
        assert buffer.text == "# typed\n" + TEXT


async def test_an_offer_moves_with_typing_reported_as_a_full_text() -> None:
    async with await Editor.started(KATES) as editor:
        buffer = editor.open(TEXT)
        editor.serve(model(NEW))
        _, result = editor.ask("twospeed/edit", editor.edit_params(FIRST))
        await offered(editor)
        buffer.text, buffer.version = f"# above\n{TEXT}# below\n", buffer.version + 1
        editor._did_change(buffer, [{"text": buffer.text}])
        apply_action(editor, await offered_again(editor))
        assert (await result)["outcome"] == "applied"
        assert buffer.text == f"# above\n{EDITED}# below\n"


async def test_a_cancelled_offer_applies_no_part() -> None:
    async with await Editor.started(LITERALS, name="Neovim") as editor:
        editor.open(TEXT)
        editor.serve(model(NEW))
        _, result = editor.ask("twospeed/edit", editor.edit_params(FIRST))
        await offered(editor)
        await editor.request("twospeed/cancel", {"editId": "e1", "keep": "partial"})
        assert (await result)["outcome"] == "cancelled"
        assert editor.buffers[URI].text == TEXT
        assert not any(method.endswith("applyEdit") for method, _ in editor.requests)


async def test_a_misplaced_offer_is_reported() -> None:
    async with await Editor.started(KATES) as editor:
        buffer = editor.open(TEXT)
        editor.serve(
            model(NEW.replace("    return amount", "    log(amount)\n    log(items)\n    return amount"))
        )
        _, result = editor.ask("twospeed/edit", editor.edit_params(FIRST))
        action = await offered(editor)
        lines = TEXT.splitlines(keepends=True)
        (edits,) = action["edit"]["changes"].values()
        text = next(each["newText"] for each in edits if each["newText"].count("\n") > 1)
        buffer.text, buffer.version = "".join(lines[:2]) + text + "".join(lines[2:]), buffer.version + 1
        editor._did_change(buffer, [{"text": buffer.text}])
        ended = await result
        assert (ended["outcome"], ended["reason"]["code"]) == ("conflict", "unconfirmed")
        assert editor.buffers[URI].text == buffer.text


async def test_an_offer_ends_with_a_cancel_or_an_overlapping_edit() -> None:
    async with await Editor.started(KATES) as editor:
        editor.open(TEXT)
        editor.serve(model(NEW))
        _, first = editor.ask("twospeed/edit", editor.edit_params(FIRST, "first"))
        await offered(editor)
        _, second = editor.ask("twospeed/edit", editor.edit_params(FIRST, "second"))
        assert (await first)["outcome"] == "cancelled"
        await editor.wait_for(lambda: len(editor.messages("window/showMessage")) == 2)
        await editor.request("twospeed/cancel", {"editId": "e2"})
        assert (await second)["outcome"] == "cancelled"
        assert editor.buffers[URI].text == TEXT
        assert not [each for each in await actions(editor) if "edit" in each]


def take_below_a_line_typed_above(editor: Editor, action: Any) -> None:
    editor.type(0, 0, "# mine\n")
    (edits,) = action["edit"]["changes"].values()
    for each in edits:
        each["range"]["start"]["line"] += 1
        each["range"]["end"]["line"] += 1
    apply_action(editor, action)


async def test_an_answer_applied_after_its_edit_was_cancelled_is_in_review() -> None:
    async with await Editor.started(KATES) as editor:
        editor.open(TEXT)
        editor.serve(model(NEW))
        _, result = editor.ask("twospeed/edit", editor.edit_params(FIRST, editId="c1"))
        action = await offered(editor)
        await editor.request("twospeed/cancel", {"editId": "c1"})
        take_below_a_line_typed_above(editor, action)
        assert (await result)["outcome"] == "cancelled"
        await editor.wait_for(lambda: "cancelled" in editor.messages("window/showMessage")[-1]["message"])
        assert editor.buffers[URI].text == f"# mine\n{EDITED}"
        edits = (await editor.request("twospeed/status", {}))["edits"]
        assert [(each["state"], each["outcome"]) for each in edits] == [
            ("ended", "cancelled"),
            ("review", "applied"),
        ]
        asked = {"editId": edits[1]["editId"], "action": "accept"}
        assert (await editor.request("twospeed/decide", asked))["hunks"] == []


async def test_an_answer_applied_right_after_the_cancel_is_reverted() -> None:
    async with await Editor.started(KATES) as editor:
        editor.open(TEXT)
        editor.serve(model(NEW))
        session = editor.server.session
        assert session
        session.channel(URI)._confirm_s = 0.05
        _, result = editor.ask("twospeed/edit", editor.edit_params(FIRST, editId="c1"))
        action = await offered(editor)
        editor.ask("twospeed/cancel", {"editId": "c1"})
        editor.answer = lambda method, _: {"applied": False} if method == "workspace/applyEdit" else None
        take_below_a_line_typed_above(editor, action)
        ended = await result
        assert (ended["outcome"], ended["reason"]["code"]) == ("conflict", "unconfirmed")


async def test_a_cancelled_offer_that_is_not_applied_leaves_nothing() -> None:
    async with await Editor.started(KATES) as editor:
        editor.open(TEXT)
        editor.serve(model(NEW))
        _, result = editor.ask("twospeed/edit", editor.edit_params(FIRST, editId="c1"))
        await offered(editor)
        await editor.request("twospeed/cancel", {"editId": "c1"})
        assert (await result)["outcome"] == "cancelled"
        for _ in range(3):
            editor.type(5, 4, "x")
        assert editor.buffers[URI].text == TEXT.replace("    for", "    xxxfor")
        (edit,) = (await editor.request("twospeed/status", {}))["edits"]
        assert (edit["state"], edit["outcome"]) == ("ended", "cancelled")


async def test_a_cancelled_edit_ends_with_the_next_keystroke_and_not_with_a_pause(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(document_events, "QUIET_S", 3600)
    async with await Editor.started({}) as editor:
        editor.open(TEXT)
        editor.serve(model(NEW))
        editor.type(0, 0, "#")
        _, result = editor.ask("twospeed/edit", editor.edit_params(FIRST, editId="c1"))
        session = editor.server.session
        assert session
        while not session.channel(URI)._sends:  # noqa: ASYNC110  # the client is told nothing
            await asyncio.sleep(0)
        _, cancelled = editor.ask("twospeed/cancel", {"editId": "c1"})
        for _ in range(1000):
            editor.type(0, 0, "#")
            await asyncio.sleep(0.001)
            if result.done():
                break
        await cancelled
        assert (await result)["outcome"] == "cancelled"
        assert editor.buffers[URI].text.lstrip("#") == TEXT
        assert not editor.messages("workspace/applyEdit")


async def test_closing_the_document_ends_an_offer() -> None:
    async with await Editor.started(KATES) as editor:
        editor.open(TEXT)
        editor.serve(model(NEW))
        _, result = editor.ask("twospeed/edit", editor.edit_params(FIRST))
        await offered(editor)
        editor.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
        assert (await result)["outcome"] in ("cancelled", "failed")


async def test_neovim_gets_an_offer_only_until_the_documents_first_change() -> None:
    async with await Editor.started(LITERALS, name="Neovim") as editor:
        editor.open(TEXT)
        editor.serve(model(NEW))
        _, result = editor.ask("twospeed/edit", editor.edit_params(FIRST))
        apply_action(editor, await offered(editor))
        assert (await result)["outcome"] == "applied"
        editor.serve(model(OLD))
        assert (await editor.edit(FIRST))["outcome"] == "applied"
        assert editor.buffers[URI].text == TEXT


async def test_an_accepted_but_dropped_edit_is_rebuilt_when_typing_arrives() -> None:
    async with await Editor.started(LITERALS, name="Neovim") as editor:
        editor.open(TEXT)
        editor.type(1, 0, "# first\n")
        editor.serve(model(NEW))
        n_asked = 0

        def drops_once(method: str, params: Any) -> Any:
            nonlocal n_asked
            if method != "workspace/applyEdit":
                return None
            n_asked += 1
            if n_asked > 1:
                return None
            asyncio.get_running_loop().call_soon(editor.type, 0, 0, "# second\n")
            return {"applied": True}

        editor.answer = drops_once
        assert (await editor.edit(FIRST + 1))["outcome"] == "applied"
        assert n_asked == 2
        assert editor.buffers[URI].text == "# second\n" + EDITED.replace("\n", "\n# first\n", 1)


async def test_streaming_into_a_stock_editor_is_in_whole_lines_at_exact_versions() -> None:
    async with await Editor.started(options=STREAM, name="Visual Studio Code") as editor:
        editor.open(TEXT)
        editor.serve(model(NEW))
        assert (await editor.edit(FIRST))["outcome"] == "applied"
        assert editor.buffers[URI].text == EDITED
        edits = [params["edit"] for method, params in editor.requests if method == "workspace/applyEdit"]
        assert len(edits) > 1
        for edit in edits:
            (change,) = edit["documentChanges"]
            assert change["textDocument"]["version"] is not None
            for each in change["edits"]:
                assert each["range"]["start"]["character"] == each["range"]["end"]["character"] == 0


async def test_no_edit_is_sent_to_a_stock_editor_while_keystrokes_arrive() -> None:
    async with await Editor.started(options=STREAM, name="Visual Studio Code") as editor:
        editor.open(TEXT)
        editor.serve(model(NEW))
        gaps: list[float] = []
        clock = asyncio.get_running_loop()
        typed_at = 0.0

        def note(method: str, _: Any) -> None:
            if method == "workspace/applyEdit":
                gaps.append(clock.time() - typed_at)

        editor.answer = note
        _, result = editor.ask("twospeed/edit", editor.edit_params(FIRST))
        for _ in range(10):
            editor.type(0, 0, "x")
            typed_at = clock.time()
            await asyncio.sleep(0.03)
        assert (await result)["outcome"] == "applied"
        assert gaps
        assert min(gaps) > 0.15
        assert editor.buffers[URI].text == "x" * 10 + EDITED


async def test_a_hidden_document_gets_the_whole_edit_at_the_end(streaming: Editor) -> None:
    streaming.serve(model(NEW))
    hidden = {"applied": False, "version": 1, "reason": "hidden"}
    streaming.answer = lambda method, _: hidden if method == "twospeed/applyEdit" else None
    assert (await streaming.edit(FIRST))["outcome"] == "applied"
    assert streaming.buffers[URI].text == EDITED
    assert [method for method, _ in streaming.requests].count("twospeed/applyEdit") == 2
    assert [method for method, _ in streaming.requests].count("workspace/applyEdit") == 1


async def test_an_offer_names_every_instruction_of_a_steered_edit() -> None:
    async with await Editor.started(KATES) as editor:
        editor.open(TEXT)
        steered = ScriptedModel([asyncio.Event()], scripted_answer(NEW))
        editor.serve(steered)
        params = editor.edit_params(FIRST, "rename result to amount", editId="c1")
        editor.ask("twospeed/edit", params)
        await wait_for_requests(steered)
        await editor.request("twospeed/steer", {"editId": "c1", "instruction": "and count them"})
        action = await offered(editor)
        assert action["title"].endswith("Apply: rename result to amount; and count them")

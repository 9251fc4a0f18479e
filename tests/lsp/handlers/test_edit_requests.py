"""Every field of the request that is built from a ``twospeed/edit`` message."""

from __future__ import annotations

import asyncio
from dataclasses import fields
from functools import partial
from typing import Any

import pytest
from tests.scenarios.editor import STREAMING, URI, Editor, RequestFailed, place_range
from tests.scenarios.shop import NEW, OLD, TEXT

from twospeed.edits.values import EditRequest, PreviousEdit
from twospeed.errors import InvalidRequest
from twospeed.lsp.handlers import requests
from twospeed.lsp.handlers.edit_requests import request_from
from twospeed.lsp.session.session import Session
from twospeed.testing.scripted_model import ScriptedModel, scripted_answer
from twospeed_protocol import messages as wire


def session_of(editor: Editor) -> Session:
    session = editor.server.session
    assert session
    return session


def params(**more: Any) -> wire.EditParams:
    plain = {
        "textDocument": {"uri": URI, "version": 1},
        "range": place_range(4, 2, 5, 3),
        "instruction": "  count them\n",
    }
    return wire.EditParams.model_validate({**plain, **more})


def different(one: EditRequest, other: EditRequest) -> dict[str, tuple[object, object]]:
    """Name the fields in which two requests differ."""
    pairs = {each.name: (getattr(one, each.name), getattr(other, each.name)) for each in fields(EditRequest)}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


async def test_a_request_without_options_uses_the_sessions_mode_and_settings() -> None:
    async with await Editor.started(STREAMING, root="file:///project") as editor:
        editor.open(TEXT)
        session = session_of(editor)
        document = session.channel(URI).document
        expected = EditRequest(
            document=document,
            selection=((4, 2), (5, 3)),
            instruction="count them",
            mode="lightning",
            choice=session.settings.scope,
            style="stream",
            path="shop.py",
            real_path=session.workspace.paths.real_of(URI),
            definitions_of=session.workspace.symbols.definitions_of,
            wait_until_indexed=session.workspace.symbols.wait_until_indexed,
            fingerprinted=session.workspace.symbols.fingerprinted,
            notes=session.workspace.notes.approved,
        )
        assert different(request_from(session, params()), expected) == {}
        await editor.request("twospeed/setMode", {"mode": "deep"})
        assert request_from(session, params()).mode == "deep"
        assert request_from(session, params(mode="lightning")).mode == "lightning"


async def test_each_parameter_of_a_request_is_passed_on(streaming: Editor) -> None:
    streaming.serve(ScriptedModel(scripted_answer(NEW)))
    first = await streaming.edit(4, "first words")
    session, now = session_of(streaming), {"uri": URI, "version": streaming.buffers[URI].version}
    plain = request_from(session, params(textDocument=now))
    diagnostics = [{"message": "one"}, {"message": 3}, {}, {"message": "two"}]
    full = request_from(
        session,
        params(
            textDocument=now,
            editId="mine",
            mode="deep",
            scope="class",
            follows=first["editId"],
            variations=3,
            context={"diagnostics": diagnostics},
        ),
    )
    assert {name: pair[0] for name, pair in different(full, plain).items()} == {
        "edit_id": "mine",
        "mode": "deep",
        "choice": "class",
        "follows": PreviousEdit("first words", full.follows.changes if full.follows else ""),
        "n_answers": 3,
        "diagnostics": ("one", "two"),
    }
    assert full.follows
    assert full.follows.changes
    preview = request_from(session, params(textDocument=now, deliver="preview"))
    assert different(preview, plain) == {"style": ("preview", "stream")}


@pytest.mark.parametrize(
    ("more", "field", "message"),
    [
        ({"instruction": " \n"}, "instruction", "an instruction says what to change; this one is empty"),
        ({"deliver": "preview", "variations": 2}, "variations", "a preview is of one answer; ask for one"),
    ],
)
async def test_an_invalid_request_names_the_parameter(
    more: dict[str, Any], field: str, message: str, editor: Editor
) -> None:
    with pytest.raises(InvalidRequest) as refused:
        request_from(session_of(editor), params(**more))
    assert (str(refused.value), refused.value.field) == (message, field)
    assert request_from(session_of(editor), params(deliver="preview")).style == "preview"
    assert request_from(session_of(editor), params(variations=2)).n_answers == 2


@pytest.mark.parametrize(
    ("line", "words", "expected"),
    [(1, "use pi", 1), (1, "use tau", None), (0, "use pi", None), (2, "use pi", 1)],
)
async def test_an_instruction_comment_is_consumed_if_its_text_is_the_instruction(
    line: int, words: str, expected: int | None
) -> None:
    async with await Editor.started() as editor:
        editor.open("x = 1\n# ai: use pi\ny = 2\n")
        wanted = params(range=place_range(line, 0, line, 0), instruction=words)
        assert request_from(session_of(editor), wanted).comment_line == expected


async def test_an_edit_and_a_save_notify_the_index_and_the_client(
    monkeypatch: pytest.MonkeyPatch, streaming: Editor
) -> None:
    streaming.serve(ScriptedModel(scripted_answer(NEW)))
    session = session_of(streaming)
    told: list[Any] = []
    monkeypatch.setattr(session.workspace.symbols, "update", lambda: told.append("wake"))
    monkeypatch.setattr(session.workspace.symbols, "files_changed", told.append)
    monkeypatch.setattr(session.notifications, "edit_decided", lambda edit: told.append(edit.id))
    await streaming.edit(4, editId="mine")
    assert told == ["wake"]
    streaming.notify("textDocument/didSave", {"textDocument": {"uri": URI}})
    await streaming.wait_for(lambda: streaming.messages("twospeed/editChanged")[-1]["state"] == "ended")
    assert [URI] in told
    streaming.serve(ScriptedModel(scripted_answer(OLD)))
    await streaming.edit(4, editId="other")
    told.clear()
    await streaming.command("twospeed.accept")
    await streaming.wait_for(lambda: streaming.messages("twospeed/editChanged")[-1]["state"] == "ended")
    await asyncio.sleep(0)
    assert told == ["other"]


async def test_lenses_are_refreshed_when_an_edit_enters_review_or_ends() -> None:
    able = {**STREAMING, "workspace": {"codeLens": {"refreshSupport": True}}}
    async with await Editor.started(able) as editor:
        editor.open(TEXT)
        editor.serve(ScriptedModel(scripted_answer(NEW)))

        def refreshed() -> int:
            return sum(method == "workspace/codeLens/refresh" for method, _ in editor.requests)

        await editor.edit(4)
        await editor.wait_for(refreshed)
        assert refreshed() == 1
        await editor.command("twospeed.accept")
        await editor.wait_for(lambda: refreshed() > 1)
        assert refreshed() == 2
        states = [each["state"] for each in editor.messages("twospeed/editChanged")]
        assert states == ["running", "review", "ended"]


async def test_scopes_of_an_older_version_are_not_reported(editor: Editor) -> None:
    asked = {"textDocument": {"uri": URI, "version": 1}, "position": {"line": 4, "character": 0}}
    assert (await editor.request("twospeed/scopes", asked))["version"] == 1
    editor.type(0, 0, "\n")
    with pytest.raises(RequestFailed, match="version"):
        await editor.request("twospeed/scopes", asked)


async def test_an_edit_is_cancelled_by_its_id_or_the_newest_one_is() -> None:
    async with await Editor.started(STREAMING) as editor:
        editor.open(TEXT + "\n\nx = 1\n\n\ny = 2\n")
        editor.serve(ScriptedModel([asyncio.Event()]))
        last = editor.buffers[URI].text.count("\n") - 1
        running = [
            editor.ask("twospeed/edit", editor.edit_params(line, editId=name))[1]
            for line, name in ((last, "one"), (last - 3, "two"), (4, "three"))
        ]
        for arguments, ended in ((["one"], 0), ([], 2), ([None], 1)):
            await editor.command("twospeed.cancel", *arguments)
            assert (await running[ended])["outcome"] == "cancelled"
        assert all(each.done() for each in running)


async def test_prepare_builds_the_likely_request(monkeypatch: pytest.MonkeyPatch) -> None:
    async with await Editor.started(STREAMING, root="file:///project") as editor:
        editor.open(TEXT)
        session = session_of(editor)
        expected: list[EditRequest] = []
        ahead: list[EditRequest] = []

        async def prefetch(request: EditRequest) -> None:
            ahead.append(request)

        monkeypatch.setattr(session.preconnect, "expect", expected.append)
        monkeypatch.setattr(requests, "prefetch", prefetch)
        wanted = {"textDocument": {"uri": URI}, "range": place_range(4, 2, 5, 3)}
        assert await editor.request("twospeed/prepare", wanted) == {}
        assert await editor.request("twospeed/prepare", {**wanted, "mode": "deep"}) == {}
        plain = EditRequest(
            document=session.channel(URI).document,
            selection=((4, 2), (5, 3)),
            instruction="",
            mode="lightning",
            choice=session.settings.scope,
            path="shop.py",
            real_path=session.workspace.paths.real_of(URI),
            definitions_of=session.workspace.symbols.definitions_of,
        )
        one, other = expected
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert ahead == expected
        assert different(one, plain).keys() == {"notes"}
        assert isinstance(one.notes, partial)
        assert (one.notes.func, one.notes.keywords) == (session.workspace.notes.approved, {"asks": False})
        assert other.mode == "deep"
        assert different(other, plain).keys() == {"notes", "mode"}

"""Suggestions while the user types: what came is used, what runs is cancelled, and nothing outdated is shown."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.scenarios.completion.suggestions import (
    AUTOMATIC,
    INVOKED,
    items_at,
    params_at,
    suggesting,
    texts_at,
)
from tests.scenarios.editor import RequestFailed

from twospeed.testing.script import Hang, Script
from twospeed.testing.scripted_server import RecordedRequest

TEXT = "def add(a, b):\n    \n"
METHOD = "textDocument/inlineCompletion"
HANGS = Script("return", faults=(Hang(after_tokens=1),))


async def test_what_the_user_types_is_served_from_what_came(tmp_path: Path) -> None:
    answer = "total = a + b\n    return total"
    async with suggesting(tmp_path, [Script(answer)]) as (editor, server):
        editor.open(TEXT)
        assert await texts_at(editor, 1, 4) == [answer]
        line, column = 1, 4
        for number, key in enumerate(answer[:-1], 1):
            editor.type(line, column, key)
            line, column = (line + 1, 0) if key == "\n" else (line, column + 1)
            assert await texts_at(editor, line, column, AUTOMATIC) == [answer[number:]]
        assert len(server.requests) == 1


async def test_another_key_asks_again(tmp_path: Path) -> None:
    async with suggesting(tmp_path, [Script("return a"), Script("yield b")]) as (editor, _):
        editor.open(TEXT)
        assert await texts_at(editor, 1, 4) == ["return a"]
        editor.type(1, 4, "#")
        editor.type(1, 4, "", end=(1, 5))
        assert await texts_at(editor, 1, 4) == ["return a"]
        editor.type(0, 0, "\n")
        assert await texts_at(editor, 2, 4) == ["yield b"]


async def test_a_newer_request_cancels_the_older_one(tmp_path: Path) -> None:
    async with suggesting(tmp_path, [HANGS, Script("return a + b")]) as (editor, server):
        editor.open(TEXT)
        _, older = editor.ask(METHOD, params_at(1, 4))
        await server.wait_for_requests(1)
        assert await texts_at(editor, 1, 4) == ["return a + b"]
        await server.wait_for_disconnects(1)
        assert (await older)["items"] == []


async def test_a_cancelled_request_closes_the_connection(tmp_path: Path) -> None:
    async with suggesting(tmp_path, [HANGS]) as (editor, server):
        editor.open(TEXT)
        request_id, running = editor.ask(METHOD, params_at(1, 4))
        await server.wait_for_requests(1)
        editor.notify("$/cancelRequest", {"id": request_id})
        with pytest.raises(RequestFailed, match="-32800"):
            await running
        await server.wait_for_disconnects(1)


async def test_a_request_that_is_cancelled_at_once_asks_no_model(tmp_path: Path) -> None:
    async with suggesting(tmp_path, []) as (editor, server):
        editor.open(TEXT)
        request_id, running = editor.ask(METHOD, params_at(1, 4))
        editor.notify("$/cancelRequest", {"id": request_id})
        with pytest.raises(RequestFailed, match="-32800"):
            await running
        await editor.request("twospeed/status", {})
        assert server.requests == []


async def test_the_cancel_of_an_older_request_spares_the_newer_one(tmp_path: Path) -> None:
    async with suggesting(tmp_path, [HANGS, Script("return a + b")]) as (editor, server):
        editor.open(TEXT)
        older_id, older = editor.ask(METHOD, params_at(1, 4))
        await server.wait_for_requests(1)
        _, newer = editor.ask(METHOD, params_at(1, 4))
        editor.notify("$/cancelRequest", {"id": older_id})
        assert [item["insertText"] for item in (await newer)["items"]] == ["return a + b"]
        await asyncio.gather(older, return_exceptions=True)


async def test_an_answer_for_an_older_version_is_not_shown(tmp_path: Path) -> None:
    def answer(_: RecordedRequest) -> Script:
        editor.type(1, 4, "ret")
        return Script("return a + b")

    async with suggesting(tmp_path, answer) as (editor, server):
        editor.open(TEXT)
        assert await items_at(editor, 1, 4) == []
        (item,) = await items_at(editor, 1, 7)
        assert item["insertText"] == "urn a + b"
        assert item["range"]["start"] == {"line": 1, "character": 7}
        assert len(server.requests) == 1


async def test_typing_in_the_pause_costs_no_request(tmp_path: Path) -> None:
    comment = "# add two numbers and return them"
    async with suggesting(tmp_path, []) as (editor, server):
        editor.open(comment + "\n")
        _, running = editor.ask(METHOD, params_at(0, len(comment), AUTOMATIC))
        editor.type(0, len(comment), "!")
        assert (await running)["items"] == []
        assert server.requests == []


async def test_a_closed_document_ends_its_request(tmp_path: Path) -> None:
    async with suggesting(tmp_path, [HANGS]) as (editor, server):
        buffer = editor.open(TEXT)
        _, running = editor.ask(METHOD, params_at(1, 4))
        await server.wait_for_requests(1)
        editor.notify("textDocument/didClose", {"textDocument": {"uri": buffer.uri}})
        assert (await running)["items"] == []
        await server.wait_for_disconnects(1)
        with pytest.raises(RequestFailed, match="not open"):
            await editor.request(METHOD, params_at(1, 4, INVOKED))
        assert await editor.request(METHOD, params_at(1, 4, AUTOMATIC)) == {"items": []}


async def test_the_end_of_the_session_closes_the_connection(tmp_path: Path) -> None:
    async with suggesting(tmp_path, [HANGS]) as (editor, server):
        editor.open(TEXT)
        _, running = editor.ask(METHOD, params_at(1, 4))
        await server.wait_for_requests(1)
        await editor.server.aclose()
        await server.wait_for_disconnects(1)
        await asyncio.gather(running, return_exceptions=True)

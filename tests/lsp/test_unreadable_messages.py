"""An unreadable message affects only its own document or request."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.lsp.test_requests import TEXT, Wire
from tests.scenarios.editor import STREAMING, URI, Editor

from twospeed.lsp.wire.envelope import MAX_PLAIN_BYTES
from twospeed.lsp.wire.framing import MAX_BODY_BYTES, OversizedBody
from twospeed.testing.scripted_model import ScriptedModel, scripted_answer

OTHER = "file:///project/other.py"


async def is_followed(editor: Editor, uri: str = URI) -> bool:
    session = editor.server.session
    assert session
    return uri in {document.uri for document in session.documents.all}


async def started() -> Editor:
    editor = await Editor.started(STREAMING)
    editor.open(TEXT)
    editor.open(TEXT, uri=OTHER)
    return editor


@pytest.mark.parametrize(
    ("method", "params", "is_lost", "is_other_lost"),
    [
        ("textDocument/didChange", {"textDocument": {"uri": URI, "version": 2}}, True, False),
        ("textDocument/didChange", {"textDocument": {"version": 2}}, False, False),
        ("textDocument/didChange", None, False, False),
        ("textDocument/didOpen", {"textDocument": {"uri": URI}}, True, False),
        ("textDocument/didSave", {"textDocument": {"uri": URI}, "text": []}, False, False),
        ("textDocument/didClose", {"textDocument": {"uri": []}}, False, False),
        ("textDocument/didSave", {"textDocument": {"uri": URI, "version": 1}, "text": {}}, False, False),
        ("twospeed/none", {"textDocument": {"uri": URI}}, False, False),
        ("$/cancelRequest", {"id": []}, False, False),
        ("$/cancelRequest", {"id": {}}, False, False),
        ("$/cancelRequest", {"id": 99}, False, False),
        ("$/cancelRequest", {}, False, False),
        ("$/cancelRequest", 5, False, False),
        ("initialized", {}, False, False),
    ],
)
async def test_an_invalid_notification_loses_at_most_its_own_document(
    method: str, params: Any, is_lost: bool, is_other_lost: bool
) -> None:
    async with await started() as editor:
        editor.notify(method, params)
        assert (not await is_followed(editor), not await is_followed(editor, OTHER)) == (
            is_lost,
            is_other_lost,
        )
        assert not editor.server.has_exited
        if is_lost:
            with pytest.raises(Exception, match=r"not understood|no array|not as"):
                await editor.edit(0)
        editor.serve(ScriptedModel(scripted_answer(TEXT.replace("a + 1", "a"))))
        assert (await editor.edit(0, uri=OTHER))["outcome"] in {"unchanged", "applied"}


@pytest.mark.parametrize(
    ("head", "lost"),
    [
        (
            b'{"method":"textDocument/didChange","params":{"textDocument":{"uri":"' + URI.encode() + b'"}',
            {URI},
        ),
        (b'{"method":"textDocument/didOpen","params":{"textDocument":{"uri":"' + URI.encode() + b'"}', {URI}),
        (b'{"method":"textDocument/didChange","params":{', {URI, OTHER}),
        (b'{"method":"textDocument/didSave","params":{"textDocument":{"uri":"' + URI.encode() + b'"}', set()),
        (b'{"id":5,"method":"textDocument/didChange","params":{', set()),
    ],
)
async def test_an_oversized_change_loses_its_document_or_all(head: bytes, lost: set[str]) -> None:
    async with await started() as editor:
        answers: list[Any] = []
        if b'"id"' in head:
            future = asyncio.get_running_loop().create_future()
            editor._waiting[5] = future
            answers.append(future)
        editor.server.receive_oversized(OversizedBody(head, MAX_BODY_BYTES + 1))
        assert {uri for uri in (URI, OTHER) if not await is_followed(editor, uri)} == lost
        for answer in answers:
            with pytest.raises(
                Exception, match=f"-32803: the message was larger than {MAX_BODY_BYTES >> 20} MiB"
            ):
                await answer


async def test_notifications_before_the_session_are_ignored() -> None:
    wire = Wire()
    for method in ("textDocument/didChange", "initialized", "textDocument/didSave"):
        assert wire.send({"method": method, "params": {"textDocument": {"uri": URI}}}) == []
    assert wire.send({"id": 1, "result": None}) == []
    wire.server.receive_oversized(OversizedBody(b'{"method":"textDocument/didChange"', MAX_BODY_BYTES + 1))
    assert len(wire.sent) == 0
    await wire.server.aclose()


async def test_a_request_too_large_for_its_method_gets_an_error_with_its_id() -> None:
    wire = Wire()
    for message_id, expected in ((7, 7), ("a", "a")):
        body = {"id": message_id, "method": "twospeed/status", "params": "x" * MAX_PLAIN_BYTES}
        assert wire.send(body) == [
            {
                "jsonrpc": "2.0",
                "id": expected,
                "error": {"code": -32803, "message": "the message was larger than 1 MiB"},
            }
        ]
    assert wire.send({"method": "twospeed/status", "params": "x" * MAX_PLAIN_BYTES}) == []
    await wire.server.aclose()


async def test_a_cancelled_request_gets_one_response() -> None:
    async with await started() as editor:
        editor.serve(ScriptedModel([asyncio.Event()]))
        request_id, running = editor.ask("twospeed/edit", editor.edit_params(0))
        await asyncio.sleep(0)
        editor.notify("$/cancelRequest", {"id": request_id})
        with pytest.raises(Exception, match="-32800: the request was cancelled"):
            await running
        assert editor.server._running == {}

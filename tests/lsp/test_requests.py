"""Every request gets exactly one response, and an unreadable message leaves no half-known document."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import orjson
import pytest
from tests.lsp.transport.peer import LIMIT_S, initialize, notification, opening, request
from tests.scenarios.editor import LITERALS, STREAMING, URI, Editor, RequestFailed, place_range

from twospeed.errors import NoHomeFolder
from twospeed.lsp.protocol import ConnectionOptions, TwospeedProtocol
from twospeed.lsp.wire.envelope import MAX_DEPTH, read_envelope
from twospeed.lsp.wire.framing import MAX_BODY_BYTES, FrameDecoder, OversizedBody
from twospeed.testing.scripted_model import ScriptedModel, scripted_answer

TEXT = "def f(a):\n    return a\n"
PLACE = {"textDocument": {"uri": URI, "version": 1}, "position": {"line": 0, "character": 0}}


class Wire:
    """A server, and what it has sent."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []
        self.server: TwospeedProtocol = TwospeedProtocol(ConnectionOptions({}, self._receive))

    def _receive(self, frame: bytes) -> None:
        self.sent += map(orjson.loads, FrameDecoder().receive_bytes(frame))

    def send(self, message: object) -> list[dict[str, Any]]:
        """Send a message, or a body as it stands; return what was answered at once."""
        n_before = len(self.sent)
        self.server.receive_body(message if isinstance(message, bytes) else orjson.dumps(message))
        return self.sent[n_before:]

    def code_of(self, message: object) -> tuple[object, int]:
        (answer,) = self.send(message)
        assert set(answer) == {"jsonrpc", "id", "error"}
        return answer["id"], answer["error"]["code"]


@pytest.fixture
async def wire():
    wire = Wire()
    yield wire
    await wire.server.aclose()


@pytest.fixture
async def ready(wire: Wire) -> Wire:
    assert "result" in wire.send(initialize())[0]
    wire.send(notification("initialized", {}))
    return wire


@pytest.mark.security("R11.1")
@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (b"", (None, -32700)),
        (b"{", (None, -32700)),
        (b"\xff\xfe{}", (None, -32700)),
        (b'{"id":5,"method":"twospeed/status","params":{"x":"\xff"}}', (5, -32700)),
        (b'{"id":"a","method":"twospeed/status","params":', ("a", -32700)),
        (b"[" * 50_000, (None, -32700)),
        (b'{"id":6,"method":"twospeed/status","params":' + b"[" * 50_000 + b"]" * 50_000 + b"}", (6, -32700)),
        (b'{"id":7,"method":"twospeed/status","params":' + b'{"a":' * 300 + b"1" + b"}" * 301, (7, -32700)),
        ([], (None, -32600)),
        ([request(1, "shutdown"), request(2, "shutdown")], (None, -32600)),
        (None, (None, -32600)),
        (5, (None, -32600)),
        ({}, (None, -32600)),
        ({"id": 1, "method": 5}, (1, -32600)),
        ({"id": 1, "method": None}, (1, -32600)),
        ({"id": {}, "method": "shutdown"}, (None, -32600)),
        ({"id": [], "method": "shutdown"}, (None, -32600)),
        ({"id": True, "method": "shutdown"}, (None, -32600)),
        ({"id": 1.5, "method": "shutdown"}, (None, -32600)),
        ({"id": None, "method": "shutdown"}, (None, -32600)),
        ({"id": 1, "method": "no/such"}, (1, -32601)),
        ({"id": 1, "method": "exit"}, (1, -32601)),
        ({"id": 1, "method": "initialized"}, (1, -32601)),
        ({"id": 1, "method": "$/cancelRequest", "params": {"id": 1}}, (1, -32601)),
        ({"id": 1, "method": "initialize"}, (1, -32600)),
        ({"id": -1, "method": "twospeed/edit"}, (-1, -32602)),
        ({"id": "", "method": "twospeed/edit", "params": {"jsonrpc": "2.0"}}, ("", -32602)),
    ],
)
async def test_an_invalid_message_gets_one_error_that_names_the_fault(ready: Wire, message, expected) -> None:
    assert ready.code_of(message) == expected
    assert not ready.server.has_exited
    (answer,) = ready.send(request("still here", "shutdown"))
    assert answer["result"] is None


@pytest.mark.parametrize("depth", [MAX_DEPTH, MAX_DEPTH + 1])
async def test_a_message_may_be_256_deep_and_no_deeper(ready: Wire, depth: int) -> None:
    nested: object = 1
    for _ in range(depth - 1):  # the message itself is the first
        nested = [nested]
    for method, code in (("no/such", -32601), ("twospeed/edit", -32602), ("initialize", -32600)):
        body = json.dumps({"id": 1, "method": method, "params": nested}).encode()  # orjson stops at 254
        assert ready.code_of(body) == (1, code if depth == MAX_DEPTH else -32700)


@pytest.mark.parametrize("depth", [210, MAX_DEPTH - 3])
async def test_params_nested_too_deeply_are_reported(ready: Wire, depth: int) -> None:
    nested: object = 1
    for _ in range(depth):
        nested = [nested]
    body = json.dumps({"id": 1, "method": "twospeed/status", "params": {"x": nested}}).encode()
    (answer,) = ready.send(body)
    assert answer["error"] == {"code": -32602, "message": "params: nested too deeply"}


async def test_brackets_in_strings_do_not_count_as_depth(ready: Wire) -> None:
    assert ready.send(opening(URI, "[" * 5000 + "{" * 5000)) == []
    assert "result" in ready.send(request(1, "shutdown"))[0]


@pytest.mark.parametrize(
    ("method", "params", "field"),
    [
        ("initialize", None, "params"),
        ("initialize", [], "params"),
        ("initialize", {"processId": "x", "rootUri": None, "capabilities": {}}, "processId"),
        ("initialize", {"processId": None, "rootUri": None}, "capabilities"),
        ("initialize", {"processId": None, "rootUri": None, "capabilities": 5}, "capabilities"),
    ],
)
async def test_initialize_with_wrong_parameters_names_the_field_and_may_be_sent_again(
    wire: Wire, method: str, params: object, field: str
) -> None:
    (answer,) = wire.send(request(1, method, params))
    assert answer["error"]["code"] == -32602
    assert field in answer["error"]["message"]
    assert wire.server.session is None
    assert "result" in wire.send(initialize())[0]


@pytest.mark.parametrize(
    ("method", "params", "field"),
    [
        ("textDocument/codeAction", {"textDocument": {"uri": URI}, "context": {}}, "range"),
        ("textDocument/codeAction", {"textDocument": {}, "range": place_range(0, 0, 0, 0)}, "textDocument"),
        ("workspace/executeCommand", {"command": 5, "arguments": 7}, "arguments"),
        (
            "twospeed/scopes",
            {"textDocument": {"uri": URI}, "position": {"line": "x", "character": 0}},
            "line",
        ),
    ],
)
async def test_the_error_of_wrong_parameters_names_the_field(
    ready: Wire, method: str, params: object, field: str
) -> None:
    (answer,) = ready.send(request(1, method, params))
    assert answer["error"]["code"] == -32602
    assert field in answer["error"]["message"]


@pytest.mark.parametrize("method", ["shutdown", "twospeed/status", "textDocument/codeAction"])
async def test_before_initialize_requests_are_refused(wire: Wire, method: str) -> None:
    assert wire.code_of(request(1, method, {})) == (1, -32002)


async def test_before_initialize_notifications_are_dropped_but_exit(wire: Wire) -> None:
    for message in (opening(URI, TEXT), notification("initialized", {}), initialize()):
        message.pop("id", None)
        assert wire.send(message) == []
        assert wire.server.session is None
    wire.send(notification("exit"))
    assert wire.server.has_exited


async def test_every_request_to_a_failed_session_returns_the_reason(
    wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost() -> None:
        raise NoHomeFolder

    monkeypatch.setattr("twospeed.lsp.session.models.state_folder", lost)
    wire.send(initialize())
    wire.send(notification("initialized", {}))
    wire.send(opening(URI, TEXT))
    for _ in range(2):
        (answer,) = wire.send(request(1, "twospeed/status"))
        assert answer["error"]["code"] == -32803
        assert answer["error"]["message"].startswith("HOME: is not set")


async def test_after_shutdown_requests_are_refused(ready: Wire) -> None:
    assert "result" in ready.send(request(1, "shutdown"))[0]
    for method in ("twospeed/status", "shutdown", "initialize"):
        assert ready.code_of(request(2, method, {})) == (2, -32600)
    assert ready.server.is_shut_down


async def test_an_id_in_use_is_refused_and_the_first_request_gets_its_response() -> None:
    async with await Editor.started() as editor:
        editor.open(TEXT)
        gate = asyncio.Event()
        editor.serve(ScriptedModel([gate, *scripted_answer(TEXT.replace("return a", "return 1"))]))
        request_id, running = editor.ask("twospeed/edit", editor.edit_params(0))
        second = editor._waiting[request_id] = asyncio.get_running_loop().create_future()
        editor.send(request(request_id, "twospeed/status", {}))
        with pytest.raises(RequestFailed) as caught:
            await second
        assert caught.value.code == -32600
        editor._waiting[request_id] = running
        gate.set()
        assert (await running)["outcome"] == "applied"
        editor._waiting[request_id] = again = asyncio.get_running_loop().create_future()
        editor.send(request(request_id, "twospeed/status", {}))
        assert (await again)["mode"] == "lightning", "an answered id is free again"


async def test_late_repeated_or_unknown_responses_are_ignored() -> None:
    async with await Editor.started(LITERALS) as editor:
        editor.open(TEXT)
        editor.answer = lambda method, params: None
        editor.serve(ScriptedModel(scripted_answer(TEXT.replace("return a", "return 1"))))
        assert (await editor.edit(0))["outcome"] == "applied"
        ids: list[object] = ["twospeed-1", "twospeed-2", 7, None, True, 1.5, [], {"jsonrpc": "2.0"}]
        for message_id in ids:
            for rest in ({"result": None}, {"error": None}, {"error": {"code": "x"}}, {}):
                editor.send({"jsonrpc": "2.0", "id": message_id, **rest})
        assert (await editor.request("twospeed/status", {}))["edits"][0]["outcome"] == "applied"


async def test_a_result_after_the_cancel_is_ignored() -> None:
    async with await Editor.started(STREAMING) as editor:
        editor.open(TEXT)
        editor.serve(ScriptedModel([asyncio.Event()]))
        request_id, running = editor.ask("twospeed/edit", editor.edit_params(0, workDoneToken="w"))
        for _ in range(2):
            editor.notify("$/cancelRequest", {"id": request_id})
        with pytest.raises(RequestFailed) as caught:
            await running
        assert caught.value.code == -32800
        editor.notify("$/cancelRequest", {"id": request_id})
        editor.notify("$/cancelRequest", {"id": {"jsonrpc": "2.0"}})
        assert (await editor.request("twospeed/status", {}))["edits"][0]["outcome"] == "cancelled"


async def test_true_cancels_no_request() -> None:
    async with await Editor.started(STREAMING) as editor:
        editor.open(TEXT)
        editor.serve(ScriptedModel([asyncio.Event()]))
        editor._next_id = 0  # the first request is answered
        request_id, running = editor.ask("twospeed/edit", editor.edit_params(0))
        assert request_id == True  # noqa: E712  # in Python, but not in JSON
        editor.notify("$/cancelRequest", {"id": True})
        await editor.request("twospeed/status", {})
        assert not running.done()
        editor.notify("$/cancelRequest", {"id": request_id})
        with pytest.raises(RequestFailed, match="-32800"):
            await running


async def test_progress_tokens_are_free_again_when_the_edit_is_over() -> None:
    async with await Editor.started(STREAMING) as editor:
        editor.open(TEXT)
        session = editor.server.session
        assert session
        answers = [scripted_answer(TEXT.replace("return a", f"return {n}")) for n in range(3)]
        editor.serve(ScriptedModel(*answers))
        for _ in range(3):
            result = await editor.edit(0, workDoneToken="w", partialResultToken="p")
            await editor.wait_for(lambda: editor.progress("w") and editor.progress("w")[-1]["kind"] == "end")
            await editor.request("twospeed/decide", {"editId": result["editId"], "action": "reject"})
        assert session.notifications.progress.edits == {}


async def test_a_progress_token_used_twice_belongs_to_the_remaining_edit() -> None:
    async with await Editor.started(STREAMING) as editor:
        editor.open(TEXT)
        editor.open(TEXT, uri="file:///project/other.py")
        editor.serve(ScriptedModel([asyncio.Event()]))
        first, first_running = editor.ask("twospeed/edit", editor.edit_params(0, workDoneToken="w"))
        more = editor.edit_params(0, uri="file:///project/other.py", workDoneToken="w")
        _, second_running = editor.ask("twospeed/edit", more)
        await editor.wait_for(lambda: len(editor.progress("w")) == 2)
        editor.notify("$/cancelRequest", {"id": first})
        with pytest.raises(RequestFailed):
            await first_running
        await editor.wait_for(lambda: len(editor.progress("w")) == 3)
        editor.notify("window/workDoneProgress/cancel", {"token": "w"})
        assert (await asyncio.wait_for(second_running, LIMIT_S))["outcome"] == "cancelled"


# What is lost


def oversized(start: bytes) -> OversizedBody:
    return OversizedBody(start, MAX_BODY_BYTES + 1)


@pytest.mark.security("R11.1")
async def test_a_request_that_is_too_large_gets_an_error(ready: Wire) -> None:
    ready.server.receive_oversized(
        oversized(b'{"jsonrpc":"2.0","id":"big","method":"twospeed/edit","params":{"x":"')
    )
    assert (ready.sent[-1]["id"], ready.sent[-1]["error"]["code"]) == ("big", -32803)
    ready.server.receive_oversized(oversized(b'{"params":{"id":4,"x":"'))
    assert (ready.sent[-1]["id"], ready.sent[-1]["error"]["code"]) == (None, -32803)


def unread(method: str, uri: str | None, broken: bool) -> bytes:
    named = orjson.dumps(uri)[1:-1] if uri else b""
    start = b'{"jsonrpc":"2.0","method":"%b","params":{"textDocument":{' % method.encode()
    start += b'"uri":"%b","version":2,' % named if uri else b""
    return start + (b'"text":"\xff"}}}' if broken else b'"text":"aaaa')


@pytest.mark.security("R11.1")
@pytest.mark.parametrize("method", ["textDocument/didOpen", "textDocument/didChange"])
@pytest.mark.parametrize("how", ["too large", "not JSON"])
@pytest.mark.parametrize("is_named", [True, False])
async def test_a_document_whose_change_was_lost_is_not_edited_until_it_is_opened_again(
    ready: Wire, method: str, how: str, is_named: bool
) -> None:
    other = "file:///project/other.py"
    ready.send(opening(URI, TEXT))
    ready.send(opening(other, TEXT))
    body = unread(method, URI if is_named else None, how == "not JSON")
    if how == "too large":
        ready.server.receive_oversized(oversized(body))
    else:
        assert ready.send(body) == []
    for uri in (URI, other):
        (answer,) = ready.send(request(1, "twospeed/prepare", {"textDocument": {"uri": uri, "version": 1}, "range": place_range(0, 0, 0, 0)}))  # fmt: skip
        if uri == URI or not is_named:
            assert answer["error"]["code"] == -32803
            assert "close the document and open it again" in answer["error"]["message"]
        else:
            assert "result" in answer
    change = {"textDocument": {"uri": URI, "version": 3}, "contentChanges": [{"text": "x"}]}
    assert ready.send(notification("textDocument/didChange", change)) == []
    assert ready.server.session
    ready.send(opening(URI, TEXT))
    assert ready.server.session.channel(URI).document.text == TEXT


async def test_an_invalid_change_leaves_its_document_unmanaged(ready: Wire) -> None:
    ready.send(opening(URI, TEXT))
    change = {"textDocument": {"uri": URI, "version": 2}, "contentChanges": [{"range": 5, "text": "x"}]}
    assert ready.send(notification("textDocument/didChange", change)) == []
    (answer,) = ready.send(request(1, "twospeed/edit", {**PLACE, "instruction": "x", "range": place_range(0, 0, 0, 0)} | {"position": None}))  # fmt: skip
    assert answer["error"]["code"] == -32602
    params = {
        "textDocument": {"uri": URI, "version": 1},
        "instruction": "x",
        "range": place_range(0, 0, 0, 0),
    }
    (answer,) = ready.send(request(2, "twospeed/edit", params))
    assert answer["error"]["code"] == -32803
    ready.send(notification("textDocument/didClose", {"textDocument": {"uri": URI}}))
    (answer,) = ready.send(request(3, "twospeed/edit", params))
    assert "not open" in answer["error"]["message"]


async def test_an_edit_under_way_ends_when_its_document_is_lost() -> None:
    async with await Editor.started(STREAMING) as editor:
        editor.open(TEXT)
        editor.serve(ScriptedModel([asyncio.Event()]))
        _, running = editor.ask("twospeed/edit", editor.edit_params(0))
        await asyncio.sleep(0)
        editor.server.receive_oversized(oversized(unread("textDocument/didChange", URI, False)))
        assert (await running)["outcome"] == "cancelled"


@pytest.mark.parametrize(
    ("head", "found"),
    [
        (b'{"id":1,"method":"m","params":{"textDocument":{"uri":"u"', (1, "m", "u")),
        (b'{"method":"m","params":{"textDocument":{"text":"\\"uri\\":\\"no', (None, "m", None)),
        (
            b'{"params":{"id":3,"method":"no","textDocument":{"uri":"u"}},"id":"x","method":"m"}',
            ("x", "m", "u"),
        ),
        (b'{"params":[{"id":3}],"id":4', (4, None, None)),
        (b'{"params":{"textDocument":[{"uri":"no"}]},"id":true', (None, None, None)),
        (b'[{"id":1}]', (None, None, None)),
        (b'{"id":1e400,"method":5', (None, None, None)),
        (b'{"method":"a","text":"' + b"x" * 5000 + b'","id":1}', (None, "a", None)),
        (b']]}}"id":1', (None, None, None)),
        (b"", (None, None, None)),
    ],
)
def test_the_envelope_is_read_from_the_head_of_a_message(head: bytes, found: tuple) -> None:
    envelope = read_envelope(head)
    assert (envelope.id, envelope.method, envelope.uri) == found

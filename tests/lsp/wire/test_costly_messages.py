"""Invalid or absurd messages cost about as much as their bytes, and the error names the field."""

from __future__ import annotations

import asyncio
import re
import tracemalloc
from collections.abc import AsyncIterator, Callable
from typing import Any

import orjson
import pytest
from lsprotocol import types
from tests.scenarios.editor import Editor, RequestFailed
from tests.timing import within

from twospeed.lsp.session import open_documents
from twospeed.lsp.transport.connection import Connection
from twospeed.lsp.wire import envelope
from twospeed.lsp.wire.envelope import MAX_DEPTH, MAX_PLAIN_BYTES
from twospeed.lsp.wire.error_codes import RpcError
from twospeed.lsp.wire.framing import FrameDecoder
from twospeed.lsp.wire.message_cost import cost_of
from twospeed.lsp.wire.structuring import MAX_ITEMS, _converter, structured

URI = "file:///project/shop.py"
RANGE = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
DOCUMENT = {"textDocument": {"uri": URI}}
CHANGED = {"textDocument": {"uri": URI, "version": 2}}
PROBLEM = {"range": RANGE, "message": "a problem"}


class InMemoryClient:
    """A connection without a transport, and what it has sent."""

    def __init__(self) -> None:
        self._decoder = FrameDecoder()
        self.messages: list[dict[str, Any]] = []
        self.connection = Connection({}, self._take)

    def _take(self, data: bytes) -> None:
        self.messages += map(orjson.loads, self._decoder.receive_bytes(data))

    def send(self, method: str, params: object, **more: object) -> None:
        self.connection.receive_body(
            orjson.dumps({"jsonrpc": "2.0", "method": method, "params": params, **more})
        )

    def ask(self, method: str, params: object) -> dict[str, Any]:
        """Send a request that is answered at once; return its response."""
        self.send(method, params, id="asked")
        return next(each for each in reversed(self.messages) if each.get("id") == "asked")


@pytest.fixture
async def client() -> AsyncIterator[InMemoryClient]:
    client = InMemoryClient()
    client.send("initialize", {"processId": None, "rootUri": None, "capabilities": {}}, id=0)
    await asyncio.sleep(0)
    document = {"uri": URI, "languageId": "python", "version": 1, "text": "x = 1\n"}
    client.send("textDocument/didOpen", {"textDocument": document})
    yield client
    await client.connection.aclose()


WRONG: dict[str, Callable[[int], object]] = {
    "a string": lambda n: "a" * n,
    "nulls": lambda n: [None] * n,
    "empty arrays": lambda n: [[]] * n,
    "empty objects": lambda n: [{}] * n,
    "an object": lambda n: {f"k{number}": number for number in range(n)},
}

ARRAYS: dict[str, tuple[str, Callable[[object], object]]] = {
    "context.diagnostics": (
        "textDocument/codeAction",
        lambda value: {**DOCUMENT, "range": RANGE, "context": {"diagnostics": value}},
    ),
    "context.diagnostics[0].relatedInformation": (
        "textDocument/codeAction",
        lambda value: {
            **DOCUMENT,
            "range": RANGE,
            "context": {"diagnostics": [{**PROBLEM, "relatedInformation": value}]},
        },
    ),
    "context.only": (
        "textDocument/codeAction",
        lambda value: {**DOCUMENT, "range": RANGE, "context": {"diagnostics": [], "only": value}},
    ),
    "contentChanges": ("textDocument/didChange", lambda value: {**CHANGED, "contentChanges": value}),
    "changes": ("workspace/didChangeWatchedFiles", lambda value: {"changes": value}),
    "workspaceFolders": (
        "initialize",
        lambda value: {"processId": None, "rootUri": None, "capabilities": {}, "workspaceFolders": value},
    ),
}


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize(
    "field", [field for field in ARRAYS if field != "context.only"]
)  # lsprotocol takes any scalar for a kind
def test_an_invalid_array_stops_at_its_first_error_and_names_the_field(field: str, wrong: str) -> None:
    method, make = ARRAYS[field]
    params = make(WRONG[wrong](MAX_ITEMS))
    with pytest.raises(RpcError, match=re.escape(field)):  # compiles what structures this type
        structured(method, make([[]]))

    def refuse() -> None:
        with pytest.raises(RpcError, match=f"^{re.escape(field)}"):
            structured(method, params)

    tracemalloc.start()
    try:
        within(1, refuse)  # if all items are parsed: 12 s and a gigabyte
        assert tracemalloc.get_traced_memory()[1] < 1024 * 1024
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("field", [field for field in ARRAYS if field.startswith("context")])
async def test_a_string_of_a_megabyte_instead_of_an_array_gets_an_error(
    client: InMemoryClient, field: str
) -> None:
    method, make = ARRAYS[field]
    error = client.ask(method, make("a" * 1_000_000))["error"]
    assert error == {
        "code": -32602,
        "message": f"{field}: invalid for textDocument/codeAction (no array)",
    }


async def test_an_array_has_a_limit(client: InMemoryClient) -> None:
    error = client.ask("workspace/executeCommand", {"command": "x", "arguments": [0] * (MAX_ITEMS + 1)})[
        "error"
    ]
    assert error["message"] == "arguments: invalid for workspace/executeCommand (more than 20,000 elements)"


@pytest.mark.parametrize(("field", "value"), [("textDocument.uri", []), ("textDocument.uri", {})])
async def test_a_string_is_no_array_or_object(client: InMemoryClient, field: str, value: object) -> None:
    error = client.ask("textDocument/codeLens", {"textDocument": {"uri": value}})["error"]
    assert error["message"] == f"{field}: invalid for textDocument/codeLens (no string)"


async def test_a_missing_field_is_named(client: InMemoryClient) -> None:
    error = client.ask("textDocument/codeLens", {"textDocument": {}})["error"]
    assert error["message"].startswith("textDocument.uri: ")
    error = client.ask("textDocument/codeAction", {**DOCUMENT, "context": {"diagnostics": []}})["error"]
    assert error["message"].startswith("range: ")


async def test_a_change_of_many_wrong_elements_leaves_its_document_unmanaged(client: InMemoryClient) -> None:
    client.send("textDocument/didChange", {**CHANGED, "contentChanges": [0] * MAX_ITEMS})
    error = client.ask("textDocument/codeAction", ARRAYS["context.only"][1](None))["error"]
    assert error["message"].startswith("a change of the document was not understood")


@pytest.mark.parametrize("is_id_first", [True, False])
async def test_only_messages_with_document_text_may_exceed_a_megabyte(
    client: InMemoryClient, is_id_first: bool
) -> None:
    large = {**DOCUMENT, "note": "a" * MAX_PLAIN_BYTES}
    body = {"id": "large", "method": "textDocument/codeLens", "params": large, "jsonrpc": "2.0"}
    if not is_id_first:
        body = {"method": body["method"], "params": large, "id": "large", "jsonrpc": "2.0"}
    client.connection.receive_body(orjson.dumps(body))
    assert client.messages[-1]["id"] == "large"
    assert client.messages[-1]["error"] == {
        "code": -32803,
        "message": "the message was larger than 1 MiB",
    }
    text = 'x = 1  # [{,:"\\\n' * 300_000
    client.send("textDocument/didChange", {**CHANGED, "contentChanges": [{"text": text}]})
    session = client.connection.protocol.session
    assert session
    assert session.channel(URI).document.text == text


async def test_a_large_message_with_its_method_last_is_limited_too(client: InMemoryClient) -> None:
    params = {**DOCUMENT, "note": "a" * MAX_PLAIN_BYTES}
    client.connection.receive_body(
        orjson.dumps({"params": params, "method": "textDocument/codeLens", "id": 7})
    )
    assert client.messages[-1]["id"] == 7
    assert client.messages[-1]["error"]["message"] == "the message was larger than 1 MiB"


MANY_SMALL_VALUES = {
    "arrays": [[]] * 300_000,
    "arrays in arrays": [[[[]]]] * 100_000,
    "objects": [{"a": 0}] * 100_000,
    "short texts": ["ab"] * 180_000,
    "keys": {f"k{number}": 0 for number in range(80_000)},
}


@pytest.mark.parametrize("kind", MANY_SMALL_VALUES)
async def test_values_above_ten_times_the_message_size_are_not_parsed(
    client: InMemoryClient, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = orjson.dumps({"id": 7, "method": "twospeed/status", "params": MANY_SMALL_VALUES[kind]})
    monkeypatch.setattr(envelope, "_loaded", pytest.fail)
    tracemalloc.start()
    try:
        client.connection.receive_body(body)
        assert tracemalloc.get_traced_memory()[1] < 4 * len(body)
    finally:
        tracemalloc.stop()
    error = client.messages[-1]["error"]
    assert error["message"] == "the values of the message would take more than 10 times its size"


def test_the_cost_of_a_message_is_read_outside_its_strings() -> None:
    place = {"line": 1, "character": 0}
    change = {"range": {"start": place, "end": place}, "text": ""}
    changes = orjson.dumps({"contentChanges": [change] * MAX_ITEMS})
    text = orjson.dumps({"text": 'x = [{"a": 1, \\"\n' * 100_000})
    odd = orjson.dumps({"text": ['"', "\\", '\\"[[[[[', "é" * 70_000, "[" * 70_000] * 30})
    for honest in (changes, text, odd):
        assert not cost_of(honest, MAX_DEPTH).is_too_large
        assert not cost_of(honest, MAX_DEPTH).is_too_deep
    deepest = b'{"a": [' * 128 + b'"]"' + b"]}" * 128
    assert not cost_of(deepest, MAX_DEPTH).is_too_deep
    assert cost_of(b"[" + deepest + b"]", MAX_DEPTH).is_too_deep
    assert cost_of(b"[" + b"[]," * 30_000 + deepest + b"]", MAX_DEPTH).is_too_deep


@pytest.mark.parametrize("wrong", WRONG)
async def test_our_own_requests_are_limited_too(client: InMemoryClient, wrong: str) -> None:
    client.ask("twospeed/decide", {})  # loads what checks params
    params = {"editId": "e1", "action": "accept", "hunk": WRONG[wrong](40_000)}
    body = orjson.dumps({"id": "asked", "method": "twospeed/decide", "params": params})
    tracemalloc.start()
    try:
        client.connection.receive_body(body)
        # orjson itself takes up to 34 times the bytes of empty arrays, 12 of them for a moment
        assert tracemalloc.get_traced_memory()[1] < 50 * len(body)
    finally:
        tracemalloc.stop()
    error = client.messages[-1]["error"]
    assert error["code"] in (-32602, -32803)


@pytest.mark.parametrize("wrong", ["empty arrays", "an object"])
async def test_settings_of_thousands_of_values_are_refused_in_one_sentence(
    client: InMemoryClient, wrong: str
) -> None:
    client.send(
        "workspace/didChangeConfiguration", {"settings": {"twospeed": {"gate": WRONG[wrong](20_000)}}}
    )
    await asyncio.sleep(0)
    shown = [
        each["params"]["message"] for each in client.messages if each.get("method") == "window/showMessage"
    ]
    assert shown[-1] == "didChangeConfiguration: holds more than 10,000 values"


@pytest.mark.security("R11.3")
async def test_little_is_remembered_of_documents_that_are_not_followed(
    client: InMemoryClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_documents, "MAX_DOCUMENTS", 1)
    session = client.connection.protocol.session
    assert session
    tracemalloc.start()
    try:
        for number in range(2 * open_documents.MAX_UNMANAGED):
            long = "a" * (100_000 if number % 10 == 0 else 10)
            document = {"uri": f"file:///{number}/{long}", "languageId": "x", "version": 1, "text": ""}
            client.send("textDocument/didOpen", {"textDocument": document})
        assert tracemalloc.get_traced_memory()[0] < 4 * 1024 * 1024
    finally:
        tracemalloc.stop()
    assert session.channel(URI).document.text == "x = 1\n"


async def test_a_document_of_an_endless_uri_is_not_followed_and_the_reason_is_said(streaming: Editor) -> None:
    uri = "file:///" + "a" * open_documents.MAX_URI
    streaming.open("x = 1\n", uri=uri)
    with pytest.raises(RequestFailed, match=r"its URI has more than 8,192 characters"):
        await streaming.edit(0, uri=uri)


async def test_ten_thousand_keys_in_one_message_are_not_kept_one_by_one(client: InMemoryClient) -> None:
    tracemalloc.start()
    try:
        client.send(
            "textDocument/didChange", {**CHANGED, "contentChanges": [{"range": RANGE, "text": "a"}] * 4_000}
        )
        assert tracemalloc.get_traced_memory()[1] < 12 * 1024 * 1024
    finally:
        tracemalloc.stop()


def test_connections_share_one_converter() -> None:
    assert _converter() is _converter()


def test_every_method_with_params_can_be_structured() -> None:
    change = {"range": RANGE, "text": ""}
    params = structured("textDocument/didChange", {**CHANGED, "contentChanges": [change]})
    assert isinstance(params, types.DidChangeTextDocumentParams)
    assert params.content_changes[0].text == ""

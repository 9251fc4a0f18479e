"""The envelope of a message: its limits to the byte, and what is known of an unreadable one."""

from __future__ import annotations

import json

import orjson
import pytest

from twospeed.lsp.wire import envelope
from twospeed.lsp.wire.envelope import (
    MAX_DEPTH,
    MAX_PLAIN_BYTES,
    TooLarge,
    document_uri_in,
    is_message_id,
    is_request,
    is_too_large,
    parse_message,
    read_envelope,
    read_whole_envelope,
)
from twospeed.lsp.wire.framing import HEAD_BYTES

LONG = (
    "textDocument/didOpen",
    "textDocument/didChange",
    "textDocument/didSave",
    "workspace/didChangeWatchedFiles",
)


def message(method: object, n_bytes: int) -> bytes:
    """Write a message of exactly so many bytes."""
    empty = orjson.dumps({"method": method, "params": ""})
    return orjson.dumps({"method": method, "params": "x" * (n_bytes - len(empty))})


def outcome(body: bytes) -> object:
    try:
        return parse_message(body)
    except ValueError as error:
        return type(error), str(error)


def test_how_large_a_message_may_be_depends_on_its_method() -> None:
    too_large = (TooLarge, "the message was larger than 1 MiB")
    for method in (*LONG, "twospeed/edit", 5, None):
        for n_bytes in (MAX_PLAIN_BYTES, MAX_PLAIN_BYTES + 1):
            body = message(method, n_bytes)
            assert len(body) == n_bytes
            is_refused = n_bytes > MAX_PLAIN_BYTES and method == "twospeed/edit"
            assert is_too_large(method, n_bytes) is is_refused
            expected = too_large if is_refused else orjson.loads(body)
            assert outcome(body) == expected, (method, n_bytes)


def nested(depth: int, *, as_object: bool) -> bytes:
    return (b'{"a":' * depth + b"1" + b"}" * depth) if as_object else b"[" * depth + b"]" * depth


@pytest.mark.parametrize("as_object", [True, False])
def test_how_deep_a_message_may_be(as_object: bool) -> None:
    for depth in (1, MAX_DEPTH - 1, MAX_DEPTH, MAX_DEPTH + 1, MAX_DEPTH + 2):
        body = nested(depth, as_object=as_object)
        if depth > MAX_DEPTH:
            assert outcome(body) == (ValueError, "the message is nested deeper than 256")
        else:
            assert outcome(body) == json.loads(body)
    flat = b"[" + b"[]," * 2 * MAX_DEPTH + b"{}]"
    assert outcome(flat) == json.loads(flat)


def test_text_that_is_no_json_raises_value_error() -> None:
    for body in (b"", b"{", b"\xff", b'{"a":\\u0041}', b'{"a":"\\ud800'):
        assert outcome(body) == (ValueError, "the message is not JSON"), body[:20]


def test_a_lone_surrogate_becomes_a_question_mark() -> None:
    assert parse_message(b'{"a":"\\ud800x","b":"\\ud83d\\ude00"}') == {"a": "?x", "b": "\U0001f600"}


def test_a_memory_error_is_reported_as_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_memory(_: bytes) -> object:
        raise MemoryError

    monkeypatch.setattr(envelope, "_loaded", no_memory)
    assert outcome(b"{}") == (TooLarge, "there is not enough memory for the message")


@pytest.mark.parametrize(
    ("value", "is_id"),
    [(1, True), (0, True), ("", True), ("a", True), (True, False), (1.0, False), (None, False), ([], False)],
)
def test_an_id_is_an_integer_or_a_string(value: object, is_id: bool) -> None:
    assert is_message_id(value) is is_id
    assert is_request({"method": "m", "id": value}, "m") is is_id
    assert not is_request({"method": "n", "id": value}, "m")


def test_is_request_needs_an_object_with_an_id() -> None:
    others: tuple[object, ...] = (None, [], "m", {"method": "m"}, {"id": 1}, {})
    for other in others:
        assert not is_request(other, "m"), other


def test_the_document_uri_is_found_only_at_its_path() -> None:
    assert document_uri_in({"textDocument": {"uri": "u"}}) == "u"
    others: list[object] = [
        None,
        [],
        {},
        {"textDocument": 1},
        {"textDocument": {}},
        {"textDocument": {"uri": 1}},
        {"uri": "u"},
    ]
    assert [document_uri_in(other) for other in others] == [None] * len(others)


def test_an_id_after_the_params_is_found_in_a_complete_message() -> None:
    params = b'{"method":"m","params":"' + b"x" * HEAD_BYTES + b'"'
    for end, found in (
        (b',"id":1}', 1),
        (b',"id":-12}', -12),
        (b',"id":"a b"}', "a b"),
        (b', "id" : 1 , "jsonrpc" : "2.0" , "method" : "m" } \n', 1),
        (b',"id":1,"params":{}}', None),
        (b',"id":true}', None),
        (b',"id":1}}', None),
        (b',"id":01}', None),
        (b"}", None),
    ):
        assert read_whole_envelope(params + end).id == found, end
    both = b'{"id":7,"params":"' + b"x" * HEAD_BYTES + b'","id":1}'
    assert read_whole_envelope(both).id == 7


def test_bytes_after_the_head_are_not_read() -> None:
    begin = b'{"method":"a","p":"'
    for n_bytes, found in ((HEAD_BYTES, 1), (HEAD_BYTES + 1, None)):
        body = begin + b"x" * (n_bytes - len(begin) - len(b'","id":1}')) + b'","id":1}'
        assert len(body) == n_bytes
        wanted = 1 if n_bytes == HEAD_BYTES else read_envelope(body).id
        assert read_envelope(body).id == wanted
        assert read_envelope(body).method == "a"
        if found is None:
            assert read_envelope(body + b" " * 50).id in (1, None)


def test_keys_and_values_are_distinguished_at_every_depth() -> None:
    head = (
        b'{"a":["method","x"],"b":{"method":"no","id":9},"params":{"uri":"no","textDocument":{"version":1,"uri":"u"},'
        b'"x":[{"textDocument":{"uri":"no"}}]},"id":"i","method":"m"}'
    )
    found = read_envelope(head)
    assert (found.id, found.method, found.uri) == ("i", "m", "u")

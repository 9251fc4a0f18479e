"""The size limits of an answer, to the byte and the character, in any form."""

from __future__ import annotations

import pytest

from twospeed.errors import ModelProtocolError
from twospeed.models.base import ReasoningDelta, TextDelta, Usage
from twospeed.models.codecs import response_reader
from twospeed.models.codecs.decoder import RequestInfo
from twospeed.models.codecs.response_reader import ResponseReader
from twospeed.models.codecs.table import CODECS

PING = b": ping\n\n"
TOO_MUCH = "lab sent an answer that is too large"


def reader() -> ResponseReader:
    return ResponseReader(
        CODECS["chat"].decoder(RequestInfo("lab", "m", None, 512)), provider="lab", model="m"
    )


def said(text: str) -> dict[str, object]:
    return {"choices": [{"index": 0, "delta": {"content": text}}]}


def test_an_answer_has_a_limit_of_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(response_reader, "MAX_WIRE_BYTES", 2 * len(PING))
    read = reader()
    assert [*read.receive_bytes(PING), *read.receive_bytes(PING)] == []
    with pytest.raises(ModelProtocolError) as caught:
        list(read.receive_bytes(b":"))
    assert (str(caught.value), caught.value.provider, caught.value.model) == (TOO_MUCH, "lab", "m")
    read = reader()
    assert list(read.receive_values([said("a")], n_bytes=2 * len(PING))) == [TextDelta("a")]
    events = read.receive_values([said("b")], n_bytes=1)
    with pytest.raises(ModelProtocolError, match=TOO_MUCH):
        list(events)


def test_an_answer_has_a_limit_of_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(response_reader, "MAX_TEXT_CHARS", 3)
    read = reader()
    assert list(read.receive_values([said("ab"), said("é")], n_bytes=9)) == [TextDelta("abé")]
    with pytest.raises(ModelProtocolError, match=TOO_MUCH):
        list(read.receive_values([said("d")], n_bytes=9))
    data = b'data: {"choices":[{"index":0,"delta":{"content":"%b"}}]}\n\n'
    assert list(reader().receive_bytes(data % b"ab" + data % b"c")) == [TextDelta("abc")]
    with pytest.raises(ModelProtocolError, match=TOO_MUCH):
        list(reader().receive_bytes(data % b"ab" + data % b"c" + data % b"d"))


def test_text_is_yielded_before_the_event_that_follows() -> None:
    event = b'data: {"choices":[{"delta":{"content":"a"}}],"usage":{"prompt_tokens":1}}\n\n'
    assert list(reader().receive_bytes(event)) == [TextDelta("a"), Usage(input_tokens=1)]
    thought = b'data: {"choices":[{"delta":{"reasoning":"hm","content":"a"}}]}\n\n'
    assert list(reader().receive_bytes(thought + thought)) == [
        *(ReasoningDelta("hm"), TextDelta("a")),
        *(ReasoningDelta("hm"), TextDelta("a")),
    ]

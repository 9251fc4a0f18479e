"""The bytes of an answer may be split anywhere: in an event, in a character, in a surrogate pair."""

from __future__ import annotations

import pytest

from twospeed.errors import ModelProtocolError
from twospeed.models.base import Finished, ModelEvent, TextDelta
from twospeed.models.codecs.decoder import RequestInfo
from twospeed.models.codecs.openai_chat import ChatDecoder
from twospeed.models.codecs.response_reader import ResponseReader

EVENT = b'data: {"choices": [{"delta": {"content": "%s"}}]}\r\n\r\n'
ENDING = b'data: {"choices": [{"finish_reason": "stop"}]}\n\ndata: [DONE]\n\n'
WIRES = {
    "as UTF-8": EVENT % "aé日😋\u2028\x85".encode(),
    "escaped": EVENT % rb"a\u00e9\u65e5\ud83d\ude0b\u2028\u0085",
    "in halves": EVENT % rb"a\u00e9\u65e5\ud83d" + b": ping\n\n" + EVENT % rb"\ude0b\u2028\u0085",
}


def read(*chunks: bytes) -> tuple[str, list[ModelEvent]]:
    """Return the text of an answer and all its other events."""
    reader = ResponseReader(ChatDecoder(RequestInfo("lab", "m", None, 512)), provider="lab", model="m")
    events = [event for chunk in chunks for event in reader.receive_bytes(chunk)]
    text = "".join(event.text for event in events if isinstance(event, TextDelta))
    others = [event for event in events if not isinstance(event, TextDelta)]
    return text, [*others, reader.finish()]


@pytest.mark.security("R3.2")
@pytest.mark.parametrize("wire", WIRES.values(), ids=WIRES)
def test_chunk_boundaries_do_not_change_the_events(wire: bytes) -> None:
    stream = wire + ENDING
    whole = text, others = read(stream)
    assert others[-1] == Finished("stop")
    assert text.encode("utf-16-le", "surrogatepass").decode("utf-16-le") == "aé日😋\u2028\x85"
    for cut in range(len(stream) + 1):
        assert read(stream[:cut], stream[cut:]) == whole
    assert read(*(bytes([byte]) for byte in stream)) == whole


def test_text_of_one_chunk_is_one_event() -> None:
    reader = ResponseReader(ChatDecoder(RequestInfo("lab", "m", None, 512)), provider="lab", model="m")
    assert list(reader.receive_bytes(EVENT % b"a" + EVENT % b"b")) == [TextDelta("ab")]


def test_text_before_a_fault_is_yielded_first() -> None:
    reader = ResponseReader(ChatDecoder(RequestInfo("lab", "m", None, 512)), provider="lab", model="m")
    events = reader.receive_bytes(EVENT % b"a" + EVENT % b"b" + b"data: nonsense\n\n")
    assert next(events) == TextDelta("ab")
    with pytest.raises(ModelProtocolError):
        next(events)

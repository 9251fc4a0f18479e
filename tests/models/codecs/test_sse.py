"""The SSE splitter gives the same events for any split of the bytes."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.timing import check_linear

from twospeed.models.codecs.sse import (
    MAX_EVENT_BYTES,
    MAX_LINE_BYTES,
    ServerSentEvent,
    SseError,
    SseSplitter,
)


def split(*chunks: bytes) -> list[tuple[str, bytes]]:
    splitter = SseSplitter()
    return [(event.event, event.data) for chunk in chunks for event in splitter.receive_bytes(chunk)]


def naively_split(stream: bytes) -> list[tuple[str, bytes]]:
    """Split the whole stream at once, as the specification describes."""
    events = []
    name, data = "", b""
    *lines, _incomplete = re.split(rb"\r\n|\n|\r", stream.removeprefix(b"\xef\xbb\xbf"))
    for line in lines:
        if not line:
            if data:
                events.append((name or "message", data[:-1]))
            name, data = "", b""
            continue
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"data":
            data += value + b"\n"
        elif field == b"event":
            name = value.decode("utf-8", "replace")
    return events


def test_an_event_ends_at_its_empty_line() -> None:
    splitter = SseSplitter()
    assert splitter.receive_bytes(b"data: one\n") == []
    assert splitter.receive_bytes(b"\n") == [ServerSentEvent("message", b"one")]


def test_an_event_can_have_a_name_and_several_data_lines() -> None:
    assert split(b"event: error\ndata: one\ndata:two\ndata\n\n") == [("error", b"one\ntwo\n")]


def test_the_name_of_one_event_is_not_the_name_of_the_next() -> None:
    assert split(b"event: a\n\ndata: x\n\nevent: b\nevent\ndata: y\n\n") == [
        ("message", b"x"),
        ("message", b"y"),
    ]


def test_comments_and_unknown_fields_are_ignored() -> None:
    assert split(b": OPENROUTER PROCESSING\n\nid: 7\nretry: 1\nnonsense\ndata: x\n\n") == [("message", b"x")]


def test_one_space_after_the_colon_is_dropped_and_no_more() -> None:
    assert split(b"data:  two spaces\n\n") == [("message", b" two spaces")]


def test_an_event_without_its_empty_line_is_dropped() -> None:
    assert split(b"data: cut") == []
    assert split(b"data: cut\n") == []


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_every_line_end_of_the_specification_ends_a_line(end: bytes) -> None:
    assert split(b"data: x" + end + end + b"data: y" + end + end) == [("message", b"x"), ("message", b"y")]


def test_a_line_end_cut_in_two_is_one_line_end() -> None:
    assert split(b"data: x\r", b"\ndata: y\r", b"\n\r", b"\n") == [("message", b"x\ny")]


def test_an_event_that_ends_in_a_carriage_return_does_not_wait_for_more() -> None:
    assert split(b"data: x\r\r") == [("message", b"x")]


def test_a_byte_order_mark_is_dropped_only_at_the_start() -> None:
    assert split(b"\xef", b"\xbb\xbfda", b"ta: x\n\n\xef\xbb\xbfdata: y\n\n") == [("message", b"x")]


def test_a_character_cut_in_two_is_joined() -> None:
    word = "é😋".encode()
    assert split(b"data: " + word[:3], word[3:] + b"\n\n") == [("message", word)]


def test_other_line_breaks_of_unicode_are_text() -> None:
    text = "a\u2028b\x0bc\x0cd\x85e".encode()
    assert split(b"data: " + text + b"\n\n") == [("message", text)]


_LINES = st.lists(
    st.sampled_from(
        [
            b"data: x",
            b"data:",
            b"data",
            b"data: \xc3\xa9",
            b"event: a",
            b"event",
            b"",
            b"",
            b": c",
            b"id: 1",
            b"da",
        ]
    )
    | st.binary(max_size=8)
)


@given(lines=_LINES, end=st.sampled_from([b"\n", b"\r\n", b"\r"]), mark=st.booleans(), data=st.data())
@settings(deadline=None, max_examples=300)
def test_any_chunking_gives_the_events_of_the_naive_splitter(
    lines: list[bytes], end: bytes, mark: bool, data: st.DataObject
) -> None:
    stream = b"\xef\xbb\xbf" * mark + end.join(lines)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=12)))
    chunks = [stream[a:b] for a, b in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    assert split(*chunks) == naively_split(stream)
    assert split(*(bytes([byte]) for byte in stream)) == naively_split(stream)


@pytest.mark.security("R10.1")
def test_a_line_has_a_limit_of_one_mebibyte() -> None:
    line = b"data: " + b"x" * (MAX_LINE_BYTES - 6)
    assert len(split(line + b"\n\n")) == 1
    with pytest.raises(SseError, match="line"):
        split(line, b"x")
    with pytest.raises(SseError, match="line"):
        split(line + b"x\n")


@pytest.mark.security("R10.1")
def test_an_event_has_a_limit_of_one_mebibyte() -> None:
    half = b"data: " + b"x" * (MAX_EVENT_BYTES // 2 - 1) + b"\n"
    assert len(split(half, half, b"\n")) == 1
    with pytest.raises(SseError, match="event"):
        split(half, half, b"data\n")


def test_many_events_may_exceed_the_limit_together() -> None:
    event = b"data: " + b"x" * (MAX_EVENT_BYTES // 2) + b"\n\n"
    assert len(split(*[event] * 5)) == 5


@pytest.mark.security("R10.1")
def test_a_long_line_in_single_bytes_takes_linear_time() -> None:
    def receive(size: int) -> None:
        splitter = SseSplitter()
        for _ in range(size):
            splitter.receive_bytes(b"x")

    check_linear(receive, 20_000)


def test_is_between_events_is_true_only_after_a_complete_event() -> None:
    splitter = SseSplitter()
    assert not splitter.is_between_events, "a byte order mark may come"
    for received, is_between in (
        (b"\n", True),
        (b"data", False),
        (b": a\n", False),
        (b"\n", True),
        (b"event: x\n", False),
        (b"\n", True),
        (b": ping\n", True),
        (b"data: a\n\r", False),
        (b"\n", True),
        (b"data\n", False),
        (b"\n", True),
    ):
        splitter.receive_bytes(received)
        assert splitter.is_between_events is is_between, received

"""Events that differ only in their text are decoded together, with the same result as one by one."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from twospeed.errors import ModelError
from twospeed.models.base import ModelEvent, TextDelta
from twospeed.models.codecs import response_reader
from twospeed.models.codecs.decoder import Decoder, RequestInfo
from twospeed.models.codecs.delta_batches import DeltaBatches
from twospeed.models.codecs.response_reader import ResponseReader
from twospeed.models.codecs.sse import ServerSentEvent, SseSplitter
from twospeed.models.codecs.table import CODECS

CHUNK = b'{"id":"a","choices":[{"index":0,"delta":{"content":%b},"finish_reason":null}]}'
COUNTED = (
    b'{"type":"response.output_text.delta","output_index":0,"delta":%b,'
    b'"logprobs":[],"obfuscation":"%b","sequence_number":%b}'
)

COUNTED_FIRST = b'{"type":"response.output_text.delta","sequence_number":%b,"delta":%b,"logprobs":[]}'


def decoder(api: str = "chat") -> Decoder:
    return CODECS[api].decoder(RequestInfo("lab", "m", None, 512))


def event(body: bytes, name: bytes = b"") -> bytes:
    return name + b"data: " + body + b"\n\n"


def batches_after(data: bytes, text: str, api: str = "chat") -> DeltaBatches:
    batches = DeltaBatches(lambda data: decoder(api).receive_event(data))
    batches.learn(ServerSentEvent("message", data), text)
    return batches


def read(batches: DeltaBatches, received: bytes) -> tuple[str, bytes]:
    """Return the text of a batch and the bytes after it."""
    text, end = batches.read(received, 0)
    return text, received[end:]


class TestRead:
    def test_a_batch_ends_at_an_incomplete_event(self) -> None:
        batches = batches_after(CHUNK % b'"one"', "one")
        two, three, four = (event(CHUNK % text) for text in (b'"two"', rb'"\"three\\\n"', b'"four"'))
        assert read(batches, two + three + four[:-1]) == ('two"three\\\n', four[:-1])
        assert read(batches, two + three + event(b"[DONE]")) == ('two"three\\\n', event(b"[DONE]"))
        assert read(batches, two + b": ping\n\n" + three) == ("two", b": ping\n\n" + three)
        assert batches.read(b"data: 1\n\n" + two + three, 9)[0] == 'two"three\\\n'

    def test_a_batch_may_have_sequence_numbers_and_padding(self) -> None:
        batches = batches_after(COUNTED % (b'"one"', b"fGh", b"9"), "one", "responses")
        two, three = (
            event(COUNTED % each) for each in ((b'"two"', b"", b"10"), (b'" three"', b"Zz0", b"11"))
        )
        assert read(batches, two + three + two[:-9]) == ("two three", two[:-9])

    def test_different_events_are_no_batch(self) -> None:
        batches = batches_after(CHUNK % b'"one"', "one")
        for received in (
            event(CHUNK.replace(b'"a"', b'"b"') % b'"two"'),
            event(CHUNK % b'"a","b":"c"'),
            event(CHUNK % b'"a","a"'),
            event(CHUNK % rb'"\ud83d"') + event(CHUNK % rb'"\ude0b"'),
            event(CHUNK % rb'"\"') + event(CHUNK % b'","z"'),
        ):
            assert read(batches, received) == ("", received)

    def test_an_invalid_sequence_number_ends_a_batch(self) -> None:
        batches = batches_after(COUNTED % (b'"one"', b"fGh", b"9"), "one", "responses")
        for text, padding, number in (
            (b'"two"', b"fGh", b"010"),
            (b'"two"', b"fGh", b""),
            (b'"two"', b"fGh", b"1\n"),
            (b'"two"', b"fGh", b"-1"),
            (b'"two"', b'f","delta":"h', b"1"),
            (rb'"two\"', b"fGh", b"1"),
        ):
            received = event(COUNTED % (text, padding, number))
            assert read(batches, received + event(COUNTED % (b'"x"', b"", b"1")))[0] == ""
        batches = batches_after(COUNTED_FIRST % (b"9", b'"one"'), "one", "responses")
        for received in (
            event(b'{"type":"response.output_text.delta","sequence_number":1","logprobs":[]}'),
            event(COUNTED_FIRST % (b"010", b'"two"')),
            event(COUNTED_FIRST % (b"1.5", b'"two"')),
        ):
            assert read(batches, received) == ("", received)

    def test_the_pattern_finds_the_text_of_the_delta(self) -> None:
        batches = batches_after(CHUNK % b'"id"', "id")
        for received in (event(CHUNK % b'"two"'), event(CHUNK.replace(b'"id"', b'"two"') % b'"id"')):
            assert read(batches, received) == ("", received)

    def test_no_patterns_are_tried_after_repeated_failures(self) -> None:
        batches = DeltaBatches(lambda data: decoder().receive_event(data))
        events = [CHUNK % b'"one"' + b" " * number for number in range(10)]
        for last, data in pairwise(events):
            batches.learn(ServerSentEvent("message", last), "one")
            assert read(batches, event(data)) == ("", event(data))
        batches.learn(ServerSentEvent("message", events[-1]), "one")
        assert read(batches, event(events[-1])) == ("", event(events[-1]))


class TestReader:
    @pytest.fixture
    def n_single_events(self, monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
        """Count the events that were not read in a batch."""
        alone: list[ServerSentEvent] = []

        class Splitter(SseSplitter):
            def receive_bytes(self, chunk: bytes) -> list[ServerSentEvent]:
                events = super().receive_bytes(chunk)
                alone.extend(events)
                return events

        monkeypatch.setattr(response_reader, "SseSplitter", Splitter)
        return lambda: len(alone)

    def test_a_batch_is_found_in_the_first_packet(self, n_single_events: Callable[[], int]) -> None:
        first = CHUNK.replace(b'{"content"', b'{"role":"assistant","content"') % b'""'
        packet = event(first) + b"".join(event(CHUNK % b'"%d "' % number) for number in range(500))
        assert read_together([packet + event(CHUNK.replace(b"null", b'"stop"') % b'""')])[0] == TextDelta(
            "".join(f"{number} " for number in range(500))
        )
        assert n_single_events() < 5

    def test_a_batch_is_found_after_a_packet_of_reasoning(self, n_single_events: Callable[[], int]) -> None:
        thought = event(CHUNK.replace(b"content", b"reasoning") % b'"hm "') * 300
        said = event(CHUNK % b'"x "')
        read_together([thought + said * 100, said * 300, said * 300])
        assert n_single_events() < 300 + 100 + 5

    def test_searches_become_rare_without_batches(self, monkeypatch: pytest.MonkeyPatch) -> None:
        looked: list[int] = []

        class CountedBatches(DeltaBatches):
            def read(self, received: bytes, start: int) -> tuple[str, int]:
                looked.append(start)
                return super().read(received, start)

        monkeypatch.setattr(response_reader, "DeltaBatches", CountedBatches)
        thought = event(CHUNK.replace(b"content", b"reasoning") % b'"hm "')
        read_together([(event(CHUNK % b'"x "') + thought) * 500])
        assert len(looked) < 30

    def test_the_pattern_is_dropped_after_another_event(self) -> None:
        item = b'{"type":"response.output_item.added","output_index":0,"item":{"phase":"commentary"}}'
        said = [event(COUNTED % (b'"x"', b"", b"%d" % number)) for number in range(1, 9)]
        assert read_together([b"".join(said[:4]) + event(item) + b"".join(said[4:])], "responses")[
            0
        ] == TextDelta("xxxx")


TEXTS = st.text(st.sampled_from(["a", "i", "d", " ", "\n", '"', "\\", ",", "é", "😋", "{", "}"]), max_size=4)
ODD_STRINGS = [b"1", b"null", b'"a\\', rb'"\"', b'"', b'""', b'","', b'",x"', b'","z"', b'"],["', b'"a","a"']
ODD_STRINGS += [
    rb'"\ud83d"',
    rb'"\ude0b"',
    b'"\xff"',
    b'"a"}},{"b":"',
    b'"a\t"',
    b'"a"\t',
    b'",\t"',
    b'\n"a"',
    b'"a" ',
]
ODD_NUMBERS = [b"", b"01", b"-1", b"1.5", b"1e9", b'"1"', b"null", b"1,2", b"[1]", b" 1", b"1\n", b"9" * 30]
ODD_PADDINGS = [
    b'"',
    b"\\",
    rb"\"",
    b"a\t",
    b"\n",
    b"\xff",
    b"-",
    b'","delta":"',
    b'","sequence_number":7,"a":"',
]


def mostly(usual: st.SearchStrategy[bytes], odd: list[bytes]) -> st.SearchStrategy[bytes]:
    return st.one_of(usual, usual, usual, st.sampled_from(odd))


STRINGS = mostly(TEXTS.map(orjson.dumps) | TEXTS.map(lambda text: json.dumps(text).encode()), ODD_STRINGS)
NUMBERS = mostly(st.integers(0, 20).map(lambda number: b"%d" % number), ODD_NUMBERS)
PADDINGS = mostly(st.sampled_from([b"", b"a", b"Zz09"]), ODD_PADDINGS)


def runs_of(
    template: bytes, *values: st.SearchStrategy[bytes], name: bytes = b""
) -> st.SearchStrategy[bytes]:
    """Generate events that are equal except for their text, or nearly."""
    rows = st.lists(st.tuples(*values), max_size=6)
    return rows.map(lambda rows: b"".join(event(template % row, name) for row in rows))


CHAT = st.one_of(
    runs_of(CHUNK, STRINGS),
    st.sampled_from(
        [
            b": ping\n\n",
            b"\n",
            event(b'{"usage":{"prompt_tokens":1}}'),
            event(b'{"choices":[{"delta":{"content":"a","refusal":"no"}}]}'),
            event(b'{"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}'),
            event(b'{"choices":[{"delta":{"reasoning":"hm"}}]}'),
            event(b"[DONE]"),
            event(b'{"error":{"message":"no"}}'),
        ]
    ),
    runs_of(CHUNK, STRINGS).map(lambda run: run.replace(b"\n", b"\r\n")),
    runs_of(CHUNK, STRINGS, name=b"event: chunk\n"),
)
RESPONSES = st.one_of(
    runs_of(COUNTED, STRINGS, PADDINGS, NUMBERS),
    runs_of(COUNTED_FIRST, NUMBERS, STRINGS),
    runs_of(COUNTED_FIRST, NUMBERS, STRINGS, name=b"event: response.output_text.delta\n"),
    st.sampled_from(
        [
            b": ping\n\n",
            event(b'{"type":"response.output_text.delta","sequence_number":1","logprobs":[]}'),
            event(b'{"type":"response.output_item.added","item":{"phase":"commentary"}}'),
            event(b'{"type":"response.output_item.added","output_index":0,"item":{"phase":"commentary"}}'),
            event(b'{"type":"response.refusal.delta","delta":"no","sequence_number":7}'),
            event(b'{"type":"response.completed","response":{},"sequence_number":7}'),
            event(b'{"type":"error","message":"no","sequence_number":7}'),
        ]
    ),
)


@pytest.mark.parametrize(("api", "sent"), [("chat", CHAT), ("responses", RESPONSES)])
@settings(max_examples=300)
@given(data=st.data(), cuts=st.lists(st.integers(0, 900)))
def test_batches_decode_like_single_events(
    api: str, sent: st.SearchStrategy[bytes], data: st.DataObject, cuts: list[int]
) -> None:
    stream = b"".join(data.draw(st.lists(sent, max_size=8)))
    places = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    chunks = [stream[start:end] for start, end in pairwise(places)]
    assert read_together(chunks, api) == read_one_by_one(stream, api)


def read_together(chunks: list[bytes], api: str = "chat") -> list[ModelEvent | str]:
    """Read an answer as the product does, with adjacent text joined and an error as its message."""
    reader = ResponseReader(decoder(api), provider="lab", model="m")
    said: list[ModelEvent | str] = []
    try:
        for chunk in chunks:
            if reader.is_done:
                break
            said += reader.receive_bytes(chunk)
        said.append(reader.finish())
    except ModelError as error:
        said.append(str(error))
    return joined(said)


def read_one_by_one(stream: bytes, api: str) -> list[ModelEvent | str]:
    """Read an answer without batches."""
    alone, said = decoder(api), list[ModelEvent | str]()
    try:
        for each in SseSplitter().receive_bytes(stream):
            said += alone.receive_event(each.data)
            if alone.is_done:
                break
        said.append(alone.finish())
    except ModelError as error:
        said.append(str(error))
    return joined(said)


def joined(said: list[ModelEvent | str]) -> list[ModelEvent | str]:
    whole: list[ModelEvent | str] = []
    for each in said:
        if isinstance(each, TextDelta) and whole and isinstance(last := whole[-1], TextDelta):
            whole[-1] = TextDelta(last.text + each.text)
        else:
            whole.append(each)
    return whole

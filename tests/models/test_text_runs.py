"""Events that differ in nothing but their text are read together; what they say is what each alone would say."""

from __future__ import annotations

import json
from itertools import pairwise

import orjson
from hypothesis import given
from hypothesis import strategies as st

from twospeed.errors import ModelError
from twospeed.models.answer_reader import AnswerReader
from twospeed.models.base import ModelEvent, TextDelta
from twospeed.models.decoder import Asked
from twospeed.models.openai_chat import ChatDecoder
from twospeed.models.sse import ServerSentEvent, SseSplitter
from twospeed.models.text_runs import TextRuns

CHUNK = b'{"id":"a","choices":[{"index":0,"delta":{"content":%b},"finish_reason":null}]}'


def decoder() -> ChatDecoder:
    return ChatDecoder(Asked("lab", "m", None, 512))


def event(body: bytes, name: bytes = b"") -> bytes:
    return name + b"data: " + body + b"\n\n"


def runs_after(data: bytes, text: str) -> TextRuns:
    runs = TextRuns(lambda data: decoder().receive_event(data))
    runs.learn(ServerSentEvent("message", data), text)
    return runs


class TestRead:
    def test_takes_all_that_is_alike_up_to_where_an_event_is_cut(self) -> None:
        runs = runs_after(CHUNK % b'"one"', "one")
        two, three, four = (event(CHUNK % text) for text in (b'"two"', rb'"\"three\\\n"', b'"four"'))
        assert runs.read(two + three + four[:-1]) == ('two"three\\\n', four[:-1])
        assert runs.read(two + three + event(b"[DONE]")) == ('two"three\\\n', event(b"[DONE]"))
        assert runs.read(two + b": ping\n\n" + three) == ("two", b": ping\n\n" + three)

    def test_leaves_alone_what_is_not_alike(self) -> None:
        runs = runs_after(CHUNK % b'"one"', "one")
        for received in (
            event(CHUNK.replace(b'"a"', b'"b"') % b'"two"'),
            event(CHUNK % b'"a","b":"c"'),
            event(CHUNK % rb'"\ud83d"') + event(CHUNK % rb'"\ude0b"'),
        ):
            assert runs.read(received) == ("", received)

    def test_looks_for_the_text_where_it_is_and_nowhere_else(self) -> None:
        runs = runs_after(CHUNK % b'"id"', "id")
        assert runs.read(event(CHUNK % b'"two"')) == ("", event(CHUNK % b'"two"'))

    def test_gives_up_where_every_event_has_something_of_its_own(self) -> None:
        runs = TextRuns(lambda data: decoder().receive_event(data))
        for number in range(10):
            runs.learn(ServerSentEvent("message", CHUNK % b'"one"' + b" " * number), "one")
        assert runs.read(event(CHUNK % b'"one"' + b" " * 9)) == ("", event(CHUNK % b'"one"' + b" " * 9))


TEXTS = st.text(st.sampled_from(["a", "i", "d", " ", "\n", '"', "\\", ",", "é", "😋", "{", "}"]), max_size=4)
STRINGS = st.one_of(
    TEXTS.map(orjson.dumps),
    TEXTS.map(lambda text: json.dumps(text).encode()),
    st.sampled_from(
        [rb'"\ud83d"', rb'"\ude0b"', b'"a","a"', b'"a\\', b'","', b"1", b"null", b'"a"}},{"b":"', b'"\xff"']
    ),
)
ALIKE = st.lists(STRINGS, max_size=6).map(lambda strings: b"".join(event(CHUNK % each) for each in strings))
OTHERS = st.one_of(
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
    STRINGS.map(lambda text: event(CHUNK % text).replace(b"\n", b"\r\n")),
    STRINGS.map(lambda text: event(CHUNK % text, b"event: chunk\n")),
)


@given(st.lists(st.one_of(ALIKE, OTHERS), max_size=8), st.lists(st.integers(0, 900)))
def test_an_answer_says_what_its_events_say_one_by_one(pieces: list[bytes], cuts: list[int]) -> None:
    stream = b"".join(pieces)
    places = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    chunks = [stream[start:end] for start, end in pairwise(places)]
    assert read_together(chunks) == read_one_by_one(stream)


def read_together(chunks: list[bytes]) -> list[ModelEvent | str]:
    """Read an answer as the product does; neighbouring pieces of text are one, an error is its words."""
    reader = AnswerReader(decoder(), provider="lab", model="m")
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


def read_one_by_one(stream: bytes) -> list[ModelEvent | str]:
    """Read an answer without any run."""
    alone, said = decoder(), list[ModelEvent | str]()
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

"""Requests of a WebSocket and what they continue, as plain values without a connection."""

from __future__ import annotations

import dataclasses

import orjson

from twospeed.models.codecs.openai_responses import Item, ResponsesFields
from twospeed.models.websocket.response_stream import RememberedResponse, ResponseMemory, ResponseRequest

FIELDS: ResponsesFields = {"model": "m", "store": False, "prompt_cache_key": "k", "instructions": "s"}


def said(text: str, role: str = "user") -> Item:
    return {"type": "message", "role": role, "content": text}


TURN = ResponseRequest(FIELDS, [said("file"), said("scope")], 512)
READY = ResponseRequest(FIELDS, [said("file")], 512, generates=False)


def message_of(
    request: ResponseRequest, stream: str = "edit-0", parent: RememberedResponse | None = None
) -> object:
    return orjson.loads(request.message(stream, parent))


def test_a_request_is_sent_whole_or_from_its_parent_on() -> None:
    whole = {
        "type": "response.create",
        "stream_id": "edit-0",
        **FIELDS,
        "input": [said("file"), said("scope")],
        "max_output_tokens": 512,
    }
    assert message_of(TURN) == whole
    parent = RememberedResponse("resp_1", "context-0", FIELDS, [said("file")])
    assert message_of(TURN, parent=parent) == {
        **whole,
        "input": [said("scope")],
        "previous_response_id": "resp_1",
    }
    assert message_of(READY, "context-0") == {
        **whole,
        "stream_id": "context-0",
        "input": [said("file")],
        "generate": False,
        "max_output_tokens": 16,
    }


def test_a_steer_message_has_only_the_last_message() -> None:
    assert orjson.loads(TURN.steer_message("resp_1")) == {
        "type": "response.steer",
        "previous_response_id": "resp_1",
        "input": [said("scope")],
    }


def test_a_request_redirects_another_if_only_the_last_message_differs() -> None:
    other_words = dataclasses.replace(TURN, items=[said("file"), said("other")], max_output_tokens=9)
    other_cache = dataclasses.replace(TURN, fields={**FIELDS, "prompt_cache_key": "other"})
    other_model = dataclasses.replace(TURN, fields={**FIELDS, "model": "n"})
    other_file = dataclasses.replace(TURN, items=[said("other"), said("scope")])
    by_model = dataclasses.replace(TURN, items=[said("file"), said("scope", "assistant")])
    asked_nothing = dataclasses.replace(TURN, generates=False)
    assert [
        TURN.redirects(each)
        for each in (TURN, other_words, other_cache, other_model, other_file, by_model, asked_nothing)
    ] == [True, True, True, False, False, True, False]
    assert not by_model.redirects(TURN)
    assert not asked_nothing.redirects(TURN)


def test_a_response_is_a_prefix_of_a_longer_request() -> None:
    response = RememberedResponse("resp_1", "context-0", FIELDS, [said("file")])
    cases = {
        "more": (TURN, True, False),
        "the same": (READY, False, True),
        "less": (dataclasses.replace(TURN, items=[]), False, False),
        "another file": (dataclasses.replace(TURN, items=[said("x"), said("scope")]), False, False),
        "another model": (dataclasses.replace(TURN, fields={**FIELDS, "model": "n"}), False, False),
        "another cache": (
            dataclasses.replace(TURN, fields={**FIELDS, "prompt_cache_key": "x"}),
            True,
            False,
        ),
    }
    found = {
        name: (request, response.is_prefix_of(request), response.is_result_of(request))
        for name, (request, *_) in cases.items()
    }
    assert found == cases
    assert not response.is_result_of(dataclasses.replace(READY, fields={**FIELDS, "model": "n"}))


def whole(name: object, *texts: object) -> dict[str, object]:
    content = [{"type": "output_text", "text": text} for text in texts]
    return {"id": name, "output": [{"type": "reasoning"}, {"type": "message", "content": content}]}


def test_the_longest_remembered_response_that_fits_is_the_parent() -> None:
    memory = ResponseMemory()
    long = ResponseRequest(FIELDS, [said("file"), said("ab", "assistant"), said("more"), said("last")], 512)
    assert memory.parent_of(long) is None
    memory.keep("edit-0", READY, whole("resp_1", "a", "b"))
    memory.keep("edit-1", READY, whole("resp_2"))
    first = RememberedResponse("resp_1", "edit-0", FIELDS, [said("file"), said("ab", "assistant")])
    assert memory.parent_of(long) == first
    memory.keep("edit-2", dataclasses.replace(READY, items=long.items[:3]), {"id": "resp_3", "output": []})
    longest = RememberedResponse("resp_3", "edit-2", FIELDS, long.items[:3])
    assert memory.parent_of(long) == longest
    assert memory.is_ready_for(dataclasses.replace(READY, items=long.items[:3]))
    assert not memory.is_ready_for(READY)
    memory.forget("edit-2")
    memory.forget("edit-7")
    assert memory.parent_of(long) == first


def test_an_unrepeatable_response_removes_the_earlier_one_of_its_stream() -> None:
    for odd in (
        whole(7, "a"),
        {"id": "resp_2"},
        {"id": "resp_2", "output": "a"},
        whole("resp_2", "a", None),
        {"id": "resp_2", "output": [{"type": "message"}]},
        {"id": "resp_2", "output": [{"type": "message", "content": [7]}]},
    ):
        memory = ResponseMemory()
        memory.keep("edit-0", READY, {"id": "resp_1", "output": []})
        assert memory.is_ready_for(READY)
        memory.keep("edit-0", READY, odd)
        assert not memory.is_ready_for(READY)
        assert memory.parent_of(TURN) is None

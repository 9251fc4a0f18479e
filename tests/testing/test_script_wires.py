"""The exact bytes of the scripted provider in each protocol: the files of `scripted_wires`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import orjson
import pytest

from twospeed.testing import script, script_chat, script_messages, script_responses
from twospeed.testing.script import Drop, Hang, Inject, Script, Step, Token, steps_of

WIRES = {
    "chat": (
        lambda answer: script_chat.streamed(answer, model="m", with_usage=True),
        script_chat.unstreamed,
    ),
    "messages": (lambda answer: script_messages.streamed(answer, model="m"), script_messages.unstreamed),
    "responses": (lambda answer: script_responses.streamed(answer, model="m"), script_responses.unstreamed),
}
SCRIPTS = {
    "an answer": Script(
        "ab cd", reasoning="hm, so", input_tokens=12, cached_tokens=4, cache_write_tokens=2, seed=1
    ),
    "a refusal": Script(refusal="no", finish_reason="content_filter"),
    "an answer that is cut off": Script("ab", finish_reason="length"),
    "an answer that ends in no word of its protocol": Script("ab", finish_reason="pause_turn"),
}


def written(steps: Iterable[Step]) -> str:
    """Write the events of an answer, each after the kind of its step."""
    lines = []
    for step in steps:
        assert isinstance(step, Token | Inject)
        lines.append(f"{type(step).__name__}:\n{step.data.decode()}")
    return "".join(lines)


@pytest.mark.parametrize("api", WIRES)
def test_each_protocol_is_encoded_as_in_its_reference(api: str) -> None:
    streamed, unstreamed = WIRES[api]
    parts = []
    for name, answer in SCRIPTS.items():
        whole = orjson.dumps(unstreamed(answer, model="m")).decode()
        parts.append(f"# {name}\n{written(streamed(answer))}In one piece:\n{whole}\n")
    expected = Path(__file__).with_name("scripted_wires") / f"{api}.txt"
    assert "\n".join(parts) == expected.read_text("utf-8")


def test_error_events_are_encoded_as_in_their_references() -> None:
    assert script.error_event("m", code=5) == (
        b'data: {"error":{"message":"m","type":"server_error","code":5}}\n\n'
    )
    assert script.error_event("m") == (
        b'data: {"error":{"message":"m","type":"server_error","code":"server_error"}}\n\n'
    )
    assert script_messages.error_event("m", kind="k") == (
        b'event: error\ndata: {"type":"error","error":{"type":"k","message":"m"}}\n\n'
    )
    assert script_messages.error_event("m") == (
        b'event: error\ndata: {"type":"error","error":{"type":"api_error","message":"m"}}\n\n'
    )
    assert script_messages.invalid_request_error("m") == {
        "type": "error",
        "error": {"type": "invalid_request_error", "message": "m"},
    }
    assert script_responses.error_event("m") == (
        b'event: error\ndata: {"type":"error","code":"server_error","message":"m","param":null,'
        b'"sequence_number":0}\n\n'
    )
    response = {
        "id": "resp_scripted",
        "object": "response",
        "created_at": 0,
        "status": "failed",
        "model": "scripted",
        "error": {"code": "server_error", "message": "m"},
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "output": [],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": None,
    }
    failed = orjson.dumps({"type": "response.failed", "sequence_number": 0, "response": response})
    assert script_responses.failed_event("m") == b"event: response.failed\ndata: " + failed + b"\n\n"
    steered = script_responses.steered("n", "resp_1")
    assert steered == {
        "type": "response.incomplete",
        "sequence_number": 0,
        "response": {
            **response,
            "id": "resp_1",
            "model": "n",
            "status": "incomplete",
            "error": None,
            "incomplete_details": {"reason": "steered"},
            "usage": {
                "input_tokens": 100,
                "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
                "output_tokens": 0,
                "output_tokens_details": {"reasoning_tokens": 0},
                "total_tokens": 100,
            },
        },
    }


def test_a_chat_stream_can_omit_usage() -> None:
    steps = script_chat.streamed(Script("ab"), model="m", with_usage=False)
    assert [step.data.count(b"usage") for step in steps if isinstance(step, Token | Inject)] == [0, 0, 0]


def test_faults_follow_their_number_of_tokens() -> None:
    faults = (
        Inject(b"0"),
        Hang(1),
        Drop(2),
        Inject(b"9", after_tokens=9),
        Hang(None),
        script.Reply(500),
    )
    head, one, two, ending = b"head", b"1", b"2", b"end"
    steps = list(steps_of(Script(faults=faults), head=[head], tokens=[one, two], ending=[ending]))
    assert steps == [
        Inject(head),
        *(Inject(b"0"), Hang(None), Token(one)),
        *(Hang(1), Token(two)),
        *(Drop(2), Inject(b"9", after_tokens=9)),
        Inject(ending),
    ]
    assert list(steps_of(Script(faults=faults[:4]), tokens=[], ending=[ending])) == [
        *(Inject(b"0"), Hang(1), Drop(2), Inject(b"9", after_tokens=9), Inject(ending)),
    ]
    assert list(steps_of(Script(finish_reason=None), tokens=[one], ending=[ending])) == [Token(one)]


def test_an_answer_is_cut_and_counted_by_its_seed() -> None:
    answer = Script("0123456789abcdef", reasoning="one two", refusal="no", seed=1)
    n_said, n_thought = len(answer.pieces_of(answer.text)), len(answer.pieces_of(answer.reasoning))
    assert (answer.reasoning_tokens, answer.output_tokens) == (n_thought, n_thought + n_said + 1)
    assert answer.pieces_of(answer.text) != Script().pieces_of(answer.text)

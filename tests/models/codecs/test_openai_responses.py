"""OpenAI's Responses to model events, and requests to Responses."""

from __future__ import annotations

from dataclasses import replace

import orjson
import pytest
from tests.models.codecs.decoding import decoded

from twospeed.errors import (
    AnswerBrokeOff,
    ContextTooLong,
    ModelError,
    ModelProtocolError,
    ModelUnavailable,
    QuotaExhausted,
    RateLimited,
)
from twospeed.models.base import Finished, Message, ModelEvent, ModelRequest, ReasoningDelta, TextDelta, Usage
from twospeed.models.codecs.decoder import RequestInfo
from twospeed.models.codecs.openai_responses import ResponsesDecoder, encode_request


def event(name: str, **fields: object) -> dict[str, object]:
    return {"type": f"response.{name}", "sequence_number": 1, **fields}


def text(piece: object, index: int = 0) -> dict[str, object]:
    return event("output_text.delta", output_index=index, content_index=0, delta=piece, logprobs=[])


def completed(usage: object = None) -> dict[str, object]:
    return event("completed", response={"id": "r", "status": "completed", "output": [], "usage": usage})


def incomplete(reason: object) -> dict[str, object]:
    response = {"status": "incomplete", "incomplete_details": {"reason": reason}}
    return event("incomplete", response=response)


def failed(code: str, message: str = "words") -> dict[str, object]:
    response = {"status": "failed", "error": {"code": code, "message": message}}
    return event("failed", response=response)


def decode(*values: object) -> list[ModelEvent]:
    return decoded(ResponsesDecoder(RequestInfo("lab", "m", None, 512)), *values)


def body(request: ModelRequest) -> dict[str, object]:
    parsed: dict[str, object] = orjson.loads(encode_request(request, model="m", splits=False))
    return parsed


def test_a_request_is_streamed_and_not_stored(request_to_model: ModelRequest) -> None:
    asked = body(request_to_model)
    assert str(asked.pop("prompt_cache_key")).startswith("twospeed-")
    assert asked == {
        "model": "m",
        "instructions": "You edit code.",
        "input": [{"type": "message", "role": "user", "content": "add a docstring"}],
        "max_output_tokens": 512,
        "store": False,
        "stream": True,
    }


def test_effort_is_sent_if_set(request_to_model: ModelRequest) -> None:
    assert "reasoning" not in body(request_to_model)
    assert body(replace(request_to_model, effort="high"))["reasoning"] == {"effort": "high"}


def test_the_cache_key_covers_all_but_the_last_message(request_to_model: ModelRequest) -> None:
    def key(*messages: Message) -> object:
        return body(replace(request_to_model, messages=messages))["prompt_cache_key"]

    system, file = Message("system", "You edit code."), Message("user", "file")
    assert key(system, Message("user", "a")) == key(system, Message("user", "b"))
    assert key(system, file, Message("user", "a")) == key(system, file, Message("user", "b"))
    assert len({key(system, Message("user", "a")), key(system, file, file), key(file)}) == 3
    assert len(str(key(file))) <= 64  # OpenAI takes no more


def test_a_request_without_instructions_has_none(request_to_model: ModelRequest) -> None:
    assert "instructions" not in body(replace(request_to_model, messages=(Message("user", "a"),)))


def test_unpaired_surrogates_in_the_request_are_replaced(request_to_model: ModelRequest) -> None:
    messages = (Message("system", "\ud800"), Message("user", "a\ud800b\ud83d\ude0a"))
    asked = body(replace(request_to_model, messages=messages))
    assert asked["instructions"] == "\ufffd"
    assert asked["input"] == [{"type": "message", "role": "user", "content": "a\ufffdb😊"}]


def test_text_deltas_precede_the_finish_reason() -> None:
    assert decode(
        event("created", response={"status": "in_progress"}),
        event("in_progress", response={}),
        event("output_item.added", output_index=0, item={"type": "message", "role": "assistant"}),
        event("content_part.added", part={"type": "output_text", "text": ""}),
        text("a"),
        text("b"),
        event("output_text.done", text="ab"),
        event("content_part.done", part={"type": "output_text", "text": "ab"}),
        event("output_item.done", item={"type": "message"}),
        completed(),
    ) == [TextDelta("a"), TextDelta("b"), Finished("stop")]


def test_reasoning_is_distinguished_from_text_with_a_gap_between_its_parts() -> None:
    assert decode(
        event("output_item.added", output_index=0, item={"type": "reasoning", "summary": []}),
        event("reasoning_summary_part.added", summary_index=0),
        event("reasoning_summary_text.delta", summary_index=0, delta="one"),
        event("reasoning_summary_part.added", summary_index=1),
        event("reasoning_summary_text.delta", summary_index=1, delta="two"),
        event("reasoning_text.delta", delta="raw"),
        text("a", 1),
        completed(),
    ) == [
        ReasoningDelta("one"),
        ReasoningDelta("\n\n"),
        ReasoningDelta("two"),
        ReasoningDelta("raw"),
        TextDelta("a"),
        Finished("stop"),
    ]


def test_commentary_is_reasoning_and_not_part_of_the_answer() -> None:
    assert decode(
        event("output_item.added", output_index=0, item={"type": "message", "phase": "commentary"}),
        text("Let me see.", 0),
        event("output_item.added", output_index=1, item={"type": "message", "phase": "final_answer"}),
        text("a", 1),
        completed(),
    ) == [ReasoningDelta("Let me see."), TextDelta("a"), Finished("stop")]


def test_usage_comes_with_the_last_event() -> None:
    usage = {
        "input_tokens": 912,
        "input_tokens_details": {"cached_tokens": 800, "cache_write_tokens": 9},
        "output_tokens": 310,
        "output_tokens_details": {"reasoning_tokens": 100},
    }
    assert decode(text("a"), completed(usage)) == [
        TextDelta("a"),
        Usage(912, 310, 800, 100, 9),
        Finished("stop"),
    ]


def test_a_cut_off_answer_has_usage() -> None:
    cut = incomplete("max_output_tokens")
    cut["response"]["usage"] = {"output_tokens": 7}  # type: ignore[index]  # a dict
    assert decode(cut) == [Usage(output_tokens=7), Finished("length")]


@pytest.mark.parametrize(
    "usage", [{}, {"input_tokens": -1}, {"input_tokens": "9"}, {"input_tokens_details": 7}]
)
def test_an_invalid_usage_counts_nothing(usage: object) -> None:
    assert decode(completed(usage))[0] == Usage()


@pytest.mark.parametrize(("n_tokens", "expected"), [(511, "stop"), (512, "length"), (513, "length")])
def test_a_completed_answer_that_used_all_tokens_is_cut_off(n_tokens: int, expected: str) -> None:
    """llama.cpp reports "completed" for such an answer."""
    assert decode(text("a"), completed({"output_tokens": n_tokens}))[-1] == Finished(expected)  # type: ignore[arg-type]  # listed above


@pytest.mark.parametrize(
    ("reason", "expected"), [("max_output_tokens", "length"), ("content_filter", "content_filter")]
)
def test_the_reason_of_an_incomplete_answer_is_its_finish_reason(reason: str, expected: str) -> None:
    assert decode(text("a"), incomplete(reason))[-1] == Finished(expected)  # type: ignore[arg-type]  # listed above


@pytest.mark.parametrize("reason", ["max_messages", "steered", "because", None, {}])
def test_an_unknown_reason_of_an_incomplete_answer_is_an_error(reason: object) -> None:
    with pytest.raises(ModelProtocolError, match="an answer that ended with"):
        decode(text("a"), incomplete(reason))


@pytest.mark.parametrize("ending", [completed(), incomplete("content_filter")])
def test_a_refusal_has_the_text_of_the_model(ending: object) -> None:
    pieces = (event("refusal.delta", delta="I can"), event("refusal.delta", delta="not.\n\nSorry."))
    assert decode(*pieces, ending) == [Finished("refusal", "I cannot. Sorry")]


def test_the_stream_is_done_after_the_last_event() -> None:
    decoder = ResponsesDecoder(RequestInfo("lab", "m", None, 512))
    decoder.receive_event(orjson.dumps(text("a")))
    assert not decoder.has_finish_reason
    assert not decoder.is_done
    decoder.receive_event(orjson.dumps(completed()))
    assert decoder.has_finish_reason
    assert decoder.is_done


@pytest.mark.security("R10.3")
@pytest.mark.parametrize("values", [(), (text("a"),), (text("a"), event("output_text.done", text="a"))])
def test_a_stream_without_a_last_event_broke_off(values: tuple[object, ...]) -> None:
    with pytest.raises(AnswerBrokeOff):
        decode(*values)


ERRORS = [
    ("server_error", ModelUnavailable),
    ("server_is_overloaded", ModelUnavailable),
    ("slow_down", ModelUnavailable),
    ("rate_limit_exceeded", RateLimited),
    ("insufficient_quota", QuotaExhausted),
    ("context_length_exceeded", ContextTooLong),
    ("invalid_prompt", ModelProtocolError),
]


@pytest.mark.security("R10.4")
@pytest.mark.parametrize(("code", "expected"), ERRORS)
def test_an_answer_that_failed_is_an_error(code: str, expected: type[ModelError]) -> None:
    with pytest.raises(expected, match="words") as caught:
        decode(text("a"), failed(code))
    assert (caught.value.provider, caught.value.model) == ("lab", "m")


@pytest.mark.security("R10.4")
@pytest.mark.parametrize(("code", "expected"), ERRORS)
@pytest.mark.parametrize("is_nested", [True, False])
def test_both_forms_of_an_error_event_are_errors(
    code: str, expected: type[ModelError], is_nested: bool
) -> None:
    error = {"code": code, "message": "words", "param": None}
    with pytest.raises(expected, match="words"):
        decode(text("a"), {"type": "error", **({"error": error} if is_nested else error)})


@pytest.mark.security("R10.4")
@pytest.mark.parametrize(
    "event",
    [
        {"status": 429, "error": {"message": "words", "headers": {"Retry-After": "7"}}},
        {"status_code": 429, "headers": {"retry-after": "7"}, "error": {"message": "words"}},
        {"status": 429, "message": "words", "headers": {"retry-after-ms": "7000", "x": 7}},
    ],
)
def test_an_error_event_can_have_http_status_and_headers(event: dict[str, object]) -> None:
    with pytest.raises(RateLimited, match="HTTP 429") as caught:
        decode({"type": "error", **event})
    assert caught.value.retry_after_s == 7.0


def test_the_time_to_wait_is_parsed_from_an_error_message() -> None:
    with pytest.raises(RateLimited) as caught:
        decode(failed("rate_limit_exceeded", "Please try again in 1.3s."))
    assert caught.value.retry_after_s == 1.3


@pytest.mark.security("R1.1")
@pytest.mark.parametrize(
    "value",
    [
        {"type": "keepalive"},
        {"type": ["response.completed"]},
        {},
        event("surprise", delta="x"),
        event("function_call_arguments.delta", delta="x"),
        event("output_item.added", output_index=[0], item={"type": "function_call"}),
        event("output_item.added", output_index={}, item=7),
        event("reasoning_text.delta", delta=7),
        event("refusal.delta", delta=7),
        text(""),
        text(None),
    ],
    ids=str,
)
def test_unknown_events_are_ignored(value: object) -> None:
    assert decode(value, completed()) == [Finished("stop")]


@pytest.mark.security("R10.4")
@pytest.mark.parametrize(
    "value",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b'"\xff"',
        b"[DONE]",
        b"[" * 100_000,
        orjson.dumps(text(["a"])),
        orjson.dumps(event("failed")),
        orjson.dumps(event("incomplete", response=7)),
    ],
    ids=lambda value: repr(value[:24]),
)
def test_invalid_content_is_a_protocol_error(value: bytes) -> None:
    with pytest.raises(ModelProtocolError):
        decode(value)

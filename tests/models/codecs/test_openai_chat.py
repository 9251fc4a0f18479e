"""Chat Completions to model events, and requests to Chat Completions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

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
from twospeed.models.codecs.decoder import RequestInfo, UnreadableEventError
from twospeed.models.codecs.openai_chat import ChatDecoder, encode_request
from twospeed.models.keys.secret import Secret


def chunk(finish_reason: str | None = None, **delta: object) -> dict[str, object]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}]}


def decode(*values: object) -> list[ModelEvent]:
    return decoded(ChatDecoder(RequestInfo("lab", "m", None, 512)), *values)


def body(request: ModelRequest, **options: Any) -> dict[str, object]:
    parsed: dict[str, object] = orjson.loads(
        encode_request(request, **{"model": "m", "limit_field": "max_tokens", **options})
    )
    return parsed


def test_a_request_is_streamed_with_usage_and_offers_no_tools(request_to_model: ModelRequest) -> None:
    assert body(request_to_model) == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "You edit code."},
            {"role": "user", "content": "add a docstring"},
        ],
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": 512,
    }


def test_the_token_limit_has_the_field_name_of_the_provider(request_to_model: ModelRequest) -> None:
    asked = body(request_to_model, limit_field="max_completion_tokens")
    assert asked["max_completion_tokens"] == 512
    assert "max_tokens" not in asked


def test_unpaired_surrogates_in_the_request_are_replaced(request_to_model: ModelRequest) -> None:
    messages = (Message("user", "a\ud800b\ud83d\ude0a"),)
    assert body(replace(request_to_model, messages=messages))["messages"] == [
        {"role": "user", "content": "a\ufffdb😊"}
    ]


def test_effort_is_sent_if_set(request_to_model: ModelRequest) -> None:
    assert "reasoning_effort" not in body(request_to_model)
    assert body(replace(request_to_model, effort="high"))["reasoning_effort"] == "high"


def test_text_deltas_precede_the_finish_reason() -> None:
    assert decode(
        chunk(role="assistant", content=""), chunk(content="a"), chunk(content="b"), chunk("stop")
    ) == [
        TextDelta("a"),
        TextDelta("b"),
        Finished("stop"),
    ]


def test_usage_after_the_finish_reason_comes_before_the_ending() -> None:
    usage = {
        "prompt_tokens": 912,
        "completion_tokens": 310,
        "prompt_tokens_details": {"cached_tokens": 800},
        "completion_tokens_details": {"reasoning_tokens": 100},
    }
    assert decode(chunk("stop", content="a"), {"choices": [], "usage": usage}, b"[DONE]") == [
        TextDelta("a"),
        Usage(912, 310, 800, 100),
        Finished("stop"),
    ]


def test_reasoning_excluded_from_the_completion_counts_as_output() -> None:
    usage = {
        "prompt_tokens": 912,
        "completion_tokens": 210,
        "total_tokens": 1222,
        "prompt_tokens_details": {"cached_tokens": 800, "cache_write_tokens": 9},
        "completion_tokens_details": {"reasoning_tokens": 100},
    }
    assert decode({"usage": usage}, chunk("stop"))[0] == Usage(912, 310, 800, 100, 9)
    assert decode({"usage": usage | {"total_tokens": 1122}}, chunk("stop"))[0] == Usage(912, 210, 800, 100, 9)


@pytest.mark.parametrize(
    "usage", [{}, {"prompt_tokens": None}, {"prompt_tokens": -1}, {"prompt_tokens": "9"}, 7]
)
def test_an_invalid_usage_counts_nothing(usage: object) -> None:
    assert decode({"usage": usage}, chunk("stop"))[0] == Usage()


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_reasoning_is_distinguished_from_text(field: str) -> None:
    assert decode(chunk(**{field: "hm"}), chunk("stop"))[0] == ReasoningDelta("hm")


def test_reasoning_in_both_fields_is_yielded_once() -> None:
    assert decode(chunk(reasoning="hm", reasoning_content="hm"), chunk("stop")) == [
        ReasoningDelta("hm"),
        Finished("stop"),
    ]


@pytest.mark.parametrize("reason", ["stop", "length", "content_filter"])
def test_the_finish_reason_is_mapped(reason: str) -> None:
    assert decode(chunk(content="a"), chunk(reason))[-1] == Finished(reason)  # type: ignore[arg-type]  # listed above


def test_a_refusal_has_the_text_of_the_model() -> None:
    assert decode(chunk(refusal="I can"), chunk(refusal="not.\n\nSorry."), chunk("stop")) == [
        Finished("refusal", "I cannot. Sorry")
    ]


def test_surrogate_halves_in_two_events_join_to_a_character() -> None:
    halves = [b'{"choices": [{"delta": {"content": "%s"}}]}' % half for half in (rb"a\ud83d", rb"\ude0bb")]
    texts = [event.text for event in decode(*halves, chunk("stop")) if isinstance(event, TextDelta)]
    assert texts == ["a\ud83d", "\ude0bb"]


def test_an_unpaired_surrogate_in_reasoning_is_replaced() -> None:
    half = rb'{"choices": [{"delta": {"reasoning": "hm \ud83d"}}]}'
    assert decode(half, chunk("stop"))[0] == ReasoningDelta("hm \ufffd")


@pytest.mark.security("R10.3")
@pytest.mark.parametrize("values", [(), (b"[DONE]",), (chunk(content="a"),), (chunk(content="a"), b"[DONE]")])
def test_a_stream_without_a_finish_reason_broke_off(values: tuple[object, ...]) -> None:
    with pytest.raises(ModelProtocolError, match="broke off"):
        decode(*values)


@pytest.mark.security("R1.1")
def test_tool_calls_are_ignored_and_ending_for_one_is_an_error() -> None:
    call = {"index": 0, "function": {"name": "run", "arguments": "rm"}}
    assert decode(chunk(tool_calls=[call]), chunk(content="a"), chunk("stop"))[0] == TextDelta("a")
    with pytest.raises(ModelProtocolError, match="'tool_calls'"):
        decode(chunk(tool_calls=[call]), chunk("tool_calls"))


@pytest.mark.security("R10.4")
@pytest.mark.parametrize(
    ("error", "expected"),
    [
        ({"message": "x", "code": "rate_limit_exceeded"}, RateLimited),
        ({"message": "x", "type": "insufficient_quota"}, QuotaExhausted),
        ({"message": "x", "code": "context_length_exceeded"}, ContextTooLong),
        ({"message": "x", "type": "overloaded_error"}, ModelUnavailable),
        ({"message": "x", "code": 502}, ModelUnavailable),
        ({"message": "x", "code": 429}, RateLimited),
        ({"message": "x"}, ModelUnavailable),
        ("upstream went away", ModelUnavailable),
    ],
)
def test_an_error_after_http_200_is_an_error(error: object, expected: type[ModelError]) -> None:
    with pytest.raises(expected) as caught:
        decode(chunk(content="a"), {"error": error})
    assert (caught.value.provider, caught.value.model) == ("lab", "m")


@pytest.mark.security("R10.4")
@pytest.mark.parametrize(
    "value",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b"7",
        b'"\xff"',
        b"{}garbage",
        b'{"choices": 7}',
        b'{"choices": ["x"]}',
        b'{"choices": [{"delta": {"content": ["a"]}}]}',
        b'{"choices": [{"delta": {"content": {"text": "a"}}}]}',
        b'{"choices": [{"finish_reason": {}}]}',
        b'{"choices": [{"finish_reason": "because"}]}',
        b"[" * 100_000,
        b'{"choices": "\\ud83d"',
        b'{"choices": "\\ud83d\xff"}',
        b'{"\\ud83d": ' + b"[" * 100_000,
    ],
    ids=lambda value: repr(value[:24]),
)
def test_invalid_content_is_a_protocol_error(value: bytes) -> None:
    with pytest.raises(ModelProtocolError):
        decode(value)


@pytest.mark.parametrize(
    "value",
    [
        b"{}",
        b'{"choices": []}',
        b'{"choices": null, "usage": null}',
        b'{"choices": [{"delta": null}]}',
        b'{"choices": [{"delta": {"content": ""}, "finish_reason": ""}]}',
    ],
)
def test_an_empty_chunk_is_no_event(value: bytes) -> None:
    assert decode(value, chunk("stop")) == [Finished("stop")]


def test_an_empty_finish_reason_is_ignored() -> None:
    assert decode(chunk("", content="a"), chunk("", content="b"), chunk("stop"))[-1] == Finished("stop")
    with pytest.raises(AnswerBrokeOff):
        decode(chunk("", content="a"))


@pytest.mark.security("R10.3")
def test_text_after_the_finish_reason_is_a_protocol_error() -> None:
    with pytest.raises(ModelProtocolError, match="after the end"):
        decode(chunk("stop", content="a"), chunk(content="b"))


def test_an_object_of_the_kind_error_is_an_error() -> None:
    with pytest.raises(ModelProtocolError) as caught:
        decode({"object": "error", "message": "the words", "type": "invalid_request"})
    assert str(caught.value) == "lab refused the request: the words"


def test_an_unreadable_event_is_described() -> None:
    decoder = ChatDecoder(RequestInfo("lab", "m", None, 512))
    assert decoder.receive_event(b" \r\n") == []
    for value, words in (
        (UnreadableEventError("an event that is not JSON"), "lab sent an event that is not JSON"),
        ([1], "lab sent an event that is not a JSON object"),
    ):
        with pytest.raises(ModelProtocolError) as caught:
            decoder.receive_value(value)
        assert (str(caught.value), caught.value.provider, caught.value.model) == (words, "lab", "m")


def test_the_longest_answer_is_subtracted_from_the_prompt() -> None:
    error = {"code": "rate_limit_exceeded", "message": "TPM: Limit 8000, Requested 9692"}
    with pytest.raises(ContextTooLong) as caught:
        decode({"error": error})
    assert (caught.value.prompt_tokens, caught.value.limit_tokens) == (9692 - 512, 8000)


@pytest.mark.security("R7")
def test_a_key_in_an_error_or_a_refusal_is_not_repeated() -> None:
    key = Secret("lab_0123456789abcdef", name="LAB_API_KEY", origins=[])
    asked = RequestInfo("lab", "m", key, 512)
    with pytest.raises(ModelError) as caught:
        ChatDecoder(asked).receive_value({"error": {"message": "no lab_0123456789abcdef"}})
    assert str(caught.value) == "lab could not answer: no ***"
    decoder = ChatDecoder(asked)
    decoder.receive_value(chunk("stop", refusal="no lab_0123456789abcdef"))
    assert decoder.finish() == Finished("refusal", "no ***")
    with pytest.raises(ModelProtocolError) as odd:
        ChatDecoder(asked).receive_value(chunk("lab_0123456789abcdef"))
    assert str(odd.value) == "lab sent an answer that ended with '***'"

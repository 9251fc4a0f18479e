"""Anthropic's Messages to model events, and requests to Messages."""

from __future__ import annotations

from dataclasses import replace

import orjson
import pytest
from tests.models.codecs.decoding import decoded

from twospeed.errors import (
    AnswerBrokeOff,
    ContextTooLong,
    InvalidKey,
    ModelError,
    ModelProtocolError,
    ModelUnavailable,
    QuotaExhausted,
    RateLimited,
)
from twospeed.models.base import Finished, Message, ModelEvent, ModelRequest, ReasoningDelta, TextDelta, Usage
from twospeed.models.codecs.anthropic_messages import MessagesDecoder, encode_request
from twospeed.models.codecs.decoder import RequestInfo

DONE = {"type": "message_stop"}
PING = {"type": "ping"}


def start(**usage: int) -> dict[str, object]:
    return {"type": "message_start", "message": {"id": "m1", "content": [], "usage": usage}}


def block(index: int, kind: str, **fields: object) -> dict[str, object]:
    return {"type": "content_block_start", "index": index, "content_block": {"type": kind, **fields}}


def delta(index: int, kind: str, **fields: object) -> dict[str, object]:
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **fields}}


def text(piece: object, index: int = 0) -> dict[str, object]:
    return delta(index, "text_delta", text=piece)


def stop(reason: str | None = "end_turn", **fields: object) -> dict[str, object]:
    return {"type": "message_delta", "delta": {"stop_reason": reason, **fields}}


def decode(*values: object) -> list[ModelEvent]:
    return decoded(MessagesDecoder(RequestInfo("lab", "m", None, 512)), *values)


def body(request: ModelRequest) -> dict[str, object]:
    parsed: dict[str, object] = orjson.loads(encode_request(request, model="m"))
    return parsed


def block_of(words: str, *, is_marked: bool = False) -> dict[str, object]:
    mark = {"cache_control": {"type": "ephemeral"}} if is_marked else {}
    return {"type": "text", "text": words, **mark}


def test_a_request_is_streamed_and_caches_its_system_part(request_to_model: ModelRequest) -> None:
    assert body(request_to_model) == {
        "model": "m",
        "max_tokens": 512,
        "system": [block_of("You edit code.", is_marked=True)],
        "messages": [{"role": "user", "content": [block_of("add a docstring")]}],
        "stream": True,
    }


def test_everything_but_the_last_message_is_cached(request_to_model: ModelRequest) -> None:
    words = (Message("user", "a"), Message("assistant", "b"), Message("user", "c"))
    assert body(replace(request_to_model, messages=words))["messages"] == [
        {"role": "user", "content": [block_of("a")]},
        {"role": "assistant", "content": [block_of("b", is_marked=True)]},
        {"role": "user", "content": [block_of("c")]},
    ]


def test_a_request_without_a_system_part_has_none(request_to_model: ModelRequest) -> None:
    assert "system" not in body(replace(request_to_model, messages=(Message("user", "a"),)))


def test_unpaired_surrogates_in_the_request_are_replaced(request_to_model: ModelRequest) -> None:
    asked = body(replace(request_to_model, messages=(Message("user", "a\ud800b\ud83d\ude0a"),)))
    assert asked["messages"] == [{"role": "user", "content": [block_of("a\ufffdb😊")]}]


def test_without_an_effort_thinking_is_not_set(request_to_model: ModelRequest) -> None:
    assert not {"thinking", "output_config"} & set(body(request_to_model))


def test_an_effort_enables_thinking_with_a_summary(request_to_model: ModelRequest) -> None:
    asked = body(replace(request_to_model, effort="high"))
    assert asked["thinking"] == {"type": "adaptive", "display": "summarized"}
    assert asked["output_config"] == {"effort": "high"}


def test_the_effort_none_disables_thinking(request_to_model: ModelRequest) -> None:
    asked = body(replace(request_to_model, effort="none"))
    assert asked["thinking"] == {"type": "disabled"}
    assert "output_config" not in asked


def test_text_deltas_precede_the_finish_reason() -> None:
    values = (start(), block(0, "text", text=""), PING, text("a"), text("b"), stop(), DONE)
    assert [event for event in decode(*values) if not isinstance(event, Usage)] == [
        TextDelta("a"),
        TextDelta("b"),
        Finished("stop"),
    ]


def test_a_block_may_begin_with_text() -> None:
    assert decode(block(0, "text", text="a"), stop())[0] == TextDelta("a")


def test_thinking_is_distinguished_from_text() -> None:
    assert decode(
        block(0, "thinking", thinking="h"),
        delta(0, "thinking_delta", thinking="m"),
        delta(0, "signature_delta", signature="x"),
        block(1, "redacted_thinking", data="x"),
        block(2, "text", text=""),
        text("a", 2),
        stop(),
    ) == [ReasoningDelta("h"), ReasoningDelta("m"), TextDelta("a"), Finished("stop")]


def test_text_of_another_kind_of_block_is_ignored() -> None:
    assert decode(block(0, "surprise"), text("x"), stop()) == [Finished("stop")]


def test_a_reused_index_has_the_kind_of_its_last_block() -> None:
    assert decode(block(0, "thinking"), block(0, "text"), text("a"), stop())[0] == TextDelta("a")


@pytest.mark.parametrize(
    "value",
    [
        PING,
        {"type": "surprise", "delta": {"type": "text_delta", "text": "x"}},
        {"type": ["text"]},
        {},
        {"type": "content_block_delta"},
        {"type": "content_block_delta", "index": [0], "delta": 7},
        {"type": "content_block_start", "index": {}, "content_block": None},
        {"type": "message_start"},
        {"type": "message_start", "message": 7},
        {"type": "message_delta"},
        {"type": "message_delta", "delta": {"stop_reason": None}, "usage": 7},
        delta(0, "citations_delta", citation={}),
        delta(0, "input_json_delta", partial_json="{"),
        delta(0, "surprise", text="x"),
        delta(0, "thinking_delta", thinking=7),
    ],
    ids=str,
)
def test_unknown_events_are_ignored(value: object) -> None:
    assert decode(value, stop()) == [Finished("stop")]


def test_usage_combines_both_events_and_includes_the_cache() -> None:
    first = start(
        input_tokens=12, cache_read_input_tokens=800, cache_creation_input_tokens=100, output_tokens=1
    )
    last = {
        **stop(),
        "usage": {
            "input_tokens": None,
            "output_tokens": 310,
            "output_tokens_details": {"thinking_tokens": 99},
        },
    }
    assert decode(first, last) == [
        Usage(912, 1, 800, 0, 100),
        Usage(912, 310, 800, 99, 100),
        Finished("stop"),
    ]


@pytest.mark.parametrize(
    "usage", [{}, {"input_tokens": -1}, {"input_tokens": "9"}, {"output_tokens_details": 7}]
)
def test_an_invalid_usage_counts_nothing(usage: object) -> None:
    assert decode({**stop(), "usage": usage})[0] == Usage()


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("refusal", "refusal"),
    ],
)
def test_the_finish_reason_is_mapped(reason: str, expected: str) -> None:
    assert decode(text("a"), stop(reason))[-1] == Finished(expected)  # type: ignore[arg-type]  # listed above


def test_an_empty_stop_reason_is_ignored() -> None:
    assert decode(stop(""), text("a"), stop("end_turn")) == [TextDelta("a"), Finished("stop")]


def test_a_refusal_has_the_explanation_of_the_provider() -> None:
    details = {"type": "refusal", "category": "cyber", "explanation": "I cannot\nhelp."}
    assert decode(stop("refusal", stop_details=details)) == [Finished("refusal", "I cannot help")]


@pytest.mark.security("R1.1")
@pytest.mark.parametrize("reason", ["tool_use", "pause_turn", "because"])
def test_an_unknown_stop_reason_is_an_error(reason: str) -> None:
    with pytest.raises(ModelProtocolError, match=f"'{reason}'"):
        decode(block(0, "tool_use", name="run"), text("a", 1), stop(reason))


def test_the_stream_is_done_after_the_last_event() -> None:
    decoder = MessagesDecoder(RequestInfo("lab", "m", None, 512))
    seen = []
    for value in (text("a"), stop(), DONE):
        decoder.receive_event(orjson.dumps(value))
        seen.append((decoder.has_finish_reason, decoder.is_done))
    assert seen == [(False, False), (True, False), (True, True)]


@pytest.mark.security("R10.3")
@pytest.mark.parametrize("values", [(), (start(), text("a")), (text("a"), DONE), (text("a"), stop(None))])
def test_a_stream_without_a_stop_reason_broke_off(values: tuple[object, ...]) -> None:
    with pytest.raises(AnswerBrokeOff):
        decode(*values)


@pytest.mark.security("R10.3")
def test_text_after_the_finish_reason_is_a_protocol_error() -> None:
    with pytest.raises(ModelProtocolError, match="after the end"):
        decode(text("a"), stop(), text("b"))


@pytest.mark.security("R10.4")
@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("overloaded_error", ModelUnavailable),
        ("api_error", ModelUnavailable),
        ("timeout_error", ModelUnavailable),
        ("rate_limit_error", RateLimited),
        ("billing_error", QuotaExhausted),
        ("authentication_error", InvalidKey),
        ("permission_error", InvalidKey),
        ("invalid_request_error", ModelProtocolError),
    ],
)
def test_an_error_after_http_200_is_an_error(kind: str, expected: type[ModelError]) -> None:
    error = {"type": "error", "error": {"type": kind, "message": "words"}, "request_id": "r"}
    with pytest.raises(expected) as caught:
        decode(text("a"), error)
    assert (caught.value.provider, caught.value.model) == ("lab", "m")


@pytest.mark.security("R10.4")
def test_a_prompt_that_is_too_long_is_recognized_by_the_message() -> None:
    error = {"type": "invalid_request_error", "message": "prompt is too long: 9 tokens > 8 maximum"}
    with pytest.raises(ContextTooLong):
        decode({"type": "error", "error": error})


@pytest.mark.security("R10.4")
@pytest.mark.parametrize(
    "value",
    [b"", b"{", b"null", b"[]", b'"\xff"', b"[" * 100_000, orjson.dumps(text(["a"])), orjson.dumps(text(7))],
    ids=lambda value: repr(value[:24]),
)
def test_invalid_content_is_a_protocol_error(value: bytes) -> None:
    with pytest.raises(ModelProtocolError):
        decode(value)

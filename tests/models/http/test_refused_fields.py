"""An optional field that an error names is omitted from then on."""

from __future__ import annotations

import orjson
import pytest

from twospeed.models.http.refused_fields import EFFORT, OPTIONAL, RefusedFields

CHAT = {
    "model": "m",
    "messages": [],
    "stream": True,
    "stream_options": {"include_usage": True},
    "max_tokens": 100,
    "reasoning_effort": "none",
    "prediction": {"type": "content", "content": "x"},
}
WHERE = "http://127.0.0.1:1/v1 m"


def sent(**more: object) -> bytes:
    return orjson.dumps({**CHAT, **more})


def openai(param: str, message: str = "no") -> dict[str, object]:
    return {"error": {"message": message, "type": "invalid_request_error", "param": param, "code": "x"}}


def left_out(page: object, api: str = "chat", body: bytes | None = None) -> set[str]:
    body = body or sent()
    shorter = RefusedFields().learn(WHERE, api, body, page)
    return set(orjson.loads(body)) - set(orjson.loads(shorter)) if shorter else set()


@pytest.mark.parametrize(
    ("page", "field"),
    [
        (openai("prediction"), "prediction"),
        (openai("stream_options.include_usage"), "stream_options"),
        (openai("reasoning_effort", "Unsupported value: 'reasoning_effort' does not support 'none'"),
         "reasoning_effort"),
        ({"error": {"message": "property 'prediction' is unsupported"}}, "prediction"),
        ({"error": {"message": "Unknown field `prediction.content`", "param": None}}, "prediction"),
        ({"error": "unexpected keyword stream_options"}, "stream_options"),
        ({"object": "error", "message": "stream_options: extra fields not permitted"}, "stream_options"),
        ({"detail": [{"loc": ["body", "prediction"], "msg": "extra inputs"}]}, "prediction"),
        ({"detail": "reasoning_effort is not known"}, "reasoning_effort"),
    ],
)  # fmt: skip
def test_a_refused_field_is_recognized_in_every_form(page: object, field: str) -> None:
    assert left_out(page) == {field}


@pytest.mark.parametrize(
    "page",
    [
        openai("messages", "'prediction' is fine, the messages are not"),
        openai("model"),
        {"error": {"message": "the prediction of the weather"}},
        {"error": {"message": "my_stream_options_2 is wrong"}},
        {"error": {"message": "bad request"}},
        {"error": {"message": 7, "param": 7}},
        {"detail": [{"loc": None}, 7]},
        {"detail": {"prediction": 1}},
        [],
        None,
        "prediction",
    ],
)
def test_an_error_without_an_optional_field_is_not_recorded(page: object) -> None:
    refused = RefusedFields()
    assert refused.learn(WHERE, "chat", sent(), page) is None
    assert refused.without(WHERE, "chat", sent()) == sent()


def test_a_refused_field_is_recorded_for_one_model_at_one_endpoint() -> None:
    refused = RefusedFields()
    refused.learn(WHERE, "chat", sent(), openai("prediction"))
    assert "prediction" not in orjson.loads(refused.without(WHERE, "chat", sent()))
    assert refused.without("http://127.0.0.1:1/v1 other", "chat", sent()) == sent()


def test_several_refused_fields_are_recorded_in_turn() -> None:
    refused = RefusedFields()
    shorter = refused.learn(WHERE, "chat", sent(), openai("prediction"))
    assert shorter
    assert refused.learn(WHERE, "chat", shorter, openai("prediction")) is None
    shorter = refused.learn(WHERE, "chat", shorter, openai("stream_options"))
    assert shorter
    assert set(CHAT) - set(orjson.loads(refused.without(WHERE, "chat", sent()))) == {
        "prediction",
        "stream_options",
    }


def test_a_refused_token_limit_gets_its_other_name() -> None:
    refused = RefusedFields()
    shorter = refused.learn(WHERE, "chat", sent(), openai("max_tokens"))
    assert shorter
    asked = orjson.loads(shorter)
    assert ("max_tokens" in asked, asked["max_completion_tokens"]) == (False, 100)
    assert refused.learn(WHERE, "chat", shorter, openai("max_completion_tokens")) is None
    assert orjson.loads(refused.without(WHERE, "chat", sent()))["max_completion_tokens"] == 100


def test_a_message_with_both_names_renames_the_sent_one() -> None:
    page = openai("", "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
    shorter = RefusedFields().learn(WHERE, "chat", sent(), page)
    assert shorter
    assert orjson.loads(shorter)["max_completion_tokens"] == 100


def test_an_effort_of_the_user_is_not_omitted() -> None:
    assert RefusedFields().learn(WHERE, "chat", sent(), openai("reasoning_effort"), kept=EFFORT) is None


def test_other_protocols_have_their_own_fields() -> None:
    responses = orjson.dumps({"model": "m", "store": False, "prompt_cache_key": "k", "reasoning": {}})
    assert left_out(openai("prompt_cache_key"), "responses", responses) == {"prompt_cache_key"}
    assert left_out(openai("reasoning.effort"), "responses", responses) == {"reasoning"}
    assert left_out(openai("store"), "responses", responses) == set()
    messages = orjson.dumps({"model": "m", "thinking": {"type": "disabled"}})
    assert left_out({"error": {"message": '"thinking.type" is wrong'}}, "messages", messages) == {"thinking"}


def test_no_protocol_omits_store() -> None:
    assert not any("store" in fields for fields in OPTIONAL.values())

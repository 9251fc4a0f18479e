"""The whole request body of each protocol for its own provider, another one and this machine, with cache marks."""

from __future__ import annotations

import dataclasses
from hashlib import blake2b

import orjson
import pytest

from twospeed.models.base import EditTask, Finished, Infill, Message, ModelRequest, TextDelta, Usage
from twospeed.models.codecs.decoder import RequestInfo
from twospeed.models.codecs.table import CODECS
from twospeed.models.http.endpoints import Origin, parse_endpoint

SYSTEM, FILE, SCOPE = "You edit code.", "the file, ", "the scope"
REQUEST = ModelRequest(
    messages=(
        Message("system", SYSTEM),
        Message("user", "before"),
        Message("assistant", "yes"),
        Message("user", FILE + SCOPE, n_stable=len(FILE)),
    ),
    task=EditTask("add a docstring", "python", "def f(): pass\n", lambda _text: True, "def g(): pass\n"),
    max_output_tokens=512,
    effort="high",
    predicts=True,
)
HERE = parse_endpoint("http://127.0.0.1:8000/v1").origin
ELSEWHERE = parse_endpoint("https://lab.example/v1").origin
OPENAI = parse_endpoint("https://api.openai.com/v1").origin


def sent(api: str, origin: Origin, request: ModelRequest = REQUEST) -> object:
    return orjson.loads(CODECS[api].encode(request, "m", origin))


def sent_ahead(api: str, origin: Origin, request: ModelRequest = REQUEST) -> object:
    body = CODECS[api].warm_up(request, "m", origin)
    return None if body is None else orjson.loads(body)


def test_a_chat_request_has_the_documented_body() -> None:
    whole = {
        "model": "m",
        "messages": [
            {"role": "system", "content": SYSTEM},
            {"role": "user", "content": "before"},
            {"role": "assistant", "content": "yes"},
            {"role": "user", "content": FILE + SCOPE},
        ],
        "stream": True,
        "stream_options": {"include_usage": True},
        "reasoning_effort": "high",
        "prediction": {"type": "content", "content": "def g(): pass\n"},
    }
    assert sent("chat", OPENAI) == {**whole, "max_completion_tokens": 512}
    assert sent("chat", ELSEWHERE) == sent("chat", HERE) == {**whole, "max_tokens": 512}
    assert sent_ahead("chat", HERE) == {**whole, "max_tokens": 1}
    assert sent_ahead("chat", ELSEWHERE) is sent_ahead("chat", OPENAI) is None
    plain = dataclasses.replace(REQUEST, effort=None, predicts=False)
    del whole["reasoning_effort"], whole["prediction"]
    assert sent("chat", HERE, plain) == {**whole, "max_tokens": 512}
    blank = dataclasses.replace(REQUEST.task, sent_text=" \n")
    assert sent("chat", HERE, dataclasses.replace(REQUEST, task=blank, effort=None)) == {
        **whole,
        "max_tokens": 512,
    }


def item(role: str, text: str) -> dict[str, str]:
    return {"type": "message", "role": role, "content": text}


def test_a_responses_request_has_the_documented_body() -> None:
    key = blake2b(f"{SYSTEM}\0before\0yes".encode(), digest_size=8).hexdigest()
    earlier = [item("user", "before"), item("assistant", "yes")]
    whole = {
        "model": "m",
        "store": False,
        "prompt_cache_key": f"twospeed-{key}",
        "instructions": SYSTEM,
        "reasoning": {"effort": "high"},
        "input": [*earlier, item("user", FILE + SCOPE)],
        "max_output_tokens": 512,
        "stream": True,
    }
    in_parts = {**whole, "input": [*earlier, item("user", FILE), item("user", SCOPE)]}
    assert sent("responses", OPENAI) == in_parts
    assert sent("responses", ELSEWHERE) == sent("responses", HERE) == whole
    assert sent_ahead("responses", OPENAI) == {
        **in_parts,
        "max_output_tokens": 16,
        "prompt_cache_options": {"prewarm": True},
    }
    assert sent_ahead("responses", HERE) == {**whole, "max_output_tokens": 1}
    assert sent_ahead("responses", ELSEWHERE) is None


def test_a_messages_request_has_the_documented_body() -> None:
    mark = {"cache_control": {"type": "ephemeral"}}
    whole = {
        "model": "m",
        "max_tokens": 512,
        "system": [{"type": "text", "text": SYSTEM, **mark}],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "before"}]},
            {"role": "assistant", "content": [{"type": "text", "text": "yes", **mark}]},
            {
                "role": "user",
                "content": [{"type": "text", "text": FILE, **mark}, {"type": "text", "text": SCOPE}],
            },
        ],
    }
    thinking = {
        "thinking": {"type": "adaptive", "display": "summarized"},
        "output_config": {"effort": "high"},
    }
    assert sent("messages", ELSEWHERE) == {**whole, **thinking, "stream": True}
    assert sent_ahead("messages", HERE) == {**whole, **thinking, "max_tokens": 1, "stream": True}
    assert sent_ahead("messages", ELSEWHERE) is None, "what is read without thinking is not found with it"
    assert sent_ahead("messages", ELSEWHERE, dataclasses.replace(REQUEST, effort=None)) == {
        **whole,
        "max_tokens": 0,
    }
    no_thinking = dataclasses.replace(REQUEST, effort="none")
    assert sent_ahead("messages", ELSEWHERE, no_thinking) == {
        **whole,
        "thinking": {"type": "disabled"},
        "max_tokens": 0,
    }


@pytest.mark.parametrize(
    ("api", "path", "key_header", "headers"),
    [
        ("chat", "/chat/completions", "Authorization", {}),
        ("responses", "/responses", "Authorization", {}),
        ("messages", "/messages", "x-api-key", {"anthropic-version": "2023-06-01"}),
    ],
)
def test_each_protocol_has_its_path_and_headers(
    api: str, path: str, key_header: str, headers: dict[str, str]
) -> None:
    codec = CODECS[api]
    assert (codec.path, codec.key_header, dict(codec.headers)) == (path, key_header, headers)
    counts = {
        "input_tokens": 1,
        "cache_creation_input_tokens": 20,
        "cache_read_input_tokens": 300,
        "output_tokens": 4000,
        "output_tokens_details": {"thinking_tokens": 50000},
    }
    billed = Usage(321, 4000, cached_tokens=300, reasoning_tokens=50000, cache_write_tokens=20)
    assert codec.usage_in({"usage": counts}) == (billed if api == "messages" else Usage())
    fresh = codec.decoder(RequestInfo("lab", "m", None, 512))
    assert (fresh.has_finish_reason, fresh.is_done) == (False, False)


GAP = dataclasses.replace(REQUEST, infill=Infill("def f():\n    ", "\n\nf()\n"))


def test_a_request_to_fill_a_gap_has_the_text_behind_it_as_suffix() -> None:
    whole = {
        "model": "m",
        "prompt": "def f():\n    ",
        "suffix": "\n\nf()\n",
        "max_tokens": 512,
        "temperature": 0.0,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    mistral = parse_endpoint("https://api.mistral.ai/v1/fim").origin
    assert sent("completions", HERE, GAP) == sent("completions", ELSEWHERE, GAP) == whole
    assert sent("completions", mistral, GAP) == {
        name: value for name, value in whole.items() if name != "stream_options"
    }
    assert sent_ahead("completions", HERE, GAP) is None


@pytest.mark.parametrize(
    ("model", "prompt"),
    [
        ("Qwen/Qwen2.5-Coder-7B", "<|fim_prefix|>a<|fim_suffix|>b<|fim_middle|>"),
        ("qwen3-coder:30b", "<|fim_prefix|>a<|fim_suffix|>b<|fim_middle|>"),
        ("bigcode/starcoder2-3b", "<fim_prefix>a<fim_suffix>b<fim_middle>"),
        ("granite-3b-code-base", "<fim_prefix>a<fim_suffix>b<fim_middle>"),
        ("codellama-7b.Q4_K_M.gguf", "<PRE> a <SUF>b <MID>"),
        (
            "deepseek-coder-6.7b-base",
            "<\uff5cfim\u2581begin\uff5c>a<\uff5cfim\u2581hole\uff5c>b<\uff5cfim\u2581end\uff5c>",
        ),
    ],
)
def test_the_tokens_of_a_known_family_are_in_the_prompt(model: str, prompt: str) -> None:
    request = dataclasses.replace(REQUEST, infill=Infill("a", "b"))
    ollama = parse_endpoint("http://127.0.0.1:11434/v1").origin
    encode = CODECS["completions"].encode
    body = orjson.loads(encode(request, model, HERE))
    assert (body["prompt"], "suffix" in body) == (prompt, False)
    body = orjson.loads(encode(request, model, ollama))
    assert (body["prompt"], body["suffix"]) == ("a", "b")


def test_an_event_of_mistral_is_decoded_as_one_of_completions() -> None:
    decoder = CODECS["completions"].decoder(RequestInfo("lab", "m", None, 512))
    events = [
        {"choices": [{"index": 0, "delta": {"content": "a"}, "finish_reason": None}]},
        {"choices": [{"index": 0, "text": "b", "finish_reason": "stop"}]},
    ]
    decoded = [each for event in events for each in decoder.receive_event(orjson.dumps(event))]
    assert decoded == [TextDelta("a"), TextDelta("b")]
    assert decoder.finish() == Finished("stop")

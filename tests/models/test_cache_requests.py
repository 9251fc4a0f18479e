"""A provider caches the start of a request, in the way of its protocol, and uses it for the next one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import orjson
import pytest

from twospeed.errors import ModelTimeout, RateLimited
from twospeed.models.base import Limits, Message, ModelEvent, ModelRequest, Usage
from twospeed.models.codecs import anthropic_messages, table
from twospeed.models.codecs.table import CODECS
from twospeed.models.deadlines import DeadlineModel
from twospeed.models.http.endpoints import Origin, parse_endpoint
from twospeed.models.http.http_model import HttpModel
from twospeed.testing.script import Hang, Reply, Script
from twospeed.testing.scripted_server import ScriptedServer

FILE = "import math\n" * 400
FILE_TOKENS = len(FILE) // 4
CLOUD = parse_endpoint("https://api.lab.example/v1").origin
OPENAI = parse_endpoint("https://api.openai.com/v1").origin

ModelAt = Callable[..., HttpModel]
in_every_protocol = pytest.mark.parametrize("api", [api for api in CODECS if api != "completions"])
"""A suggestion is requested once, so `completions` has no warm-up."""


@pytest.fixture
def about_file(request_to_model: ModelRequest):
    """``about_file(instruction)``: a request that begins with the file."""

    def make(instruction: str = "one", **more: Any) -> ModelRequest:
        message = Message("user", FILE + instruction, n_stable=len(FILE))
        return replace(request_to_model, messages=(request_to_model.messages[0], message), **more)

    return make


def as_if_at(origin: Origin, monkeypatch: pytest.MonkeyPatch, api: str) -> None:
    """Treat the server of a test, which is on this machine, as a remote one."""
    codec = CODECS[api]
    elsewhere = replace(codec, warm_up=lambda request, model, _origin: codec.warm_up(request, model, origin))
    monkeypatch.setattr(table, "CODECS", {**CODECS, api: elsewhere})
    monkeypatch.setattr("twospeed.models.http.http_model.CODECS", {**CODECS, api: elsewhere})


async def usage_of(model: HttpModel, request: ModelRequest) -> Usage:
    events: list[ModelEvent] = [event async for event in model.stream(request)]
    return [event for event in events if isinstance(event, Usage)][-1]


@in_every_protocol
async def test_a_local_server_is_warmed_up_with_one_token(model_at: ModelAt, about_file) -> None:
    async with ScriptedServer([Script("x = 1\n")], counts_prompts=True) as server:
        model = model_at(server.base_url)
        usage = await model.warm(about_file())
        assert usage
        assert (usage.output_tokens, usage.cached_tokens) == (1, 0)
        assert (await usage_of(model, about_file())).cached_tokens >= FILE_TOKENS
    assert len(server.requests) == 2
    assert "one" not in str(
        server.requests[0].body["input" if "input" in server.requests[0].body else "messages"]
    )


@pytest.mark.parametrize("api", ["messages"])
async def test_a_warm_up_of_anthropic_requests_zero_tokens_unstreamed(
    model_at: ModelAt, about_file, monkeypatch: pytest.MonkeyPatch
) -> None:
    as_if_at(CLOUD, monkeypatch, "messages")
    async with ScriptedServer([Script("x = 1\n")], counts_prompts=True) as server:
        model = model_at(server.base_url)
        usage = await model.warm(about_file())
        assert usage
        assert (usage.output_tokens, usage.cached_tokens) == (0, 0)
        assert usage.cache_write_tokens >= FILE_TOKENS
        read = await usage_of(model, about_file("two"))
        assert read.cached_tokens >= FILE_TOKENS
    body = server.requests[0].body
    assert body["max_tokens"] == 0
    assert not {"stream", "thinking"} & body.keys()
    marked = [{"type": "text", "text": FILE, "cache_control": {"type": "ephemeral"}}]
    assert body["messages"] == [{"role": "user", "content": marked}]


@pytest.mark.parametrize("effort", ["low", "high"])
def test_anthropic_gets_no_warm_up_for_a_request_with_thinking(about_file, effort: str) -> None:
    assert CODECS["messages"].warm_up(about_file(effort=effort), "m", CLOUD) is None


def test_anthropic_gets_a_warm_up_for_a_request_without_thinking(about_file) -> None:
    body = orjson.loads(CODECS["messages"].warm_up(about_file(effort="none").opening, "m", CLOUD) or b"")
    assert (body["max_tokens"], body["thinking"]) == (0, {"type": "disabled"})


@pytest.mark.parametrize("api", ["responses"])
async def test_a_warm_up_of_openai_requests_no_output_over_http(
    model_at: ModelAt, about_file, monkeypatch: pytest.MonkeyPatch
) -> None:
    as_if_at(OPENAI, monkeypatch, "responses")
    async with ScriptedServer(counts_prompts=True) as server:
        usage = await model_at(server.base_url).warm(about_file())
    assert usage
    assert (usage.output_tokens, usage.cached_tokens) == (0, 0)
    assert usage.input_tokens >= FILE_TOKENS
    body = server.requests[0].body
    assert body["prompt_cache_options"] == {"prewarm": True}
    assert body["max_output_tokens"] == 16
    assert body["input"] == [{"type": "message", "role": "user", "content": FILE}]


def test_a_request_to_openai_begins_with_the_message_of_its_warm_up(about_file) -> None:
    encoded = [
        CODECS["responses"].warm_up(about_file().opening, "m", OPENAI) or b"",
        CODECS["responses"].encode(about_file(), "m", OPENAI),
    ]
    warm_up, asked = map(orjson.loads, encoded)
    assert asked["input"][:1] == warm_up["input"]
    assert asked["prompt_cache_key"] == warm_up["prompt_cache_key"]


@pytest.mark.parametrize("api", ["chat", "responses"])
def test_other_providers_get_no_cache_request(about_file, api: str) -> None:
    """There a warm-up costs as much as an answer."""
    assert CODECS[api].warm_up(about_file(), "m", CLOUD) is None


def test_other_responses_providers_get_one_user_message(about_file) -> None:
    body = orjson.loads(CODECS["responses"].encode(about_file(), "m", CLOUD))
    assert [item["content"] for item in body["input"]] == [FILE + "one"]


@in_every_protocol
async def test_a_request_without_a_stable_part_causes_no_warm_up(
    model_at: ModelAt, request_to_model: ModelRequest
) -> None:
    async with ScriptedServer() as server:
        assert await model_at(server.base_url).warm(request_to_model) is None
    assert server.requests == []


@in_every_protocol
async def test_a_failed_warm_up_raises_its_error(model_at: ModelAt, about_file) -> None:
    async with ScriptedServer(lambda _request: Script(faults=(Reply(429),))) as server:
        with pytest.raises(RateLimited):
            await model_at(server.base_url).warm(about_file())


@in_every_protocol
async def test_a_warm_up_has_the_time_limit_of_first_content(model_at: ModelAt, about_file) -> None:
    async with ScriptedServer(lambda _request: Script(faults=(Hang(None),))) as server:
        model = DeadlineModel(model_at(server.base_url), Limits(first_content_s=0.05))
        with pytest.raises(ModelTimeout):
            await model.warm(about_file())


def test_only_the_stable_part_is_marked_for_the_cache(about_file) -> None:
    [turn] = orjson.loads(anthropic_messages.encode_request(about_file(), model="m"))["messages"]
    stable, rest = turn["content"]
    assert (stable["text"], rest["text"]) == (FILE, "one")
    assert "cache_control" in stable
    assert "cache_control" not in rest

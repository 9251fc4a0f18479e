"""The scripted provider answers requests, and reports invalid ones."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import aiohttp
import pytest

from twospeed.models.base import Finished, ModelRequest, TextDelta, Usage
from twospeed.testing.script import Drop, Hang, Reply, Script
from twospeed.testing.scripted_model import ScriptedModel, scripted_answer
from twospeed.testing.scripted_requests import PromptCache, RecordedRequest, fit_to_request, object_in
from twospeed.testing.scripted_server import ScriptedServer


def asked(
    body: dict[str, object], *, path: str = "/v1/chat/completions", context: tuple[object, ...] = ()
) -> RecordedRequest:
    return RecordedRequest("POST", path, {}, body, 1, context)


SCRIPT = Script("text", reasoning="hm", refusal="no", finish_reason="content_filter")


@pytest.mark.parametrize(
    ("body", "limit", "requests_no_output", "is_warm_up"),
    [
        ({}, None, False, False),
        ({"max_tokens": 2}, 2, False, False),
        ({"max_tokens": 1}, 1, False, True),
        ({"max_tokens": 0}, 0, True, True),
        ({"max_completion_tokens": 1}, 1, False, True),
        ({"max_output_tokens": 16}, 16, False, False),
        ({"max_tokens": "1"}, None, False, False),
        ({"generate": False, "max_output_tokens": 16}, 16, True, True),
        ({"generate": True}, None, False, False),
        ({"prompt_cache_options": {"prewarm": True}}, None, True, True),
        ({"prompt_cache_options": {"prewarm": False}}, None, False, False),
        ({"prompt_cache_options": True}, None, False, False),
    ],
)
def test_a_request_for_no_output_or_one_token_is_a_warm_up(
    body: dict[str, object], limit: int | None, requests_no_output: bool, is_warm_up: bool
) -> None:
    request = asked(body)
    assert (request.max_output_tokens, request.requests_no_output, request.is_warm_up) == (
        limit,
        requests_no_output,
        is_warm_up,
    )
    if requests_no_output:
        assert fit_to_request(SCRIPT, request) == Script(finish_reason="length" if limit == 0 else "stop")
    elif is_warm_up:
        assert fit_to_request(SCRIPT, request) == Script("x", finish_reason="length")
    else:
        assert fit_to_request(SCRIPT, request) == SCRIPT


def test_a_recorded_request_names_its_model() -> None:
    assert (asked({"model": "m"}).model, asked({}).model) == ("m", "scripted")


def test_a_body_without_a_json_object_is_empty() -> None:
    assert [object_in(body) for body in (b'{"a": 1}', b"[1]", b"{", b"")] == [{"a": 1}, {}, {}, {}]


def counts(script: Script) -> tuple[int, int, int]:
    return script.input_tokens, script.cached_tokens, script.cache_write_tokens


def test_a_common_prefix_is_counted_as_cached() -> None:
    cache = PromptCache()

    def ask(*texts: object, **body: object) -> tuple[int, int, int]:
        messages = [{"role": "user", "content": text} for text in texts]
        return counts(cache.counted(Script(), asked({"messages": messages, **body})))

    assert ask("a" * 40, "b" * 40) == (20, 0, 0)
    assert ask("a" * 40, "b" * 8 + "c" * 7) == (13, 12, 0)
    assert ask("x") == (0, 0, 0)
    assert ask([{"type": "text", "text": "a" * 20}, {"type": "text", "text": "a" * 24}]) == (11, 10, 0)
    assert ask(instructions="a" * 80, input="b") == (20, 11, 0)
    assert counts(cache.counted(Script(), asked({"input": "a"}, context=({"content": "a" * 60},)))) == (
        15,
        15,
        0,
    )


def test_anthropic_caches_only_prefixes_that_end_at_a_mark() -> None:
    cache = PromptCache()

    def ask(system: str, *texts: str, marks: int = 0) -> tuple[int, int, int]:
        marked = {"cache_control": {"type": "ephemeral"}}
        content = [{"text": text, **(marked if at < marks else {})} for at, text in enumerate(texts)]
        messages = [{"role": "user", "content": content}]
        request = asked({"system": [{"text": system, **marked}], "messages": messages}, path="/v1/messages")
        return counts(cache.counted(Script(), request))

    assert ask("s" * 40, "a" * 40, "b" * 40, marks=1) == (30, 0, 20)
    assert ask("s" * 40, "a" * 40, "c" * 20, marks=1) == (25, 20, 0)
    assert ask("s" * 40, "a" * 36, "c" * 20, marks=1) == (24, 10, 9)
    assert ask("t" * 40, "a" * 40) == (20, 0, 10)


async def get(
    server: ScriptedServer, method: str, path: str, body: Mapping[str, object] | None = None
) -> tuple[int, object]:
    url = server.base_url.removesuffix("/v1") + path
    async with aiohttp.request(method, url, json=body) as response:
        return response.status, await response.json(content_type=None)


async def test_each_path_without_a_script_has_its_response() -> None:
    async with ScriptedServer() as server:
        assert await get(server, "GET", "/v1/models") == (
            200,
            {
                "object": "list",
                "data": [{"id": "scripted", "object": "model", "created": 0, "owned_by": "scripted"}],
            },
        )
        for path in ("/v1/nothing", "/", "/v1/responses"):
            assert await get(server, "GET", path) == (
                404,
                {"error": {"message": "no such path", "type": "not_found"}},
            )
        assert await get(server, "POST", "/v1/messages", {"max_tokens": 2}) == (
            500,
            {"error": {"message": "no script is left"}},
        )
        assert [(request.method, request.path) for request in server.requests] == [
            ("GET", "/v1/models"),
            *(("GET", path) for path in ("/v1/nothing", "/", "/v1/responses")),
            ("POST", "/v1/messages"),
        ]
        async with asyncio.timeout(60):
            await server.wait_for_requests(5)
            await server.wait_for_disconnects(0)
        assert server.disconnects == 0


async def test_zero_tokens_are_allowed_only_for_unstreamed_messages_without_thinking() -> None:
    for_nothing = {"max_tokens": 0, "messages": []}
    odd = {
        "type": "invalid_request_error",
        "message": "max_tokens: 0 is allowed only in Messages without streaming and thinking",
    }
    thinking = {"thinking": {"type": "adaptive"}}
    off = {"thinking": {"type": "disabled"}}
    async with ScriptedServer() as server:
        for path, body, status in (
            ("/v1/messages", for_nothing, 200),
            ("/v1/messages", {**for_nothing, **off}, 200),
            ("/v1/messages", {**for_nothing, **thinking}, 400),
            ("/v1/messages", {**for_nothing, "stream": True}, 400),
            ("/v1/chat/completions", for_nothing, 400),
        ):
            found, page = await get(server, "POST", path, body)
            assert found == status, body
            if status == 400:
                assert page == {"type": "error", "error": odd}


async def test_a_function_can_choose_a_reply_instead_of_an_answer() -> None:
    reply = Reply(418, {"Content-Type": "application/json"}, b'{"a": 1}')
    async with ScriptedServer(
        lambda request: Script(faults=(Hang(9), reply) if request.body else ())
    ) as server:
        assert await get(server, "POST", "/v1/responses", {"a": 1}) == (418, {"a": 1})


async def test_a_connection_can_be_cut_before_the_headers_or_in_the_answer() -> None:
    async with ScriptedServer(
        [Script("a", faults=(Drop(None),)), Script("a b", faults=(Drop(1),))]
    ) as server:
        for error in (aiohttp.ServerDisconnectedError, aiohttp.ClientPayloadError):
            with pytest.raises(error):
                await get(server, "POST", "/v1/chat/completions", {"stream": True})


async def test_a_websocket_reports_an_invalid_message() -> None:
    def refused(code: str, param: str, **more: str) -> dict[str, object]:
        error = {"type": "invalid_request_error", "code": code, "message": code, "param": param}
        return {"type": "error", "status": 400, **more, "error": error}

    scripts = [Script(faults=(Reply(429, body=b'{"error": {"code": "slow"}}'),))]
    async with (
        ScriptedServer(scripts, takes_sockets=True) as server,
        aiohttp.ClientSession() as session,
        session.ws_connect(f"{server.base_url}/responses") as socket,
    ):
        for message, answer in (
            ({"stream_id": "a b"}, refused("invalid_stream_id", "stream_id")),
            ({"stream_id": 7}, refused("invalid_stream_id", "stream_id")),
            (
                {"stream_id": "a", "previous_response_id": "resp_9"},
                refused("previous_response_not_found", "previous_response_id", stream_id="a"),
            ),
            (
                {"stream_id": "a"},
                {"type": "error", "status": 429, "stream_id": "a", "error": {"code": "slow"}},
            ),
            (
                {"type": "response.steer", "previous_response_id": "resp_9", "input": ["x"]},
                {
                    "type": "response.steer.failed",
                    "sequence_number": 0,
                    "steer": {"id": "steer_1", "previous_response_id": "resp_9", "input": ["x"]},
                    "error": {
                        "type": "invalid_request_error",
                        "code": "response_not_found",
                        "message": "response_not_found",
                    },
                },
            ),
        ):
            await socket.send_json({"type": "response.create", **message})
            assert await socket.receive_json() == answer
        for number in range(32):
            await socket.send_json({"stream_id": f"lane-{number}", "previous_response_id": "resp_9"})
            last = await socket.receive_json()
        assert last == refused("websocket_stream_limit_reached", "stream_id", stream_id="lane-31")
        assert {request.method for request in server.requests} == {"WS"}


async def test_the_scripted_model_has_a_name_and_finishes_by_default(
    request_to_model: ModelRequest,
) -> None:
    model = ScriptedModel()
    assert (model.provider, model.name) == ("scripted", "scripted")
    assert [event async for event in model.stream(request_to_model)] == [Finished("stop")]
    await model.warm(request_to_model)
    assert model.requests == [request_to_model]
    assert scripted_answer("ab cd") == [
        TextDelta("ab"),
        TextDelta(" cd"),
        Usage(input_tokens=100, output_tokens=2),
        Finished("stop"),
    ]
    assert scripted_answer("x" * 40, seed=0) == scripted_answer("x" * 40) != scripted_answer("x" * 40, seed=1)


async def test_a_steered_response_ends_and_the_next_one_begins() -> None:
    thinks = Script("a", reasoning="hm", faults=(Hang(1),))
    async with (
        ScriptedServer([thinks, Script("b")], takes_sockets=True, steers=True) as server,
        aiohttp.ClientSession() as session,
        session.ws_connect(f"{server.base_url}/responses") as socket,
    ):
        await socket.send_json({"type": "response.create", "stream_id": "a", "model": "m", "input": "one"})
        told = [await socket.receive_json() for _ in range(5)]
        steer = {"type": "response.steer", "previous_response_id": "resp_1", "model": "m", "input": "two"}
        await socket.send_json(steer)
        while told[-1]["type"] != "response.completed":
            told.append(await socket.receive_json())
        await socket.send_json(
            {"type": "response.create", "stream_id": "a", "previous_response_id": "resp_2"}
        )
        assert (await socket.receive_json())["error"]["message"] == "no script is left"
        await socket.send_json(
            {"type": "response.create", "stream_id": "b", "previous_response_id": "resp_2"}
        )
        assert (await socket.receive_json())["error"]["code"] == "previous_response_not_found"
    assert {event["stream_id"] for event in told} == {"a"}
    head = ["response.created", "response.in_progress", "response.output_item.added"]
    thought = ["response.reasoning_summary_part.added", "response.reasoning_summary_text.delta"]
    ended = ["response.reasoning_summary_text.done", "response.reasoning_summary_part.done"]
    said = ["response.content_part.added", "response.output_text.delta", "response.output_text.done"]
    assert [event["type"] for event in told] == [
        *head,
        *thought,
        "response.steer.accepted",
        *ended,
        "response.output_item.done",
        "response.incomplete",
        *head,
        *said,
        "response.content_part.done",
        "response.output_item.done",
        "response.completed",
    ]
    assert told[5] == {
        "type": "response.steer.accepted",
        "sequence_number": 0,
        "steer": {"id": "steer_1", "previous_response_id": "resp_1"},
        "stream_id": "a",
    }
    assert [request.context for request in server.requests[:3]] == [
        (),
        (),
        ({"role": "user", "content": "two"}, told[-1]["response"]["output"][0]),
    ]

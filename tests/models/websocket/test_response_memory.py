"""Remembered messages of a connection are not sent again; the scripted server checks that it remembers them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest
from tests.models.events import text_of
from tests.models.websocket.over_socket import OTHER, TEXT, ModelAt, ask, n_sockets, ways

from twospeed.errors import ModelUnavailable
from twospeed.models.base import Message, ModelRequest, Usage
from twospeed.models.websocket import responses_socket
from twospeed.testing.script import Hang, Inject, Reply, Script, event
from twospeed.testing.scripted_server import RecordedRequest, ScriptedServer

FILE = "import math\n" * 400
NOT_FOUND = b'{"error": {"type": "invalid_request_error", "code": "previous_response_not_found"}}'


def words(request: RecordedRequest) -> list[str]:
    """Return the texts of the input of a message."""
    items: Any = request.body["input"]
    return [item["content"] for item in items]


def whole(request: RecordedRequest) -> list[str]:
    """Return the whole input, with what the provider remembers."""
    remembered: Iterable[Any] = request.context
    texts = [
        item["content"]
        if isinstance(item["content"], str)
        else "".join(part["text"] for part in item["content"])
        for item in remembered
    ]
    return texts + words(request)


@pytest.fixture
def about_file(request_to_model: ModelRequest):
    """``about_file(instruction)``: a request that begins with the file."""

    def make(instruction: str, **more: Any) -> ModelRequest:
        message = Message("user", FILE + instruction, n_stable=len(FILE))
        request = replace(request_to_model, messages=(request_to_model.messages[0], message))
        return replace(request, **more)

    return make


async def test_after_a_warm_up_each_request_sends_only_the_rest(socket_model_at: ModelAt, about_file) -> None:
    async with ScriptedServer([Script(TEXT), Script(OTHER)], takes_sockets=True) as server:
        model = socket_model_at(server)
        assert await model.warm(about_file("one")) == Usage(100)
        assert text_of(await ask(model, about_file("one"))) == TEXT
        assert text_of(await ask(model, about_file("two"))) == OTHER
    warm_up, one, two = server.requests
    assert words(warm_up) == [FILE]
    assert warm_up.body["generate"] is False
    assert warm_up.body["store"] is False
    for request, instruction in ((one, "one"), (two, "two")):
        assert words(request) == [instruction]
        assert whole(request) == [FILE, instruction]
        assert request.body["instructions"] == "You edit code."  # which are not carried over
        assert "generate" not in request.body
    assert n_sockets(server) == 1


async def test_a_warm_prompt_is_not_warmed_up_again(socket_model_at: ModelAt, about_file) -> None:
    async with ScriptedServer(takes_sockets=True) as server:
        model = socket_model_at(server)
        assert await model.warm(about_file("one"))
        assert await model.warm(about_file("two")) is None
    assert len(server.requests) == 1


async def test_a_request_without_a_stable_part_causes_no_warm_up(
    socket_model_at: ModelAt, request_to_model: ModelRequest
) -> None:
    async with ScriptedServer(takes_sockets=True) as server:
        assert await socket_model_at(server).warm(request_to_model) is None
    assert server.requests == []


async def test_a_request_that_continues_an_answer_sends_only_the_rest(
    socket_model_at: ModelAt, about_file
) -> None:
    async with ScriptedServer([Script(TEXT), Script(OTHER)], takes_sockets=True) as server:
        first = about_file("one")
        await ask(socket_model_at(server), first)
        more = (*first.messages, Message("assistant", TEXT), Message("user", "shorter"))
        assert text_of(await ask(socket_model_at(server), replace(first, messages=more))) == OTHER
    assert words(server.requests[0]) == [FILE, "one"]
    assert words(server.requests[1]) == ["shorter"]
    assert whole(server.requests[1]) == [FILE, "one", TEXT, "shorter"]
    assert server.requests[0].body["stream_id"] == server.requests[1].body["stream_id"]


@pytest.mark.parametrize(
    "changes",
    [
        {"effort": "high"},
        {"messages": (Message("system", "Be brief."), Message("user", FILE + "one", n_stable=len(FILE)))},
        {"messages": (Message("system", "You edit code."), Message("user", "x" + FILE, n_stable=9))},
    ],
    ids=["effort", "instructions", "input"],
)
async def test_a_request_with_another_start_is_sent_whole(
    socket_model_at: ModelAt, about_file, changes: dict[str, Any]
) -> None:
    async with ScriptedServer([Script(TEXT)], takes_sockets=True) as server:
        await socket_model_at(server).warm(about_file("one"))
        await ask(socket_model_at(server), about_file("one", **changes))
    assert "previous_response_id" not in server.requests[-1].body
    assert len(words(server.requests[-1])) == 2


async def test_a_request_without_new_input_is_sent_whole(socket_model_at: ModelAt, about_file) -> None:
    """A request must have some input."""
    async with ScriptedServer([Script(TEXT)], takes_sockets=True) as server:
        await socket_model_at(server).warm(about_file("one"))
        await ask(socket_model_at(server), about_file(""))
    assert words(server.requests[-1]) == [FILE]


async def test_another_token_limit_does_not_prevent_continuation(
    socket_model_at: ModelAt, about_file
) -> None:
    async with ScriptedServer([Script(TEXT)], takes_sockets=True) as server:
        await socket_model_at(server).warm(about_file("one"))
        await ask(socket_model_at(server), about_file("one", max_output_tokens=64))
    assert words(server.requests[-1]) == ["one"]


async def test_a_new_connection_remembers_nothing(
    socket_model_at: ModelAt, about_file, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(responses_socket, "_MAX_AGE_S", 0.0)
    async with ScriptedServer([Script(TEXT)], takes_sockets=True) as server:
        await socket_model_at(server).warm(about_file("one"))
        assert text_of(await ask(socket_model_at(server), about_file("one"))) == TEXT
    assert words(server.requests[-1]) == [FILE, "one"]
    assert n_sockets(server) == 2


# Forgotten


def forgetful(request: RecordedRequest) -> Script:
    refused = Reply(400, {}, NOT_FOUND)
    return Script(TEXT, faults=(refused,) if "previous_response_id" in request.body else ())


async def test_a_forgotten_prompt_is_sent_whole_and_counts_as_a_request(
    socket_model_at: ModelAt, about_file
) -> None:
    counted: list[str] = []

    def may_send_again() -> bool:
        counted.append("again")
        return True

    async with ScriptedServer(forgetful, takes_sockets=True) as server:
        model = socket_model_at(server)
        await model.warm(about_file("one"))
        assert text_of(await ask(model, about_file("one", may_send_again=may_send_again))) == TEXT
        assert text_of(await ask(model, about_file("two", may_send_again=may_send_again))) == TEXT
    assert ways(server) == ["WS"] * 4
    assert [words(request) for request in server.requests[1:]] == [["one"], [FILE, "one"], [FILE, "two"]]
    assert counted == ["again"]
    assert n_sockets(server) == 1


@pytest.mark.security("R13")
async def test_a_forgotten_prompt_is_not_sent_beyond_the_limit(socket_model_at: ModelAt, about_file) -> None:
    async with ScriptedServer(forgetful, takes_sockets=True) as server:
        model = socket_model_at(server)
        await model.warm(about_file("one"))
        with pytest.raises(ModelUnavailable, match="did not answer"):
            await ask(model, about_file("one", may_send_again=lambda: False))
    assert len(server.requests) == 2


async def test_a_failed_answer_on_another_stream_keeps_its_parent(
    socket_model_at: ModelAt, about_file
) -> None:
    body = b'{"error": {"type": "server_error", "code": "server_error", "message": "words"}}'
    scripts = [Script(faults=(Reply(500, {}, body),)), Script(TEXT)]
    async with ScriptedServer(scripts, takes_sockets=True) as server:
        model = socket_model_at(server)
        await model.warm(about_file("one"))
        with pytest.raises(ModelUnavailable):
            await ask(model, about_file("one"))
        assert text_of(await ask(model, about_file("one"))) == TEXT
    assert words(server.requests[-1]) == ["one"]


async def test_a_failed_answer_on_the_same_stream_loses_its_parent(
    socket_model_at: ModelAt, about_file
) -> None:
    body = b'{"error": {"type": "server_error", "code": "server_error", "message": "words"}}'
    scripts = [Script(TEXT), Script(faults=(Reply(500, {}, body),)), Script(OTHER)]
    async with ScriptedServer(scripts, takes_sockets=True) as server:
        model, first = socket_model_at(server), about_file("one")
        await ask(model, first)
        more = replace(first, messages=(*first.messages, Message("assistant", TEXT), Message("user", "two")))
        with pytest.raises(ModelUnavailable):
            await ask(model, more)
        assert text_of(await ask(model, more)) == OTHER
    assert [len(words(request)) for request in server.requests] == [2, 1, 4]


# A warm-up and an answer at the same time


async def test_an_answer_does_not_wait_for_a_warm_up(socket_model_at: ModelAt, about_file) -> None:
    def pick(request: RecordedRequest) -> Script:
        return Script(TEXT, faults=(Hang(),) if request.is_warm_up else ())

    async with ScriptedServer(pick, takes_sockets=True) as server, asyncio.timeout(60):
        model = socket_model_at(server)
        preconnect = asyncio.create_task(model.warm(about_file("one")))
        await server.wait_for_requests()
        assert text_of(await ask(model, about_file("one"))) == TEXT
        preconnect.cancel()
        await asyncio.gather(preconnect, return_exceptions=True)
        assert text_of(await ask(model, about_file("two"))) == TEXT
    assert [words(request) for request in server.requests] == [[FILE], [FILE, "one"], [FILE, "two"]]
    assert n_sockets(server) == 1


async def test_an_abandoned_cache_request_is_still_used(socket_model_at: ModelAt, about_file) -> None:
    async with ScriptedServer([Script(TEXT)] * 3, takes_sockets=True) as server, asyncio.timeout(60):
        model = socket_model_at(server)
        await ask(model, about_file("zero"))  # the connection is there
        preconnect = asyncio.create_task(model.warm(about_file("one")))
        await server.wait_for_requests(2)
        preconnect.cancel()
        await asyncio.gather(preconnect, return_exceptions=True)
        await ask(model, about_file("another"))  # whose answer comes behind it
        await ask(model, about_file("one"))
    assert n_sockets(server) == 1
    assert words(server.requests[-1]) == ["one"]


async def test_an_unrequested_answer_is_not_continued(socket_model_at: ModelAt, about_file) -> None:
    said = [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hello!"}]}]
    response = {"id": "resp_x", "status": "completed", "output": said}
    talk = Inject(event({"type": "response.completed", "response": response}))

    def pick(request: RecordedRequest) -> Script:
        return Script(TEXT, faults=(talk,) if request.is_warm_up else ())

    async with ScriptedServer(pick, takes_sockets=True) as server:
        model = socket_model_at(server)
        await model.warm(about_file("one"))
        await ask(model, about_file("one"))
    assert server.requests[0].body["max_output_tokens"] == 16
    assert words(server.requests[-1]) == [FILE, "one"]

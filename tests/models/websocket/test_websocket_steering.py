"""A response that still reasons is steered; one with output is stopped and requested again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import replace
from typing import Any

import pytest
from tests.models.events import text_of
from tests.models.websocket.over_socket import OTHER, TEXT, ask, n_sockets

from twospeed.errors import ModelUnavailable
from twospeed.models.base import (
    Finished,
    Message,
    ModelEvent,
    ModelRequest,
    ProviderSettings,
    ReasoningDelta,
    TextDelta,
)
from twospeed.models.http.connections import Connections
from twospeed.models.websocket import responses_socket
from twospeed.models.websocket.socket_model import SocketModel
from twospeed.testing.script import Hang, Script
from twospeed.testing.scripted_server import RecordedRequest, ScriptedServer

FILE = "import math\n" * 400
THINKS = Script(TEXT, reasoning="let me think", faults=(Hang(2),))
WRITES = Script(TEXT, reasoning="hm", faults=(Hang(2),))


@pytest.fixture
def model(connections: Connections) -> Callable[..., SocketModel]:
    """``model(server, name="gpt-6-sol")``."""

    def make(server: ScriptedServer, name: str = "gpt-6-sol") -> SocketModel:
        settings = ProviderSettings("lab", "responses", server.base_url, websocket=True)
        return SocketModel(settings, name, connections=connections, connect_s=1.0)

    return make


@pytest.fixture
def about_file(request_to_model: ModelRequest) -> Callable[..., ModelRequest]:
    """``about_file(instruction)``: a request that begins with the file."""

    def make(instruction: str, **more: Any) -> ModelRequest:
        message = Message("user", FILE + instruction, n_stable=len(FILE))
        return replace(request_to_model, messages=(request_to_model.messages[0], message), **more)

    return make


async def left(model: SocketModel, request: ModelRequest, kind: type[ModelEvent] = ReasoningDelta) -> None:
    """Request an answer and abandon it at its first event of a kind."""
    async with aclosing(model.stream(request)) as events:
        async for event in events:
            if isinstance(event, kind):
                return


def kinds(server: ScriptedServer) -> list[object]:
    return [request.body.get("type") for request in server.requests]


@pytest.fixture(autouse=True)
async def deadline() -> AsyncIterator[None]:
    async with asyncio.timeout(60):
        yield


async def test_a_reasoning_response_is_steered_by_the_new_message_alone(model, about_file) -> None:
    second = Script(OTHER, reasoning="again")
    async with ScriptedServer([THINKS, second], takes_sockets=True, steers=True) as server:
        await left(model(server), about_file("one"))
        events = await ask(model(server), about_file("two"))
    assert text_of(events) == OTHER
    assert "".join(event.text for event in events if isinstance(event, ReasoningDelta)) == "again"
    assert events[-1] == Finished("stop")
    assert kinds(server) == ["response.create", "response.steer"]
    created, steered = (request.body for request in server.requests)
    assert steered["previous_response_id"] == "resp_1"
    assert steered["input"] == [{"type": "message", "role": "user", "content": "two"}]
    assert steered.keys() == {"type", "previous_response_id", "input"}  # it accepts nothing else
    assert str(created["input"]).count("'message'") == 2
    assert n_sockets(server) == 1


async def test_a_response_can_be_steered_more_than_once(model, about_file) -> None:
    async with ScriptedServer([THINKS, THINKS, Script(OTHER)], takes_sockets=True, steers=True) as server:
        await left(model(server), about_file("one"))
        await left(model(server), about_file("two"))
        assert text_of(await ask(model(server), about_file("three"))) == OTHER
    assert kinds(server) == ["response.create", "response.steer", "response.steer"]
    assert [request.body["previous_response_id"] for request in server.requests[1:]] == ["resp_1", "resp_2"]


async def test_a_steered_response_is_not_continued(model, about_file) -> None:
    """The provider remembers more of it than a request would repeat."""
    async with ScriptedServer(
        [THINKS, Script(TEXT), Script(OTHER)], takes_sockets=True, steers=True
    ) as server:
        await left(model(server), about_file("one"))
        second = about_file("two")
        await ask(model(server), second)
        more = (*second.messages, Message("assistant", TEXT), Message("user", "three"))
        assert text_of(await ask(model(server), replace(second, messages=more))) == OTHER
    assert "previous_response_id" not in server.requests[-1].body
    assert str(server.requests[-1].body["input"]).count("'message'") == 4


@pytest.mark.parametrize(
    ("name", "script"), [("gpt-6-sol", WRITES), ("gpt-5.4-mini", THINKS)], ids=["writes", "older model"]
)
async def test_a_response_that_cannot_be_steered_is_stopped_at_once(
    model, about_file, monkeypatch: pytest.MonkeyPatch, name: str, script: Script
) -> None:
    monkeypatch.setattr(responses_socket, "_STEER_WAIT_S", 3600.0)
    kind = TextDelta if script is WRITES else ReasoningDelta
    async with ScriptedServer([script, Script(OTHER)], takes_sockets=True, steers=True) as server:
        await left(model(server, name), about_file("one"), kind)
        await server.wait_for_disconnects()
        assert text_of(await ask(model(server, name), about_file("two"))) == OTHER
    assert kinds(server) == ["response.create"] * 2
    assert n_sockets(server) == 2


async def test_an_abandoned_response_is_stopped_after_the_steer_wait(
    model, about_file, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(responses_socket, "_STEER_WAIT_S", 0.01)
    async with ScriptedServer([THINKS], takes_sockets=True, steers=True) as server:
        await left(model(server), about_file("one"))
        await server.wait_for_disconnects()


@pytest.mark.parametrize(
    "changes",
    [{"effort": "high"}, {"messages": (Message("user", "something else"),)}],
    ids=["effort", "input"],
)
async def test_another_request_stops_the_abandoned_response(
    model, about_file, monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any]
) -> None:
    monkeypatch.setattr(responses_socket, "_STEER_WAIT_S", 3600.0)
    async with ScriptedServer([THINKS, Script(OTHER)], takes_sockets=True, steers=True) as server:
        await left(model(server), about_file("one"))
        request = replace(about_file("two"), **changes)
        assert text_of(await ask(model(server), request)) == OTHER
        await server.wait_for_disconnects()
    assert kinds(server) == ["response.create"] * 2
    assert n_sockets(server) == 2


async def test_a_model_that_refuses_steering_gets_a_new_request(model, about_file) -> None:
    counted: list[str] = []

    def may_send_again() -> bool:
        counted.append("again")
        return True

    scripts = [THINKS, Script(OTHER), THINKS, Script(OTHER)]
    async with ScriptedServer(scripts, takes_sockets=True, steers=False) as server:
        for _ in range(2):
            await left(model(server), about_file("one"))
            second = about_file("two", may_send_again=may_send_again)
            assert text_of(await ask(model(server), second)) == OTHER
    expected = ["response.create", "response.steer", "response.create", "response.create", "response.create"]
    assert kinds(server) == expected
    assert counted == ["again"]


@pytest.mark.security("R13")
async def test_refused_steering_sends_no_request_beyond_the_limit(model, about_file) -> None:
    async with ScriptedServer([THINKS, Script(OTHER)], takes_sockets=True) as server:
        await left(model(server), about_file("one"))
        with pytest.raises(ModelUnavailable):
            await ask(model(server), about_file("two", may_send_again=lambda: False))
    assert len(server.requests) == 2


async def test_output_of_the_steered_response_is_not_used(
    model, about_file, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its output had begun when the instructions arrived, and the provider finishes it first."""

    async def steer(self: Any, recorded: RecordedRequest) -> None:
        [running] = self._running.values()
        running.is_steered.set()  # it goes on, and nothing else is said

    monkeypatch.setattr("twospeed.testing.scripted_socket.ScriptedSocket._steer", steer)
    async with ScriptedServer([THINKS, Script(OTHER)], takes_sockets=True, steers=True) as server:
        await left(model(server), about_file("one"))
        assert text_of(await ask(model(server), about_file("two"))) == OTHER
    assert kinds(server) == ["response.create", "response.steer", "response.create"]

"""Responses over one WebSocket: requests, parallel streams, and the end of a connection."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from tests.models.events import text_of
from tests.models.websocket.over_socket import OTHER, TEXT, ModelAt, ask, n_sockets, ways

from twospeed.errors import (
    AnswerBrokeOff,
)
from twospeed.models.base import (
    Finished,
    Message,
    ModelRequest,
    Usage,
)
from twospeed.models.http.connections import Connections
from twospeed.models.websocket import responses_socket
from twospeed.testing.script import Hang, Script
from twospeed.testing.scripted_server import RecordedRequest, ScriptedServer


async def test_sequential_answers_share_a_connection(
    socket_model_at: ModelAt, request_to_model: ModelRequest
) -> None:
    script = Script(TEXT, reasoning="hm", input_tokens=912, cached_tokens=800)
    async with ScriptedServer([script] * 3, takes_sockets=True) as server:
        for _ in range(3):
            events = await ask(socket_model_at(server), request_to_model)
            assert text_of(events) == TEXT
            assert events[-2:] == [Usage(912, script.output_tokens, 800, 1), Finished("stop")]
    assert ways(server) == ["WS"] * 3
    assert n_sockets(server) == 1


async def test_a_request_has_its_stream_id_and_the_key(
    socket_model_at: ModelAt, request_to_model: ModelRequest, lab_key: str
) -> None:
    async with ScriptedServer([Script(TEXT)], takes_sockets=True) as server:
        await ask(socket_model_at(server), replace(request_to_model, effort="low"))
    [sent] = server.requests
    assert sent.headers["authorization"] == f"Bearer {lab_key}"
    assert sent.body.pop("prompt_cache_key")
    assert sent.body == {
        "type": "response.create",
        "stream_id": "edit-0",
        "model": "m",
        "instructions": "You edit code.",
        "input": [{"type": "message", "role": "user", "content": "add a docstring"}],
        "reasoning": {"effort": "low"},
        "max_output_tokens": 512,
        "store": False,
    }


async def test_concurrent_answers_share_a_connection(
    socket_model_at: ModelAt, request_to_model: ModelRequest
) -> None:
    def pick(request: RecordedRequest) -> Script:
        items: Any = request.body["input"]
        return Script(items[0]["content"], tokens_per_second=1000)

    texts = [f"{number}\n" * 40 for number in range(5)]
    async with ScriptedServer(pick, takes_sockets=True) as server:
        requests = [replace(request_to_model, messages=(Message("user", text),)) for text in texts]
        answers = await asyncio.gather(*(ask(socket_model_at(server), request) for request in requests))
    assert [text_of(answer) for answer in answers] == texts
    assert n_sockets(server) == 1
    assert len({request.body["stream_id"] for request in server.requests}) == 5


async def test_an_abandoned_stream_stops_its_answer_at_once(
    socket_model_at: ModelAt, request_to_model: ModelRequest
) -> None:
    scripts = [Script(TEXT, faults=(Hang(3),)), Script(OTHER)]
    async with ScriptedServer(scripts, takes_sockets=True) as server, asyncio.timeout(60):
        events = socket_model_at(server).stream(request_to_model)
        await anext(events)
        await events.aclose()
        await server.wait_for_disconnects()
        assert text_of(await ask(socket_model_at(server), request_to_model)) == OTHER
    assert ways(server) == ["WS", "WS"]


async def test_an_abandoned_stream_does_not_stop_another(
    socket_model_at: ModelAt, request_to_model: ModelRequest
) -> None:
    scripts = [Script("x", faults=(Hang(1),)), Script(TEXT, tokens_per_second=500), Script(OTHER)]
    async with ScriptedServer(scripts, takes_sockets=True) as server, asyncio.timeout(60):
        left = socket_model_at(server).stream(request_to_model)
        await anext(left)
        kept = asyncio.create_task(ask(socket_model_at(server), request_to_model))
        await server.wait_for_requests(2)
        await left.aclose()
        assert text_of(await kept) == TEXT
        await server.wait_for_disconnects()  # the one that was left would have gone on
        assert text_of(await ask(socket_model_at(server), request_to_model)) == OTHER
    assert [request.method for request in server.requests] == ["WS"] * 3
    assert n_sockets(server) == 2


async def test_events_of_an_abandoned_stream_are_dropped(
    socket_model_at: ModelAt, request_to_model: ModelRequest
) -> None:
    scripts = [Script(OTHER, tokens_per_second=1000), Script(TEXT, tokens_per_second=100), Script(OTHER)]
    async with ScriptedServer(scripts, takes_sockets=True) as server, asyncio.timeout(60):
        left = socket_model_at(server).stream(request_to_model)
        await anext(left)
        kept = asyncio.create_task(ask(socket_model_at(server), request_to_model))
        await server.wait_for_requests(2)
        await left.aclose()
        assert text_of(await kept) == TEXT
        assert text_of(await ask(socket_model_at(server), request_to_model)) == OTHER
    assert n_sockets(server) == 1
    assert server.disconnects == 0


async def test_a_connection_is_replaced_before_the_providers_hour_is_over(
    socket_model_at: ModelAt, request_to_model: ModelRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(responses_socket, "_MAX_AGE_S", 0.0)
    async with ScriptedServer([Script(TEXT)] * 2, takes_sockets=True) as server:
        for _ in range(2):
            assert text_of(await ask(socket_model_at(server), request_to_model)) == TEXT
    assert ways(server) == ["WS", "WS"]
    assert n_sockets(server) == 2


async def test_a_connection_from_before_the_machine_slept_is_replaced(
    socket_model_at: ModelAt, request_to_model: ModelRequest, sleep_for: Callable[[float], None]
) -> None:
    async with ScriptedServer([Script(TEXT)] * 3, takes_sockets=True) as server:
        assert text_of(await ask(socket_model_at(server), request_to_model)) == TEXT
        sleep_for(3600)
        for _ in range(2):
            assert text_of(await ask(socket_model_at(server), request_to_model)) == TEXT
    assert ways(server) == ["WS"] * 3
    assert n_sockets(server) == 2


async def test_an_unused_connection_is_closed(
    socket_model_at: ModelAt,
    request_to_model: ModelRequest,
    connections: Connections,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(responses_socket, "_IDLE_S", 0.0)
    async with ScriptedServer([Script(TEXT)] * 2, takes_sockets=True) as server:
        for _ in range(2):
            assert text_of(await ask(socket_model_at(server), request_to_model)) == TEXT
            lines = [line for socket in connections._sockets.values() for line in socket._connections]
            await asyncio.gather(*(line._reading for line in lines), return_exceptions=True)
    assert n_sockets(server) == 2


async def test_closing_the_connections_breaks_an_answer_off(
    socket_model_at: ModelAt, request_to_model: ModelRequest, connections: Connections
) -> None:
    async with ScriptedServer([Script(TEXT, faults=(Hang(3),))], takes_sockets=True) as server:
        events = socket_model_at(server).stream(request_to_model)
        await anext(events)
        await connections.aclose()
        with pytest.raises(AnswerBrokeOff):
            [event async for event in events]

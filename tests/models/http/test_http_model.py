"""A model over a real socket: whole answers, the requests for them, and the end of the connection."""

from __future__ import annotations

import asyncio
import gc
from contextlib import aclosing
from dataclasses import replace

import aiohttp
import pytest
from aiohttp import web
from tests.models.events import text_of

from twospeed.errors import ModelUnavailable
from twospeed.models.base import Finished, Message, ModelRequest, ProviderSettings
from twospeed.models.http.connections import Connections
from twospeed.testing.script import Drop, Hang, Inject, Script
from twospeed.testing.scripted_server import ScriptedServer

TEXT = "def total(rows):\n    return sum(row.amount for row in rows)  # é😋\n"


async def test_a_request_has_the_body_key_and_configured_headers(ask, lab_key: str) -> None:
    async with ScriptedServer([Script(TEXT)]) as server:
        await ask(server.base_url, **{"X-Title": "twospeed", "accept": "x/y", "accept-encoding": "gzip"})
    [sent] = server.requests
    assert (sent.method, sent.path) == ("POST", "/v1/chat/completions")
    assert sent.body["model"] == "m"
    assert sent.body["max_tokens"] == 512
    assert sent.headers.pop("user-agent").startswith("twospeed/")
    assert sent.headers.pop("content-length")
    assert sent.headers == {
        "host": f"127.0.0.1:{server.port}",
        "accept": "text/event-stream",
        "accept-encoding": "identity",
        "authorization": f"Bearer {lab_key}",
        "content-type": "application/json",
        "x-title": "twospeed",
    }


async def test_a_prompt_of_many_mebibytes_is_sent_whole(model_at, request_to_model: ModelRequest) -> None:
    prompt = "é" * 2**21
    async with ScriptedServer([Script(TEXT)]) as server:
        asked = replace(request_to_model, messages=(Message("user", prompt),))
        events = [event async for event in model_at(server.base_url).stream(asked)]
    assert text_of(events) == TEXT
    assert server.requests[0].body["messages"] == [{"role": "user", "content": prompt}]


async def test_a_connection_cut_after_the_whole_text_is_no_failure(ask) -> None:
    ending = b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'
    faults = (Inject(ending, after_tokens=999), Drop(999))
    async with ScriptedServer([Script(TEXT, faults=faults)]) as server:
        events = await ask(server.base_url)
    assert text_of(events) == TEXT
    assert events[-1] == Finished("stop")


async def test_bytes_after_the_end_are_not_read(ask) -> None:
    ending = b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
    second = b'data: {"choices":[{"index":0,"delta":{"content":"more"}}]}\n\ndata: {nope\n\n'
    script = Script(TEXT, finish_reason=None, faults=(Inject(ending + second, after_tokens=999),))
    async with ScriptedServer([script]) as server:
        events = await ask(server.base_url)
    assert text_of(events) == TEXT
    assert events[-1] == Finished("stop")


# A connection serves the next answer when this one was whole, and is closed when it was not.


async def drained(connections: Connections) -> None:
    await asyncio.gather(*connections.http()._drains)


def n_connections(server: ScriptedServer) -> int:
    return len({request.client_port for request in server.requests})


async def test_sequential_answers_share_a_connection(ask, connections: Connections) -> None:
    async with ScriptedServer([Script(TEXT)] * 3) as server:
        for _ in range(3):
            assert text_of(await ask(server.base_url)) == TEXT
            await drained(connections)
    assert n_connections(server) == 1


async def test_a_consumer_that_leaves_at_the_finish_keeps_the_connection(
    model_at, connections: Connections, request_to_model: ModelRequest
) -> None:
    async with ScriptedServer([Script(TEXT)] * 3) as server:
        for _ in range(3):
            async with aclosing(model_at(server.base_url).stream(request_to_model)) as events:
                async for event in events:
                    if isinstance(event, Finished):
                        break
            await drained(connections)
    assert n_connections(server) == 1


async def test_a_connection_with_a_late_end_serves_the_next_answer(ask, connections: Connections) -> None:
    may_end = asyncio.Event()
    ports = set()

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        ports.add(request.get_extra_info("peername")[1])
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        await response.write(b'data: {"choices":[{"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n')
        await may_end.wait()
        return response

    runner = web.ServerRunner(web.Server(answer, access_log=None))
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        base_url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        assert await ask(base_url) == [Finished("stop")]
        may_end.set()
        await drained(connections)
        assert await ask(base_url) == [Finished("stop")]
        await drained(connections)
    finally:
        await runner.cleanup()
    assert len(ports) == 1


async def test_a_connection_with_an_unread_end_is_closed_at_shutdown(ask, connections: Connections) -> None:
    ending = b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
    script = Script(TEXT, finish_reason=None, faults=(Inject(ending, after_tokens=999), Hang(999)))
    complaints: list[dict[str, object]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: complaints.append(context))
    async with ScriptedServer([script]) as server:
        assert text_of(await ask(server.base_url)) == TEXT
        await connections.aclose()
        async with asyncio.timeout(60):
            await server.wait_for_disconnects()
    gc.collect()
    assert complaints == []


async def test_a_kept_connection_that_the_server_closed_is_replaced(ask, connections: Connections) -> None:
    async with ScriptedServer([Script(TEXT), Script(faults=(Drop(None),)), Script(TEXT)]) as server:
        await ask(server.base_url)
        await drained(connections)
        assert text_of(await ask(server.base_url)) == TEXT
    assert len(server.requests) == 3
    assert n_connections(server) == 2


async def test_several_kept_connections_closed_by_the_server_are_replaced(
    ask, connections: Connections
) -> None:
    closed = Script(faults=(Drop(None),))
    async with ScriptedServer([closed, closed, Script(TEXT)]) as server:
        await connections.connect_spare(ProviderSettings("lab", "chat", server.base_url))
        assert text_of(await ask(server.base_url)) == TEXT
    assert len(server.requests) == n_connections(server) == 3


async def test_kept_connections_are_replaced_while_the_request_may_be_sent_again(
    model_at, connections: Connections, request_to_model: ModelRequest
) -> None:
    words = [True, False]
    request = replace(request_to_model, may_send_again=lambda: words.pop(0))
    closed = Script(faults=(Drop(None),))
    async with ScriptedServer([closed, closed, Script(TEXT)]) as server:
        await connections.connect_spare(ProviderSettings("lab", "chat", server.base_url))
        with pytest.raises(ModelUnavailable, match="without an answer"):
            await anext(model_at(server.base_url).stream(request))
    assert (len(server.requests), words) == (2, [])


async def test_a_new_connection_that_the_server_closes_is_not_tried_again(ask) -> None:
    async with ScriptedServer([Script(faults=(Drop(None),)), Script(TEXT)]) as server:
        with pytest.raises(ModelUnavailable, match="without an answer"):
            await ask(server.base_url)
    assert len(server.requests) == 1


async def test_closing_the_stream_disconnects_at_once(model_at, request_to_model: ModelRequest) -> None:
    async with ScriptedServer([Script(TEXT, faults=(Hang(3),))]) as server, asyncio.timeout(1):
        events = model_at(server.base_url).stream(request_to_model)
        await anext(events)
        await events.aclose()
        await server.wait_for_disconnects()


async def test_connections_that_are_closed_twice_are_closed_and_can_be_opened_again(
    ask, connections: Connections
) -> None:
    async with ScriptedServer([Script(TEXT), Script(TEXT)]) as server:
        await ask(server.base_url)
        session = connections.http()
        await connections.aclose()
        await connections.aclose()
        assert connections.http() is not session
        assert text_of(await ask(server.base_url)) == TEXT
    assert len(server.requests) == 2


def test_no_session_is_created_before_the_first_request(model_at, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aiohttp, "ClientSession", None)
    model_at("http://127.0.0.1:9/v1")

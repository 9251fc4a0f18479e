"""A connection made ahead is the one that the next request goes over, and costs not a byte of HTTP before."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from tests.models.relay import Relay

from twospeed.errors import ModelUnavailable, UnsafeEndpoint
from twospeed.models import http_session
from twospeed.models.base import Finished, ModelEvent, ModelRequest, ProviderSettings
from twospeed.models.connections import Connections
from twospeed.models.script import Script
from twospeed.models.scripted_server import ScriptedServer
from twospeed.models.socket_model import SocketModel

Ask = Callable[..., Awaitable[list[ModelEvent]]]


@pytest.fixture
async def server() -> AsyncIterator[ScriptedServer]:
    async with ScriptedServer(lambda _: Script("def f(): ...\n")) as server:
        yield server


@pytest.fixture
async def relay(server: ScriptedServer) -> AsyncIterator[Relay]:
    async with Relay(server.port) as relay:
        yield relay


async def connect(connections: Connections, base_url: str) -> None:
    await connections.connect(ProviderSettings("lab", "chat", base_url))


async def test_the_next_request_goes_over_it(connections: Connections, relay: Relay, ask: Ask) -> None:
    await connect(connections, relay.base_url)
    await relay.wait_until(n_opened=1)
    assert relay.n_bytes == 0
    assert await ask(relay.base_url)
    assert relay.n_opened == 1


async def test_an_idle_connection_is_not_made_twice(connections: Connections, relay: Relay, ask: Ask) -> None:
    for _ in range(20):
        await connect(connections, relay.base_url)
    assert await ask(relay.base_url)
    for _ in range(20):
        await connect(connections, relay.base_url)
    assert relay.n_opened == 1


async def test_one_that_the_server_has_closed_is_made_anew(
    connections: Connections, relay: Relay, ask: Ask
) -> None:
    await connect(connections, relay.base_url)
    await relay.wait_until(n_opened=1)
    relay.hang_up()
    await relay.wait_until(n_closed=1)
    await connect(connections, relay.base_url)
    assert await ask(relay.base_url)
    assert relay.n_opened == 2


async def test_a_socket_is_opened_over_it_and_while_it_is_open_no_other_is_made(
    connections: Connections, request_to_model: ModelRequest
) -> None:
    async with (
        ScriptedServer(lambda _: Script("def f(): ...\n"), takes_sockets=True) as server,
        Relay(server.port) as relay,
    ):
        provider = ProviderSettings("lab", "responses", relay.base_url, websocket=True)
        await connections.connect(provider)
        events = [
            event
            async for event in SocketModel(provider, "m", connections=connections).stream(request_to_model)
        ]
        assert Finished("stop") in events
        await connections.connect(provider)
        assert relay.n_opened == 1


async def test_an_idle_connection_is_closed_after_a_while(
    relay: Relay, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_session, "_KEEPALIVE_S", 0.05)
    connections = Connections()
    await connect(connections, relay.base_url)
    await relay.wait_until(n_opened=1, n_closed=1)
    await connections.aclose()


async def test_shutdown_closes_it(relay: Relay) -> None:
    connections = Connections()
    await connect(connections, relay.base_url)
    await relay.wait_until(n_opened=1)
    await connections.aclose()
    await relay.wait_until(n_closed=1)


@pytest.mark.security("R2")
@pytest.mark.parametrize("base_url", ["https://169.254.169.254/v1", "https://10.0.0.1/v1"])
async def test_an_address_where_no_request_may_go_is_not_connected_to(
    connections: Connections, base_url: str
) -> None:
    with pytest.raises(UnsafeEndpoint):
        await connect(connections, base_url)


async def test_nobody_there_is_an_error_of_the_model(connections: Connections) -> None:
    with pytest.raises(ModelUnavailable, match=re.escape("no connection to 127.0.0.1:9")):
        await connect(connections, "http://127.0.0.1:9/v1")

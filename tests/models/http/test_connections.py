"""A connection made in advance is used by the next request and sends no byte of HTTP before."""

from __future__ import annotations

import asyncio
import re
import socket
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from tests.models.relay import Relay

from twospeed.errors import ModelUnavailable, UnsafeEndpoint
from twospeed.models.base import Finished, ModelEvent, ModelRequest, ProviderSettings
from twospeed.models.http import connections, http_session
from twospeed.models.http.connections import Connections
from twospeed.models.http.http_model import HttpModel
from twospeed.models.websocket.socket_model import SocketModel
from twospeed.testing.script import Script
from twospeed.testing.scripted_server import ScriptedServer

A_NIGHT_S = 8 * 3600.0
A_NAP_S = 30.0

Ask = Callable[..., Awaitable[list[ModelEvent]]]
Sleep = Callable[[float], None]


@pytest.fixture
async def server() -> AsyncIterator[ScriptedServer]:
    async with ScriptedServer(lambda _: Script("def f(): ...\n")) as server:
        yield server


async def connect(connections: Connections, base_url: str) -> None:
    await connections.connect(ProviderSettings("lab", "chat", base_url))


async def test_the_next_request_uses_the_opened_connection(
    connections: Connections, relay: Relay, ask: Ask
) -> None:
    await connect(connections, relay.base_url)
    await relay.wait_until(n_opened=1)
    assert relay.n_bytes == 0
    assert await ask(relay.base_url)
    assert relay.n_opened == 1


async def test_an_idle_connection_is_not_opened_twice(
    connections: Connections, relay: Relay, ask: Ask
) -> None:
    for _ in range(20):
        await connect(connections, relay.base_url)
    assert await ask(relay.base_url)
    for _ in range(20):
        await connect(connections, relay.base_url)
    assert relay.n_opened == 1


async def test_a_connection_closed_by_the_server_is_replaced(
    connections: Connections, relay: Relay, ask: Ask
) -> None:
    await connect(connections, relay.base_url)
    await relay.wait_until(n_opened=1)
    relay.hang_up()
    await relay.wait_until(n_closed=1)
    await connect(connections, relay.base_url)
    assert await ask(relay.base_url)
    assert relay.n_opened == 2


async def test_a_connection_from_before_sleep_is_replaced(
    connections: Connections, relay: Relay, ask: Ask, sleep_for: Sleep
) -> None:
    await connect(connections, relay.base_url)
    await relay.wait_until(n_opened=1)
    relay.forget()
    sleep_for(A_NIGHT_S)
    async with asyncio.timeout(60):
        await connect(connections, relay.base_url)
        assert await ask(relay.base_url)
        assert await ask(relay.base_url)
    assert relay.n_opened == 2


async def test_an_answer_during_sleep_is_completed(
    relay: Relay,
    model_at: Callable[[str], HttpModel],
    request_to_model: ModelRequest,
    ask: Ask,
    sleep_for: Sleep,
) -> None:
    answer = model_at(relay.base_url).stream(request_to_model)
    await anext(answer)
    sleep_for(A_NIGHT_S)
    assert await ask(relay.base_url)
    assert Finished("stop") in [event async for event in answer]
    assert relay.n_opened == 2


async def test_a_short_sleep_keeps_the_connection(
    connections: Connections, relay: Relay, ask: Ask, sleep_for: Sleep
) -> None:
    await connect(connections, relay.base_url)
    sleep_for(A_NAP_S)
    assert await ask(relay.base_url)
    assert relay.n_opened == 1


async def test_an_open_websocket_needs_no_other_connection(
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


async def test_shutdown_closes_the_connection(relay: Relay) -> None:
    connections = Connections()
    await connect(connections, relay.base_url)
    await relay.wait_until(n_opened=1)
    await connections.aclose()
    await relay.wait_until(n_closed=1)


@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="of Linux")
@pytest.mark.parametrize(
    ("address", "dead_after_ms"),
    [
        ((socket.AF_INET, ("203.0.113.9", 443)), 5000),
        ((socket.AF_INET6, ("2001:db8::9", 443, 0, 0)), 5000),
        ((socket.AF_INET6, ("fe80::9%1", 443, 0, 1)), 5000),
        ((socket.AF_INET, ("127.0.0.1", 8080)), 0),
        ((socket.AF_INET6, ("::1", 8080, 0, 0)), 0),
    ],
    ids=str,
)
def test_a_dead_connection_is_closed_by_the_system(
    address: tuple[socket.AddressFamily, tuple[str, int]], dead_after_ms: int
) -> None:
    family, place = address
    with http_session.socket_for((family, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", place)) as made:
        assert made.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == dead_after_ms


@pytest.mark.security("R2")
@pytest.mark.parametrize("base_url", ["https://169.254.169.254/v1", "https://10.0.0.1/v1"])
async def test_a_forbidden_address_is_not_connected_to(connections: Connections, base_url: str) -> None:
    with pytest.raises(UnsafeEndpoint):
        await connect(connections, base_url)


async def test_without_a_server_the_model_is_unavailable(connections: Connections) -> None:
    with pytest.raises(ModelUnavailable, match=re.escape("no connection to 127.0.0.1:9")):
        await connect(connections, "http://127.0.0.1:9/v1")


async def test_connecting_for_a_model_file_starts_only_its_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    done: list[str] = []

    class Process:
        async def ready(self) -> None:
            done.append("ready")

    gguf = ProviderSettings("lab", "llama", "http://127.0.0.1:9/v1", gguf="m.gguf")
    connections = Connections()
    monkeypatch.setattr(connections, "process", lambda provider: Process() if provider is gguf else None)
    monkeypatch.setattr(connections, "http", lambda: done.append("http"))
    await connections.connect(gguf)
    assert done == ["ready"]


async def test_aiohttp_is_imported_once_in_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[bool] = []

    def imported(name: str) -> None:
        threads.append(threading.current_thread() is threading.main_thread())
        monkeypatch.setitem(sys.modules, name, http_session)

    monkeypatch.setattr(connections, "import_module", imported)
    monkeypatch.delitem(sys.modules, "twospeed.models.http.http_session")
    await connections.load_http()
    await connections.load_http()
    assert threads == [False]

"""Pages and WebSocket endpoints on the port of the language server."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass

import orjson
import pytest
from tests.lsp.transport.peer import LIMIT_S, initialize
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Origin, Subprotocol

from twospeed.budget.allowance import Allowance
from twospeed.errors import BudgetSpent
from twospeed.lsp.transport.auth import Authenticator
from twospeed.lsp.transport.connection_limit import MAX_CONNECTIONS
from twospeed.lsp.transport.socket_server import ListeningServer
from twospeed.lsp.transport.web_site import Page, Site
from twospeed.lsp.transport.websocket import listening_on_websocket

PAGE = Page("text/html; charset=utf-8", "<!doctype html>é".encode())


@dataclass
class RunningServer:
    port: int
    token: str

    def connect(self, path: str, token: str | None = None, origin: str | None = None) -> connect:
        return connect(
            f"ws://127.0.0.1:{self.port}{path}",
            subprotocols=[Subprotocol(f"twospeed.token.{self.token if token is None else token}")],
            origin=Origin(origin) if origin else None,
            proxy=None,
        )

    async def get(self, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
        """Send a GET request as a browser does."""
        headers = {"Host": f"127.0.0.1:{self.port}", **headers}
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        lines = [f"GET {path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items()), "", ""]
        writer.write("\r\n".join(lines).encode())
        async with asyncio.timeout(LIMIT_S):
            head, _, body = (await reader.read()).partition(b"\r\n\r\n")
        writer.close()
        await writer.wait_closed()
        status, *fields = head.decode().split("\r\n")
        return int(status.split()[1]), dict(field.split(": ", 1) for field in fields), body


@contextlib.asynccontextmanager
async def serving(site: Site) -> AsyncIterator[RunningServer]:
    authenticator = Authenticator()
    async with listening_on_websocket(0, ListeningServer({}), authenticator, site=site) as address:
        yield RunningServer(int(address.rpartition(":")[2]), authenticator.token)


async def exchange(websocket: ClientConnection, message: str) -> str | bytes:
    await websocket.send(message)
    async with asyncio.timeout(LIMIT_S):
        return await websocket.recv()


@pytest.mark.security("R5")
async def test_a_page_has_restrictive_headers():
    async with serving(Site(pages={"/": PAGE})) as server:
        status, headers, body = await server.get("/")
    assert (status, body) == (200, PAGE.body)
    expected = {
        "Content-Type": "text/html; charset=utf-8",
        "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
        f"connect-src ws://127.0.0.1:{server.port}; img-src 'none'; object-src 'none'; "
        "frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cache-Control": "no-store",
        "Connection": "close",
        "Content-Length": str(len(PAGE.body)),
    }
    assert {name: headers[name] for name in expected} == expected
    assert "Server" not in headers
    assert not any(name.startswith("Access-Control") for name in headers)


@pytest.mark.security("R5")
@pytest.mark.parametrize("path", ["/?x", "/../secret", "/other", "//", "/%2e", "http://evil.example/"])
async def test_an_unknown_path_is_not_found_with_restrictive_headers(path):
    async with serving(Site(pages={"/": PAGE})) as server:
        status, headers, body = await server.get(path)
    assert (status, body) == (404, b"")
    assert headers["Content-Security-Policy"].startswith("default-src 'none'")


@pytest.mark.security("R6.2")
@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "127.0.0.1"},
        {"Host": "127.0.0.1:1"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
    ],
)
async def test_a_foreign_host_or_origin_gets_no_page(headers):
    async with serving(Site(pages={"/": PAGE})) as server:
        status, _, body = await server.get("/", **headers)
    assert (status, body) == (403, b"")


async def test_an_endpoint_responds_to_messages_one_by_one():
    def answering():
        said: list[str] = []

        def answer(message: str) -> str:
            said.append(message)
            return json.dumps(said)

        return answer

    site = Site(endpoints={"/echo": answering})
    async with serving(site) as server, server.connect("/echo") as one, server.connect("/echo") as two:
        assert await exchange(one, "a") == '["a"]'
        assert await exchange(one, "b") == '["a", "b"]'
        assert await exchange(two, "c") == '["c"]', "each connection has its own"
        await one.send(b"bytes")
        with pytest.raises(ConnectionClosed):
            await one.recv()


@pytest.mark.security("R6.2")
@pytest.mark.parametrize(
    ("token", "origin", "status"), [("0" * 64, None, 401), (None, "http://evil.example", 403)]
)
async def test_a_connection_requires_authentication(token, origin, status):
    async with serving(Site(endpoints={"/echo": lambda: str})) as server:
        with pytest.raises(InvalidStatus) as refused:
            async with server.connect("/echo", token, origin):
                pass
    assert refused.value.response.status_code == status


@pytest.mark.security("R6.4")
async def test_endpoints_have_the_same_connection_limit_as_clients():
    async with (
        serving(Site(endpoints={"/echo": lambda: str})) as server,
        contextlib.AsyncExitStack() as stack,
    ):
        for _ in range(MAX_CONNECTIONS):
            websocket = await stack.enter_async_context(server.connect("/echo"))
            assert await exchange(websocket, "here") == "here"
        with pytest.raises(InvalidStatus) as refused:
            await stack.enter_async_context(server.connect("/echo"))
    assert refused.value.response.status_code == 503


async def test_a_site_receives_the_initialize_params():
    seen: list[object] = []

    def authenticate(params: object) -> object:
        seen.append(params)
        return params

    async with serving(Site(authenticate=authenticate)) as server, server.connect("/") as websocket:
        answer = orjson.loads(await exchange(websocket, orjson.dumps(initialize()).decode()))
    assert "result" in answer
    assert len(seen) == 1


class Spent:
    """A day's spending that counts edits and tokens."""

    def __init__(self) -> None:
        self.edits = self.tokens = 0

    def check(self) -> None:
        pass

    def note_edit(self) -> None:
        self.edits += 1

    def note_tokens(self, n_tokens: int) -> None:
        self.tokens += n_tokens

    def note_lines(self, n_lines: int) -> None:
        pass


@pytest.mark.security("R6.5")
def test_connections_share_an_allowance_and_the_day_counts_too():
    allowance = Allowance(n_edits=2, n_tokens=100, remedy="start again")
    days = [Spent(), Spent()]
    one, two = (allowance.within(day) for day in days)
    for each in (one, two):
        each.check()
        each.note_edit()
    with pytest.raises(BudgetSpent, match="the allowance of 2 edits is used up; start again"):
        one.check()
    assert [day.edits for day in days] == [1, 1]


@pytest.mark.security("R6.5")
def test_tokens_past_the_allowance_stop_the_next_edit():
    allowance = Allowance(n_edits=9, n_tokens=100, remedy="start again")
    one = allowance.within(Spent())
    one.note_tokens(99)
    one.check()
    one.note_tokens(1)
    with pytest.raises(BudgetSpent, match="100 tokens"):
        one.check()

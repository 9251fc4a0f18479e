"""The start of a request body is sent in advance, and only the request that begins so continues it."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from itertools import takewhile

import pytest
from aiohttp import web
from tests.models.conftest import Api
from tests.models.events import text_of
from tests.models.relay import Relay

from twospeed.errors import ModelError
from twospeed.models.base import EditTask, Finished, Message, ModelRequest, ProviderSettings
from twospeed.models.http import http_model, streamed_request_body
from twospeed.models.http.connections import Connections
from twospeed.models.http.endpoints import parse_endpoint
from twospeed.models.http.http_model import HttpModel
from twospeed.models.keys.secret import Secret
from twospeed.testing.script import Hang, Script
from twospeed.testing.scripted_server import ScriptedServer

FILE = "def total(rows): ...  # é😋\n" * 1000
TEXT = "def total(rows):\n    return sum(rows)\n"

ModelAt = Callable[..., HttpModel]


def request_for(instruction: str, file: str = FILE, **more: object) -> ModelRequest:
    prompt = Message("user", f"{file}\n{instruction}", n_stable=len(file))
    task = EditTask(instruction, "python", "", lambda _text: True)
    request = ModelRequest((Message("system", "You edit code."), prompt), task, max_output_tokens=512)
    return replace(request, **more)  # type: ignore[arg-type]


@pytest.fixture
def model_at(connections: Connections, api: Api) -> ModelAt:
    def make(base_url: str, *, key: str = "lab-live-0123456789abcdef", early_body: bool = True) -> HttpModel:
        settings = ProviderSettings("lab", api, base_url, "LAB_API_KEY", early_body=early_body)
        secret = Secret(key, name="LAB_API_KEY", origins=[parse_endpoint(base_url).origin])
        return HttpModel(settings, "m", connections=connections, key=secret)

    return make


@pytest.fixture
async def server() -> AsyncIterator[ScriptedServer]:
    async with ScriptedServer(lambda _: Script(TEXT)) as server:
        yield server


async def ask(model: HttpModel, request: ModelRequest) -> str:
    """Return the text of a whole answer."""
    events = [event async for event in model.stream(request)]
    assert events[-1] == Finished("stop")
    return text_of(events)


async def sent_ahead(model: HttpModel, relay: Relay, request: ModelRequest) -> None:
    """Send a start, and wait until the server has received it."""
    n_bytes = relay.n_bytes + len(request.messages[-1].content[: request.messages[-1].n_stable].encode())
    model.send_ahead(request)
    await relay.wait_until(n_bytes=n_bytes)


@pytest.mark.parametrize("api", ["chat", "responses", "messages"])
async def test_the_edit_continues_the_started_request(
    model_at: ModelAt, server: ScriptedServer, relay: Relay
) -> None:
    assert await ask(model_at(server.base_url, early_body=False), request_for("add a docstring")) == TEXT
    model = model_at(relay.base_url)
    await sent_ahead(model, relay, request_for("not known yet"))
    assert len(server.requests) == 1
    n_bytes = relay.n_bytes
    assert await ask(model, request_for("add a docstring")) == TEXT
    assert relay.n_bytes - n_bytes < 1000
    plain, early = server.requests
    assert early.body == plain.body
    assert "content-length" in plain.headers
    assert early.headers["transfer-encoding"] == "chunked"
    assert early.headers["authorization" if "authorization" in plain.headers else "x-api-key"]
    assert relay.n_opened == 1
    assert await ask(model, request_for("and another")) == TEXT
    assert server.requests[-1].headers["content-length"]


async def test_only_the_stable_start_is_sent_ahead(
    model_at: ModelAt, relay: Relay, server: ScriptedServer
) -> None:
    begun: list[bytes] = []

    class Noted(streamed_request_body.StreamedRequestBodies):
        def begin(self, where: str, start: bytes, *args: object) -> None:
            begun.append(start)

    model = model_at(relay.base_url)
    model._connections._streamed_bodies = Noted()
    model.send_ahead(request_for("secret words"))
    [start] = begun
    assert start.endswith("...  # é😋\\n".encode())
    assert b"secret" not in start


@pytest.mark.parametrize(
    "other",
    [
        request_for("add a docstring", FILE + "x = 1\n"),
        request_for("add a docstring", "import os\n" + FILE),
        request_for("add a docstring", messages=(Message("user", "add a docstring"),)),
    ],
    ids=["more", "less", "else"],
)
async def test_a_request_with_another_start_is_sent_whole(
    model_at: ModelAt, server: ScriptedServer, relay: Relay, other: ModelRequest
) -> None:
    model = model_at(relay.base_url)
    await sent_ahead(model, relay, request_for("", FILE + "\n"))
    assert await ask(model, other) == TEXT
    [asked] = server.requests
    assert asked.headers["content-length"]
    await relay.wait_until(n_closed=1)


async def test_a_request_with_another_key_is_sent_whole(
    model_at: ModelAt, server: ScriptedServer, relay: Relay
) -> None:
    await sent_ahead(model_at(relay.base_url), relay, request_for(""))
    assert await ask(model_at(relay.base_url, key="lab-live-another-0123456"), request_for("x")) == TEXT
    [asked] = server.requests
    assert asked.headers["authorization"] == "Bearer lab-live-another-0123456"


async def test_the_same_start_is_sent_once_and_another_replaces_it(
    model_at: ModelAt, server: ScriptedServer, relay: Relay
) -> None:
    model = model_at(relay.base_url)
    await sent_ahead(model, relay, request_for("a"))
    for instruction in ("b", "c"):
        model.send_ahead(request_for(instruction))
    assert relay.n_opened == 1
    await sent_ahead(model, relay, request_for("", "import os\n" + FILE))
    await relay.wait_until(n_opened=2, n_closed=1)
    assert await ask(model, request_for("x", "import os\n" + FILE)) == TEXT
    assert relay.n_opened == 2
    assert len(server.requests) == 1


async def test_an_unused_request_start_is_dropped_after_a_while(
    model_at: ModelAt, server: ScriptedServer, relay: Relay, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streamed_request_body, "MAX_WAIT_FOR_END_S", 0.1)
    model = model_at(relay.base_url)
    await sent_ahead(model, relay, request_for(""))
    await relay.wait_until(n_closed=1)
    assert server.requests == []
    assert await ask(model, request_for("x")) == TEXT
    assert len(server.requests) == 1


async def test_nothing_is_sent_ahead_if_not_configured_or_without_benefit(
    model_at: ModelAt, server: ScriptedServer, relay: Relay
) -> None:
    model_at(relay.base_url, early_body=False).send_ahead(request_for(""))
    model_at(relay.base_url).send_ahead(request_for("", "x = 1\n"))
    model_at(relay.base_url).send_ahead(request_for("", messages=(Message("user", FILE),)))
    assert await ask(model_at(relay.base_url), request_for("x")) == TEXT
    assert relay.n_opened == 1


async def test_a_consumer_that_leaves_closes_the_connection(
    model_at: ModelAt, request_to_model: ModelRequest
) -> None:
    async with ScriptedServer([Script(TEXT, faults=(Hang(None),))]) as server, Relay(server.port) as relay:
        model = model_at(relay.base_url)
        await sent_ahead(model, relay, request_for(""))
        asking = asyncio.create_task(ask(model, request_for("x")))
        await server.wait_for_requests()
        asking.cancel()
        await relay.wait_until(n_closed=1)


async def test_shutdown_drops_a_started_request(
    model_at: ModelAt, connections: Connections, relay: Relay
) -> None:
    complaints: list[dict[str, object]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: complaints.append(context))
    await sent_ahead(model_at(relay.base_url), relay, request_for(""))
    await connections.aclose()
    await relay.wait_until(n_closed=1)
    gc.collect()
    assert complaints == []


# Endpoints that are not made for it


@dataclass
class Choosy:
    """An endpoint that answers a chunked request as ``meet`` defines, and any other normally."""

    meet: Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]
    base_url: str = ""
    has_met: asyncio.Event = field(default_factory=asyncio.Event)
    ways: list[str] = field(default_factory=list)

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        if "transfer-encoding" in request.headers:
            self.ways.append("chunks")
            try:
                return await self.meet(request)
            finally:
                self.has_met.set()
        self.ways.append("plain")
        return await self.answer_plainly(request)

    async def answer_plainly(self, request: web.BaseRequest) -> web.StreamResponse:
        await request.read()
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        await response.write(b'data: {"choices":[{"delta":{"content":"pass"},"finish_reason":"stop"}]}\n\n')
        return response


@asynccontextmanager
async def choosy(meet: Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]) -> AsyncIterator[Choosy]:
    endpoint = Choosy(meet)
    met = web.Server(endpoint.answer, handler_cancellation=True, access_log=None)
    runner = web.ServerRunner(met, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    endpoint.base_url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    try:
        yield endpoint
    finally:
        await runner.cleanup()


async def answer_at_once(request: web.BaseRequest) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    await asyncio.get_running_loop().create_future()  # until the client leaves
    return response


async def refuse_at_once(request: web.BaseRequest) -> web.StreamResponse:
    return web.Response(status=411)


async def close_at_once(request: web.BaseRequest) -> web.StreamResponse:
    assert request.transport is not None
    request.transport.close()
    return web.Response()


async def refuse_in_the_end(request: web.BaseRequest) -> web.StreamResponse:
    await request.read()
    return web.json_response({"error": {"message": "no chunks here"}}, status=400)


async def close_in_the_end(request: web.BaseRequest) -> web.StreamResponse:
    await request.read()
    return await close_at_once(request)


@pytest.mark.parametrize("meet", [answer_at_once, refuse_at_once, close_at_once])
async def test_a_server_that_does_not_wait_for_the_body_gets_plain_requests(
    model_at: ModelAt, meet: Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]
) -> None:
    complaints: list[dict[str, object]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: complaints.append(context))
    async with choosy(meet) as endpoint:
        model = model_at(endpoint.base_url)
        model.send_ahead(request_for(""))
        [begun] = model._connections.streamed_bodies()._started.values()
        async with asyncio.timeout(60):
            await asyncio.wait([begun._answer])
            await endpoint.has_met.wait()
        model.send_ahead(request_for(""))
        no_more = request_for("x", may_send_again=lambda: False)
        assert await ask(model, no_more) == "pass"
        assert endpoint.ways == ["chunks", "plain"]
    gc.collect()
    assert complaints == []


@pytest.mark.parametrize("meet", [refuse_in_the_end, close_in_the_end])
async def test_a_server_that_refuses_a_streamed_body_gets_plain_requests_from_then_on(
    model_at: ModelAt, meet: Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]
) -> None:
    async with choosy(meet) as endpoint:
        model = model_at(endpoint.base_url)
        for _ in range(2):
            model.send_ahead(request_for(""))
            assert await ask(model, request_for("x")) == "pass"
        assert endpoint.ways == ["chunks", "plain", "plain"]


@pytest.mark.parametrize("meet", [refuse_in_the_end, close_in_the_end])
async def test_a_streamed_body_does_not_exceed_the_requests_of_the_edit(
    model_at: ModelAt, meet: Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]
) -> None:
    async with choosy(meet) as endpoint:
        model = model_at(endpoint.base_url)
        model.send_ahead(request_for(""))
        with pytest.raises(ModelError):
            await ask(model, request_for("x", may_send_again=lambda: False))
        assert endpoint.ways == ["chunks"]


async def test_a_refused_field_does_not_count_as_refused_chunks(model_at: ModelAt) -> None:
    async def refuse_the_effort(request: web.BaseRequest) -> web.StreamResponse:
        if "reasoning_effort" not in await request.json():
            return await endpoint.answer_plainly(request)
        error = {"message": "Unsupported parameter: 'reasoning_effort'", "param": "reasoning_effort"}
        return web.json_response({"error": {**error, "code": "unsupported_parameter"}}, status=400)

    async with choosy(refuse_the_effort) as endpoint:
        model = model_at(endpoint.base_url)
        for _ in range(2):
            model.send_ahead(request_for("", effort="low", is_effort_default=True))
            assert await ask(model, request_for("x", effort="low", is_effort_default=True)) == "pass"
        assert endpoint.ways == ["chunks", "plain", "chunks"]


def test_the_common_start_of_two_bodies_is_exact() -> None:
    words = [
        b"",
        b"a",
        b"b",
        b"ab",
        b"abc",
        b"abd",
        b"abcdefgh",
        b"abcdefgi",
        b"x" * 1000 + b"y",
        b"x" * 1001,
    ]
    for one in words:
        for other in words:
            n_alike = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))))
            assert http_model._common_start(one, other) == one[:n_alike]

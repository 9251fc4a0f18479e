"""An event that is nested too deeply is refused in every protocol."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import orjson
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from tests.models.websocket.over_socket import ModelAt
from tests.models.websocket.over_socket import ask as ask_socket
from tests.timing import check_linear

from twospeed.errors import ModelProtocolError
from twospeed.models.base import ModelRequest
from twospeed.models.codecs.decoder import MAX_DEPTH, UnreadableEventError, parse_json
from twospeed.models.codecs.table import CODECS
from twospeed.testing.script import Inject, Script
from twospeed.testing.scripted_server import ScriptedServer

TEXT = "a = 1\n"
SURROGATE = b'"\\ud800"'


def nested(depth: int, ground: bytes, *, is_object: bool = False) -> bytes:
    """Nest a value in ``depth`` levels of objects or lists."""
    opens, closes = (b'{"x":', b"}") if is_object else (b"[", b"]")
    return b'{"x":' + opens * (depth - 1) + ground + closes * (depth - 1) + b"}"


@pytest.mark.security("R9")
@pytest.mark.parametrize("api", CODECS)
@pytest.mark.parametrize("depth", [MAX_DEPTH + 1, 900, 5000])
@pytest.mark.parametrize("ground", [SURROGATE, b"1"], ids=["surrogate", "number"])
async def test_an_answer_with_a_deep_event_fails_with_that_reason(
    ask, api: str, depth: int, ground: bytes
) -> None:
    deep = Inject(b"data: " + nested(depth, ground) + b"\n\n")
    async with ScriptedServer([Script(TEXT, faults=(deep,))]) as server:
        with pytest.raises(ModelProtocolError, match="an event that is nested too deeply"):
            await ask(server.base_url)


@pytest.mark.security("R9")
@pytest.mark.parametrize("ground", [SURROGATE, b"1"], ids=["surrogate", "number"])
async def test_an_answer_with_a_deep_event_fails_over_a_websocket(
    socket_model_at: ModelAt, request_to_model: ModelRequest, ground: bytes
) -> None:
    async def answer(request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await socket.receive()
        await socket.send_str(nested(900, ground).decode())
        await socket.receive()
        return socket

    app = web.Application()
    app.router.add_get("/v1/responses", answer)
    async with TestServer(app) as server, asyncio.timeout(60):
        place = SimpleNamespace(base_url=str(server.make_url("/v1")))
        with pytest.raises(ModelProtocolError, match="an event that is nested too deeply"):
            await ask_socket(socket_model_at(place), request_to_model)  # type: ignore[arg-type]  # it has the address


@pytest.mark.parametrize("is_object", [True, False])
@pytest.mark.parametrize("ground", [SURROGATE, b'"a"'])
def test_events_at_the_depth_limit_are_parsed(ground: bytes, is_object: bool) -> None:
    assert parse_json(nested(MAX_DEPTH, ground, is_object=is_object))
    assert parse_json(nested(MAX_DEPTH, ground, is_object=is_object).decode())


def test_brackets_in_text_do_not_count() -> None:
    for text in ("[" * 5000, '\\"[' * 5000, "{[" * 3000 + '"', "\\" * 999 + "[" * 999):
        assert parse_json(orjson.dumps({"delta": text})) == {"delta": text}


def test_sibling_brackets_do_not_count() -> None:
    assert parse_json(b"[" + b",".join([b'{"a":[]}'] * 1000) + b"]")


@pytest.mark.parametrize(
    ("start", "part"),
    [(b"", b"["), (b'"', b'\\"'), (b"", b"[]"), (b"", b"{["), (b"", b"[" * 60 + b"]" * 60)],
)
def test_a_hostile_event_takes_linear_time(start: bytes, part: bytes) -> None:
    def load(n: int) -> None:
        with pytest.raises(UnreadableEventError):
            parse_json(start + part * (n // len(part)))

    check_linear(load, 250_000)

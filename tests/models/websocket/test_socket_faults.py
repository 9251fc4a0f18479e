"""Faults of a WebSocket: before the first event HTTP is used, after it the answer ends in an error."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import replace

import pytest
from aiohttp import web
from tests.models.events import text_of
from tests.models.websocket.over_socket import OTHER, TEXT, ModelAt, ask, n_sockets, ways

from twospeed.errors import (
    AnswerBrokeOff,
    InvalidKey,
    ModelError,
    ModelProtocolError,
    RateLimited,
    UnsafeEndpoint,
)
from twospeed.models.base import (
    Finished,
    ModelEvent,
    ModelRequest,
    ProviderSettings,
    TextDelta,
)
from twospeed.models.http.connections import Connections
from twospeed.models.http.endpoints import parse_endpoint
from twospeed.models.keys.secret import Secret
from twospeed.models.websocket import responses_socket
from twospeed.models.websocket.socket_model import SocketModel
from twospeed.testing import script_responses
from twospeed.testing.script import Drop, Hang, Inject, Reply, Script
from twospeed.testing.scripted_server import RecordedRequest, ScriptedServer


async def test_an_answer_without_a_free_stream_comes_over_http(
    socket_model_at: ModelAt, request_to_model: ModelRequest
) -> None:
    def pick(request: RecordedRequest) -> Script:
        return Script(TEXT, faults=(Hang(),) if request.method == "WS" else ())

    async with ScriptedServer(pick, takes_sockets=True) as server:
        hanging = [
            asyncio.create_task(ask(socket_model_at(server), request_to_model))
            for _ in range(responses_socket.MAX_STREAMS)
        ]
        await server.wait_for_requests(len(hanging))
        assert text_of(await ask(socket_model_at(server), request_to_model)) == TEXT
        for task in hanging:
            task.cancel()
        await asyncio.gather(*hanging, return_exceptions=True)
    assert ways(server) == ["WS"] * responses_socket.MAX_STREAMS + ["POST"]


def refused(status: int, code: str, message: str = "words") -> Script:
    body = b'{"error": {"type": "invalid_request_error", "code": "%s", "message": "%s"}}'
    return Script(TEXT, faults=(Reply(status, {}, body % (code.encode(), message.encode())),))


def over_http(request: RecordedRequest) -> bool:
    return request.method == "POST"


@pytest.mark.parametrize(
    "code", ["websocket_stream_limit_reached", "invalid_stream_id", "previous_response_not_found"]
)
async def test_an_error_of_the_socket_falls_back_to_http_and_pauses_the_socket(
    socket_model_at: ModelAt, request_to_model: ModelRequest, code: str
) -> None:
    async with ScriptedServer(
        lambda request: Script(TEXT) if over_http(request) else refused(400, code), takes_sockets=True
    ) as server:
        for _ in range(2):
            assert text_of(await ask(socket_model_at(server), request_to_model)) == TEXT
    assert ways(server) == ["WS", "POST", "POST"]


async def test_a_connection_at_its_limit_is_replaced_for_the_next_answer(
    socket_model_at: ModelAt, request_to_model: ModelRequest
) -> None:
    scripts = [refused(400, "websocket_connection_limit_reached"), Script(TEXT), Script(OTHER)]
    async with ScriptedServer(scripts, takes_sockets=True) as server:
        assert text_of(await ask(socket_model_at(server), request_to_model)) == TEXT
        assert text_of(await ask(socket_model_at(server), request_to_model)) == OTHER
    assert ways(server) == ["WS", "POST", "WS"]
    assert n_sockets(server) == 2


REFUSED_EFFORT = refused(400, "unsupported_parameter", "Unsupported parameter: 'reasoning.effort'")


async def test_a_refused_field_is_omitted_from_then_on(
    socket_model_at: ModelAt, request_to_model: ModelRequest
) -> None:
    request = replace(request_to_model, effort="low", is_effort_default=True)
    async with ScriptedServer([REFUSED_EFFORT, Script(TEXT), Script(OTHER)], takes_sockets=True) as server:
        assert text_of(await ask(socket_model_at(server), request)) == TEXT
        assert text_of(await ask(socket_model_at(server), request)) == OTHER
    assert ways(server) == ["WS", "WS", "WS"]
    assert ["reasoning" in each.body for each in server.requests] == [True, False, False]
    assert n_sockets(server) == 1


async def test_an_effort_of_the_user_is_not_omitted(
    socket_model_at: ModelAt, request_to_model: ModelRequest
) -> None:
    request = replace(request_to_model, effort="low", is_effort_default=False)
    async with ScriptedServer([REFUSED_EFFORT], takes_sockets=True) as server:
        with pytest.raises(ModelProtocolError, match="Unsupported parameter"):
            await ask(socket_model_at(server), request)
    assert ways(server) == ["WS"]


async def test_a_field_is_omitted_only_if_the_request_may_be_sent_again(
    socket_model_at: ModelAt, request_to_model: ModelRequest
) -> None:
    request = replace(request_to_model, effort="low", is_effort_default=True, may_send_again=lambda: False)
    async with ScriptedServer([REFUSED_EFFORT], takes_sockets=True) as server:
        with pytest.raises(ModelProtocolError, match="Unsupported parameter"):
            await ask(socket_model_at(server), request)
    assert ways(server) == ["WS"]


@pytest.mark.security("R10.4")
@pytest.mark.parametrize(
    ("script", "expected"),
    [
        (refused(401, "invalid_api_key"), InvalidKey),
        (refused(429, "rate_limit_exceeded"), RateLimited),
        (refused(400, "unsupported_value"), ModelProtocolError),
        (
            Script(
                TEXT, faults=(Inject(script_responses.failed_event("x", code="rate_limit_exceeded")), Hang())
            ),
            RateLimited,
        ),
        (
            Script(TEXT, faults=(Inject(script_responses.error_event("x", code="slow_down"), 3), Hang(3))),
            ModelError,
        ),
    ],
)
async def test_an_error_of_the_provider_is_not_retried(
    socket_model_at: ModelAt, request_to_model: ModelRequest, script: Script, expected: type[ModelError]
) -> None:
    async with ScriptedServer([script, Script(TEXT)], takes_sockets=True) as server:
        with pytest.raises(expected):
            await ask(socket_model_at(server), request_to_model)
        assert ways(server) == ["WS"]
        assert text_of(await ask(socket_model_at(server), request_to_model)) == TEXT


CLOSE_CODES = [None, 1001, 1008, 1009, 1011, 1012, 1013]


@pytest.mark.parametrize("code", CLOSE_CODES)
async def test_a_socket_closed_before_the_first_event_falls_back_to_http(
    socket_model_at: ModelAt, request_to_model: ModelRequest, code: int | None
) -> None:
    dropped = Script(TEXT, faults=(Drop(None, code),))
    async with ScriptedServer([dropped, Script(TEXT), Script(OTHER)], takes_sockets=True) as server:
        assert text_of(await ask(socket_model_at(server), request_to_model)) == TEXT
        assert text_of(await ask(socket_model_at(server), request_to_model)) == OTHER
    assert ways(server) == ["WS", "POST", "POST"]


async def test_a_socket_is_tried_again_after_its_pause(
    socket_model_at: ModelAt, request_to_model: ModelRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(responses_socket, "_PAUSE_S", 0.0)
    dropped = Script(TEXT, faults=(Drop(None, 1013),))
    async with ScriptedServer([dropped, Script(TEXT), Script(OTHER)], takes_sockets=True) as server:
        assert text_of(await ask(socket_model_at(server), request_to_model)) == TEXT
        assert text_of(await ask(socket_model_at(server), request_to_model)) == OTHER
    assert ways(server) == ["WS", "POST", "WS"]


@pytest.mark.security("R10.3")
@pytest.mark.parametrize("code", CLOSE_CODES)
async def test_a_started_answer_breaks_off_and_is_not_repeated(
    socket_model_at: ModelAt, request_to_model: ModelRequest, code: int | None
) -> None:
    events: list[ModelEvent] = []
    dropped = Script(TEXT, faults=(Drop(3, code),))
    async with ScriptedServer([dropped, Script(OTHER)], takes_sockets=True) as server:
        with pytest.raises(AnswerBrokeOff, match=str(code or 1006)):
            await ask(socket_model_at(server), request_to_model, into=events)
        assert TEXT.startswith(text_of(events))
        assert ways(server) == ["WS"]
        assert text_of(await ask(socket_model_at(server), request_to_model)) == OTHER
    assert n_sockets(server) == 2


async def test_an_endpoint_without_a_websocket_is_used_over_http(
    socket_model_at: ModelAt, request_to_model: ModelRequest
) -> None:
    async with ScriptedServer([Script(TEXT)] * 2) as server:
        for _ in range(2):
            assert text_of(await ask(socket_model_at(server), request_to_model)) == TEXT
    assert ways(server) == ["GET", "POST", "POST"]


# What no provider of ours would say


@pytest.fixture
async def serve() -> AsyncIterator[Callable[[Callable[[web.WebSocketResponse, str], object]], object]]:
    """``await serve(talk)``: a server whose sockets answer each message as ``talk`` does; gives its base URL."""
    runners: list[web.ServerRunner] = []

    async def start(talk):
        async def answer(request: web.BaseRequest) -> web.StreamResponse:
            if request.method != "GET":
                return web.Response(status=500)
            socket = web.WebSocketResponse()
            await socket.prepare(request)
            async for message in socket:
                await talk(socket, message.json()["stream_id"])
            return socket

        runners.append(web.ServerRunner(web.Server(answer, access_log=None), shutdown_timeout=0.1))
        await runners[-1].setup()
        await web.TCPSite(runners[-1], "127.0.0.1", 0).start()
        return f"http://127.0.0.1:{runners[-1].addresses[0][1]}"

    yield start
    for runner in runners:
        await runner.cleanup()


@pytest.fixture
def model_behind(connections: Connections) -> Callable[[str], SocketModel]:
    def make(base_url: str) -> SocketModel:
        settings = ProviderSettings("lab", "responses", base_url, websocket=True)
        return SocketModel(settings, "m", connections=connections, connect_s=1.0)

    return make


DELTA = '{"type": "response.output_text.delta",\r\n "delta": "a"}'
LAST = '{"type": "response.completed", "response": {}}'


async def test_events_without_a_stream_id_belong_to_the_only_stream(
    serve, model_behind, request_to_model: ModelRequest
) -> None:
    async def talk(socket: web.WebSocketResponse, _stream_id: str) -> None:
        await socket.send_str(DELTA)
        await socket.send_str(LAST)

    assert await ask(model_behind(await serve(talk)), request_to_model) == [TextDelta("a"), Finished("stop")]


async def test_an_endpoint_without_stream_ids_gets_one_response_at_a_time(
    serve, model_behind, request_to_model: ModelRequest
) -> None:
    may_end = asyncio.Event()

    async def talk(socket: web.WebSocketResponse, _stream_id: str) -> None:
        await socket.send_str(DELTA)
        await may_end.wait()
        await socket.send_str(LAST)

    model = model_behind(await serve(talk))
    first = model.stream(request_to_model)
    assert await anext(first) == TextDelta("a")
    with pytest.raises(ModelError, match="HTTP 500"):  # over HTTP, where there is nothing
        await ask(model, request_to_model)
    may_end.set()
    assert [event async for event in first] == [Finished("stop")]
    assert await ask(model, request_to_model) == [TextDelta("a"), Finished("stop")]


async def test_an_error_without_a_stream_id_belongs_to_all_streams(
    serve, model_behind, request_to_model: ModelRequest
) -> None:
    asked: list[str] = []

    async def talk(socket: web.WebSocketResponse, stream_id: str) -> None:
        asked.append(stream_id)
        if len(asked) == 2:
            await socket.send_str('{"type": "error", "error": {"code": "rate_limit_exceeded"}}')

    model = model_behind(await serve(talk))
    answers = await asyncio.gather(*[ask(model, request_to_model) for _ in range(2)], return_exceptions=True)
    assert [type(answer) for answer in answers] == [RateLimited] * 2


@pytest.mark.security("R10.4")
@pytest.mark.parametrize("sent", ["{nope", "7", "[]", '{"error": 7}', '"\\ud83d"'])
async def test_an_invalid_message_is_a_protocol_error(
    serve, model_behind, request_to_model: ModelRequest, sent: str
) -> None:
    async def talk(socket: web.WebSocketResponse, _stream_id: str) -> None:
        await socket.send_str(sent)

    with pytest.raises(ModelError):
        await ask(model_behind(await serve(talk)), request_to_model)


@pytest.mark.security("R10.4")
async def test_fields_of_a_wrong_type_are_ignored(
    serve, model_behind, request_to_model: ModelRequest
) -> None:
    async def talk(socket: web.WebSocketResponse, stream_id: str) -> None:
        for sent in ('{"type": ["error"]}', '{"type": {}, "stream_id": []}', '{"stream_id": "another"}'):
            await socket.send_str(sent)
        await socket.send_json({"type": "error", "stream_id": stream_id, "error": {"code": ["x"]}})

    with pytest.raises(ModelError, match="could not answer"):
        await ask(model_behind(await serve(talk)), request_to_model)


@pytest.mark.security("R10.1")
@pytest.mark.parametrize("is_text", [True, False], ids=["5 MiB in one message", "bytes"])
async def test_a_binary_or_oversized_message_ends_the_connection(
    serve, model_behind, request_to_model: ModelRequest, is_text: bool
) -> None:
    async def talk(socket: web.WebSocketResponse, _stream_id: str) -> None:
        await socket.send_str(DELTA)
        if is_text:
            await socket.send_str("x" * 5 * 2**20)
        else:
            await socket.send_bytes(b"x")

    with pytest.raises(AnswerBrokeOff):
        await ask(model_behind(await serve(talk)), request_to_model)


@pytest.mark.security("R8")
async def test_a_redirect_of_a_websocket_is_not_followed(
    connections: Connections, request_to_model: ModelRequest, lab_key: str
) -> None:
    async def redirect(request: web.BaseRequest) -> web.StreamResponse:
        return web.Response(status=307, headers={"Location": f"{target.base_url}/responses"})

    async with ScriptedServer([Script(TEXT)], takes_sockets=True) as target:
        runner = web.ServerRunner(web.Server(redirect, access_log=None))
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        base_url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        key = Secret(lab_key, name="LAB_API_KEY", origins=[parse_endpoint(base_url).origin])
        settings = ProviderSettings("lab", "responses", base_url, "LAB_API_KEY", websocket=True)
        model = SocketModel(settings, "m", connections=connections, key=key)
        with pytest.raises(ModelProtocolError, match="redirects"):
            await ask(model, request_to_model)
        await runner.cleanup()
    assert target.requests == []


@pytest.mark.security("R8")
async def test_the_address_of_a_websocket_is_checked(
    connections: Connections, request_to_model: ModelRequest
) -> None:
    settings = ProviderSettings("lab", "responses", "https://169.254.169.254/v1", websocket=True)
    with pytest.raises(UnsafeEndpoint, match="link-local"):
        await ask(SocketModel(settings, "m", connections=connections), request_to_model)


async def test_a_slow_websocket_handshake_falls_back_to_http(
    connections: Connections, request_to_model: ModelRequest
) -> None:
    async def hang(request: web.BaseRequest) -> web.StreamResponse:
        if request.method == "GET":
            await asyncio.get_running_loop().create_future()
        lines = f"data: {DELTA}".replace("\r\n", ""), f"data: {LAST}"
        body = "".join(f"{line}\n\n" for line in lines)
        return web.Response(text=body, content_type="text/event-stream")

    runner = web.ServerRunner(
        web.Server(hang, access_log=None, handler_cancellation=True), shutdown_timeout=0.1
    )
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    settings = ProviderSettings(
        "lab", "responses", f"http://127.0.0.1:{runner.addresses[0][1]}", websocket=True
    )
    model = SocketModel(settings, "m", connections=connections, connect_s=0.1)
    try:
        assert await ask(model, request_to_model) == [TextDelta("a"), Finished("stop")]
    finally:
        await runner.cleanup()

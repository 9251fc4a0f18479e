"""Play a provider from scripts: a real HTTP server on 127.0.0.1 that speaks all protocols we do.

For tests, demos and benchmarks. It is faithful enough for the official SDKs, streaming and not, holds the rate of
tokens it is asked for, and misbehaves as it is asked to (`script`).
Deliberately absent: any model. It says what it was told to say.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain
from types import TracebackType
from typing import Self

import orjson
from aiohttp import web

from . import script_chat, script_messages, script_responses
from .script import Drop, Hang, Inject, Reply, Script, Step, Token
from .sse import SseSplitter

_WRITE_BYTES = 16 * 1024
_MAX_REQUEST_BYTES = 64 * 1024 * 1024
_MODEL = "scripted"


@dataclass(frozen=True, slots=True)
class RecordedRequest:
    """A request as it came.

    Attributes:
        headers: Names are in lower case.
        body: ``{}`` where there is no JSON object.
        client_port: Tells one connection from another.
    """

    method: str
    path: str
    headers: dict[str, str]
    body: dict[str, object]
    client_port: int

    @property
    def model(self) -> str:
        """The model it asks for."""
        return str(self.body.get("model", _MODEL))


@dataclass(frozen=True, slots=True)
class _Wire:
    """How a protocol answers: as a stream, and as one JSON object."""

    streamed: Callable[[Script, RecordedRequest], Iterator[Step]]
    unstreamed: Callable[..., dict[str, object]]


_WIRES = {
    "/v1/chat/completions": _Wire(
        lambda script, request: script_chat.streamed(
            script, model=request.model, with_usage=_wants_usage(request)
        ),
        script_chat.unstreamed,
    ),
    "/v1/responses": _Wire(
        lambda script, request: script_responses.streamed(script, model=request.model),
        script_responses.unstreamed,
    ),
    "/v1/messages": _Wire(
        lambda script, request: script_messages.streamed(script, model=request.model),
        script_messages.unstreamed,
    ),
}


Answers = Iterable[Script] | Callable[[RecordedRequest], Script]
"""Scripts in the order of requests, or a function that picks one."""


class ScriptedServer:
    """``async with ScriptedServer([Script("…")]) as server: … server.base_url``.

    Attributes:
        requests: Every request that came, of whatever path; a message of a WebSocket has the method ``WS``.
        disconnects: How many answers the client left before their end.

    Args:
        answers: What to say.
        takes_sockets: Whether Responses are spoken over a WebSocket too.
    """

    def __init__(self, answers: Answers = (), *, takes_sockets: bool = False) -> None:
        self._pick = answers if callable(answers) else _in_order(answers)
        self._takes_sockets = takes_sockets
        self._runner: web.AppRunner | None = None
        self._news = asyncio.Condition()
        self.requests: list[RecordedRequest] = []
        self.disconnects = 0
        self.port = 0

    @property
    def base_url(self) -> str:
        """Up to and with the version, as settings want it."""
        return f"http://127.0.0.1:{self.port}/v1"

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=_MAX_REQUEST_BYTES)
        for path, wire in _WIRES.items():
            app.router.add_post(path, partial(self._complete, wire))
        if self._takes_sockets:
            app.router.add_get("/v1/responses", self._serve_socket)
        app.router.add_get("/v1/models", self._list_models)
        app.router.add_route("*", "/{path:.*}", self._not_found)
        self._runner = web.AppRunner(app, handler_cancellation=True, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.port = self._runner.addresses[0][1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    async def wait_for_requests(self, count: int = 1) -> None:
        """Wait until ``count`` requests have come."""
        async with self._news:
            await self._news.wait_for(lambda: len(self.requests) >= count)

    async def wait_for_disconnects(self, count: int = 1) -> None:
        """Wait until the client has left ``count`` answers before their end."""
        async with self._news:
            await self._news.wait_for(lambda: self.disconnects >= count)

    async def _complete(self, wire: _Wire, request: web.Request) -> web.StreamResponse:
        recorded = await self._record(request)
        script = self._pick(recorded)
        for fault in script.faults:
            if isinstance(fault, Reply):
                return web.Response(status=fault.status, headers=fault.headers, body=fault.body)
        if not recorded.body.get("stream"):
            return web.json_response(wire.unstreamed(script, model=recorded.model))
        try:
            return await _stream(request, script, wire.streamed(script, recorded))
        except ConnectionError:
            await self._note_disconnect()
            return web.Response()  # nobody gets it; raising would be logged as an error of ours
        except asyncio.CancelledError:
            await self._note_disconnect()
            raise

    async def _serve_socket(self, request: web.Request) -> web.StreamResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        answers: set[asyncio.Task[None]] = set()
        try:
            async for message in socket:
                recorded = await self._note(request, "WS", str(message.data).encode())
                answer = asyncio.create_task(_answer_on(socket, request, recorded, self._pick(recorded)))
                answers.add(answer)
                answer.add_done_callback(answers.discard)
        finally:
            if answers:
                await self._note_disconnect()
            for answer in answers:
                answer.cancel()
        return socket

    async def _list_models(self, request: web.Request) -> web.Response:
        await self._record(request)
        model = {"id": _MODEL, "object": "model", "created": 0, "owned_by": _MODEL}
        return web.json_response({"object": "list", "data": [model]})

    async def _not_found(self, request: web.Request) -> web.Response:
        await self._record(request)
        return web.json_response({"error": {"message": "no such path", "type": "not_found"}}, status=404)

    async def _record(self, request: web.Request) -> RecordedRequest:
        return await self._note(request, request.method, await request.read())

    async def _note(self, request: web.Request, method: str, body: bytes) -> RecordedRequest:
        headers = {name.lower(): value for name, value in request.headers.items()}
        client_port: int = request.get_extra_info("peername")[1]
        recorded = RecordedRequest(method, request.path, headers, _object(body), client_port)
        self.requests.append(recorded)
        await self._tell()
        return recorded

    async def _note_disconnect(self) -> None:
        self.disconnects += 1
        await self._tell()

    async def _tell(self) -> None:
        async with self._news:
            self._news.notify_all()


class _Pace:
    """Hold an average rate: tokens are due by the clock of the whole answer, late ones are not waited for."""

    def __init__(self, script: Script) -> None:
        self._now = asyncio.get_running_loop().time
        self._due = self._now() + script.first_token_s
        self._interval_s = 1 / script.tokens_per_second if script.tokens_per_second else 0.0

    def delay_s(self) -> float:
        """Take the next token's turn; not above zero where it is due."""
        delay_s = self._due - self._now()
        self._due += self._interval_s
        return delay_s


async def _stream(request: web.Request, script: Script, steps: Iterator[Step]) -> web.StreamResponse:
    if Hang(None) in script.faults:
        await _for_ever()
    if Drop(None) in script.faults:
        return _cut(request, web.StreamResponse())
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-cache"})
    await response.prepare(request)
    pace = _Pace(script)
    waiting = bytearray()
    for step in steps:
        delay_s = pace.delay_s() if isinstance(step, Token) else 0.0
        if waiting and _is_time_to_write(step, delay_s, len(waiting)):
            await response.write(bytes(waiting))
            waiting.clear()
        match step:
            case Hang():
                await _for_ever()
            case Drop():
                return _cut(request, response)
            case Inject(data=data):
                waiting += data
            case Token(data=data):
                if delay_s > 0:
                    await asyncio.sleep(delay_s)
                waiting += data
    await response.write(bytes(waiting))
    return response


async def _answer_on(
    socket: web.WebSocketResponse, request: web.Request, recorded: RecordedRequest, script: Script
) -> None:
    """Answer a message of a WebSocket on its lane."""
    lane = {name: recorded.body[name] for name in ("stream_id",) if name in recorded.body}
    for fault in script.faults:
        if isinstance(fault, Reply):
            await socket.send_json({"type": "error", "status": fault.status, **lane, **_object(fault.body)})
            return
    pace = _Pace(script)
    before_all = [
        fault for fault in script.faults if isinstance(fault, Hang | Drop) and fault.after_tokens is None
    ]
    for step in chain(before_all, script_responses.streamed(script, model=recorded.model)):
        match step:
            case Hang():
                await _for_ever()
            case Drop(code=code):
                if code is None:
                    _cut(request, socket)
                else:
                    await socket.close(code=code)
                return
            case Inject(data=data) | Token(data=data):
                delay_s = pace.delay_s() if isinstance(step, Token) else 0.0
                if delay_s > 0:
                    await asyncio.sleep(delay_s)
                for event in SseSplitter().receive_bytes(data):
                    await socket.send_json({**_object(event.data), **lane})


def _is_time_to_write(next_step: Step, delay_s: float, waiting_bytes: int) -> bool:
    return delay_s > 0 or waiting_bytes >= _WRITE_BYTES or isinstance(next_step, (Hang, Drop))


def _cut(request: web.Request, response: web.StreamResponse) -> web.StreamResponse:
    if request.transport is not None:
        request.transport.close()
    return response


async def _for_ever() -> None:
    """Wait until the client leaves, which cancels the handler."""
    await asyncio.get_running_loop().create_future()


def _wants_usage(recorded: RecordedRequest) -> bool:
    options = recorded.body.get("stream_options")
    return isinstance(options, dict) and options.get("include_usage") is True


def _in_order(scripts: Iterable[Script]) -> Callable[[RecordedRequest], Script]:
    left = deque(scripts)
    none_left = Script(faults=(Reply(500, body=b'{"error": {"message": "no script is left"}}'),))
    return lambda _request: left.popleft() if left else none_left


def _object(body: bytes) -> dict[str, object]:
    try:
        value: object = orjson.loads(body)
    except orjson.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) else {}

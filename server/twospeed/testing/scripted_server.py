"""A scripted provider: an HTTP server on 127.0.0.1 with all supported protocols.

For tests, demos and benchmarks; the official SDKs can use it, streaming or not.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from types import TracebackType
from typing import Self

from aiohttp import web

from . import script_chat, script_completions, script_messages, script_responses
from .script import Drop, Hang, Inject, Reply, Script, Step, Token
from .scripted_requests import (
    MODEL,
    Pace,
    PromptCache,
    RecordedRequest,
    close_connection,
    fit_to_request,
    object_in,
    wait_forever,
)
from .scripted_socket import ScriptedSocket

__all__ = ["Answers", "RecordedRequest", "ScriptedServer"]

_WRITE_BYTES = 16 * 1024
_MAX_REQUEST_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class _Encoders:
    """The encoders of a protocol: of a streamed answer, and of one as a JSON object."""

    streamed: Callable[[Script, RecordedRequest], Iterator[Step]]
    unstreamed: Callable[..., dict[str, object]]


_ENCODERS_BY_PATH = {
    "/v1/chat/completions": _Encoders(
        lambda script, request: script_chat.streamed(
            script, model=request.model, with_usage=_wants_usage(request)
        ),
        script_chat.unstreamed,
    ),
    "/v1/responses": _Encoders(
        lambda script, request: script_responses.streamed(script, model=request.model),
        script_responses.unstreamed,
    ),
    "/v1/completions": _Encoders(
        lambda script, request: script_completions.streamed(
            script, model=request.model, with_usage=_wants_usage(request)
        ),
        script_completions.unstreamed,
    ),
    "/v1/messages": _Encoders(
        lambda script, request: script_messages.streamed(script, model=request.model),
        script_messages.unstreamed,
    ),
}


# Scripts in the order of requests, or a function that chooses one.
Answers = Iterable[Script] | Callable[[RecordedRequest], Script]


class ScriptedServer:
    """``async with ScriptedServer([Script("…")]) as server: … server.base_url``.

    If the answers are a list of scripts, a warm-up request uses up none of them.
    """

    def __init__(
        self,
        answers: Answers = (),
        *,
        takes_sockets: bool = False,
        steers: bool = False,
        counts_prompts: bool = False,
    ) -> None:
        self._answers = answers if callable(answers) else _in_order(answers)
        self._cache = PromptCache() if counts_prompts else None  # without it scripts define the usage
        self._takes_sockets = takes_sockets  # responses are available over a WebSocket too
        self._steers = steers  # accept `response.steer`
        self._runner: web.AppRunner | None = None
        self._changed = asyncio.Condition()
        self.requests: list[RecordedRequest] = []  # a WebSocket message has the method `WS`
        self.disconnects = 0  # responses that the client disconnected from before the end
        self.port = 0

    @property
    def base_url(self) -> str:
        """As in the settings, including the version."""
        return f"http://127.0.0.1:{self.port}/v1"

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=_MAX_REQUEST_BYTES)
        for path, encoders in _ENCODERS_BY_PATH.items():
            app.router.add_post(path, partial(self._complete, encoders))
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
        """Wait for ``count`` requests."""
        async with self._changed:
            await self._changed.wait_for(lambda: len(self.requests) >= count)

    async def wait_for_disconnects(self, count: int = 1) -> None:
        """Wait until the client has disconnected from ``count`` responses before their end."""
        async with self._changed:
            await self._changed.wait_for(lambda: self.disconnects >= count)

    async def _complete(self, encoders: _Encoders, request: web.Request) -> web.StreamResponse:
        recorded = await self._record(request)
        script = self._pick(recorded)
        for fault in script.faults:
            if isinstance(fault, Reply):
                return web.Response(status=fault.status, headers=fault.headers, body=fault.body)
        if recorded.max_output_tokens == 0 and not _may_request_no_output(recorded):
            # In the format of Messages for every protocol, because only Messages allow a limit of 0.
            message = "max_tokens: 0 is allowed only in Messages without streaming and thinking"
            return web.json_response(script_messages.invalid_request_error(message), status=400)
        if not recorded.body.get("stream"):
            return web.json_response(encoders.unstreamed(script, model=recorded.model))
        try:
            return await _stream(request, script, encoders.streamed(script, recorded))
        except ConnectionError:
            await self._note_disconnect()
            return web.Response()  # the client is gone; raising would be logged as an error of the server
        except asyncio.CancelledError:
            await self._note_disconnect()
            raise

    async def _serve_socket(self, request: web.Request) -> web.StreamResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)

        async def record(data: str, context: list[object]) -> RecordedRequest:
            return await self._record_message(request, "WS", data.encode(), context)

        scripted = ScriptedSocket(socket, request, record, self._pick, steers=self._steers)
        left_early = await scripted.serve()
        if left_early:
            await self._note_disconnect()
        return socket

    def _pick(self, request: RecordedRequest) -> Script:
        script = fit_to_request(self._answers(request), request)
        return self._cache.counted(script, request) if self._cache else script

    async def _list_models(self, request: web.Request) -> web.Response:
        await self._record(request)
        model = {"id": MODEL, "object": "model", "created": 0, "owned_by": MODEL}
        return web.json_response({"object": "list", "data": [model]})

    async def _not_found(self, request: web.Request) -> web.Response:
        await self._record(request)
        return web.json_response({"error": {"message": "no such path", "type": "not_found"}}, status=404)

    async def _record(self, request: web.Request) -> RecordedRequest:
        return await self._record_message(request, request.method, await request.read())

    async def _record_message(
        self, request: web.Request, method: str, body: bytes, context: Iterable[object] = ()
    ) -> RecordedRequest:
        headers = {name.lower(): value for name, value in request.headers.items()}
        client_port: int = request.get_extra_info("peername")[1]
        recorded = RecordedRequest(
            method, request.path, headers, object_in(body), client_port, tuple(context)
        )
        self.requests.append(recorded)
        await self._notify()
        return recorded

    async def _note_disconnect(self) -> None:
        self.disconnects += 1
        await self._notify()

    async def _notify(self) -> None:
        async with self._changed:
            self._changed.notify_all()


async def _stream(request: web.Request, script: Script, steps: Iterator[Step]) -> web.StreamResponse:
    if Hang(None) in script.faults:
        await wait_forever()
    if Drop(None) in script.faults:
        return close_connection(request, web.StreamResponse())
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-cache"})
    await response.prepare(request)
    pace = Pace(script)
    waiting = bytearray()
    for step in steps:
        delay_s = pace.next_delay_s() if isinstance(step, Token) else 0.0
        if waiting and _is_time_to_write(step, delay_s, len(waiting)):
            await response.write(bytes(waiting))
            waiting.clear()
        match step:
            case Hang():
                await wait_forever()
            case Drop():
                return close_connection(request, response)
            case Inject(data=data):
                waiting += data
            case Token(data=data):
                if delay_s > 0:
                    await asyncio.sleep(delay_s)
                waiting += data
    await response.write(bytes(waiting))
    return response


def _is_time_to_write(next_step: Step, delay_s: float, waiting_bytes: int) -> bool:
    return delay_s > 0 or waiting_bytes >= _WRITE_BYTES or isinstance(next_step, (Hang, Drop))


def _may_request_no_output(recorded: RecordedRequest) -> bool:
    # Messages allow `max_tokens: 0` only without streaming and thinking.
    thinking = recorded.body.get("thinking")
    thinks = isinstance(thinking, dict) and thinking.get("type") != "disabled"
    return recorded.path.endswith("/messages") and not thinks and not recorded.body.get("stream")


def _wants_usage(recorded: RecordedRequest) -> bool:
    options = recorded.body.get("stream_options")
    return isinstance(options, dict) and options.get("include_usage") is True


def _in_order(scripts: Iterable[Script]) -> Callable[[RecordedRequest], Script]:
    left = deque(scripts)
    none_left = Script(faults=(Reply(500, body=b'{"error": {"message": "no script is left"}}'),))

    def pick(request: RecordedRequest) -> Script:
        if request.is_warm_up:
            return Script()
        return left.popleft() if left else none_left

    return pick

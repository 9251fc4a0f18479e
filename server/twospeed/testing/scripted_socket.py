"""The WebSocket of Responses, scripted: streams, remembered responses, warm-ups and their errors.

Responses of one stream are sequential, those of several are concurrent.
Source: OpenAI's guides "WebSocket mode" and "Mid-turn steering", and the types of its client.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from itertools import chain, count
from typing import Final

import orjson
from aiohttp import web

from twospeed.models.codecs.sse import SseSplitter

from . import script_responses
from .script import Drop, Hang, Inject, Reply, Script, Step, Token
from .scripted_requests import Pace, RecordedRequest, close_connection, object_in

_STREAM_ID: Final = re.compile(r"[A-Za-z0-9_.-]{1,256}")
_MAX_STREAMS: Final = 32

Record = Callable[[str, list[object]], Awaitable[RecordedRequest]]
Pick = Callable[[RecordedRequest], Script]


class _RunningResponse:
    """A running response."""

    def __init__(self, named: Mapping[str, object]) -> None:
        self.named = named
        self.steered: RecordedRequest | None = None
        self.is_steered = asyncio.Event()


class ScriptedSocket:
    """One connection; ``record`` records a message with the input that it continues."""

    def __init__(
        self,
        socket: web.WebSocketResponse,
        request: web.Request,
        record: Record,
        pick: Pick,
        *,
        steers: bool = False,
    ) -> None:
        self._socket = socket
        self._request = request
        self._record = record
        self._pick = pick
        self._steers = steers
        self._running: dict[object, _RunningResponse] = {}
        self._ids = count(1)
        self._latest: dict[str, tuple[str, list[object]]] = {}
        self._streams: dict[str, asyncio.Lock] = {}
        self._answers: set[asyncio.Task[None]] = set()

    async def serve(self) -> bool:
        """Answer until the client disconnects; return whether an answer was unfinished then."""
        try:
            async for message in self._socket:
                data = str(message.data)
                body = object_in(data.encode())
                parent = self._parent_of(body)
                recorded = await self._record(data, parent or [])
                if body.get("type") == "response.steer":
                    await self._steer(recorded)
                    continue
                answer = asyncio.create_task(self._answer(recorded, parent))
                self._answers.add(answer)
                answer.add_done_callback(self._answers.discard)
        finally:
            was_left = bool(self._answers)
            for answer in self._answers:
                answer.cancel()
        return was_left

    def _parent_of(self, body: dict[str, object]) -> list[object] | None:
        parent = body.get("previous_response_id")
        if parent is None:
            return []
        return next((items for name, items in self._latest.values() if name == parent), None)

    async def _answer(self, recorded: RecordedRequest, parent: list[object] | None) -> None:
        stream = recorded.body.get("stream_id", "")
        if stream != "" and not (isinstance(stream, str) and _STREAM_ID.fullmatch(stream)):
            await self._refuse({}, "invalid_stream_id", "stream_id")
            return
        named = {"stream_id": stream} if stream else {}
        if stream not in self._streams and len(self._streams) >= _MAX_STREAMS:
            await self._refuse(named, "websocket_stream_limit_reached", "stream_id")
            return
        async with self._streams.setdefault(str(stream), asyncio.Lock()):
            if parent is None:
                await self._refuse(named, "previous_response_not_found", "previous_response_id")
                return
            await self._play(recorded, parent, str(stream), named)

    async def _refuse(self, named: Mapping[str, object], code: str, param: str) -> None:
        error = {"type": "invalid_request_error", "code": code, "message": code, "param": param}
        await self._send({"type": "error", "status": 400, **named, "error": error})

    async def _play(
        self, recorded: RecordedRequest, parent: list[object], stream: str, named: Mapping[str, object]
    ) -> None:
        script = self._pick(recorded)
        replies = [fault for fault in script.faults if isinstance(fault, Reply)]
        if replies:
            if self._latest.get(stream, ("",))[0] == recorded.body.get("previous_response_id"):
                self._latest.pop(stream, None)  # a failure on the same stream; a fork does not affect it
            error = {**named, **object_in(replies[0].body)}
            await self._send({"type": "error", "status": replies[0].status, **error})
            return
        if steered := await self._send_response(recorded, script, parent, stream, named):
            await self._play(steered, parent, stream, named)

    async def _send_response(
        self,
        recorded: RecordedRequest,
        script: Script,
        parent: list[object],
        stream: str,
        named: Mapping[str, object],
    ) -> RecordedRequest | None:
        name = f"resp_{next(self._ids)}"
        running = self._running[name] = _RunningResponse(named)
        pace = Pace(script)
        for step in _steps(recorded, script, name):
            match step:
                case Hang():
                    await running.is_steered.wait()
                case Drop(code=code):
                    await self._drop(code)
                    return None
                case Inject(data=data) | Token(data=data):
                    if isinstance(step, Token) and not running.steered:
                        await pace.wait()
                    for value in map(object_in, _data_in(data)):
                        if value.get("type") == "response.completed":
                            self._latest[stream] = (name, [*parent, *_input_of(recorded), *_output_of(value)])
                        await self._send({**value, **named})
                        # A steered response ends with its current item, and another one follows.
                        if running.steered and value.get("type") == "response.output_item.done":
                            await self._send({**script_responses.steered(recorded.model, name), **named})
                            return self._running.pop(name).steered
        del self._running[name]
        return None

    async def _steer(self, recorded: RecordedRequest) -> None:
        name = recorded.body.get("previous_response_id")
        running = self._running.get(name)
        steer = {"id": "steer_1", "previous_response_id": name}
        if running and self._steers:
            accepted = {"type": "response.steer.accepted", "sequence_number": 0, "steer": steer}
            await self._send({**accepted, **running.named})
            running.steered = recorded
            running.is_steered.set()
            return
        code = "response_not_found" if running is None else "steering_not_supported"
        error = {"type": "invalid_request_error", "code": code, "message": code}
        named = running.named if running else {}
        refused = {**steer, "input": recorded.body.get("input")}
        failed = {"type": "response.steer.failed", "sequence_number": 0, "steer": refused, "error": error}
        await self._send({**failed, **named})

    async def _drop(self, code: int | None) -> None:
        if code is None:
            close_connection(self._request, self._socket)
        else:
            await self._socket.close(code=code)

    async def _send(self, event: Mapping[str, object]) -> None:
        await self._socket.send_str(orjson.dumps(event).decode())


def _steps(recorded: RecordedRequest, script: Script, name: str) -> Iterator[Step]:
    before_all = [
        fault for fault in script.faults if isinstance(fault, Hang | Drop) and fault.after_tokens is None
    ]
    return chain(before_all, script_responses.streamed(script, model=recorded.model, response_id=name))


def _data_in(events: bytes) -> Iterator[bytes]:
    return (event.data for event in SseSplitter().receive_bytes(events))


def _input_of(recorded: RecordedRequest) -> list[object]:
    items = recorded.body.get("input")
    return items if isinstance(items, list) else [{"role": "user", "content": items}]


def _output_of(event: dict[str, object]) -> list[object]:
    response = event.get("response")
    output = response.get("output") if isinstance(response, dict) else None
    return output if isinstance(output, list) else []

"""A provider on 127.0.0.1 whose answers come as far as a test lets them: Chat Completions, streamed."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncIterator

from aiohttp import web

from twospeed.testing.script import Inject, Script, Token
from twospeed.testing.script_chat import streamed
from twospeed.testing.scripted_requests import RecordedRequest, object_in


class HeldAnswer:
    """One answer; nothing of it comes before `say`.

    Attributes:
        request: The request it answers, once there is one.
        was_left: Whether the client went before the end.
    """

    def __init__(self, text: str) -> None:
        self.script = Script(text)
        self.request: RecordedRequest | None = None
        self.was_left = False
        self._released = 0
        self._news = asyncio.Condition()

    async def say(self, lines: int) -> None:
        """Let so many lines come, counted from the answer's first."""
        await self._release(len("".join(self.script.text.splitlines(keepends=True)[:lines])))

    async def finish(self) -> None:
        """Let the rest come."""
        await self._release(len(self.script.text) + 1)

    async def asked(self, limit_s: float) -> RecordedRequest:
        """Wait until it is asked for."""
        async with asyncio.timeout(limit_s), self._news:
            await self._news.wait_for(lambda: self.request is not None)
        assert self.request
        return self.request

    async def left(self, limit_s: float) -> None:
        """Wait until the client has gone before the end."""
        async with asyncio.timeout(limit_s), self._news:
            await self._news.wait_for(lambda: self.was_left)

    async def _release(self, n_chars: int) -> None:
        self._released = max(self._released, n_chars)
        await self._tell()

    async def _until_released(self, n_chars: int) -> None:
        async with self._news:
            await self._news.wait_for(lambda: self._released > n_chars)

    async def _tell(self) -> None:
        async with self._news:
            self._news.notify_all()

    async def _note_request(self, request: RecordedRequest) -> None:
        self.request = request
        await self._tell()

    async def _note_left(self) -> None:
        self.was_left = True
        await self._tell()


class HeldModel:
    """Gives the answers it was told, in the order of requests; a warm-up takes none.

    Attributes:
        requests: Every request for an answer.
    """

    def __init__(self) -> None:
        self.requests: list[RecordedRequest] = []
        self.port = 0
        self._left: deque[HeldAnswer] = deque()

    @property
    def base_url(self) -> str:
        """Up to and with the version, as settings want it."""
        return f"http://127.0.0.1:{self.port}/v1"

    def will_say(self, text: str) -> HeldAnswer:
        """Keep an answer for the next request that has none yet."""
        answer = HeldAnswer(text)
        self._left.append(answer)
        return answer

    def forget(self) -> None:
        """Drop what nobody asked for."""
        self._left.clear()

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        body = object_in(await request.read())
        headers = {name.lower(): value for name, value in request.headers.items()}
        recorded = RecordedRequest(request.method, request.path, headers, body, 0)
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        if recorded.is_warm_up:
            answer = HeldAnswer("x")
            await answer.finish()
        elif self._left:
            answer = self._left.popleft()
            self.requests.append(recorded)
            await answer._note_request(recorded)
        else:
            return web.json_response({"error": {"message": "no answer is left"}}, status=400)
        try:
            await response.prepare(request)
            await _write(response, answer, recorded.model)
        except (ConnectionError, asyncio.CancelledError):
            await answer._note_left()
            raise
        return response


async def _write(response: web.StreamResponse, answer: HeldAnswer, model: str) -> None:
    pieces = iter(answer.script.pieces_of(answer.script.text))
    sent = 0
    for step in streamed(answer.script, model=model, with_usage=True):
        if isinstance(step, Token):
            await answer._until_released(sent)
            sent += len(next(pieces))
        elif sent:  # the ending
            await answer._until_released(len(answer.script.text))
        assert isinstance(step, Token | Inject)
        await response.write(step.data)


@contextlib.asynccontextmanager
async def held_model() -> AsyncIterator[HeldModel]:
    """Listen until the block is left."""
    model = HeldModel()
    app = web.Application()
    app.router.add_post("/v1/chat/completions", model._complete)
    runner = web.AppRunner(app, handler_cancellation=True, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        model.port = runner.addresses[0][1]
        yield model
    finally:
        await runner.cleanup()

"""A streaming Chat Completions provider on 127.0.0.1 that holds each answer until a test releases its lines."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping

from aiohttp import web

from twospeed.testing.script import Inject, Script, Token
from twospeed.testing.script_chat import streamed
from twospeed.testing.scripted_requests import RecordedRequest, object_in


class HeldAnswer:
    """One answer; none of it is sent before `release`.

    Attributes:
        request: The request for this answer, None before it arrives.
        was_disconnected: Whether the client closed the connection before the end.
    """

    def __init__(self, text: str) -> None:
        self.script = Script(text)
        self.request: RecordedRequest | None = None
        self.was_disconnected = False
        self._released = 0
        self._changed = asyncio.Condition()

    async def release(self, lines: int) -> None:
        """Send the answer up to this number of lines, counted from its start."""
        await self._release_chars(len("".join(self.script.text.splitlines(keepends=True)[:lines])))

    async def finish(self) -> None:
        """Send the rest of the answer."""
        await self._release_chars(len(self.script.text) + 1)

    async def requested(self, limit_s: float) -> RecordedRequest:
        """Wait for the request for this answer, and return it."""
        async with asyncio.timeout(limit_s), self._changed:
            await self._changed.wait_for(lambda: self.request is not None)
        assert self.request
        return self.request

    async def disconnected(self, limit_s: float) -> None:
        """Wait until the client closes the connection before the end."""
        async with asyncio.timeout(limit_s), self._changed:
            await self._changed.wait_for(lambda: self.was_disconnected)

    async def _release_chars(self, n_chars: int) -> None:
        self._released = max(self._released, n_chars)
        await self._notify()

    async def _until_released(self, n_chars: int) -> None:
        async with self._changed:
            await self._changed.wait_for(lambda: self._released > n_chars)

    async def _notify(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    async def _record_request(self, request: RecordedRequest) -> None:
        self.request = request
        await self._notify()

    async def _record_disconnect(self) -> None:
        self.was_disconnected = True
        await self._notify()


class HeldModel:
    """Returns prepared answers in the order of requests; a warm-up request uses none.

    Attributes:
        requests: All requests except warm-ups.
    """

    def __init__(self) -> None:
        self.requests: list[RecordedRequest] = []
        self.port = 0
        self._prepared: deque[HeldAnswer] = deque()
        self._respond: Callable[[str], str] | None = None

    @property
    def base_url(self) -> str:
        """The base URL for the config, including the version."""
        return f"http://127.0.0.1:{self.port}/v1"

    def prepare(self, text: str) -> HeldAnswer:
        """Queue an answer for the next request without one."""
        answer = HeldAnswer(text)
        self._prepared.append(answer)
        return answer

    def respond(self, answer_to: Callable[[str], str]) -> None:
        """Answer each request without a prepared answer at once, with the text for its last message."""
        self._respond = answer_to

    def discard_prepared(self) -> None:
        """Remove prepared answers that were not requested."""
        self._prepared.clear()
        self._respond = None

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        body = object_in(await request.read())
        headers = {name.lower(): value for name, value in request.headers.items()}
        recorded = RecordedRequest(request.method, request.path, headers, body, 0)
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        if recorded.is_warm_up:
            answer = HeldAnswer("x")
            await answer.finish()
        elif self._prepared:
            answer = self._prepared.popleft()
            self.requests.append(recorded)
            await answer._record_request(recorded)
        elif self._respond:
            answer = HeldAnswer(self._respond(last_message_of(body)))
            self.requests.append(recorded)
            await answer.finish()
        else:
            return web.json_response({"error": {"message": "no answer is left"}}, status=400)
        try:
            await response.prepare(request)
            await _write(response, answer, recorded.model)
        except (ConnectionError, asyncio.CancelledError):
            await answer._record_disconnect()
            raise
        return response


def last_message_of(body: Mapping[str, object]) -> str:
    """Return the text of the last message of a request."""
    messages = body["messages"]
    assert isinstance(messages, list)
    content = messages[-1]["content"]
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


async def _write(response: web.StreamResponse, answer: HeldAnswer, model: str) -> None:
    pieces = iter(answer.script.pieces_of(answer.script.text))
    sent = 0
    for step in streamed(answer.script, model=model, with_usage=True):
        if isinstance(step, Token):
            await answer._until_released(sent)
            sent += len(next(pieces))
        elif sent:  # the last event
            await answer._until_released(len(answer.script.text))
        assert isinstance(step, Token | Inject)
        await response.write(step.data)


@contextlib.asynccontextmanager
async def held_model() -> AsyncIterator[HeldModel]:
    """Run the provider while the context is open."""
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

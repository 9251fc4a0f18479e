"""Send the start of a request before its end is known, so that a long prompt arrives while the user types.

The config key is ``early_body``. An unfinished chunked request (RFC 9112, section 7.1) is neither answered
nor billed. An endpoint that does not wait for the rest gets plain requests for ten minutes.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Final

import aiohttp

# How long a start waits for its end: the time to type an instruction. Servers wait 30 seconds or more.
MAX_WAIT_FOR_END_S: Final = 20.0

# A shorter body arrives at once: it fits the initial window of ten TCP segments (RFC 6928).
MIN_START_BYTES: Final = 14_600

PAUSE_S: Final = 600.0

# Statuses of a server that refuses such a request (RFC 9110, section 15.5; RFC 9112, section 7).
REFUSALS: Final = frozenset({400, 408, 411, 417, 501})

# Sends a request whose body consists of these parts; returns its response.
Post = Callable[[AsyncIterator[bytes]], Awaitable[aiohttp.ClientResponse]]


class StreamedRequestBodies:
    """The started requests, one for each model of an endpoint."""

    def __init__(self) -> None:
        self._started: dict[str, StreamedRequestBody] = {}
        self._paused_until: dict[str, float] = {}

    def begin(self, model_key: str, start: bytes, headers: Mapping[str, str], post: Post) -> None:
        """Send the start of a request, unless the same start is waiting; another one is dropped."""
        started = self._started.get(model_key)
        if started and started.is_start_of(start, headers):
            return
        self._drop(model_key)
        if len(start) >= MIN_START_BYTES and asyncio.get_running_loop().time() >= self._paused_until.get(
            model_key, 0.0
        ):
            self._started[model_key] = StreamedRequestBody(
                start, headers, post, on_lost=lambda: self.pause(model_key)
            )

    def claim(self, model_key: str, body: bytes, headers: Mapping[str, str]) -> StreamedRequestBody | None:
        """Remove and return the started request that ``body`` continues; drop any other one there."""
        started = self._started.pop(model_key, None)
        if started and started.is_start_of(body, headers):
            return started
        if started:
            started.drop()
        return None

    def pause(self, model_key: str) -> None:
        """Start no request there for ten minutes."""
        self._paused_until[model_key] = asyncio.get_running_loop().time() + PAUSE_S

    async def aclose(self) -> None:
        """Drop all started requests."""
        started = list(self._started.values())
        self._started.clear()
        await asyncio.gather(*(each.aclose() for each in started))

    def _drop(self, model_key: str) -> None:
        if started := self._started.pop(model_key, None):
            started.drop()


class StreamedRequestBody:
    """A started request; ``on_lost`` is called if it ended before all of it was sent."""

    def __init__(
        self, start: bytes, headers: Mapping[str, str], post: Post, *, on_lost: Callable[[], None]
    ) -> None:
        loop = asyncio.get_running_loop()
        self.start = start
        self._headers = dict(headers)
        self._on_lost = on_lost
        self._rest: asyncio.Future[bytes] = loop.create_future()
        self._answer = asyncio.create_task(self._send(post))
        self._answer.add_done_callback(self._handle_end)
        self._timer = loop.call_later(MAX_WAIT_FOR_END_S, self.drop)

    def is_start_of(self, body: bytes, headers: Mapping[str, str]) -> bool:
        """Whether it waits for the end of exactly this request."""
        is_waiting = not self._answer.done() and not self._rest.done()
        return is_waiting and body.startswith(self.start) and self._headers == dict(headers)

    async def finish(self, body: bytes) -> aiohttp.ClientResponse:
        """Send the rest of ``body``, which begins with ``start``, and return the response."""
        self._timer.cancel()
        self._rest.set_result(body[len(self.start) :])
        return await self._answer

    def drop(self) -> None:
        """Leave the request unfinished and close its connection."""
        self._timer.cancel()
        self._answer.cancel()
        self._rest.cancel()

    async def aclose(self) -> None:
        """Drop the request and wait until it has ended."""
        self.drop()
        await asyncio.gather(self._answer, return_exceptions=True)

    async def _send(self, post: Post) -> aiohttp.ClientResponse:
        return await post(self._parts())

    async def _parts(self) -> AsyncIterator[bytes]:
        yield self.start
        yield await asyncio.shield(self._rest)  # an early response cancels the sender, not this future

    def _handle_end(self, answer: asyncio.Task[aiohttp.ClientResponse]) -> None:
        if answer.cancelled():
            return
        is_whole = self._rest.done() and not self._rest.cancelled()
        if answer.exception() is None and not is_whole:
            answer.result().close()
        if not self._rest.done():
            self.drop()
            self._on_lost()

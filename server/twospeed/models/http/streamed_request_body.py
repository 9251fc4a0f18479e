"""Send the start of a request before its end is known: a long prompt is there by the time its instruction is.

HTTP lets a body be sent in chunks of any number, and a request is one only with the last of them (RFC 9112, section
7.1): what was never ended is never answered, or billed. Rules: a start goes on as nothing but the request that begins
with it, byte for byte and with the same headers; one that nobody went on with is dropped after a while, with its
connection. Not every endpoint is made for this. Who answers, or closes, before the end has come, or refuses the
request then, is asked in the plain way for ten minutes.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Final

import aiohttp

MOST_WAIT_S: Final = 20.0
"""How long a start waits for its end: as long as somebody types an instruction. Servers wait for 30 seconds or more."""

LEAST_BYTES: Final = 14_600
"""What is shorter gets there at once: the ten segments that TCP begins with (RFC 6928)."""

REST_S: Final = 600.0

REFUSALS: Final = frozenset({400, 408, 411, 417, 501})
"""What a server that takes no such request may say to it (RFC 9110, section 15.5, and RFC 9112, section 7)."""

Post = Callable[[AsyncIterator[bytes]], Awaitable[aiohttp.ClientResponse]]
"""Sends a request whose body is these parts; gives its answer."""


class StreamedRequestBodies:
    """The requests that have begun, one for each model of an endpoint."""

    def __init__(self) -> None:
        self._begun: dict[str, StreamedRequestBody] = {}
        self._rests_until: dict[str, float] = {}

    def begin(self, where: str, start: bytes, headers: Mapping[str, str], post: Post) -> None:
        """Send the start of a request; where one waits that begins so nothing is, and any other is dropped.

        Args:
            where: Names the endpoint and the model.
            start: The start of the body; where it is short nothing is sent.
            headers: Of the request.
            post: Sends it.
        """
        begun = self._begun.get(where)
        if begun and begun.is_start_of(start, headers):
            return
        self._drop(where)
        if len(start) >= LEAST_BYTES and asyncio.get_running_loop().time() >= self._rests_until.get(
            where, 0.0
        ):
            self._begun[where] = StreamedRequestBody(start, headers, post, lost=lambda: self.rest(where))

    def take(self, where: str, body: bytes, headers: Mapping[str, str]) -> StreamedRequestBody | None:
        """Give the request that is to go on as this one; any other that waits there is dropped."""
        begun = self._begun.pop(where, None)
        if begun and begun.is_start_of(body, headers):
            return begun
        if begun:
            begun.drop()
        return None

    def rest(self, where: str) -> None:
        """Begin no request there for a while."""
        self._rests_until[where] = asyncio.get_running_loop().time() + REST_S

    async def aclose(self) -> None:
        """Drop them all."""
        begun = list(self._begun.values())
        self._begun.clear()
        await asyncio.gather(*(each.aclose() for each in begun))

    def _drop(self, where: str) -> None:
        if begun := self._begun.pop(where, None):
            begun.drop()


class StreamedRequestBody:
    """A request that has begun.

    Args:
        start: The start of its body.
        headers: As sent.
        post: Sends it.
        lost: Called when it has ended before all of it was sent.
    """

    def __init__(
        self, start: bytes, headers: Mapping[str, str], post: Post, *, lost: Callable[[], None]
    ) -> None:
        loop = asyncio.get_running_loop()
        self.start = start
        self._headers = dict(headers)
        self._lost = lost
        self._rest: asyncio.Future[bytes] = loop.create_future()
        self._answer = asyncio.create_task(self._send(post))
        self._answer.add_done_callback(self._note_end)
        self._timer = loop.call_later(MOST_WAIT_S, self.drop)

    def is_start_of(self, body: bytes, headers: Mapping[str, str]) -> bool:
        """Whether it waits for the end of just this request."""
        is_waiting = not self._answer.done() and not self._rest.done()
        return is_waiting and body.startswith(self.start) and self._headers == dict(headers)

    async def finish(self, body: bytes) -> aiohttp.ClientResponse:
        """Send the end of ``body``, which begins with ``start``; gives the answer.

        Raises:
            aiohttp.ClientError, OSError: See `http_errors`.
        """
        self._timer.cancel()
        self._rest.set_result(body[len(self.start) :])
        return await self._answer

    def drop(self) -> None:
        """Leave it unfinished, and close its connection."""
        self._timer.cancel()
        self._answer.cancel()
        self._rest.cancel()

    async def aclose(self) -> None:
        """Drop it, and wait until it is."""
        self.drop()
        await asyncio.gather(self._answer, return_exceptions=True)

    async def _send(self, post: Post) -> aiohttp.ClientResponse:
        return await post(self._parts())

    async def _parts(self) -> AsyncIterator[bytes]:
        yield self.start
        yield await asyncio.shield(self._rest)  # whoever sends this may be stopped by an early answer

    def _note_end(self, answer: asyncio.Task[aiohttp.ClientResponse]) -> None:
        if answer.cancelled():
            return
        is_whole = self._rest.done() and not self._rest.cancelled()
        if answer.exception() is None and not is_whole:
            answer.result().close()
        if not self._rest.done():
            self.drop()
            self._lost()

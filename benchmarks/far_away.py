"""A port with the delay of a distant server: a model of the network, not of a kernel's TCP.

Bytes take half a round trip each way. A new connection takes one round trip more. The client's bytes are sent
in rounds of doubling size, from ten segments on, which restart after a pause (RFC 6928, RFC 5681: slow
start). Answers are short here and have no rounds.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from functools import partial

from benchmarks.relay import CHUNK_BYTES, relay

ROUND_TRIP_S = 0.030
_FIRST_WINDOW_BYTES = 10 * 1460
IDLE_S = 0.3


def far_away(target_port: int) -> AbstractAsyncContextManager[int]:
    """Yield the port that delays ``target_port``, both on this machine."""
    return relay(
        target_port,
        there=lambda reader, writer: _way(reader, writer, _Rounds().wait, connect_s=ROUND_TRIP_S),
        back=partial(_way, wait_for_room=_no_rounds, connect_s=0.0),
    )


async def _way(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    wait_for_room: Callable[[int], Awaitable[int]],
    *,
    connect_s: float,
) -> None:
    """Pass bytes on, each half a round trip after it may leave."""
    loop = asyncio.get_running_loop()
    connected_at = loop.time() + connect_s
    with contextlib.suppress(ConnectionError):
        while data := await reader.read(CHUNK_BYTES):
            await asyncio.sleep(max(0.0, connected_at - loop.time()))
            while data:
                n_bytes = await wait_for_room(len(data))
                loop.call_later(ROUND_TRIP_S / 2, writer.write, data[:n_bytes])
                data = data[n_bytes:]
    loop.call_later(ROUND_TRIP_S / 2, writer.close)


class _Rounds:
    """The number of bytes that may leave before an acknowledgement."""

    def __init__(self) -> None:
        self._window = self._left = _FIRST_WINDOW_BYTES
        self._round_ends = 0.0

    async def wait(self, n_bytes: int) -> int:
        """Wait until bytes may leave; return how many of ``n_bytes``."""
        loop = asyncio.get_running_loop()
        now = loop.time()
        if now > self._round_ends + IDLE_S:
            self._window = self._left = _FIRST_WINDOW_BYTES
            self._round_ends = now + ROUND_TRIP_S
        elif now > self._round_ends:
            self._left = self._window
            self._round_ends = now + ROUND_TRIP_S
        if not self._left:
            await asyncio.sleep(self._round_ends - now)
            self._window = self._left = 2 * self._window
            self._round_ends = loop.time() + ROUND_TRIP_S
        n_room = min(n_bytes, self._left)
        self._left -= n_room
        return n_room


async def _no_rounds(n_bytes: int) -> int:
    return n_bytes

"""One connection of a client over any transport."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from twospeed.lsp.protocol import ConnectionOptions, TwospeedProtocol
from twospeed.lsp.wire.framing import MAX_BODY_BYTES, FrameDecoder, FramingError, encode_frame

from .editor_process import is_alive

if TYPE_CHECKING:
    from twospeed.budget.allowance import Allowance

CLOSE_S = 0.4
"""Seconds that closing a session may take, so that a connection ends within a second."""

MAX_UNAUTHENTICATED_BYTES = 1024 * 1024
"""Size limit of the first message, until its token is checked: a hundred times the largest known one."""

MAX_QUEUED_BYTES = 64 * 1024 * 1024
"""Bytes queued for a client that does not read; above it the connection is aborted."""


class Connection:
    """Decodes the bytes or bodies that a transport receives; see `ConnectionOptions` for the arguments."""

    def __init__(
        self,
        environ: Mapping[str, str],
        write: Callable[[bytes], None],
        *,
        encode: Callable[[bytes], bytes] = encode_frame,
        authenticate: Callable[[object], object] | None = None,
        reserve: Callable[[], object] = lambda: None,
        allowance: Allowance | None = None,
    ) -> None:
        loop = asyncio.get_running_loop()
        # The client's process id when the session is open; None if the process is not alive on this machine.
        self.opened: asyncio.Future[int | None] = loop.create_future()
        self.ended: asyncio.Future[None] = loop.create_future()
        self.error: FramingError | None = None  # set if it ended the connection
        self.protocol = TwospeedProtocol(
            ConnectionOptions(environ, write, encode, authenticate, reserve, allowance, self._open)
        )
        self._decoder = FrameDecoder(max_body_bytes=MAX_UNAUTHENTICATED_BYTES)
        if authenticate is None:
            self._trust()

    def receive_bytes(self, data: bytes) -> None:
        """Receive bytes of a stream of frames."""
        if self.ended.done():
            return  # bytes after the end may be cut off anywhere, which is no error
        try:
            for body in self._decoder.receive_bytes(data):
                self.receive_body(body)
                if self.ended.done():
                    return
        except FramingError as error:
            self.error = error
            self.end()

    def receive_body(self, body: bytes) -> None:
        """Receive one message."""
        if self.ended.done():
            return
        self.protocol.receive_body(body)
        if self.protocol.has_exited or self.protocol.is_refused:
            self.end()

    def _open(self, process_id: int | None) -> None:
        self._trust()
        is_known = process_id is not None and process_id > 0 and is_alive(process_id)
        self.opened.set_result(process_id if is_known else None)

    def _trust(self) -> None:
        self._decoder.max_body_bytes = MAX_BODY_BYTES
        self._decoder.on_oversized = self.protocol.receive_oversized

    def end(self) -> None:
        """End the connection; a second call does nothing."""
        if not self.ended.done():
            self.ended.set_result(None)
            self._decoder = FrameDecoder()  # release an incomplete message: it may be large

    @property
    def exit_status(self) -> int | None:
        """The status of LSP's ``exit`` notification; None if it was not sent."""
        if not self.protocol.has_exited:
            return None
        return 0 if self.protocol.is_shut_down else 1

    async def aclose(self) -> None:
        """End the connection and its session."""
        self.end()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_S):
                await self.protocol.aclose()


class BytesProtocol(asyncio.Protocol):
    """An `asyncio.Protocol` that passes the bytes of a pipe or socket to a connection."""

    def __init__(self, receive: Callable[[bytes], None], at_end: Callable[[], None]) -> None:
        self._receive = receive
        self._at_end = at_end
        self.lost = asyncio.Event()

    def data_received(self, data: bytes) -> None:
        """See `asyncio.Protocol`."""
        self._receive(data)

    def eof_received(self) -> bool:
        """See `asyncio.Protocol`; the transport stays open until everything is sent."""
        self._at_end()
        return True

    def connection_lost(self, _: Exception | None) -> None:
        """See `asyncio.Protocol`."""
        self.lost.set()
        self._at_end()


def write_or_abort(transport: asyncio.Transport, frame: bytes) -> None:
    """Write to a socket; abort the connection if more than ``MAX_QUEUED_BYTES`` are queued."""
    if transport.is_closing():
        return
    transport.write(frame)
    if transport.get_write_buffer_size() > MAX_QUEUED_BYTES:
        transport.abort()

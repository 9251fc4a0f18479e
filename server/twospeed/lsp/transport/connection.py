"""One editor's connection. The transports feed it bytes or bodies; it ends once."""

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
"""How long closing a session may take: a connection that ended is gone within a second, whatever hangs."""

STRANGER_BYTES = 1024 * 1024
"""How large the first message may be of a client that has not shown its token: a hundred times the largest known."""

MAX_QUEUED_BYTES = 64 * 1024 * 1024
"""How much may wait for an editor that does not read; past it the editor is given up."""


class Connection:
    """One conversation, on whatever line.

    Args:
        environ: The process's environment.
        write: Takes what is to be sent, and never waits.
        encode: Makes of a body what ``write`` takes.
        authenticate: See `TwospeedProtocol`.
        reserve: See `TwospeedProtocol`.
        allowance: What it may spend, with others, beside the day's budget.

    Attributes:
        opened: The id of the editor's process, once there is a session; ``None`` where no such process is alive here.
        ended: Done when the conversation is over.
        error: Why the line cannot be understood, where that ended it.
    """

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
        self.opened: asyncio.Future[int | None] = loop.create_future()
        self.ended: asyncio.Future[None] = loop.create_future()
        self.error: FramingError | None = None
        self.protocol = TwospeedProtocol(
            ConnectionOptions(environ, write, encode, authenticate, reserve, allowance, self._open)
        )
        self._decoder = FrameDecoder(max_body_bytes=STRANGER_BYTES)
        if authenticate is None:
            self._trust()

    def receive_bytes(self, data: bytes) -> None:
        """Receive bytes of a stream of frames."""
        if self.ended.done():
            return  # what follows the end is cut off anywhere, and no error
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
        """End the conversation; a second call does nothing."""
        if not self.ended.done():
            self.ended.set_result(None)
            self._decoder = FrameDecoder()  # half a message may be large, and garbage is collected late

    @property
    def exit_status(self) -> int | None:
        """What ``exit`` asks the process to end with (LSP 3.17, "exit"); ``None`` where it did not come."""
        if not self.protocol.has_exited:
            return None
        return 0 if self.protocol.is_shut_down else 1

    async def aclose(self) -> None:
        """Stop everything that runs for this editor."""
        self.end()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_S):
                await self.protocol.aclose()


class Feed(asyncio.Protocol):
    """Passes the bytes of a pipe or socket to a connection."""

    def __init__(self, receive: Callable[[bytes], None], at_end: Callable[[], None]) -> None:
        self._receive = receive
        self._at_end = at_end
        self.lost = asyncio.Event()

    def data_received(self, data: bytes) -> None:
        """See `asyncio.Protocol`."""
        self._receive(data)

    def eof_received(self) -> bool:
        """See `asyncio.Protocol`: whoever stops sending is done; the line is closed when all was sent."""
        self._at_end()
        return True

    def connection_lost(self, _: Exception | None) -> None:
        """See `asyncio.Protocol`."""
        self.lost.set()
        self._at_end()


def write_or_abort(line: asyncio.Transport, frame: bytes) -> None:
    """Write to a socket; abort the connection if more than ``MAX_QUEUED_BYTES`` are queued."""
    if line.is_closing():
        return
    line.write(frame)
    if line.get_write_buffer_size() > MAX_QUEUED_BYTES:
        line.abort()

"""WebSocket connections on a port of loopback: one JSON message in each text frame, without ``Content-Length``.

The same port may serve a page (`web_site`). `auth` checks the handshake before any message is read.
The library is imported for this transport only.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed, InvalidHeader
from websockets.frames import CloseCode
from websockets.headers import parse_subprotocol
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from twospeed.lsp.wire.framing import MAX_BODY_BYTES

from .auth import FORBIDDEN, OK, SUBPROTOCOL, UNAUTHORIZED, Authenticator, is_own_origin
from .connection import MAX_QUEUED_BYTES, Connection
from .connection_limit import ACCEPTED_AT_ONCE, ConnectionLimit
from .socket_server import FLUSH_S, LOOPBACK, ListeningServer, bound_to_loopback, let_kernel_queue
from .web_site import Answer, Site

_PAGE = 200
_UNAVAILABLE = 503
_MAX_QUEUED_MESSAGES = 16
_PING_S = 20.0
_OPEN_S = 5.0


@contextlib.asynccontextmanager
async def listening_on_websocket(
    port: int,
    listening_server: ListeningServer,
    authenticator: Authenticator,
    *,
    site: Site | None = None,
    source: str = "--ws",
) -> AsyncIterator[str]:
    """Listen on a port of loopback, 0 for any that is free.

    Args:
        port: The port.
        listening_server: Where connections go.
        authenticator: Who lets them in.
        site: What else is served there.
        source: Who named the port, for the error.

    Yields:
        Its address.

    Raises:
        SettingsError: The port is not free.
    """
    with bound_to_loopback(port, source=source) as listener:
        own_port = listener.getsockname()[1]

        async def validate(opening: ServerConnection, request: Request) -> Response | None:
            if site is not None and "Upgrade" not in request.headers:
                is_ours = _is_own_origin(request, own_port)
                return site.respond(request.path, own_port) if is_ours else opening.respond(FORBIDDEN, "")
            status = _judge(request, own_port, authenticator)
            if status == UNAUTHORIZED:
                await listening_server.hold_refusal()
            kind = request.path if _other_line(opening, site) else "editor"
            if status == OK and not listening_server.limit.authenticate(opening, kind):
                status = _UNAVAILABLE
            return None if status == OK else opening.respond(status, "")

        async def attend(line: ServerConnection) -> None:
            if make := _other_line(line, site):
                await _answer(line, make())
            else:
                await _attend(line, listening_server, site)

        class Line(_BoundedConnection):
            limit = listening_server.limit

        server = await serve(
            attend,
            sock=listener,
            process_request=validate,
            process_response=_remove_body,
            select_subprotocol=_token_subprotocol,
            compression=None,
            max_size=MAX_BODY_BYTES,
            max_queue=_MAX_QUEUED_MESSAGES,
            ping_interval=_PING_S,
            ping_timeout=_PING_S,
            open_timeout=_OPEN_S,
            close_timeout=FLUSH_S,
            server_header=None,
            logger=_silent_logger(),
            backlog=ACCEPTED_AT_ONCE,
            create_connection=Line,
        )
        let_kernel_queue(listener)
        try:
            yield f"ws://{LOOPBACK}:{own_port}"
        finally:
            server.close()
            await listening_server.aclose()
            await server.wait_closed()


class _BoundedConnection(ServerConnection):
    """A connection that is counted from its start to its end."""

    limit: ConnectionLimit

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """See `asyncio.Protocol`."""
        super().connection_made(transport)
        self.limit.add(self, self.transport.abort)

    def connection_lost(self, exc: Exception | None) -> None:
        """See `asyncio.Protocol`."""
        super().connection_lost(exc)
        self.limit.remove(self)


def _judge(request: Request, port: int, authenticator: Authenticator) -> int:
    headers = request.headers
    try:
        offered = [
            name for line in headers.get_all("Sec-WebSocket-Protocol") for name in parse_subprotocol(line)
        ]
    except InvalidHeader:
        offered = []
    return authenticator.check_handshake(
        port=port,
        path=request.path,
        hosts=headers.get_all("Host"),
        origins=headers.get_all("Origin"),
        protocols=offered,
    )


def _is_own_origin(request: Request, port: int) -> bool:
    headers = request.headers
    return is_own_origin(port=port, hosts=headers.get_all("Host"), origins=headers.get_all("Origin"))


def _other_line(line: ServerConnection, site: Site | None) -> Callable[[], Answer] | None:
    """Return a function that makes the responder of this path, if it is not the language server's."""
    return site.lines.get(line.request.path) if site and line.request else None


async def _answer(line: ServerConnection, answer: Answer) -> None:
    with contextlib.suppress(ConnectionClosed):
        async for message in line:
            if isinstance(message, bytes):
                await line.close(CloseCode.UNSUPPORTED_DATA)
                break
            await line.send(await asyncio.to_thread(answer, message))


def _remove_body(_: ServerConnection, __: Request, response: Response) -> None:
    """Remove the text of refusals, from which a foreign page could learn."""
    if response.status_code not in (OK, _PAGE):
        response.body = b""
        del response.headers["Content-Length"]
        response.headers["Content-Length"] = "0"


def _token_subprotocol(_: ServerConnection, offered: Sequence[Subprotocol]) -> Subprotocol | None:
    """Return the token's subprotocol: a browser closes a WebSocket whose server selects none of those offered."""
    return next((name for name in offered if name.startswith(SUBPROTOCOL)), None)


async def _attend(line: ServerConnection, listening_server: ListeningServer, site: Site | None) -> None:
    outbox = _Outbox(line)
    connection = Connection(
        listening_server.environ,
        outbox.put,
        encode=bytes,
        authenticate=site.authenticate if site else None,
        allowance=site.allowance if site else None,
    )
    reading = asyncio.create_task(_read(line, connection))
    sending = asyncio.create_task(outbox.send_all())
    try:
        await listening_server.attend(connection, lambda: None)
    finally:
        reading.cancel()
        outbox.close()
        await asyncio.wait([sending], timeout=FLUSH_S)
        sending.cancel()
        await asyncio.gather(reading, sending, return_exceptions=True)
        await line.close()


async def _read(line: ServerConnection, connection: Connection) -> None:
    try:
        async for message in line:
            if isinstance(message, bytes):
                await line.close(CloseCode.UNSUPPORTED_DATA)
                break
            connection.receive_body(message.encode())
    except ConnectionClosed:
        pass
    finally:
        connection.end()


class _Outbox:
    """Queues messages for a client that may read slowly."""

    def __init__(self, line: ServerConnection) -> None:
        self._line = line
        self._waiting: deque[bytes] = deque()
        self._n_waiting = 0
        self._news = asyncio.Event()
        self._is_closed = False

    def put(self, body: bytes) -> None:
        """Queue a message; abort the connection if more than ``MAX_QUEUED_BYTES`` are queued."""
        self._waiting.append(body)
        self._n_waiting += len(body)
        self._news.set()
        if self._n_waiting > MAX_QUEUED_BYTES:
            self._line.transport.abort()

    async def send_all(self) -> None:
        """Send queued messages until the client is gone, or the queue is closed and empty."""
        with contextlib.suppress(ConnectionClosed):
            while not self._is_closed or self._waiting:
                if self._waiting:
                    body = self._waiting.popleft()
                    await self._line.send(body, text=True)
                    self._n_waiting -= len(body)
                else:
                    self._news.clear()
                    await self._news.wait()

    def close(self) -> None:
        """Accept no more messages; queued ones are still sent."""
        self._is_closed = True
        self._news.set()


def _silent_logger() -> logging.Logger:
    """The library's own records hold headers, and so the token."""
    logger = logging.getLogger(f"{__name__}.library")
    logger.disabled = True
    return logger

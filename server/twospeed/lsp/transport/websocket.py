"""WebSocket connections on a loopback port: one JSON message in each text frame, without ``Content-Length``."""

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

from .auth import (
    FORBIDDEN,
    SUBPROTOCOL_PREFIX,
    SWITCHING_PROTOCOLS,
    UNAUTHORIZED,
    Authenticator,
    is_own_origin,
)
from .connection import MAX_QUEUED_BYTES, Connection
from .connection_limit import ACCEPTED_AT_ONCE, ConnectionLimit
from .socket_server import FLUSH_S, LOOPBACK, ListeningServer, bound_to_loopback, set_listen_backlog
from .web_site import Responder, Site

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
    """Listen on a loopback port, 0 for any free one; yield its address. ``source`` names the port in an error."""
    with bound_to_loopback(port, source=source) as listener:
        own_port = listener.getsockname()[1]

        async def check_request(websocket: ServerConnection, request: Request) -> Response | None:
            if site is not None and "Upgrade" not in request.headers:
                is_ours = _is_own_origin(request, own_port)
                return site.respond(request.path, own_port) if is_ours else websocket.respond(FORBIDDEN, "")
            status = _check_handshake(request, own_port, authenticator)
            if status == UNAUTHORIZED:
                await listening_server.hold_refusal()
            kind = request.path if _endpoint_of(websocket, site) else "editor"
            if status == SWITCHING_PROTOCOLS and not listening_server.limit.admit(websocket, kind):
                status = _UNAVAILABLE
            return None if status == SWITCHING_PROTOCOLS else websocket.respond(status, "")

        async def serve_websocket(websocket: ServerConnection) -> None:
            if create_responder := _endpoint_of(websocket, site):
                await _serve_endpoint(websocket, create_responder())
            else:
                await _serve_client(websocket, listening_server, site)

        class CountedConnection(_CountedConnection):
            limit = listening_server.limit

        server = await serve(
            serve_websocket,
            sock=listener,
            process_request=check_request,
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
            create_connection=CountedConnection,
        )
        set_listen_backlog(listener)
        try:
            yield f"ws://{LOOPBACK}:{own_port}"
        finally:
            server.close()
            await listening_server.aclose()
            await server.wait_closed()


class _CountedConnection(ServerConnection):
    limit: ConnectionLimit

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """See `asyncio.Protocol`."""
        super().connection_made(transport)
        self.limit.add(self, self.transport.abort)

    def connection_lost(self, exc: Exception | None) -> None:
        """See `asyncio.Protocol`."""
        super().connection_lost(exc)
        self.limit.remove(self)


def _check_handshake(request: Request, port: int, authenticator: Authenticator) -> int:
    headers = request.headers
    try:
        offered = [
            name for value in headers.get_all("Sec-WebSocket-Protocol") for name in parse_subprotocol(value)
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


def _endpoint_of(websocket: ServerConnection, site: Site | None) -> Callable[[], Responder] | None:
    return site.endpoints.get(websocket.request.path) if site and websocket.request else None


async def _serve_endpoint(websocket: ServerConnection, respond: Responder) -> None:
    with contextlib.suppress(ConnectionClosed):
        async for message in websocket:
            if isinstance(message, bytes):
                await websocket.close(CloseCode.UNSUPPORTED_DATA)
                break
            await websocket.send(await asyncio.to_thread(respond, message))


def _remove_body(_: ServerConnection, __: Request, response: Response) -> None:
    # A web page of another origin could learn something from the text of a refusal.
    if response.status_code not in (SWITCHING_PROTOCOLS, _PAGE):
        response.body = b""
        del response.headers["Content-Length"]
        response.headers["Content-Length"] = "0"


def _token_subprotocol(_: ServerConnection, offered: Sequence[Subprotocol]) -> Subprotocol | None:
    # A browser closes a WebSocket if the server selects none of the offered subprotocols.
    return next((name for name in offered if name.startswith(SUBPROTOCOL_PREFIX)), None)


async def _serve_client(
    websocket: ServerConnection, listening_server: ListeningServer, site: Site | None
) -> None:
    outbox = _Outbox(websocket)
    connection = Connection(
        listening_server.environ,
        outbox.put,
        encode=bytes,
        authenticate=site.authenticate if site else None,
        allowance=site.allowance if site else None,
    )
    reading = asyncio.create_task(_read(websocket, connection))
    sending = asyncio.create_task(outbox.send_all())
    try:
        await listening_server.serve(connection, lambda: None)
    finally:
        reading.cancel()
        outbox.close()
        await asyncio.wait([sending], timeout=FLUSH_S)
        sending.cancel()
        await asyncio.gather(reading, sending, return_exceptions=True)
        await websocket.close()


async def _read(websocket: ServerConnection, connection: Connection) -> None:
    try:
        async for message in websocket:
            if isinstance(message, bytes):
                await websocket.close(CloseCode.UNSUPPORTED_DATA)
                break
            connection.receive_body(message.encode())
    except ConnectionClosed:
        pass
    finally:
        connection.end()


class _Outbox:
    def __init__(self, websocket: ServerConnection) -> None:
        self._websocket = websocket
        self._waiting: deque[bytes] = deque()
        self._n_waiting = 0
        self._has_changed = asyncio.Event()
        self._is_closed = False

    def put(self, body: bytes) -> None:
        """Queue a message; abort the connection if more than ``MAX_QUEUED_BYTES`` are queued."""
        self._waiting.append(body)
        self._n_waiting += len(body)
        self._has_changed.set()
        if self._n_waiting > MAX_QUEUED_BYTES:
            self._websocket.transport.abort()

    async def send_all(self) -> None:
        with contextlib.suppress(ConnectionClosed):
            while not self._is_closed or self._waiting:
                if self._waiting:
                    body = self._waiting.popleft()
                    await self._websocket.send(body, text=True)
                    self._n_waiting -= len(body)
                else:
                    self._has_changed.clear()
                    await self._has_changed.wait()

    def close(self) -> None:
        self._is_closed = True
        self._has_changed.set()


def _silent_logger() -> logging.Logger:
    # The records of the library contain headers, and so the token.
    logger = logging.getLogger(f"{__name__}.library")
    logger.disabled = True
    return logger

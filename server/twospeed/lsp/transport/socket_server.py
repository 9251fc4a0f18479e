"""Listens on a Unix socket or on a port of 127.0.0.1."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import stat
from collections.abc import AsyncIterator, Callable, Mapping

from twospeed.errors import SettingsError
from twospeed.lsp.wire.error_codes import REQUEST_FAILED, RpcError

from .auth import Authenticator
from .connection import BytesProtocol, Connection, write_or_abort
from .connection_limit import ACCEPTED_AT_ONCE, MAX_CONNECTIONS, ConnectionLimit

LOOPBACK = "127.0.0.1"
HANDSHAKE_S = 5.0
"""Seconds until the first byte, and again until ``initialize``; then the connection is closed."""

REFUSAL_S = 0.25
"""Delay in seconds before the response to a wrong token is sent."""

FLUSH_S = 0.4
"""Seconds that a closed connection has to send its queued bytes; then it is aborted."""

# asyncio also uses `backlog` as the number of accepts in one iteration of the event loop, which must be small
# (`ACCEPTED_AT_ONCE`). So the kernel's backlog is set separately.
_LISTEN_BACKLOG = 128
_MAX_PORT = 65535


class ListeningServer:
    """The connections of a listening process."""

    def __init__(
        self, environ: Mapping[str, str], *, handshake_s: float = HANDSHAKE_S, refusal_s: float = REFUSAL_S
    ) -> None:
        self.environ = environ
        self.handshake_s = handshake_s
        self._refusal_s = refusal_s
        self._closing = asyncio.Event()
        self.limit = ConnectionLimit()
        # The exit status, once `exit` has ended the last connection.
        self.exited: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._connections: set[Connection] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    def spawn(self, connection: Connection, close: Callable[[], object]) -> None:
        """Run `serve` as a task."""
        task = asyncio.create_task(self.serve(connection, close))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def serve(self, connection: Connection, close: Callable[[], object]) -> None:
        """Serve a connection until it ends, or until ``handshake_s`` have passed without a session."""
        self._connections.add(connection)
        try:
            waits = (connection.opened, connection.ended)
            await asyncio.wait(waits, timeout=self.handshake_s, return_when=asyncio.FIRST_COMPLETED)
            if connection.opened.done():
                await connection.ended
            elif connection.protocol.is_refused:
                await self.hold_refusal()
        finally:
            connection.end()
            self._connections.discard(connection)
            close()
            await connection.aclose()
            status = connection.exit_status
            if status is not None and not self._connections and not self.exited.done():
                self.exited.set_result(status)

    async def hold_refusal(self) -> None:
        """Delay the response to a wrong token, at most until the server closes."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._refusal_s):
                await self._closing.wait()

    async def aclose(self) -> None:
        """End every connection."""
        self._closing.set()
        for connection in self._connections:
            connection.end()
        await asyncio.gather(*self._tasks, return_exceptions=True)


class _ClientSocket(BytesProtocol):
    def __init__(
        self, listening_server: ListeningServer, authenticate: Callable[[object], object] | None
    ) -> None:
        super().__init__(self._read, self._end)
        self._listening_server = listening_server
        self._authenticate = authenticate
        self._connection: Connection | None = None
        self._transport: asyncio.Transport | None = None
        self._first_byte_timer: asyncio.TimerHandle | None = None
        self._refusal: list[bytes] = []  # frames for a refused client, held until `hold_refusal` is over

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """See `asyncio.Protocol`."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._listening_server.limit.add(self, self._drop)
        loop = asyncio.get_running_loop()
        self._first_byte_timer = loop.call_later(self._listening_server.handshake_s, self._drop)

    def connection_lost(self, error: Exception | None) -> None:
        """See `asyncio.Protocol`."""
        super().connection_lost(error)
        self._listening_server.limit.remove(self)

    def _reserve(self) -> None:
        if not self._listening_server.limit.admit(self):
            raise RpcError(REQUEST_FAILED, f"{MAX_CONNECTIONS} editors are connected, the maximum; close one")

    def _write(self, frame: bytes) -> None:
        assert self._transport is not None
        assert self._connection is not None
        if self._connection.protocol.is_refused:
            self._refusal.append(frame)
        else:
            write_or_abort(self._transport, frame)

    def _close(self) -> None:
        assert self._transport is not None
        for frame in self._refusal:
            write_or_abort(self._transport, frame)
        self._listening_server.limit.remove(self)
        self._transport.close()
        # A client that does not read would keep the transport open.
        asyncio.get_running_loop().call_later(FLUSH_S, self._transport.abort)

    def _drop(self) -> None:
        assert self._transport is not None
        self._transport.abort()
        self._end()

    def _read(self, data: bytes) -> None:
        if self._connection is None:  # created late: a client that sends nothing costs only its socket
            assert self._first_byte_timer is not None
            self._first_byte_timer.cancel()
            self._connection = Connection(
                self._listening_server.environ,
                self._write,
                authenticate=self._authenticate,
                reserve=self._reserve,
            )
            self._listening_server.spawn(self._connection, self._close)
        self._connection.receive_bytes(data)

    def _end(self) -> None:
        if self._first_byte_timer is not None:
            self._first_byte_timer.cancel()
        if self._connection is not None:
            self._connection.end()
        elif self._transport is not None:
            self._transport.close()


@contextlib.asynccontextmanager
async def listening_on_tcp(
    port: int, listening_server: ListeningServer, authenticator: Authenticator
) -> AsyncIterator[str]:
    """Listen on a loopback port, 0 for any free one; yield its address."""
    loop = asyncio.get_running_loop()
    with bound_to_loopback(port, source="--tcp") as listener:
        server = await loop.create_server(
            lambda: _ClientSocket(listening_server, authenticator.authenticate),
            sock=listener,
            backlog=ACCEPTED_AT_ONCE,
        )
        set_listen_backlog(listener)
        try:
            yield f"tcp://{LOOPBACK}:{listener.getsockname()[1]}"
        finally:
            server.close()
            await listening_server.aclose()


@contextlib.asynccontextmanager
async def listening_on_pipe(path: str, listening_server: ListeningServer) -> AsyncIterator[str]:
    """Listen on a Unix socket that only its owner can open; yield its path, and remove it at the end."""
    loop = asyncio.get_running_loop()
    listener = _bound_to_path(path)
    created = os.lstat(path)
    try:
        server = await loop.create_unix_server(
            lambda: _ClientSocket(listening_server, None), sock=listener, backlog=ACCEPTED_AT_ONCE
        )
        set_listen_backlog(listener)
        try:
            yield path
        finally:
            server.close()
            await listening_server.aclose()
    finally:
        listener.close()
        with contextlib.suppress(OSError):
            if os.path.samestat(created, os.lstat(path)):  # another process may have replaced it
                os.unlink(path)  # noqa: PTH108 - as below


def set_listen_backlog(listener: socket.socket) -> None:
    """Set how many connections the kernel queues; call it after asyncio has called ``listen``."""
    listener.listen(_LISTEN_BACKLOG)


def bound_to_loopback(port: int, *, source: str) -> socket.socket:
    """Bind a loopback port; raises `SettingsError` if it is taken or not permitted."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        if os.name == "posix":  # on Windows another process could then bind the same port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((LOOPBACK, port))
    except OSError as error:
        listener.close()
        raise SettingsError(f"port {port} cannot be used ({error.strerror})", source=source) from error
    return listener


def parse_port(text: str, *, source: str) -> int:
    """Parse a port number; raises `SettingsError` if it is not from 0 to 65535."""
    if text.isascii() and text.isdigit() and len(text) <= len(str(_MAX_PORT)) and int(text) <= _MAX_PORT:
        return int(text)
    message = f"expected only a port from 0 to {_MAX_PORT}, without a host: twospeed listens on loopback only"
    raise SettingsError(message, source=source)


async def connect_to_pipe(path: str) -> socket.socket | None:
    """Connect to a client that listens on a Unix socket; return None if the path is free.

    With LSP's ``--pipe`` the editor may be the side that listens: VS Code creates the socket, then starts the server.

    Raises:
        SettingsError: The path is not a socket of this user, or the connection fails.
    """
    try:
        found = os.lstat(path)
        if not stat.S_ISSOCK(found.st_mode) or found.st_uid != os.geteuid():
            raise SettingsError(f"{path} exists and is not a socket of yours", source="--pipe")
        client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        client.setblocking(False)
        try:
            await asyncio.get_running_loop().sock_connect(client, path)
        except BaseException:
            client.close()
            raise
    except FileNotFoundError:
        return None
    except ConnectionRefusedError:  # no process listens on this socket any more
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)  # noqa: PTH108 - a path is a string here
        return None
    except OSError as error:
        raise _socket_error(f"cannot connect to the socket at {path}", error) from error
    return client


def _bound_to_path(path: str) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    umask = os.umask(0o177)  # a later chmod would leave a moment in which others can connect
    try:
        listener.bind(path)
    except OSError as error:
        listener.close()
        raise _socket_error(f"cannot create a socket at {path}", error) from error
    finally:
        os.umask(umask)
    return listener


def _socket_error(problem: str, error: OSError) -> SettingsError:
    return SettingsError(f"{problem} ({error.strerror or error})", source="--pipe")

"""Run the server on a transport until it ends. Each transport is one function of the table ``TRANSPORTS``.

It ends with the end of input, ``exit``, the death of the editor's process, SIGTERM, SIGINT or SIGHUP. The process exits
within a second, even if something hangs.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal

from twospeed.errors import SettingsError

from .log import open_log
from .transport.connection import Connection, Feed, write_or_abort
from .transport.editor_process import exit_of
from .transport.stdio import StdoutWriter, reading_stdin

if TYPE_CHECKING:
    import socket

    from .transport.auth import Authenticator
    from .transport.socket_server import ListeningServer
    from .transport.web_site import Site

Transport = Literal["stdio", "pipe", "tcp", "ws"]

NOT_THE_PROTOCOL = 2
"""Exit status where the peer speaks something else."""

_STDERR = 2

SWITCH_S = 0.0005
"""How long a thread that parses keeps the interpreter from the loop. With Python's 5 ms a message waits 7 ms while a large
document is parsed, with this one less than 1 ms, and parsing takes no longer."""

FLUSH_S = 0.3
LAST_S = 0.9
"""The end of the process, counted from the end of the conversation, where closing hangs."""

Stop = asyncio.Event


def serve(transport: Transport, place: str = "") -> int:
    """Serve until the end.

    Args:
        transport: What to serve on.
        place: The path of a pipe, the number of a port; nothing for stdio.

    Returns:
        Exit status: 1 after ``exit`` without ``shutdown``, 2 where the peer on a line of its own does not speak the
        protocol, else 0.

    Raises:
        SettingsError: The place cannot be used.
    """
    return _run(lambda stop: TRANSPORTS[transport](place, os.environ, stop))


def serve_site(port: int, site: Site) -> int:
    """Serve a page and what it speaks to until the end, and say on stderr where it is.

    Args:
        port: A port of loopback, 0 for any that is free.
        site: The page.

    Returns:
        Exit status, as of `serve`.

    Raises:
        SettingsError: The port cannot be used.
    """
    from .transport.websocket import listening_on_websocket  # noqa: PLC0415 - only what is served

    def listen(
        listening_server: ListeningServer, authenticator: Authenticator
    ) -> contextlib.AbstractAsyncContextManager[str]:
        return listening_on_websocket(port, listening_server, authenticator, site=site, source="--port")

    def announce(address: str, token: str) -> None:
        # Behind the #, it is neither sent to anybody nor in a log; the page takes it out of the address.
        _print(f"open http{address.removeprefix('ws')}/#{token} in a browser; Ctrl+C ends it")

    return _run(lambda stop: _receive(os.environ, stop, listen, announce))


def _run(serving: Callable[[Stop], Awaitable[int]]) -> int:
    open_log()
    sys.setswitchinterval(SWITCH_S)
    return asyncio.run(_serve(serving))


async def _serve(serving: Callable[[Stop], Awaitable[int]]) -> int:
    stop = asyncio.Event()
    with _stopped_by_signals(stop):
        return await serving(stop)


async def _serve_stdio(_: str, environ: Mapping[str, str], stop: Stop) -> int:
    writer = StdoutWriter(stop.set)
    try:
        connection = Connection(environ, writer.write)
        async with reading_stdin(connection.receive_bytes, connection.end):
            status = await _run_connection(connection, stop)
            await writer.flush(FLUSH_S)
        return status
    finally:
        writer.close()


async def _serve_pipe(place: str, environ: Mapping[str, str], stop: Stop) -> int:
    from .transport.socket_server import connect_to_pipe, listening_on_pipe  # noqa: PLC0415 - only what a transport needs

    if sys.platform == "win32":
        raise SettingsError(
            "a pipe is a Unix socket, which this platform lacks; use --stdio", source="--pipe"
        )
    if line := await connect_to_pipe(place):
        return await _serve_socket(line, environ, stop)
    return await _receive(
        environ, stop, lambda listening_server, _: listening_on_pipe(place, listening_server), _print_address
    )


async def _serve_tcp(place: str, environ: Mapping[str, str], stop: Stop) -> int:
    from .transport.socket_server import listening_on_tcp, parse_port  # noqa: PLC0415 - only what a transport needs

    port = parse_port(place, source="--tcp")
    return await _receive(
        environ, stop, lambda *room: listening_on_tcp(port, *room), _print_address_and_token
    )


async def _serve_websocket(place: str, environ: Mapping[str, str], stop: Stop) -> int:
    from .transport.socket_server import parse_port  # noqa: PLC0415 - only what a transport needs

    port = parse_port(place, source="--ws")
    from .transport.websocket import listening_on_websocket  # noqa: PLC0415 - the library takes a tenth of a second

    return await _receive(
        environ, stop, lambda *room: listening_on_websocket(port, *room), _print_address_and_token
    )


TRANSPORTS: dict[Transport, Callable[[str, Mapping[str, str], Stop], Awaitable[int]]] = {
    "stdio": _serve_stdio,
    "pipe": _serve_pipe,
    "tcp": _serve_tcp,
    "ws": _serve_websocket,
}


# One line, one editor


async def _run_connection(connection: Connection, stop: Stop) -> int:
    """Serve the only connection of this process until it ends; return the exit status."""
    stopped = asyncio.create_task(stop.wait())
    gone = asyncio.create_task(_end_of_editor(connection))
    ends: list[asyncio.Future[Any]] = [connection.ended, stopped, gone]
    await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
    stopped.cancel()
    gone.cancel()
    await asyncio.gather(stopped, gone, return_exceptions=True)
    status = NOT_THE_PROTOCOL if connection.error else connection.exit_status or 0
    if connection.error:
        _print(f"{connection.error}; this is not the language server protocol")
    _exit_at_the_latest(status)
    await connection.aclose()
    return status


async def _end_of_editor(connection: Connection) -> None:
    """Wait until the editor's process ends; never return if that cannot be observed."""
    process_id = await asyncio.shield(connection.opened)
    if process_id is None:
        await asyncio.get_running_loop().create_future()
    else:
        await exit_of(process_id)


async def _serve_socket(line: socket.socket, environ: Mapping[str, str], stop: Stop) -> int:
    """Serve an editor that listens itself, over the socket that we connected to it."""
    loop = asyncio.get_running_loop()
    connection = Connection(environ, lambda frame: write_or_abort(transport, frame))
    feed = Feed(connection.receive_bytes, connection.end)
    transport, _ = await loop.create_unix_connection(lambda: feed, sock=line)
    try:
        return await _run_connection(connection, stop)
    finally:
        transport.close()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(FLUSH_S):
                await feed.lost.wait()
        transport.abort()


# Many


async def _receive(
    environ: Mapping[str, str],
    stop: Stop,
    listen: Callable[[ListeningServer, Authenticator], contextlib.AbstractAsyncContextManager[str]],
    announce: Callable[[str, str], None],
) -> int:
    """Receive editors until one that is alone says ``exit``, or we are told to stop; ``announce`` address and token."""
    from .transport.auth import Authenticator  # noqa: PLC0415 - only what a transport needs
    from .transport.socket_server import ListeningServer  # noqa: PLC0415 - as above

    listening_server, authenticator = ListeningServer(environ), Authenticator()
    stopped = asyncio.create_task(stop.wait())
    ends: list[asyncio.Future[Any]] = [listening_server.over, stopped]
    async with listen(listening_server, authenticator) as address:
        announce(address, authenticator.token)
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        stopped.cancel()
        status = listening_server.over.result() if listening_server.over.done() else 0
        _exit_at_the_latest(status)
    return status


# The end


@contextlib.contextmanager
def _stopped_by_signals(stop: Stop) -> Iterator[None]:
    """End in an orderly way on SIGTERM and SIGINT, and when the terminal closes, but for one that ``nohup`` started."""
    loop = asyncio.get_running_loop()
    signals = [signal.SIGTERM, signal.SIGINT]
    if sys.platform != "win32" and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        signals.append(signal.SIGHUP)
    before = {each: signal.getsignal(each) for each in signals}
    for each in signals:
        try:
            loop.add_signal_handler(each, stop.set)
        except NotImplementedError:  # Windows
            signal.signal(each, lambda *_: loop.call_soon_threadsafe(stop.set))
    try:
        yield
    finally:
        for each in signals:
            with contextlib.suppress(NotImplementedError):
                loop.remove_signal_handler(each)
            signal.signal(each, before[each])


def _exit_at_the_latest(status: int) -> None:
    timer = threading.Timer(LAST_S, os._exit, [status])
    timer.daemon = True
    timer.start()


def _print_address(address: str, _: str) -> None:
    _print(f"listening on {address}")


def _print_address_and_token(address: str, token: str) -> None:
    _print_address(address, token)
    _print(f"token: {token}")


def _print(words: str) -> None:
    """Print a line on stderr; ignore a closed stderr."""
    with contextlib.suppress(OSError):
        os.write(_STDERR, f"twospeed: {words}\n".encode(errors="backslashreplace"))

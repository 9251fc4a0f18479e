"""Run the server on a transport."""

from __future__ import annotations

import asyncio
import os

from .framing import FrameDecoder, FramingError
from .log import open_log
from .server import create_server
from .stdio import StdoutWriter, read_stdin


def serve_stdio() -> int:
    """Serve one editor over stdin and stdout.

    Returns:
        Exit status: 0 after ``shutdown`` and ``exit`` or at the end of input, 1 after ``exit`` alone, 2 where the
        peer does not speak the protocol.
    """
    open_log()
    writer = StdoutWriter()
    try:
        return asyncio.run(_serve(writer))
    finally:
        writer.close()


async def _serve(writer: StdoutWriter) -> int:
    protocol = create_server(os.environ, writer.write)
    decoder, stop = FrameDecoder(), asyncio.Event()
    status = 0

    def receive(data: bytes) -> None:
        nonlocal status
        try:
            for body in decoder.receive_bytes(data):
                protocol.receive_body(body)
                if protocol.has_exited:
                    status = 0 if protocol.is_shut_down else 1
                    stop.set()
                    return
        except FramingError as error:
            os.write(2, f"twospeed: {error}; this is not the language server protocol\n".encode())
            status = 2
            stop.set()

    try:
        await read_stdin(receive, stop=stop)
    finally:
        await protocol.aclose()
    return status

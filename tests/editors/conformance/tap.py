"""A process between an editor and its server: passes on every byte, and tells of every message to who listens.

``python tap.py SOCKET SERVER …`` runs the server and ends with its status. To the Unix socket it writes lines of JSON:
first ``{"pid": …}`` of the server, then ``{"from": "editor" | "server", "at": seconds, "message": …}``, each before
the message is passed on. It imports nothing of the project, to be there at once.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from typing import IO


class Teller:
    """Writes lines to the socket, from two threads."""

    def __init__(self, path: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(path)
        self._lock = threading.Lock()

    def tell(self, **line: object) -> None:
        with self._lock, suppress(OSError):  # the listener may be gone; the editor still wants its server
            self._socket.sendall(json.dumps(line).encode() + b"\n")


def pass_on(sender: str, source: IO[bytes], target: IO[bytes], teller: Teller) -> None:
    """Pass on frames until there are no more, then close."""
    with suppress(OSError, ValueError):
        while frame := _frame(source):
            head, body = frame
            teller.tell(**{"from": sender, "at": time.monotonic(), "message": json.loads(body)})
            target.write(head + body)
            target.flush()
    with suppress(OSError):
        target.close()


def _frame(source: IO[bytes]) -> tuple[bytes, bytes] | None:
    head = b""
    length = 0
    while line := source.readline():
        head += line
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
        if line == b"\r\n":
            body = source.read(length)
            return (head, body) if len(body) == length else None
    return None


def main() -> int:
    path, *command = sys.argv[1:]
    teller = Teller(path)
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert server.stdin
    assert server.stdout
    teller.tell(pid=server.pid)
    to_server = threading.Thread(
        target=pass_on, args=("editor", sys.stdin.buffer, server.stdin, teller), daemon=True
    )
    to_server.start()
    pass_on("server", server.stdout, sys.stdout.buffer, teller)
    return server.wait()


if __name__ == "__main__":
    os._exit(main())  # the other thread waits for an editor that may say nothing more

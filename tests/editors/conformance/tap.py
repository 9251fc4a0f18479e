"""A process between an editor and its server, which forwards all bytes and reports each message to a socket.

``python tap.py SOCKET SERVER …`` runs the server and exits with its status. To the Unix socket it writes lines of JSON:
first ``{"pid": …}`` of the server, then ``{"from": "editor" | "server", "at": seconds, "message": …}`` for each message,
before it forwards the message. It imports no code of the project, so that it starts fast.
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


class Reporter:
    """Writes lines of JSON to the socket; safe to use from two threads."""

    def __init__(self, path: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(path)
        self._lock = threading.Lock()

    def report(self, **line: object) -> None:
        with self._lock, suppress(OSError):  # the listener may have ended; the editor still needs its server
            self._socket.sendall(json.dumps(line).encode() + b"\n")


def forward(sender: str, source: IO[bytes], target: IO[bytes], reporter: Reporter) -> None:
    """Forward frames until the source ends, then close the target."""
    with suppress(OSError, ValueError):
        while frame := _frame(source):
            head, body = frame
            reporter.report(**{"from": sender, "at": time.monotonic(), "message": json.loads(body)})
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
    reporter = Reporter(path)
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert server.stdin
    assert server.stdout
    reporter.report(pid=server.pid)
    to_server = threading.Thread(
        target=forward, args=("editor", sys.stdin.buffer, server.stdin, reporter), daemon=True
    )
    to_server.start()
    forward("server", server.stdout, sys.stdout.buffer, reporter)
    return server.wait()


if __name__ == "__main__":
    os._exit(main())  # the other thread still blocks in a read from the editor

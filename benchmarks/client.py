"""A server process over stdio, and a minimal streaming client that accepts every edit unseen.

It keeps no text. Each edit is returned to the server as the client's own change.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from time import perf_counter
from typing import Any, Self

import orjson

from twospeed.lsp.wire.framing import FrameDecoder, encode_frame

URI = "file:///bench/total.py"
TWOSPEED = ("-m", "twospeed", "serve")
PLAIN_PYGLS = ("-m", "benchmarks.plain_pygls")
BARE_PYGLS = ("-c", "from pygls.lsp.server import LanguageServer; LanguageServer('bare', '1').start_io()")

_CAPABILITIES = {"experimental": {"twospeed": {"applyEdit": True, "events": True}}}


class Client:
    """One connection.

    Attributes:
        edits: Arrival time and bytes of each message with edits.
        start_s: Seconds from the start of the process to its answer to ``initialize``.
    """

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._decoder = FrameDecoder()
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._n_requests = 0
        self._versions: dict[str, int] = {}
        self._reading = asyncio.create_task(self._read())
        self.edits: list[tuple[float, int]] = []
        self.start_s = 0.0

    @classmethod
    @asynccontextmanager
    async def started(cls, command: Sequence[str] = TWOSPEED, *, home: Path) -> AsyncIterator[Self]:
        """Start a server with an empty home, whose ``config.toml`` it reads if there is one; stop it at the
        end.
        """
        config = home / "config.toml"
        env = {
            "HOME": str(home),
            **({"TWOSPEED_CONFIG": str(config)} if config.exists() else {}),
            "PYTHONPATH": ":".join(sys.path),
        }
        started = perf_counter()
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            sys.executable, *command, stdin=pipe, stdout=pipe, env=env
        )
        client = cls(process)
        try:
            await client.ask(
                "initialize", {"processId": None, "rootUri": None, "capabilities": _CAPABILITIES}
            )
            client.start_s = perf_counter() - started
            client.notify("initialized", {})
            yield client
            await client.ask("shutdown", None)
            client.notify("exit", None)
            await asyncio.wait_for(process.wait(), 10)
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
            await client._reading

    def resident_mb(self) -> float | None:
        """Return the process's resident memory, ``None`` if the system does not report it."""
        status = Path(f"/proc/{self._process.pid}/status")
        if not status.exists():
            return None
        (line,) = (line for line in status.read_text().splitlines() if line.startswith("VmRSS:"))
        return int(line.split()[1]) / 1024

    def cpu_s(self) -> float:
        """Return the processor time of the process and its threads; Linux only."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def version_of(self, uri: str) -> int:
        """Return the version of a document."""
        return self._versions[uri]

    def forget_replies(self) -> None:
        """Drop the received replies."""
        self._waiting = {number: reply for number, reply in self._waiting.items() if not reply.done()}

    async def ask(self, method: str, params: object) -> Any:
        """Send a request and return its result."""
        reply = await asyncio.wait_for(self.request(method, params), 60)
        assert "error" not in reply, reply
        return reply["result"]

    def request(self, method: str, params: object) -> asyncio.Future[dict[str, Any]]:
        """Send a request at once; the future receives the whole reply, a result or an error."""
        self._n_requests += 1
        number = self._n_requests
        self._waiting[number] = asyncio.get_running_loop().create_future()
        self._send({"id": number, "method": method, "params": params})
        return self._waiting[number]

    def ping(self) -> asyncio.Future[dict[str, Any]]:
        """Send the cheapest request: twospeed replies that the method is unknown."""
        return self.request("bench/ping", None)

    def notify(self, method: str, params: object) -> None:
        """Send a notification."""
        self._send({"method": method, "params": params})

    async def edit(self, text: str, line: int) -> Any:
        """Open a document, edit it, and return the result."""
        self.edits = []
        self.open_document(text)
        at = {"line": line, "character": 0}
        document = {"uri": URI, "version": 1}
        params = {"textDocument": document, "range": {"start": at, "end": at}, "instruction": "do it"}
        return await self.ask("twospeed/edit", params)

    def open_document(self, text: str, uri: str = URI) -> None:
        """Open a document."""
        self._versions[uri] = 1
        item = {"uri": uri, "languageId": "python", "version": 1, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})

    def change_document(self, changes: Sequence[dict[str, Any]], uri: str = URI) -> None:
        """Send LSP changes of a document."""
        self._versions[uri] += 1
        document = {"uri": uri, "version": self._versions[uri]}
        self.notify("textDocument/didChange", {"textDocument": document, "contentChanges": changes})

    def close_document(self, uri: str = URI) -> None:
        """Close a document."""
        self.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def _send(self, message: dict[str, object]) -> None:
        assert self._process.stdin
        self._process.stdin.write(encode_frame(orjson.dumps({"jsonrpc": "2.0", **message})))

    async def _read(self) -> None:
        assert self._process.stdout
        while data := await self._process.stdout.read(64 * 1024):
            for body in self._decoder.receive_bytes(data):
                self._receive(orjson.loads(body), len(body))
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(EOFError("the server has ended"))

    def _receive(self, message: dict[str, Any], n_bytes: int) -> None:
        if message.get("method") == "twospeed/applyEdit":
            self.edits.append((perf_counter(), n_bytes))
            self._apply(message["id"], message["params"]["edits"])
        elif "method" not in message:
            self._waiting[message["id"]].set_result(message)

    def _apply(self, request_id: object, edits: list[dict[str, Any]]) -> None:
        self.change_document([{"range": edit["range"], "text": edit["newText"]} for edit in reversed(edits)])
        self._send({"id": request_id, "result": {"applied": True, "version": self._versions[URI]}})

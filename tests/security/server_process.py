"""A real server process that is driven with raw frames, and all its output."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

Message = dict[str, Any]

SERVE = (sys.executable, "-P", "-m", "twospeed", "serve", "--stdio")
CODE = "def price(amount, rate):\n    return amount * rate\n"
ANSWER = CODE.replace("amount * rate", "round(amount * rate, 2)")
LIMIT_S = 20


class ServerProcess:
    """One server and a simulated editor.

    Attributes:
        output: Every byte of its stdout.
        errors: Every byte of its stderr, once it has ended.
        configuration: The editor's response to ``workspace/configuration``.
    """

    def __init__(self, reader: asyncio.StreamReader, write: Callable[[bytes], None], pid: int | None) -> None:
        self.pid = pid
        self.output = b""
        self.errors = b""
        self.configuration: object = None
        self._reader, self._write = reader, write
        self._waiting: dict[int, asyncio.Future[Message]] = {}
        self.shown: list[str] = []

    # Messages

    def send(self, message: Message) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def notify(self, method: str, params: object) -> None:
        self.send({"method": method, "params": params})

    def ask(self, method: str, params: object) -> tuple[int, asyncio.Future[Message]]:
        request_id = len(self._waiting) + 1
        answer = self._waiting[request_id] = asyncio.get_running_loop().create_future()
        self.send({"id": request_id, "method": method, "params": params})
        return request_id, answer

    async def request(self, method: str, params: object) -> Message:
        """Return the whole response: a result or an error."""
        return await asyncio.wait_for(self.ask(method, params)[1], LIMIT_S)

    async def read(self) -> None:
        while head := await self._reader.readline():
            self.output += head + (separator := await self._reader.readline())
            assert (head[:15].lower(), separator) == (b"content-length:", b"\r\n")
            body = await self._reader.readexactly(int(head.partition(b":")[2]))
            self.output += body
            self._take(json.loads(body))
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(EOFError("the server has ended"))

    def _take(self, message: Message) -> None:
        if "method" not in message:
            self._waiting[message["id"]].set_result(message)
        elif "id" in message:
            self.send({"id": message["id"], "result": self._answer(message["method"], message["params"])})
        elif message["method"] == "window/showMessage":
            self.shown.append(message["params"]["message"])

    def _answer(self, method: str, params: Message) -> object:
        if method == "workspace/configuration":
            return [self.configuration for _ in params["items"]]
        return {"applied": False} if method == "workspace/applyEdit" else None

    # What an editor does

    async def initialize(self, root: Path | None, options: object = None, **capabilities: object) -> Message:
        params = {
            "processId": None,
            "rootUri": root.as_uri() if root else None,
            "capabilities": {"workspace": {"configuration": True}, **capabilities},
            "initializationOptions": options,
            "trace": "verbose",
        }
        response = await self.request("initialize", params)
        self.notify("initialized", {})
        return response

    def open(self, uri: str) -> None:
        item = {"uri": uri, "languageId": "python", "version": 1, "text": CODE}
        self.notify("textDocument/didOpen", {"textDocument": item})

    def start_edit(self, uri: str, instruction: str, **more: object) -> tuple[int, asyncio.Future[Message]]:
        """Request an edit that leaves the document unchanged, so that one document serves all requests."""
        at = {"line": 1, "character": 4}
        document = {"uri": uri, "version": 1}
        params = {"textDocument": document, "range": {"start": at, "end": at}, "instruction": instruction}
        return self.ask("twospeed/edit", {**params, "deliver": "preview", **more})

    async def edit(self, uri: str, instruction: str, **more: object) -> Message:
        return await asyncio.wait_for(self.start_edit(uri, instruction, **more)[1], LIMIT_S)


@asynccontextmanager
async def server_process(
    environ: Mapping[str, str], *, command: Sequence[str] = SERVE, cwd: Path | None = None
) -> AsyncIterator[ServerProcess]:
    """Run a server; it is shut down and has ended at exit."""
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=dict(environ),
        cwd=cwd,
        limit=64 * 1024 * 1024,
    )
    assert process.stdin
    assert process.stdout
    assert process.stderr
    server = ServerProcess(process.stdout, process.stdin.write, process.pid)
    reading = asyncio.ensure_future(server.read())
    errors = asyncio.ensure_future(process.stderr.read())
    try:
        try:
            yield server
        except EOFError as error:
            error.add_note((await errors).decode())
            raise
        await server.request("shutdown", None)
        server.notify("exit", None)
        await asyncio.wait_for(process.wait(), LIMIT_S)
        await reading
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
        reading.cancel()
        server.errors = await errors
        process.stdin.close()

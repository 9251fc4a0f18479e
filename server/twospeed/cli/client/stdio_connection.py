"""A small LSP client over the stdio of a child process, which ends with this process at the latest."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from twospeed.cli.exits import RequestRefused, ServerStopped, ServerTrouble
from twospeed.lsp.wire.framing import FrameDecoder, FramingError, encode_frame

SERVE = (sys.executable, "-P", "-m", "twospeed", "serve", "--stdio")
"""Our server; ``-P`` ignores a ``twospeed.py`` in the current folder."""

_CHUNK_BYTES = 64 * 1024
_KEPT_STDERR_BYTES = 4096
_METHOD_NOT_FOUND = -32601
_SHUTDOWN_LIMIT_S = 3.0
_EXIT_LIMIT_S = 2.0

Message = dict[str, Any]


class Listener(Protocol):
    """Handles messages that the server sends on its own."""

    def handle_notification(self, method: str, params: Message) -> None:
        """Handle a notification."""

    async def handle_request(self, method: str, params: Message) -> object:
        """Return the result of a request; raises NotImplementedError for an unknown method."""


class StdioConnection:
    """A running server; `start` creates it, `close` ends it."""

    def __init__(self, process: asyncio.subprocess.Process, listener: Listener) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self._process = process
        self._listener = listener
        self._input = process.stdin
        self._pending: dict[int, asyncio.Future[Any]] = {}
        self._next_id = 1
        self._stderr_tail = b""
        self._trouble: BaseException | None = None
        self._responses: set[asyncio.Task[None]] = set()
        self._stderr_task = asyncio.create_task(self._keep_stderr(process.stderr))
        self._reader = asyncio.create_task(self._read(process.stdout))
        self._reader.add_done_callback(self._reader_ended)

    @classmethod
    async def start(
        cls,
        listener: Listener,
        *,
        command: Sequence[str] = SERVE,
        environment: Mapping[str, str] | None = None,
    ) -> StdioConnection:
        """Start a server; raises `ServerTrouble`."""
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env=environment,
                start_new_session=True,  # Ctrl+C must not reach it
            )
        except OSError as error:
            raise ServerTrouble(f"the server could not be started: {error.strerror}") from error
        return cls(process, listener)

    @property
    def status(self) -> int | None:
        """The exit status of the process; None while it runs."""
        return self._process.returncode

    async def request(self, method: str, params: object = None, *, limit_s: float) -> Any:
        """Send a request and return its result.

        Raises:
            RequestRefused: The server responded with an error.
            ServerTrouble: The server stopped or did not respond in time.
        """
        if self._trouble:
            raise self._trouble
        request_id = self._next_id
        self._next_id += 1
        future = self._pending[request_id] = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(limit_s):
                self._send({"id": request_id, "method": method, "params": params})
                return await future
        except TimeoutError as error:
            raise ServerTrouble(f"the server did not respond to {method} within {limit_s:g} s") from error
        finally:
            self._pending.pop(request_id, None)

    def notify(self, method: str, params: object = None) -> None:
        """Send a notification; if the server has stopped, the next request raises."""
        self._send({"method": method, "params": params})

    async def close(self) -> None:
        """Shut the server down, or kill it if it does not exit."""
        try:
            if self._trouble is None:
                with contextlib.suppress(ServerTrouble, RequestRefused):
                    await self.request("shutdown", limit_s=_SHUTDOWN_LIMIT_S)
                self.notify("exit")
            self._input.close()
            async with asyncio.timeout(_EXIT_LIMIT_S):
                await self._process.wait()
        except TimeoutError:
            pass
        finally:
            self.kill()
            for task in (*self._responses, self._reader, self._stderr_task):
                task.cancel()
            await self._process.wait()  # reaps the process
            await asyncio.gather(*self._responses, self._reader, self._stderr_task, return_exceptions=True)

    def kill(self) -> None:
        """Kill the process if it runs."""
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()

    def _send(self, message: Message) -> None:
        if not self._input.is_closing():
            self._input.write(encode_frame(json.dumps({"jsonrpc": "2.0", **message}).encode()))

    async def _read(self, output: asyncio.StreamReader) -> None:
        decoder = FrameDecoder()
        try:
            while data := await output.read(_CHUNK_BYTES):
                for body in decoder.receive_bytes(data):
                    self._receive(json.loads(body))
            self._fail_pending(await self._server_stopped())
        except (FramingError, ValueError, ServerTrouble) as error:
            self._fail_pending(ServerTrouble(f"the server violated the protocol: {error}"))

    def _receive(self, message: Message) -> None:
        match message:
            case {"method": str(method), "id": request_id}:
                task = asyncio.create_task(self._respond(request_id, method, message.get("params") or {}))
                self._responses.add(task)
                task.add_done_callback(self._responses.discard)
            case {"method": str(method)}:
                self._listener.handle_notification(method, message.get("params") or {})
            case {"id": int(request_id)}:
                future = self._pending.get(request_id)
                if future is not None and not future.done():
                    _settle(future, message)
            case _:
                raise ServerTrouble("the server sent a message that is no request, notification or response")

    async def _respond(self, request_id: object, method: str, params: Message) -> None:
        try:
            response: Message = {"result": await self._listener.handle_request(method, params)}
        except NotImplementedError:
            response = {"error": {"code": _METHOD_NOT_FOUND, "message": f"no such method: {method}"}}
        self._send({"id": request_id, **response})

    def _reader_ended(self, reader: asyncio.Task[None]) -> None:
        if not reader.cancelled() and (error := reader.exception()):
            self._fail_pending(error)

    def _fail_pending(self, trouble: BaseException) -> None:
        self._trouble = trouble
        self.kill()
        for future in self._pending.values():
            if not future.done():
                future.set_exception(trouble)

    async def _server_stopped(self) -> ServerStopped:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_EXIT_LIMIT_S):
                await self._process.wait()
                await asyncio.shield(self._stderr_task)
        lines = self._stderr_tail.decode("utf-8", "replace").strip().splitlines() or [""]
        return ServerStopped(status=self._process.returncode, last_stderr_line=lines[-1])

    async def _keep_stderr(self, stderr: asyncio.StreamReader) -> None:
        while data := await stderr.read(_CHUNK_BYTES):
            self._stderr_tail = (self._stderr_tail + data)[-_KEPT_STDERR_BYTES:]


def _settle(future: asyncio.Future[Any], message: Message) -> None:
    if error := message.get("error"):
        future.set_exception(RequestRefused(error["message"], code=error["code"]))
    else:
        future.set_result(message.get("result"))

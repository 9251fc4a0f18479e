"""A GGUF file as a model: a server of Chat Completions in a child process, started on first use."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import sys
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

import orjson

from twospeed.errors import AnswerBrokeOff, ModelUnavailable, UnsafeEndpoint
from twospeed.models.base import Finished, ModelEvent, ModelRequest, ProviderSettings, Usage
from twospeed.models.codecs.decoder import fields_of
from twospeed.models.http.endpoints import parse_endpoint
from twospeed.models.keys.secret import Secret

if TYPE_CHECKING:
    from twospeed.models.http.connections import Connections
    from twospeed.models.http.http_model import HttpModel

# The command; ``-P`` prevents imports from the current folder.
CHILD: Final = (sys.executable, "-P", str(Path(__file__).with_name("llama_child.py")))

# Limit for loading: about ten gigabytes from a slow disk.
START_S: Final = 120.0

# A process that dies twice in this time without a complete answer is not restarted until it is over.
RESTART_WINDOW_S: Final = 60.0

_EXIT_WAIT_S = 0.5

# Environment of the process: variables of loaders and drivers, no keys.
_ENVIRONMENT_NAMES = ("HOME", "LANG", "LD_LIBRARY_PATH", "PATH", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR")
_ENVIRONMENT_PREFIXES = ("CUDA_", "GGML_", "HIP_", "HSA_", "ROCR_", "VK_")


@dataclass(frozen=True, slots=True)
class RunningProcess:
    """A process that serves, with a key for this process only."""

    settings: ProviderSettings
    key: Secret
    process: asyncio.subprocess.Process

    @property
    def is_alive(self) -> bool:
        """Whether its end has not been reported."""
        return self.process.returncode is None


@cache
def _is_installed() -> bool:
    return find_spec("xllamacpp") is not None


def obstacle(provider: ProviderSettings) -> str | None:
    """Return why a GGUF file cannot be served, as a phrase without a dot; None if nothing is known."""
    if not _is_installed():
        return "xllamacpp is not installed"
    is_there = os.path.isfile(provider.gguf)  # noqa: PTH113  # pathlib raises without permission
    return None if is_there else f"no file {provider.gguf}"


class LlamaProcess:
    """The process of one GGUF file."""

    def __init__(self, settings: ProviderSettings, *, start_s: float = START_S) -> None:
        self._settings = settings
        self._start_s = start_s
        self._starting: asyncio.Task[RunningProcess] | None = None
        self._starts: list[float] = []
        self._is_closed = False

    async def ready(self) -> RunningProcess:
        """Return the running process, starting it if needed; raises ModelUnavailable.

        Cancelling the caller does not stop the start.
        """
        if self._starting is None or self._starting.cancelled() or self._has_failed(self._starting):
            self._starting = asyncio.create_task(self._start())
        return await asyncio.shield(self._starting)

    async def has_died(self, running: RunningProcess) -> bool:
        """Whether a process has died; this is known shortly after its connections are closed."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_EXIT_WAIT_S):
                await running.process.wait()
        return not running.is_alive

    def record_answer(self) -> None:
        """Record a complete answer, which allows a restart at once."""
        self._starts.clear()

    async def aclose(self) -> None:
        """End the process."""
        self._is_closed = True
        starting, self._starting = self._starting, None
        if starting is None:
            return
        starting.cancel()
        with contextlib.suppress(asyncio.CancelledError, ModelUnavailable):
            await _end((await starting).process)

    @staticmethod
    def _has_failed(starting: asyncio.Task[RunningProcess]) -> bool:
        if not starting.done():
            return False
        return starting.exception() is not None or not starting.result().is_alive

    async def _start(self) -> RunningProcess:
        now = asyncio.get_running_loop().time()
        self._starts = [at for at in self._starts if now - at < RESTART_WINDOW_S]
        if len(self._starts) > 1 or self._is_closed:
            raise self._error("has ended twice; it is not started again for a minute")
        self._starts.append(now)
        process = await asyncio.create_subprocess_exec(
            *CHILD,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env=_environment(),
            start_new_session=True,  # Ctrl-C goes to the server, which then ends the child
        )
        try:
            async with asyncio.timeout(self._start_s):
                return await self._running(process)
        except TimeoutError:
            await _end(process)
            raise self._error(f"was not loaded within {self._start_s:g} seconds") from None
        except BaseException:
            await _end(process)
            raise

    async def _running(self, process: asyncio.subprocess.Process) -> RunningProcess:
        assert process.stdin
        assert process.stdout
        value = secrets.token_hex(32)
        spec = {
            "gguf": self._settings.gguf,
            "model": self._settings.name,
            "context_tokens": self._settings.context_tokens,
            "key": value,
        }
        process.stdin.write(orjson.dumps(spec) + b"\n")
        answer = _parsed_answer(await process.stdout.readline())
        if isinstance(reason := answer.get("error"), str):
            self._starts.clear()  # an error, not a crash
            raise self._error(reason)
        try:
            endpoint = parse_endpoint(f"{answer.get('address')}/v1")
        except UnsafeEndpoint:
            raise self._error("ended while loading") from None
        return RunningProcess(
            ProviderSettings(self._settings.name, "chat", endpoint.url("")),
            Secret(value, name=f"the key of {self._settings.name}", origins=[endpoint.origin]),
            process,
        )

    def _error(self, reason: str) -> ModelUnavailable:
        name = self._settings.name
        message = reason if self._settings.gguf in reason or "xllamacpp" in reason else f"{name} {reason}"
        return ModelUnavailable(message, provider=name, model=name)


class LlamaModel:
    """A model in a child process."""

    def __init__(
        self, process: LlamaProcess, provider: str, name: str, *, connections: Connections, connect_s: float
    ) -> None:
        self._process = process
        self._provider = provider
        self._name = name
        self._connections = connections
        self._connect_s = connect_s

    @property
    def provider(self) -> str:
        """See `Model`."""
        return self._provider

    @property
    def name(self) -> str:
        """See `Model`."""
        return self._name

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """See `Model.stream`; a process that died without any output is restarted."""
        has_output = False
        while True:
            running = await self._process.ready()
            try:
                async with contextlib.aclosing(self._http_model(running).stream(request)) as events:
                    async for event in events:
                        has_output = True
                        if isinstance(event, Finished):
                            self._process.record_answer()
                        yield event
                return  # noqa: TRY300  # `while True` has no else
            except (ModelUnavailable, AnswerBrokeOff) as error:
                if not await self._process.has_died(running):
                    raise
                if has_output or not request.may_send_again():
                    message = f"the process that serves {self._provider} ended"
                    raise AnswerBrokeOff(message, provider=self._provider, model=self._name) from error

    async def warm(self, request: ModelRequest) -> Usage | None:
        """See `Model.warm`; starts the process."""
        return await self._http_model(await self._process.ready()).warm(request)

    def send_ahead(self, request: ModelRequest) -> None:
        """Do nothing: the model is on this machine."""

    def _http_model(self, running: RunningProcess) -> HttpModel:
        from twospeed.models.http.http_model import HttpModel  # noqa: PLC0415  # importing aiohttp is slow

        return HttpModel(
            running.settings,
            self._name,
            connections=self._connections,
            key=running.key,
            connect_s=self._connect_s,
        )


def _parsed_answer(line: bytes) -> dict[str, object]:
    try:
        return fields_of(orjson.loads(line))
    except orjson.JSONDecodeError:
        return {}


def _environment() -> dict[str, str]:
    return {
        name: value
        for name, value in os.environ.items()
        if name in _ENVIRONMENT_NAMES or name.startswith(_ENVIRONMENT_PREFIXES)
    }


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
    await process.wait()
    if process.stdin:
        process.stdin.close()

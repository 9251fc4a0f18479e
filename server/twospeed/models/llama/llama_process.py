"""The process that serves a GGUF file: started on first use, ended with the server.

It receives a key of its own over stdin. It ends at the end of stdin, so it cannot outlive this process. A
process that died is restarted once.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import sys
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import orjson

from twospeed.errors import ModelUnavailable, UnsafeEndpoint
from twospeed.models.base import ProviderSettings
from twospeed.models.codecs.decoder import fields_of
from twospeed.models.http.endpoints import parse_endpoint
from twospeed.models.keys.secret import Secret

CHILD: Final = (sys.executable, "-P", str(Path(__file__).with_name("llama_child.py")))
"""The command; ``-P`` prevents imports from the current folder."""

START_S: Final = 120.0
"""Limit for loading: about ten gigabytes from a slow disk."""

RESTART_WINDOW_S: Final = 60.0
"""A process that dies twice within these seconds, without a complete answer, is not restarted until they are over."""

_EXIT_WAIT_S = 0.5
_ENVIRONMENT_NAMES = ("HOME", "LANG", "LD_LIBRARY_PATH", "PATH", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR")
_ENVIRONMENT_PREFIXES = ("CUDA_", "GGML_", "HIP_", "HSA_", "ROCR_", "VK_")
"""Environment of the process: variables of loaders and drivers, no keys."""


@dataclass(frozen=True, slots=True)
class RunningProcess:
    """A process that serves.

    Attributes:
        key: For this process only.
    """

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
    """Return why a GGUF file cannot be served, as a phrase without a dot; ``None`` if nothing is known."""
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
        """Return the running process, starting it if needed; cancelling the caller does not stop the start.

        Raises:
            ModelUnavailable: It does not start, or has died too often.
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

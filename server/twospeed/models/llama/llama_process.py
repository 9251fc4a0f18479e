"""Run the process that serves a GGUF of the user's: started when it is first needed, gone with the server.

Its key is made for it alone and told over its stdin. The end of stdin is the end of the process, so it outlives
neither a close nor the death of this one. One that has died is started once more.
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
"""The program; ``-P`` keeps modules of the current folder from being taken for those it imports."""

START_S: Final = 120.0
"""How long loading may take: some ten gigabytes from a slow disk."""

WHILE_S: Final = 60.0
"""A process that has died twice in this time, without a whole answer, is not started again before it is over."""

_GONE_S = 0.5
_PASSED_ON = ("HOME", "LANG", "LD_LIBRARY_PATH", "PATH", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR")
_PASSED_ON_PREFIXES = ("CUDA_", "GGML_", "HIP_", "HSA_", "ROCR_", "VK_")
"""The environment of the process: what loaders and drivers look for, and no key."""


@dataclass(frozen=True, slots=True)
class RunningProcess:
    """A process that serves.

    Attributes:
        settings: How it is asked.
        key: For it alone.
        process: Itself.
    """

    settings: ProviderSettings
    key: Secret
    process: asyncio.subprocess.Process

    @property
    def is_alive(self) -> bool:
        """Whether it has not ended, as far as anybody was told."""
        return self.process.returncode is None


@cache
def _is_installed() -> bool:
    return find_spec("xllamacpp") is not None


def obstacle(provider: ProviderSettings) -> str | None:
    """Say why a GGUF cannot be served, as a phrase without a dot; ``None`` where nothing is known against it."""
    if not _is_installed():
        return "xllamacpp is not installed"
    is_there = os.path.isfile(provider.gguf)  # noqa: PTH113  # pathlib raises where nobody may look
    return None if is_there else f"no file {provider.gguf}"


class LlamaProcess:
    """The process of one GGUF.

    Args:
        settings: Names it.
        start_s: How long loading may take.
    """

    def __init__(self, settings: ProviderSettings, *, start_s: float = START_S) -> None:
        self._settings = settings
        self._start_s = start_s
        self._starting: asyncio.Task[RunningProcess] | None = None
        self._starts: list[float] = []
        self._is_closed = False

    async def ready(self) -> RunningProcess:
        """Return the process, started if there is none; whoever stops waiting does not stop the start.

        Raises:
            ModelUnavailable: It does not start, or has died too often.
        """
        if self._starting is None or self._starting.cancelled() or self._has_failed(self._starting):
            self._starting = asyncio.create_task(self._start())
        return await asyncio.shield(self._starting)

    async def is_gone(self, running: RunningProcess) -> bool:
        """Say whether a process has died; its death is known a moment after its connections are."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_GONE_S):
                await running.process.wait()
        return not running.is_alive

    def note_answer(self) -> None:
        """Take note that an answer was whole: whatever it died of, it was not the model."""
        self._starts.clear()

    async def aclose(self) -> None:
        """End it."""
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
        self._starts = [at for at in self._starts if now - at < WHILE_S]
        if len(self._starts) > 1 or self._is_closed:
            raise self._error("has ended twice; it is not started again for a minute")
        self._starts.append(now)
        process = await asyncio.create_subprocess_exec(
            *CHILD,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env=_environment(),
            start_new_session=True,  # an interrupt in a terminal is for us, who end it
        )
        try:
            async with asyncio.timeout(self._start_s):
                return await self._served_by(process)
        except TimeoutError:
            await _end(process)
            raise self._error(f"was not loaded within {self._start_s:g} seconds") from None
        except BaseException:
            await _end(process)
            raise

    async def _served_by(self, process: asyncio.subprocess.Process) -> RunningProcess:
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
        answer = _said(await process.stdout.readline())
        if isinstance(reason := answer.get("error"), str):
            self._starts.clear()  # it did not die
            raise self._error(reason)
        try:
            endpoint = parse_endpoint(f"{answer.get('address')}/v1")
        except UnsafeEndpoint:
            raise self._error("ended while it was loaded") from None
        return RunningProcess(
            ProviderSettings(self._settings.name, "chat", endpoint.url("")),
            Secret(value, name=f"the key of {self._settings.name}", origins=[endpoint.origin]),
            process,
        )

    def _error(self, reason: str) -> ModelUnavailable:
        name = self._settings.name
        message = reason if self._settings.gguf in reason or "xllamacpp" in reason else f"{name} {reason}"
        return ModelUnavailable(message, provider=name, model=name)


def _said(line: bytes) -> dict[str, object]:
    try:
        return fields_of(orjson.loads(line))
    except orjson.JSONDecodeError:
        return {}


def _environment() -> dict[str, str]:
    return {
        name: value
        for name, value in os.environ.items()
        if name in _PASSED_ON or name.startswith(_PASSED_ON_PREFIXES)
    }


async def _end(process: asyncio.subprocess.Process) -> None:
    """Kill it: it has nothing to lose. Its pipes are closed with it."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
    await process.wait()
    if process.stdin:
        process.stdin.close()

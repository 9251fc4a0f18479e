"""Run one command: no shell, a time limit, bounded output, and no process that is left behind."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from .program import find_program

LAST_OUTPUT_S = 0.5
"""Seconds from the exit of a program to the end of its output; a process that it left behind may keep the pipe open."""


@dataclass(frozen=True, slots=True)
class CommandLimits:
    """The limits of a command.

    Attributes:
        seconds: From its start to its end.
        n_bytes: Size of its output.
        keeps_end: Whether a longer output is cut at its start; otherwise it ends the command.
    """

    seconds: float
    n_bytes: int
    keeps_end: bool = False


@dataclass(frozen=True, slots=True)
class CommandResult:
    """How a command ended.

    Attributes:
        ending: ``exited``, or why it was not started or was killed.
        status: Its exit status; negative for a signal, and 0 if it did not exit.
        output: What it printed.
    """

    ending: Literal["exited", "missing", "not started", "timeout", "too long"]
    status: int = 0
    output: bytes = b""

    @property
    def has_succeeded(self) -> bool:
        """Whether it exited with status 0."""
        return self.ending == "exited" and self.status == 0


async def run_command(
    arguments: Sequence[str],
    *,
    folder: Path,
    environ: Mapping[str, str],
    limits: CommandLimits,
    stdin: bytes | None = None,
) -> CommandResult:
    """Run a program with its arguments, each passed as it is.

    If it exceeds a limit, or if the caller is cancelled, it is killed together with the processes that it started.

    Args:
        arguments: The program, and its arguments.
        folder: Its working folder.
        environ: Its environment.
        limits: Its limits.
        stdin: Its input. With input, only stdout is its output; without, also stderr.
    """
    program = find_program(arguments[0], environ)
    if program is None:
        return CommandResult("missing")
    try:
        transport, running = await asyncio.get_running_loop().subprocess_exec(
            lambda: _Running(limits),
            program,
            *arguments[1:],
            stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if stdin is None else subprocess.DEVNULL,
            cwd=folder,
            env=dict(environ),
            start_new_session=True,
        )
    except (OSError, ValueError):  # not executable, a folder that does not exist, or a null character
        return CommandResult("not started")
    try:
        if stdin is not None:
            running.write(transport, stdin)
        is_in_time = await _is_set(running.exited_or_too_long, limits.seconds)
        if is_in_time and not running.is_too_long:
            await _is_set(running.output_ended, LAST_OUTPUT_S)
    finally:
        if not running.has_exited.is_set() or not running.output_ended.is_set():
            _kill(transport)
            await _is_set(running.has_exited, LAST_OUTPUT_S)  # else asyncio may outlive its event loop
        transport.close()
    if not is_in_time:
        return CommandResult("timeout", output=running.output)
    if running.is_too_long:
        return CommandResult("too long", output=running.output)
    return CommandResult("exited", transport.get_returncode() or 0, running.output)


async def _is_set(event: asyncio.Event, seconds: float) -> bool:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
    return event.is_set()


class _Running(asyncio.SubprocessProtocol):
    """Collects the output of a process, and notes its end."""

    def __init__(self, limits: CommandLimits) -> None:
        self.exited_or_too_long = asyncio.Event()
        self.has_exited = asyncio.Event()
        self.output_ended = asyncio.Event()
        self.is_too_long = False
        self._limits = limits
        self._output = bytearray()

    @property
    def output(self) -> bytes:
        """The output, or the end of a long one."""
        return bytes(self._output[-self._limits.n_bytes :])

    def write(self, transport: asyncio.SubprocessTransport, stdin: bytes) -> None:
        """Write the whole input; a process that does not read it is no error."""
        pipe = transport.get_pipe_transport(0)
        assert isinstance(pipe, asyncio.WriteTransport)
        pipe.write(stdin)
        pipe.write_eof()

    def pipe_data_received(self, fd: int, data: bytes) -> None:  # noqa: ARG002  # asyncio's call
        self._output += data
        if len(self._output) <= self._limits.n_bytes or self.is_too_long:
            return
        if not self._limits.keeps_end:
            self.is_too_long = True
            self.exited_or_too_long.set()
        elif len(self._output) > 2 * self._limits.n_bytes:  # not for each piece: it moves all bytes
            del self._output[: -self._limits.n_bytes]

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:  # noqa: ARG002  # as above
        if fd == 1:
            self.output_ended.set()

    def process_exited(self) -> None:
        self.has_exited.set()
        self.exited_or_too_long.set()


def _kill(transport: asyncio.SubprocessTransport) -> None:
    """Kill a process and all that it started."""
    if os.name != "posix":
        transport.kill()
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(transport.get_pid(), signal.SIGKILL)

"""A real Emacs in a terminal of 100 columns and 30 lines.

Keys go through the terminal. Forms, their values and events go through a socket to `init.el`.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import itertools
import json
import os
import pty
import shutil
import signal
import struct
import subprocess
import tempfile
import termios
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
PACKAGE = HERE.parents[2] / "editors" / "emacs"
LIMIT_S = 20.0
INSTALL = "make test-emacs"

_TYPED = b"\x1b[34~"
"""F20; `init.el` answers it with a `typed` event."""


class EmacsError(Exception):
    """Emacs answered with an error."""


def program() -> str | None:
    """Return the path of the Emacs named in TWOSPEED_EMACS, None if there is none."""
    return shutil.which(os.environ.get("TWOSPEED_EMACS", ""))


def has_library(name: str) -> bool:
    """Return whether that Emacs has a library, such as lsp-mode."""
    command = [str(program()), "-q", "--batch", "--eval", f'(kill-emacs (if (locate-library "{name}") 0 1))']
    return subprocess.run(command, capture_output=True, timeout=LIMIT_S, check=False).returncode == 0


needs_emacs = pytest.mark.skipif(program() is None, reason=f"TWOSPEED_EMACS names no Emacs: {INSTALL}")


class Emacs:
    """One running Emacs.

    Attributes:
        events: Its events, oldest first: kind and value.
    """

    def __init__(self, terminal: int) -> None:
        self.events: list[tuple[str, Any]] = []
        self._terminal = terminal
        self._writer: asyncio.StreamWriter | None = None
        self._numbers = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._changed = asyncio.Condition()
        self._tasks: set[asyncio.Task[None]] = set()

    def events_of(self, kind: str) -> list[Any]:
        """Return the values of all events of a kind."""
        return [value for name, value in self.events if name == kind]

    async def wait_until(self, condition: Callable[[], bool], limit_s: float = LIMIT_S) -> None:
        """Wait until a condition is true; check it after each message from Emacs."""
        async with asyncio.timeout(limit_s), self._changed:
            await self._changed.wait_for(condition)

    async def wait_for_next(self, limit_s: float) -> None:
        """Wait for the next message from Emacs, at most `limit_s` seconds."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(limit_s), self._changed:
                await self._changed.wait()

    async def eval(self, form: str) -> Any:
        """Evaluate a form in the shown buffer, between two commands, and return its value."""
        assert self._writer
        number = next(self._numbers)
        future = self._waiting[number] = asyncio.get_running_loop().create_future()
        line = " ".join(form.split("\n"))
        self._writer.write(f"({number} {line})\n".encode())
        async with asyncio.timeout(LIMIT_S):
            return await future

    async def press(self, keys: str) -> None:
        """Send keys to the terminal, and return at once."""
        os.write(self._terminal, keys.encode())

    async def typed(self, keys: str = "") -> None:
        """Send keys to the terminal, and wait until Emacs has handled them."""
        n_typed = len(self.events_of("typed"))
        os.write(self._terminal, keys.encode() + _TYPED)
        await self.wait_until(lambda: len(self.events_of("typed")) > n_typed)

    async def keys(self, description: str) -> None:
        """Send keys in Emacs notation, also keys that no terminal sends, and wait until Emacs has handled them."""
        n_typed = len(self.events_of("typed"))
        await self.eval(
            "(progn (setq unread-command-events (append unread-command-events"
            f' (listify-key-sequence (kbd "{description} <f20>")) nil)) t)'
        )
        await self.wait_until(lambda: len(self.events_of("typed")) > n_typed)

    def _drain(self) -> None:
        """Discard the screen output, so that Emacs does not block."""
        with contextlib.suppress(OSError):
            os.read(self._terminal, 65536)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        task = asyncio.create_task(self._read(reader))
        self._tasks.add(task)

    async def _read(self, reader: asyncio.StreamReader) -> None:
        while line := await reader.readline():
            message = json.loads(line)
            kind, value = message["kind"], message["value"]
            if kind == "value":
                self._resolve(value)
            else:
                self.events.append((kind, value))
            async with self._changed:
                self._changed.notify_all()
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(EmacsError("Emacs has ended"))

    def _resolve(self, value: dict[str, Any]) -> None:
        future = self._waiting.pop(value["number"])
        if future.done():
            return
        if "error" in value:
            future.set_exception(EmacsError(value["error"]))
        else:
            future.set_result(value["value"])


def string(text: str) -> str:
    """Return an Emacs Lisp string literal on one line."""
    escapes = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r"}
    return '"' + "".join(escapes.get(char, char) for char in text) + '"'


@contextlib.asynccontextmanager
async def emacs(
    environment: Mapping[str, str], *, more: Path | None = None, has_site: bool = False
) -> AsyncIterator[Emacs]:
    """Start an Emacs whose only configuration is ``init.el``.

    Emacs and all its processes are ended when the context closes.

    Args:
        environment: The complete environment.
        more: A file to load after ``init.el``.
        has_site: Whether the packages of the system are available.
    """
    with tempfile.TemporaryDirectory(prefix="emacs-") as folder:
        path = str(Path(folder) / "socket")
        variables = {
            **environment,
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
            "LC_ALL": "C.UTF-8",
            "TWOSPEED_TEST_SOCKET": path,
            **({"TWOSPEED_MORE": str(more)} if more else {}),
        }
        bare = ["-q", "--no-site-lisp"] if not has_site else ["-q"]
        terminal, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
        editor = Emacs(terminal)
        listener = await asyncio.start_unix_server(editor._accept, path, limit=64 * 1024 * 1024)
        os.set_blocking(terminal, False)
        loop = asyncio.get_running_loop()
        loop.add_reader(terminal, editor._drain)
        process = await asyncio.create_subprocess_exec(
            str(program()), "-nw", *bare, "-l", str(HERE / "init.el"),
            stdin=theirs, stdout=theirs, stderr=theirs, env=variables, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )  # fmt: skip
        os.close(theirs)
        try:
            await editor.wait_until(lambda: editor.events_of("started") != [])
            yield editor
            await _leave(editor, process)
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
            with contextlib.suppress(ProcessLookupError):  # the other processes of its group
                os.killpg(process.pid, signal.SIGKILL)
            loop.remove_reader(terminal)
            os.close(terminal)
            listener.close()
            if editor._writer:
                editor._writer.close()
            await asyncio.gather(*editor._tasks, return_exceptions=True)


async def _leave(editor: Emacs, process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(EmacsError):
        await editor.eval(
            "(progn (dolist (b (buffer-list)) (with-current-buffer b (set-buffer-modified-p nil)))"
            " (run-at-time 0 nil #'kill-emacs) t)"
        )
    async with asyncio.timeout(LIMIT_S):
        await process.wait()

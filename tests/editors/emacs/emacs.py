"""A real Emacs in a terminal: keys go in, forms are evaluated between its commands, and what it tells comes out.

The terminal has 100 columns and 30 lines that nobody looks at. `init.el` holds the other end of the line.
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
"""F20, which `init.el` answers."""


class EmacsError(Exception):
    """Emacs answered with an error."""


def program() -> str | None:
    """Give the Emacs to test, which ``make test-emacs`` names."""
    return shutil.which(os.environ.get("TWOSPEED_EMACS", ""))


def has_library(name: str) -> bool:
    """Tell whether that Emacs has a library, such as lsp-mode."""
    asked = [str(program()), "-q", "--batch", "--eval", f'(kill-emacs (if (locate-library "{name}") 0 1))']
    return subprocess.run(asked, capture_output=True, timeout=LIMIT_S, check=False).returncode == 0


needs_emacs = pytest.mark.skipif(program() is None, reason=f"no Emacs is named: {INSTALL}")


class Emacs:
    """One running Emacs.

    Attributes:
        events: What it told, oldest first: a kind and a value.
    """

    def __init__(self, terminal: int) -> None:
        self.events: list[tuple[str, Any]] = []
        self._terminal = terminal
        self._writer: asyncio.StreamWriter | None = None
        self._numbers = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._news = asyncio.Condition()
        self._tasks: set[asyncio.Task[None]] = set()

    def told(self, kind: str) -> list[Any]:
        """Give what it told of one kind."""
        return [value for name, value in self.events if name == kind]

    async def when(self, condition: Callable[[], bool], limit_s: float = LIMIT_S) -> None:
        """Wait until something that Emacs told makes a condition true."""
        async with asyncio.timeout(limit_s), self._news:
            await self._news.wait_for(condition)

    async def next(self, limit_s: float) -> None:
        """Wait for the next thing it tells, no longer than so many seconds."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(limit_s), self._news:
                await self._news.wait()

    async def eval(self, form: str) -> Any:
        """Evaluate a form in the buffer on screen, between two commands."""
        assert self._writer
        number = next(self._numbers)
        future = self._waiting[number] = asyncio.get_running_loop().create_future()
        line = " ".join(form.split("\n"))
        self._writer.write(f"({number} {line})\n".encode())
        async with asyncio.timeout(LIMIT_S):
            return await future

    async def press(self, keys: str) -> None:
        """Press keys as the terminal sends them, and return at once."""
        os.write(self._terminal, keys.encode())

    async def typed(self, keys: str = "") -> None:
        """Press keys and wait until they are handled."""
        told = len(self.told("typed"))
        os.write(self._terminal, keys.encode() + _TYPED)
        await self.when(lambda: len(self.told("typed")) > told)

    async def keys(self, description: str) -> None:
        """Press keys in Emacs's notation, also such as no terminal has; wait until they are handled."""
        told = len(self.told("typed"))
        await self.eval(
            "(progn (setq unread-command-events (append unread-command-events"
            f' (listify-key-sequence (kbd "{description} <f20>")) nil)) t)'
        )
        await self.when(lambda: len(self.told("typed")) > told)

    def _drain(self) -> None:
        """Read what would be on screen, so that Emacs can go on."""
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
            async with self._news:
                self._news.notify_all()
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
    """Write a string as Emacs Lisp reads it, on one line."""
    escapes = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r"}
    return '"' + "".join(escapes.get(char, char) for char in text) + '"'


@contextlib.asynccontextmanager
async def emacs(
    environment: Mapping[str, str], *, more: Path | None = None, has_site: bool = False
) -> AsyncIterator[Emacs]:
    """Start an Emacs whose only configuration is ``init.el``.

    When the block is left it has ended, and so has every process it started.

    Args:
        environment: All of it.
        more: A file to load after ``init.el``.
        has_site: Whether packages of the system are there.
    """
    with tempfile.TemporaryDirectory(prefix="emacs-") as folder:
        path = str(Path(folder) / "line")
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
            await editor.when(lambda: editor.told("started") != [])
            yield editor
            await _leave(editor, process)
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
            with contextlib.suppress(ProcessLookupError):  # whatever it left behind
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

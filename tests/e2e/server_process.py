"""A real server process, and what is left of it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.lsp.transport.peer import LIMIT_S

COMMAND = (sys.executable, "-P", "-m", "twospeed", "serve")


@contextlib.asynccontextmanager
async def running(*arguments: str, **streams: Any) -> AsyncIterator[Process]:
    """Start a server; it is killed at the end if it still runs then."""
    options = {"stdin": PIPE, "stdout": PIPE, "stderr": PIPE, **streams}
    process = await asyncio.create_subprocess_exec(*COMMAND, *arguments, **options)
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        if process.stdin:
            process.stdin.close()
        await process.wait()
        for stream in (process.stdout, process.stderr):
            if stream:
                stream._transport.close()  # type: ignore[attr-defined]
        await asyncio.sleep(0)


async def said(process: Process, begin: str) -> str:
    """Wait for a line on stderr; return what follows its beginning."""
    assert process.stderr
    line = (await asyncio.wait_for(process.stderr.readline(), LIMIT_S)).decode()
    assert line.startswith(begin), line
    return line.removeprefix(begin).rstrip("\n")


async def status_within(process: Process, limit_s: float) -> int:
    """Wait for the end of a process; fail if it takes longer."""
    return await asyncio.wait_for(process.wait(), limit_s)


def listening_ports(process_id: int) -> set[int]:
    """Name the ports a process listens on, as Linux tells."""
    folder = Path(f"/proc/{process_id}")
    inodes = set()
    for link in (folder / "fd").iterdir():
        with contextlib.suppress(OSError):
            inodes.add(str(link.readlink()).removeprefix("socket:[").removesuffix("]"))
    ports = set()
    for table in ("tcp", "tcp6", "udp", "udp6"):
        for row in (folder / "net" / table).read_text().splitlines()[1:]:
            cells = row.split()
            if cells[9] in inodes and (cells[3] == "0A" or table.startswith("udp")):
                ports.add(int(cells[1].rpartition(":")[2], 16))
    return ports


def n_open_files(process_id: int) -> int:
    """Count a process' open files, as Linux tells."""
    return len(list(Path(f"/proc/{process_id}/fd").iterdir()))


def told_to_everybody(process_id: int) -> bytes:
    """Return what other processes can read of one: its arguments and its environment."""
    folder = Path(f"/proc/{process_id}")
    return (folder / "cmdline").read_bytes() + (folder / "environ").read_bytes()


@dataclass(frozen=True)
class Death:
    """An editor that can be killed, while another process holds its end of the server's pipe open."""

    editor: int
    holder: int


_HOLDER = "import time; time.sleep(600)"
_EDITOR = f"""
import os, subprocess, sys, time
holder = subprocess.Popen([sys.executable, "-c", {_HOLDER!r}], pass_fds=[int(sys.argv[1])])
body = b'{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{{"processId":%d,"capabilities":{{}}}}}}' % os.getpid()
os.write(int(sys.argv[1]), b"Content-Length: %d\\r\\n\\r\\n%s" % (len(body), body))
print(os.getpid(), holder.pid, flush=True)
time.sleep(600)
""".replace("\\\\", "\\")
_PARENT = """
import subprocess, sys, time
editor = subprocess.Popen([sys.executable, "-c", *sys.argv[2:]], pass_fds=[int(sys.argv[3])])
if sys.argv[1] == "reaps":
    editor.wait()
time.sleep(600)
"""


@contextlib.asynccontextmanager
async def an_editor(pipe: int, *, is_reaped: bool) -> AsyncIterator[Death]:
    """Start an editor that initializes a server over ``pipe``, as the child of a process that waits for it or not."""
    arguments = ["-c", _PARENT, "reaps" if is_reaped else "does not", _EDITOR, str(pipe)]
    parent = await asyncio.create_subprocess_exec(sys.executable, *arguments, stdout=PIPE, pass_fds=[pipe])
    ids: list[int] = []
    try:
        assert parent.stdout
        ids = list(map(int, (await asyncio.wait_for(parent.stdout.readline(), LIMIT_S)).split()))
        yield Death(*ids)
    finally:
        for process_id in ids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process_id, signal.SIGKILL)
        parent.kill()
        await parent.communicate()

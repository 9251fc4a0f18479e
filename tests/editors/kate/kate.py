"""A real Kate, on a screen that nobody looks at: keys go in, and what it shows is read as a screen reader reads it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shutil
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from tests.editors.kate.accessibility import (
    FOCUSED,
    HAS_DBUS,
    SHOWING,
    Bus,
    BusError,
    Element,
    bus,
    program,
    readers,
)

LIMIT_S = 20.0
START_S = 60.0
LOOK_AGAIN_S = 0.05
PROGRAMS = ("kate", "Xvfb", "xdotool", "xclip", "dbus-daemon")
INSTALL = "make test-editors"

SCRATCH = "nothing.txt"
"""What it shows at first: without a file it may open no window."""

T = TypeVar("T")


def is_installed() -> bool:
    """Tell whether all that is needed is there, and Kate is asked for: it takes too long to be among the tests else."""
    return "TWOSPEED_KATE" in os.environ and HAS_DBUS and all(map(shutil.which, PROGRAMS))


async def until(look: Callable[[], Awaitable[T | None]], limit_s: float = LIMIT_S) -> T:
    """Look until there is something; nobody tells when a screen changes."""
    async with asyncio.timeout(limit_s):
        while True:
            with contextlib.suppress(BusError):  # it has changed while it was looked at
                if found := await look():
                    return found
            await asyncio.sleep(LOOK_AGAIN_S)


class Kate:
    """One running Kate.

    Args:
        session: Its session's bus.
        shown: All that it shows.
        run: Runs a program on the screen.
        pid: Of its process.
    """

    def __init__(self, session: Bus, shown: Element, run: Callable[..., Awaitable[None]], pid: int) -> None:
        self._session, self._shown, self._run = session, shown, run
        self._popup: Element | None = None
        self._name = f"org.kde.kate-{pid}"

    async def open(self, path: Path) -> Element:
        """Show a file; give the view that it is in, once keys go there."""
        url = path.as_uri()
        await self._session.call(
            self._name, "/MainApplication", "org.kde.Kate.Application", "openUrl", "ss", url, ""
        )
        return await until(lambda: self._view_of(path.name))

    async def _view_of(self, name: str) -> Element | None:
        async for element in self._shown.everything():
            with contextlib.suppress(BusError):  # it is gone
                if await element.has(FOCUSED) and await element.can("Text") and await element.label() == name:
                    return element
        return None

    async def menu(self) -> list[str]:
        """Give the words of the context menu that is open, from above; none where it is not, or not yet filled."""
        self._popup = self._popup or await self._shown_popup()
        if self._popup is None or await self.has_no_menu():
            return []
        words = [await line.label() for line in await self._popup.children()]
        return [] if "Loading..." in words else words

    async def has_no_menu(self) -> bool:
        """Tell whether the context menu is closed."""
        return self._popup is None or not await self._popup.has(SHOWING)

    async def _shown_popup(self) -> Element | None:
        async for element in self._shown.everything():
            with contextlib.suppress(BusError):
                if await element.role() == "popup menu" and await element.has(SHOWING):
                    return element
        return None

    async def keys(self, *names: str) -> None:
        """Press keys, each in the notation of X, such as ``ctrl+s``."""
        await self._run("xdotool", "key", "--delay", "20", *names)

    async def type(self, text: str) -> None:
        """Press the key of each character; what has no key is pasted, since Kate takes no emoji from a keyboard."""
        for line_end, has_keys, has_none in re.findall(r"(\n)|([\x20-\x7e]+)|([^\x00-\x7f]+)", text):
            if line_end:
                await self.keys("Return")
            elif has_keys:
                await self._run("xdotool", "type", "--delay", "20", has_keys)
            else:
                await self._run("xclip", "-selection", "clipboard", input=has_none)
                await self.keys("ctrl+v")


async def _run(environment: Mapping[str, str], *command: str, input: str = "") -> None:  # noqa: A002 - as of subprocess
    process = await asyncio.create_subprocess_exec(*command, env=environment, stdin=PIPE, stdout=DEVNULL)
    await process.communicate(input.encode())
    assert process.returncode == 0, command


@contextlib.asynccontextmanager
async def _running(*command: object, log: Path, **given: Any) -> AsyncIterator[Process]:
    """Run a program until the block is left."""
    with log.open("ab") as file:
        process = await asyncio.create_subprocess_exec(
            *map(str, command), **{"stdout": file, "stderr": file, **given}
        )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


def _kill(process: Process) -> None:
    if process.returncode is None:
        process.kill()


@contextlib.asynccontextmanager
async def kate(folder: Path, environment: Mapping[str, str]) -> AsyncIterator[Kate]:
    """Start a screen, a session and a Kate in it; all have ended when the block is left.

    Args:
        folder: For what it logs, and for sockets.
        environment: All of it, with its home.
    """
    run = folder / "run"
    run.mkdir(mode=0o700)
    log = folder / "kate.log"
    async with contextlib.AsyncExitStack() as stack:
        start = lambda *command, **given: stack.enter_async_context(_running(*command, log=log, **given))  # noqa: E731
        reading, writing = os.pipe()
        # Without -noreset it forgets, with the last program that leaves it, where the bus of screen readers is.
        await start(
            "Xvfb", "-noreset", "-displayfd", writing, "-screen", "0", "1280x800x24", pass_fds=[writing]
        )
        os.close(writing)
        with os.fdopen(reading) as told:
            display = (await asyncio.to_thread(told.readline)).strip()
        variables = {
            **environment,
            "DISPLAY": f":{display}",
            "LANG": "C.UTF-8",
            "QT_QPA_PLATFORM": "xcb",
            "XDG_RUNTIME_DIR": str(run),
        }
        daemon = await start(
            "dbus-daemon", "--session", "--nofork", "--print-address=1", env=variables, stdout=PIPE
        )
        assert daemon.stdout
        address = (await daemon.stdout.readline()).decode().strip()
        session = await stack.enter_async_context(bus(address))
        listening = await stack.enter_async_context(readers(session))
        variables["DBUS_SESSION_BUS_ADDRESS"] = address
        process = await start("kate", "-n", "--startanon", folder / SCRATCH, env=variables)
        stack.callback(_kill, process)  # asked to end, it would ask whether to save
        run_there = partial(_run, variables)
        async with asyncio.timeout(START_S):
            # No window manager is there, which would have keys go to it.
            await run_there("xdotool", "search", "--sync", "--onlyvisible", "--name", SCRATCH, "windowfocus")
        shown = await until(lambda: program(listening, process.pid))
        opened = Kate(session, shown, run_there, process.pid)
        yield opened

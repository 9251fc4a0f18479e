"""`twospeed web` in a separate process."""

from __future__ import annotations

import asyncio
import contextlib
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Mapping

from tests.editors.conformance.wire import TWOSPEED

START_S = 30


@contextlib.asynccontextmanager
async def served(*arguments: str, environment: Mapping[str, str]) -> AsyncIterator[tuple[str, Process]]:
    """Start `twospeed web`; yield its address and process, and end it when the context closes."""
    process = await asyncio.create_subprocess_exec(*TWOSPEED, "web", *arguments, env=environment, stderr=PIPE)
    try:
        assert process.stderr
        line = (await asyncio.wait_for(process.stderr.readline(), START_S)).decode()
        assert line.startswith("twospeed: open http://127.0.0.1:"), line
        yield line.split()[2], process
    finally:
        with contextlib.suppress(ProcessLookupError):  # the process has ended already
            process.terminate()
        await process.communicate()

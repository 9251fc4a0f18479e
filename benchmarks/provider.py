"""Play a provider in a process of its own, so that neither the client nor the raw reader pays for it.

A line of JSON on its stdin is the next script. On its stdout it says its address, then `ready` to each script, and to
each request when it came, by the monotonic clock that all processes of a machine share.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import perf_counter
from typing import Self

from twospeed.models.script import Script
from twospeed.models.scripted_server import RecordedRequest, ScriptedServer


class Provider:
    """The process, as a benchmark sees it."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.base_url = ""

    @classmethod
    @asynccontextmanager
    async def started(cls) -> AsyncIterator[Self]:
        """Start it; it ends when its stdin does."""
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "benchmarks.provider", stdin=pipe, stdout=pipe
        )
        provider = cls(process)
        try:
            provider.base_url = await provider._line()
            yield provider
        finally:
            assert process.stdin
            process.stdin.close()
            await asyncio.wait_for(process.wait(), 10)

    async def play(self, text: str, tokens_per_second: float) -> None:
        """Answer with this from now on."""
        assert self._process.stdin
        self._process.stdin.write(json.dumps([text, tokens_per_second]).encode() + b"\n")
        assert await self._line() == "ready"

    async def was_asked(self) -> float:
        """Say when the next request not yet told of came."""
        return float(await self._line())

    async def _line(self) -> str:
        assert self._process.stdout
        return (await asyncio.wait_for(self._process.stdout.readline(), 30)).decode().strip()


async def serve() -> None:
    """Be the process."""
    script = Script()

    def answer(_request: RecordedRequest) -> Script:
        print(perf_counter(), flush=True)
        return script

    async with ScriptedServer(answer) as server:
        print(server.base_url, flush=True)
        while line := await asyncio.to_thread(sys.stdin.readline):
            text, tokens_per_second = json.loads(line)
            script = Script(text, tokens_per_second=tokens_per_second)
            print("ready", flush=True)


if __name__ == "__main__":
    asyncio.run(serve())

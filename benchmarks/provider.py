"""Play a provider in its own process, so that neither the client nor the raw reader pays for it.

Each JSON line on its stdin sets its next answers. It prints its address, then `ready` for each such line.
After each answer it prints when the request came and when each part was written, by the monotonic clock that
processes share. Answers are those of `twospeed.testing.script`, written like `scripted_server`, which records
no times.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from time import perf_counter
from typing import Self

from aiohttp import web

from twospeed.testing import script_chat, script_completions
from twospeed.testing.script import Inject, Script, Token
from twospeed.testing.scripted_model import cut_into_tokens

_WRITE_BYTES = 16 * 1024
_NAME = re.compile(r"def \w+\(")


@dataclass(frozen=True)
class AnswerTimes:
    """One answer, in seconds of the clock.

    Attributes:
        number: Index of the text.
        requested: Time of the request.
        lines: Time of each complete line, directly before the write of its end.
        last_token: Time of the last token.
    """

    number: int
    requested: float
    lines: list[float]
    last_token: float


class Provider:
    """The process, as seen by a benchmark."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.base_url = ""

    @classmethod
    @asynccontextmanager
    async def started(cls) -> AsyncIterator[Self]:
        """Start the process; it ends when its stdin closes."""
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "benchmarks.provider", stdin=pipe, stdout=pipe, limit=2**20
        )
        provider = cls(process)
        try:
            provider.base_url = await provider._line()
            yield provider
        finally:
            assert process.stdin
            process.stdin.close()
            await asyncio.wait_for(process.wait(), 10)

    async def play(self, texts: Sequence[str], tokens_per_second: float) -> None:
        """Set the answers: a request gets the text whose function's name it contains, or the first one."""
        assert self._process.stdin
        self._process.stdin.write(json.dumps([*texts, tokens_per_second]).encode() + b"\n")
        assert await self._line() == "ready"

    async def next_times(self) -> AnswerTimes:
        """Return the record of the next answer, once it has ended."""
        return AnswerTimes(**json.loads(await self._line()))

    async def _line(self) -> str:
        assert self._process.stdout
        return (await asyncio.wait_for(self._process.stdout.readline(), 60)).decode().strip()


class _Play:
    """The answers.

    Args:
        texts: One for each function.
        tokens_per_second: Average of each answer; 0 is as fast as possible.
    """

    def __init__(self, texts: Sequence[str], tokens_per_second: float) -> None:
        self._scripts = [Script(text) for text in texts]
        self._names = [match[0].encode() if (match := _NAME.search(text)) else b"" for text in texts]
        self._line_ends = [
            [index for index, token in enumerate(cut_into_tokens(text)) for _ in range(token.count("\n"))]
            for text in texts
        ]
        self._interval_s = 1 / tokens_per_second if tokens_per_second else 0.0

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Answer one request, and print its times."""
        requested = perf_counter()
        body = await request.read()
        number = next((number for number, name in enumerate(self._names) if name in body), 0)
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        token_times = await self._write(response, self._scripts[number], request.path)
        times = AnswerTimes(
            number, requested, [token_times[end] for end in self._line_ends[number]], token_times[-1]
        )
        print(json.dumps(asdict(times)), flush=True)
        return response

    async def _write(self, response: web.StreamResponse, script: Script, path: str) -> list[float]:
        """Write the events, those due together at once; return the time of each token."""
        token_times: list[float] = []
        waiting, n_waiting = bytearray(), 0

        async def write() -> None:
            nonlocal n_waiting
            token_times.extend([perf_counter()] * n_waiting)
            n_waiting = 0
            await response.write(bytes(waiting))
            waiting.clear()

        due = perf_counter()
        protocol = script_chat if path.endswith("/chat/completions") else script_completions
        for step in protocol.streamed(script, model="scripted", with_usage=True):
            assert isinstance(step, Token | Inject)  # nothing goes wrong here
            if isinstance(step, Token):
                delay_s = due - perf_counter() if self._interval_s else 0.0
                if waiting and (delay_s > 0 or len(waiting) >= _WRITE_BYTES):
                    await write()
                if delay_s > 0:
                    await asyncio.sleep(delay_s)
                due += self._interval_s
                n_waiting += 1
            waiting += step.data
        await write()
        return token_times


async def serve() -> None:
    """Run the process."""
    play = _Play([""], 0)

    async def answer(request: web.Request) -> web.StreamResponse:
        """Answer one request, and print its record."""
        return await play.answer(request)

    app = web.Application(client_max_size=2**24)
    app.router.add_post("/v1/chat/completions", answer)
    app.router.add_post("/v1/completions", answer)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    print(f"http://127.0.0.1:{runner.addresses[0][1]}/v1", flush=True)
    while line := await asyncio.to_thread(sys.stdin.readline):
        *texts, tokens_per_second = json.loads(line)
        play = _Play(texts, tokens_per_second)
        print("ready", flush=True)
    await runner.cleanup()


if __name__ == "__main__":
    asyncio.run(serve())

"""One measured edit by either server, or one reading of the answer; timed with the provider's records."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import aiohttp
import orjson
from benchmarks import samples
from benchmarks.client import PLAIN_PYGLS, TWOSPEED
from benchmarks.editor import Arrival, Editor, Text
from benchmarks.provider import AnswerTimes, Provider

OURS, BARE = "twospeed", "bare pygls"
COMMANDS = {BARE: PLAIN_PYGLS, OURS: TWOSPEED}


TYPING_S = 0.1
"""Seconds between `twospeed/prepare` and the edit; users need longer to type an instruction."""


class Job:
    """A document, the function to edit in it, and the answer.

    Args:
        number: Distinguishes jobs of the same name.
        old: The function.
        new: The edited function.
        n_lines: Of the whole document.
    """

    def __init__(self, number: int, old: Sequence[str], new: Sequence[str], n_lines: int) -> None:
        n_around = n_lines - len(old)
        above, below = samples.surroundings(n_around // 2), samples.surroundings(n_around - n_around // 2)
        self.uri = f"file:///bench/total_{number}.py"
        self.start, self.count = len(above), len(old)
        self.before, self.after = ("\n".join([*above, *lines, *below, ""]) for lines in (old, new))
        self.answer = samples.answer(new)
        counts = Counter(new)
        self._telling = {line for line in counts if counts[line] == 1 and line not in old}
        self.head = old[0]

    def lags(self, times: AnswerTimes, arrivals: Sequence[Arrival]) -> list[float]:
        """Seconds from the end of each distinct new line at the provider to the line in the client."""
        arrived_at: dict[str, float] = {}
        text = Text(self.before)
        for arrival in arrivals:
            for line in text.apply(arrival.edits):
                arrived_at.setdefault(line, arrival.at)
        return [
            arrived_at[line] - at
            for line, at in zip(self.answer.split("\n"), times.lines, strict=False)
            if line in self._telling
        ]


@dataclass(frozen=True)
class Run:
    """One edit or reading; times in seconds since its request, except ``lags``.

    Attributes:
        total: Until the last edit was in the client's text, or until the end of a reading.
        first_lag: From the first complete line at the provider to the first edit.
        tail: From the last token at the provider to the last edit.
        result_lag: From the last token at the provider to the result.
        lags: One for each new line.
        n_bytes: Of all received messages.
        cpu: Of the server.
    """

    total: float
    first_lag: float = 0.0
    tail: float = 0.0
    result_lag: float = 0.0
    lags: Sequence[float] = ()
    arrivals: Sequence[Arrival] = ()
    n_bytes: int = 0
    cpu: float = 0.0

    @property
    def edits_bytes(self) -> int:
        """The ``edits`` of all messages, as JSON."""
        return sum(len(orjson.dumps(arrival.edits)) for arrival in self.arrivals)

    @property
    def message_bytes(self) -> int:
        """The messages with edits."""
        return sum(arrival.n_bytes for arrival in self.arrivals)


async def read(
    session: aiohttp.ClientSession, url: str, head: str, *, parses: bool
) -> list[tuple[float, int]]:
    """Read an answer; return the time of each chunk and the number of events by then."""
    body = {"stream": True, "messages": [{"role": "user", "content": head}]}
    seen: list[tuple[float, int]] = []
    n_events, rest = 0, b""
    async with session.post(url, json=body) as response:
        async for chunk in response.content.iter_any():
            if parses:
                *events, rest = (rest + chunk).split(b"\n\n")
                for event in events:
                    if event.startswith(b"data: {"):
                        orjson.loads(event[6:])
            n_events += chunk.count(b"data: ")
            seen.append((perf_counter(), n_events))
    return seen


async def read_raw(provider: Provider, job: Job, *, parses: bool) -> Run:
    """Read the stream and discard it, after the same pause as before an edit."""
    async with aiohttp.ClientSession() as session:
        await asyncio.sleep(TYPING_S)
        started = perf_counter()
        seen = await read(session, url_of(provider), job.head, parses=parses)
    await provider.next_times()
    return Run(seen[-1][0] - started)


def url_of(provider: Provider) -> str:
    return f"{provider.base_url}/chat/completions"


def ask(editor: Editor, name: str, job: Job, provider: Provider) -> asyncio.Future[dict[str, Any]]:
    """Request the edit from one of the servers."""
    if name == BARE:
        params = {"uri": job.uri, "start": job.start, "count": job.count, "url": url_of(provider)}
        return editor.request("bench/edit", params)
    at = {"line": job.start, "character": 0}
    document = {"uri": job.uri, "version": 1}
    params = {"textDocument": document, "range": {"start": at, "end": at}, "instruction": "do it"}
    return editor.request("twospeed/edit", params)


async def open_job(editor: Editor, name: str, job: Job) -> None:
    """Open the document and send `twospeed/prepare`, as a client does when a user begins an instruction."""
    editor.open_text(job.before, job.uri)
    if name == OURS:
        document, place = {"uri": job.uri}, {"line": job.start, "character": 0}
        await editor.ask("twospeed/scopes", {"textDocument": document, "position": place})
        likely = {"textDocument": {**document, "version": 1}, "range": {"start": place, "end": place}}
        await editor.ask("twospeed/prepare", likely)
        await asyncio.sleep(TYPING_S)
    await editor.ping()


async def run_edit(editor: Editor, name: str, job: Job, provider: Provider) -> Run:
    """Edit one document."""
    await open_job(editor, name, job)
    cpu, n_bytes = editor.cpu_s(), editor.n_bytes
    started = perf_counter()
    reply = await asyncio.wait_for(ask(editor, name, job, provider), 60)
    answered = perf_counter()
    cpu, n_bytes = editor.cpu_s() - cpu, editor.n_bytes - n_bytes
    times = await provider.next_times()
    check(editor, job, reply)
    editor.close_document(job.uri)
    arrivals = [arrival for arrival in editor.arrivals[job.uri] if arrival.edits]
    return Run(
        total=arrivals[-1].at - started,
        first_lag=arrivals[0].at - times.lines[1],  # line 0 is the fence
        tail=arrivals[-1].at - times.last_token,
        result_lag=answered - times.last_token,
        lags=job.lags(times, arrivals),
        arrivals=arrivals,
        n_bytes=n_bytes,
        cpu=cpu,
    )


def check(editor: Editor, job: Job, reply: dict[str, Any]) -> None:
    """Check that the text is exact."""
    assert "error" not in reply, reply
    result = reply["result"]
    assert result is None or result["outcome"] == "applied", result
    assert "\n".join(editor.texts[job.uri].lines) == job.after, "the text is not exact"

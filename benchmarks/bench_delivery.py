"""Measure streamed edits, one large and a hundred small ones, compared with a bare server and the raw stream.

A real `twospeed serve`, a bare pygls server that replaces line by line (`plain_pygls`), and a plain aiohttp
client that only reads the same HTTP answer run in turn. The client applies every edit, and the final text
must be exact. The provider records when it wrote each line, so every lag is from its write to the text in the
client.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from statistics import median

import aiohttp
from benchmarks import samples
from benchmarks.edit_runs import (
    BARE,
    COMMANDS,
    OURS,
    Job,
    Run,
    ask,
    check,
    open_job,
    read,
    read_raw,
    run_edit,
    url_of,
)
from benchmarks.editor import Editor
from benchmarks.provider import Provider
from benchmarks.table import Row, p95, print_tables, spread, wants_json

from twospeed.testing.scripted_model import cut_into_tokens

FILE_LINES = 2_000
FUNCTION_LINES = 600
RUNS = {0: 21, 5_000: 7, 1_000: 3}
"""Runs by tokens per second; 0 is unlimited, and so short that it shows variations of the machine."""

BEGINNING_LINES = 15
BEGINNING_RUNS = 40
BEGINNING_RATE = 1_000
"""Tokens per second for a short function, to measure the start of an edit often."""

CROWD, CROWD_LINES, CROWD_FILE_LINES = 100, 8, 60
CROWD_RUNS = 3
CROWD_RATE = 1_000
"""Tokens per second of all edits together."""

READ, PARSED = "raw stream", "raw stream, parsed"
NEW, CHANGED = "new", "changed"
"""Kinds of lines: unlike all old ones, and similar to the old one at their place."""

Runs = dict[str, list[Run]]


async def measure(
    editors: dict[str, Editor], provider: Provider, job: Job, rate: int, n: int, names: Sequence[str]
) -> Runs:
    """Run all in turn, forwards and backwards, since each affects the next; the first run only warms up."""
    await provider.play([job.answer], rate)
    runs: Runs = {name: [] for name in names}
    for number in range(n + 1):
        for name in names[:: -1 if number % 2 else 1]:
            if name in editors:
                runs[name].append(await run_edit(editors[name], name, job, provider))
            else:
                runs[name].append(await read_raw(provider, job, parses=name == PARSED))
    return {name: each[1:] for name, each in runs.items()}


def rows_of(rate: int, runs: Runs) -> list[Row]:
    """Return a table's rows for one speed."""
    of_edits = {
        name: {
            **beginning_of(runs[name]),
            "tail ms": of(runs[name], "tail") * 1e3,
            "result ms": of(runs[name], "result_lag") * 1e3,
            "messages": round(median(len(run.arrivals) for run in runs[name])),
            "edits KB": of(runs[name], "edits_bytes") / 1024,
            "messages KB": of(runs[name], "message_bytes") / 1024,
            "all KB": of(runs[name], "n_bytes") / 1024,
            "CPU ms": of(runs[name], "cpu") * 1e3,
        }
        for name in COMMANDS
    }
    nothing = dict.fromkeys(of_edits[OURS], "")
    return [
        {
            "tokens/s": rate or "unlimited",
            "client": name,
            "n": len(each),
            "total ms": of(each, "total") * 1e3,
            "total/raw": ratio(runs, name, READ, "total"),
            **of_edits.get(name, nothing),
        }
        for name, each in runs.items()
    ]


def beginning_of(each: Sequence[Run]) -> dict[str, str | int | float]:
    """Return how soon lines arrived."""
    lags = [lag * 1e3 for run in each for lag in run.lags]
    return {
        **spread("first edit ms", [run.first_lag * 1e3 for run in each]),
        **spread("line ms", lags),
    }


def of(each: Sequence[Run], figure: str) -> float:
    """Return the median of a figure."""
    return float(median(getattr(run, figure) for run in each))


def ratio(runs: Runs, name: str, other: str, figure: str) -> float:
    """Return the median ratio of adjacent measurements, since a machine's speed changes."""
    pairs = zip(runs[name], runs[other], strict=True)
    return float(median(getattr(run, figure) / getattr(neighbor, figure) for run, neighbor in pairs))


async def measure_beginnings(editors: dict[str, Editor], provider: Provider) -> dict[str, Runs]:
    """Measure edits whose first line is new, and edits whose first line is changed."""
    old = samples.function(BEGINNING_LINES)
    changed = samples.reworked(old)
    answers = {NEW: ["@counted", *changed], CHANGED: changed}
    return {
        kind: await measure(
            editors, provider, Job(0, old, new, FILE_LINES), BEGINNING_RATE, BEGINNING_RUNS, tuple(COMMANDS)
        )
        for kind, new in answers.items()
    }


async def read_crowd(provider: Provider, jobs: Sequence[Job]) -> list[float]:
    """Read all answers at once; return the lag from each line's last chunk to the line."""
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        readings = [read(session, url_of(provider), job.head, parses=False) for job in jobs]
        seen = await asyncio.gather(*readings)
    lags: list[float] = []
    for _ in jobs:
        times = await provider.next_times()
        ends = line_end_tokens(jobs[times.number].answer)
        for n_tokens, at in zip(ends, times.lines, strict=True):
            lags.append(next(when for when, n_events in seen[times.number] if n_events >= n_tokens) - at)
    return lags


def line_end_tokens(answer: str) -> list[int]:
    """Count the tokens up to each line's end."""
    return [count for count, token in enumerate(cut_into_tokens(answer), 1) for _ in range(token.count("\n"))]


async def edit_crowd(
    editor: Editor, name: str, provider: Provider, jobs: Sequence[Job]
) -> dict[int, list[float]]:
    """Start all edits at once; return the lags of the lines of accepted edits."""
    for job in jobs:
        await open_job(editor, name, job)
    replies = await asyncio.gather(*[ask(editor, name, job, provider) for job in jobs])
    lags: dict[int, list[float]] = {}
    for _ in (reply for reply in replies if "error" not in reply):
        times = await provider.next_times()
        job = jobs[times.number]
        check(editor, job, replies[times.number])
        lags[times.number] = job.lags(times, editor.arrivals[job.uri])
    for job in jobs:
        editor.close_document(job.uri)
    return lags


async def measure_crowd(editors: dict[str, Editor], provider: Provider) -> list[Row]:
    """Measure a hundred documents at once, every other one with only new lines.

    The plain reader runs first, then the servers. The floor is the median lag of all lines in the plain
    reader.
    """
    jobs = []
    for number in range(CROWD):
        old = samples.function(CROWD_LINES, f"total_of_{number}")
        new = samples.reworked(old) if number % 2 else samples.all_new(old)
        jobs.append(Job(number, old, new, CROWD_FILE_LINES))
    await provider.play([job.answer for job in jobs], CROWD_RATE / CROWD)
    rounds: dict[tuple[str, str], list[list[float]]] = {(READ, "all"): []}
    n_edits = {READ: len(jobs)}
    for _ in range(CROWD_RUNS):
        read_lags = await read_crowd(provider, jobs)
        floor = median(read_lags)
        rounds[READ, "all"].append([lag - floor for lag in read_lags])
        for name, editor in editors.items():
            by_job = await edit_crowd(editor, name, provider, jobs)
            n_edits[name] = len(by_job)
            for parity, kind in enumerate((NEW, CHANGED)):
                added = [
                    lag - floor for number, lags in by_job.items() if number % 2 == parity for lag in lags
                ]
                rounds.setdefault((name, kind), []).append(added)
    return [
        {
            "client": name,
            "edits": n_edits[name],
            "refused": CROWD - n_edits[name],
            "lines": kind,
            "n": sum(map(len, each)),
            "added ms": median(median(lags) for lags in each) * 1e3,
            "added ms p95": median(p95(lags) for lags in each) * 1e3,
            "max": max(map(max, each)) * 1e3,
        }
        for (name, kind), each in rounds.items()
    ]


def goals(measured: dict[int, Runs], beginnings: dict[str, Runs], crowd: Sequence[Row]) -> list[Row]:
    """Compare the measurements with the goals."""
    free, fast, steady = (measured[rate] for rate in (0, 5_000, 1_000))
    figures = [
        ("5,000 tokens/s: tail, ms", 3.0, of(fast[OURS], "tail") * 1e3),
        ("unlimited: total / raw stream", 1.3, ratio(free, OURS, READ, "total")),
        ("unlimited: total / raw stream, parsed", 1.3, ratio(free, OURS, PARSED, "total")),
        ("unlimited: messages with edits, KB", 30.0, of(free[OURS], "message_bytes") / 1024),
        ("1,000 tokens/s: edits JSON, KB", 30.0, of(steady[OURS], "edits_bytes") / 1024),
        *(
            (
                f"1,000 tokens/s: first edit / bare, first line {kind}",
                1.3,
                ratio(runs, OURS, BARE, "first_lag"),
            )
            for kind, runs in beginnings.items()
        ),
        ("1,000 tokens/s: CPU / bare", 0.6, ratio(steady, OURS, BARE, "cpu")),
        *(
            (f"{CROWD} at once: p95 added, {row['lines']} lines, ms", 20.0, float(row["added ms p95"]))
            for row in crowd
            if row["client"] == OURS
        ),
        (
            f"{CROWD} at once: refused",
            0,
            float(next(row["refused"] for row in crowd if row["client"] == OURS)),
        ),
    ]
    return [
        {"figure": name, "at most": most, "measured": value, "met": "yes" if value <= most else "no"}
        for name, most, value in figures
    ]


async def measure_all(home: Path) -> dict[str, Sequence[Row]]:
    """Measure everything with one process of each server."""
    old = samples.function(FUNCTION_LINES)
    job = Job(0, old, samples.reworked(old), FILE_LINES)
    names = (BARE, READ, OURS, PARSED)
    async with AsyncExitStack() as stack:
        provider = await stack.enter_async_context(Provider.started())
        (home / "config.toml").write_text(
            '[[lanes.lightning]]\nprovider = "lab"\nmodel = "m"\n'
            f'[providers.lab]\napi = "chat"\nbase_url = "{provider.base_url}"\n[warm]\ncache = false\n'
        )
        editors = {
            name: await stack.enter_async_context(Editor.started(command, home=home))
            for name, command in COMMANDS.items()
        }
        measured = {rate: await measure(editors, provider, job, rate, n, names) for rate, n in RUNS.items()}
        beginnings = await measure_beginnings(editors, provider)
        crowd = await measure_crowd(editors, provider)
    return {
        "Goals": goals(measured, beginnings, crowd),
        f"{FUNCTION_LINES} lines in {FILE_LINES}": [
            row for rate, runs in measured.items() for row in rows_of(rate, runs)
        ],
        f"The first edit, {BEGINNING_RATE} tokens a second": [
            {"first line": kind, "client": name, "n": len(each), **beginning_of(each)}
            for kind, runs in beginnings.items()
            for name, each in runs.items()
        ],
        f"{CROWD} edits at once, {CROWD_RATE} tokens a second together": crowd,
    }


async def main() -> None:
    """Measure and print everything."""
    as_json = wants_json(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        tables = await measure_all(Path(folder))
    print_tables(tables, as_json=as_json)


if __name__ == "__main__":
    asyncio.run(main())

"""Measure what the deep request of mode both costs lightning: the time to the first change and to the result.

Edits of both kinds alternate. The scripted provider answers after a constant time, so all of the difference is ours.
A second table compares the sizes of a deep request that reads lightning's answer (``[deepen] sees_draft``) and of one that
does not, for scopes of several sizes.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

from benchmarks.edit_runs import Job
from benchmarks.editor import Editor
from benchmarks.samples import answer, changed, function
from benchmarks.table import Row, print_tables, spread, wants_json

from twospeed.prompt import CHARS_PER_TOKEN
from twospeed.testing.script import Script
from twospeed.testing.scripted_server import ScriptedServer

N_EDITS, N_LINES = 60, 1_000
FIRST_TOKEN_S, DEEP_S = 0.05, 0.4
"""Seconds to the first token of lightning, and of the deep model, which reasons first."""

MODES = ("lightning", "both")
MOST_MS = 1.0
"""Most milliseconds that lightning may be slower in mode both."""

CONFIG = """
[[lanes.lightning]]
provider = "scripted"
model = "fast"
[[lanes.deep]]
provider = "reasoning"
model = "slow"
[providers.scripted]
api = "chat"
base_url = "{fast}"
[providers.reasoning]
api = "chat"
base_url = "{slow}"
[warm]
cache = false
"""


async def measure(urls: dict[str, str], job: Job) -> dict[str, list[tuple[float, float]]]:
    """Return the milliseconds to the first change and to the result, by mode."""
    times: dict[str, list[tuple[float, float]]] = {mode: [] for mode in MODES}
    with tempfile.TemporaryDirectory(prefix="twospeed-bench-") as folder:
        (Path(folder) / "config.toml").write_text(CONFIG.format(**urls), "utf-8")
        async with Editor.started(home=Path(folder)) as editor:
            for number in range(N_EDITS + 1):
                for mode in MODES:
                    uri = f"file:///bench/{mode}_{number}.py"
                    ms = await edit_ms(editor, job, uri, mode)
                    if number:  # the first edit connects
                        times[mode].append(ms)
    return times


async def edit_ms(editor: Editor, job: Job, uri: str, mode: str) -> tuple[float, float]:
    """Edit one document; return the milliseconds to the first change and to the result."""
    editor.open_text(job.before, uri)
    at = {"line": job.start, "character": 0}
    await editor.ask("twospeed/scopes", {"textDocument": {"uri": uri}, "position": at})
    started = perf_counter()
    params = {"range": {"start": at, "end": at}, "instruction": "do it", "mode": mode}
    result = await editor.ask("twospeed/edit", {"textDocument": {"uri": uri, "version": 1}, **params})
    ended = perf_counter()
    assert result["outcome"] == "applied"
    first = editor.arrivals[uri][0].at
    await asyncio.sleep(DEEP_S if mode == "both" else 0.0)  # until the deep answer has ended
    await editor.ping()
    return (first - started) * 1000, (ended - started) * 1000


async def deep_chars(n_lines: int, *, sees_draft: bool) -> tuple[int, int]:
    """Return the characters of the messages of lightning and of the deep model for one edit."""
    old = function(n_lines)
    job = Job(0, old, changed(old, 0.3), N_LINES)
    script = Script(answer(changed(old, 0.3)))
    async with ScriptedServer([script, script]) as server:
        with tempfile.TemporaryDirectory(prefix="twospeed-bench-") as folder:
            config = (
                CONFIG.format(fast=server.base_url, slow=server.base_url)
                + f"[deepen]\nsees_draft = {str(sees_draft).lower()}\n"
            )
            (Path(folder) / "config.toml").write_text(config, "utf-8")
            async with Editor.started(home=Path(folder)) as editor:
                await edit_ms(editor, job, job.uri, "both")
        first, second = (len(json.dumps(request.body["messages"])) for request in server.requests)
    return first, second


async def rows_of_prompts() -> Sequence[Row]:
    """Return a row for each size of a scope: the prompts of the deep model, with the draft and without."""
    rows: list[Row] = []
    for n_lines in (10, 40, 160):
        lightning, alone = await deep_chars(n_lines, sees_draft=False)
        _, with_draft = await deep_chars(n_lines, sees_draft=True)
        rows.append(
            {
                "scope lines": n_lines,
                "lightning tokens": lightning // CHARS_PER_TOKEN,
                "deep tokens": alone // CHARS_PER_TOKEN,
                "with the draft": with_draft // CHARS_PER_TOKEN,
            }
        )
    return rows


def rows_of(times: dict[str, list[tuple[float, float]]]) -> Sequence[Row]:
    """Return a row for each mode."""
    return [
        {
            "mode": mode,
            **spread("first change ms", [each[0] for each in its]),
            **spread("result ms", [each[1] for each in its]),
        }
        for mode, its in times.items()
    ]


async def main(*, as_json: bool) -> int:
    """Run the benchmark; the status is 1 if lightning is too much slower in mode both."""
    old = function(40)
    new = changed(old, 0.3)
    job = Job(0, old, new, N_LINES)
    fast, slow = (Script(answer(new), first_token_s=seconds) for seconds in (FIRST_TOKEN_S, DEEP_S))
    n_edits = N_EDITS + 1
    async with ScriptedServer([fast] * 2 * n_edits) as first, ScriptedServer([slow] * n_edits) as second:
        times = await measure({"fast": first.base_url, "slow": second.base_url}, job)
    rows = rows_of(times)
    tables = {"time of lightning's answer": rows, "tokens of the prompts": await rows_of_prompts()}
    print_tables(tables, as_json=as_json)
    slower = float(rows[1]["result ms"]) - float(rows[0]["result ms"])
    return int(slower > MOST_MS)


if __name__ == "__main__":
    raise SystemExit(asyncio.run(main(as_json=wants_json(__doc__))))

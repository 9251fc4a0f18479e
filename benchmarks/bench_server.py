"""Measure the delay of an edit behind the provider's stream, in a real server over stdio and HTTP.

The raw stream is the same HTTP answer, read and discarded by a plain aiohttp client. Both run in turn.

First edit: delay of the client's first edit behind the first changed line in the raw stream, both since the
request. Tail: from the provider's last token to the result of the edit.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter

import aiohttp
from benchmarks import samples
from benchmarks.client import Client
from benchmarks.provider import Provider
from benchmarks.table import Row, print_tables, spread, wants_json

from twospeed.testing.scripted_model import cut_into_tokens

SIZES = (30, 150, 600)
RATES = (0, 1000)
RUNS = {0: 15, 1000: 3}


@dataclass(frozen=True)
class Times:
    """Seconds since the request; ``requested`` is when the provider received it."""

    requested: float
    first_line: float
    last_token: float
    total: float


async def read_raw(
    session: aiohttp.ClientSession, provider: Provider, first_line: int, n_tokens: int
) -> Times:
    """Read the stream; ``first_line`` counts the tokens until the first changed line is complete."""
    started = perf_counter()
    n_seen = 0
    seen: dict[int, float] = {}
    async with session.post(f"{provider.base_url}/chat/completions", json={"stream": True}) as response:
        async for chunk in response.content.iter_any():
            n_seen += chunk.count(b"data: ")
            for token in (first_line, n_tokens):
                if n_seen >= token:
                    seen.setdefault(token, perf_counter() - started)
    total = perf_counter() - started
    return Times((await provider.next_times()).requested - started, seen[first_line], seen[n_tokens], total)


async def run_edit(client: Client, provider: Provider, old: str, new: str) -> Times:
    """Edit a document; the client does not know ``last_token``."""
    started = perf_counter()
    result = await client.edit(old, line=1)
    total = perf_counter() - started
    assert (result["outcome"], result["newText"]) == ("applied", new), result["reason"]
    client.close_document()
    return Times((await provider.next_times()).requested - started, client.edits[0][0] - started, 0.0, total)


def first_changed(old: Sequence[str], new: Sequence[str], tokens: Sequence[str]) -> int:
    """Count the tokens until the first changed line is complete."""
    n_same = next(index for index, pair in enumerate(zip(old, new, strict=False)) if pair[0] != pair[1])
    n_lines = n_same + 2  # with the fence before it and the line itself
    text = ""
    for count, token in enumerate(tokens, 1):
        text += token
        if text.count("\n") >= n_lines:
            return count
    raise AssertionError("nothing changes")


async def measure(client: Client, provider: Provider, n_lines: int, rate: int) -> Row:
    """Measure one function at one speed."""
    old = samples.function(n_lines)
    new = samples.changed(old, 0.4)
    old_text, new_text = ("".join(f"{line}\n" for line in lines) for lines in (old, new))
    tokens = cut_into_tokens(samples.answer(new), seed=0)
    first_line = first_changed(old, new, tokens)
    await provider.play([samples.answer(new)], rate)
    raws: list[Times] = []
    edits: list[Times] = []
    async with aiohttp.ClientSession() as session:
        for _ in range(RUNS[rate] + 1):
            raws.append(await read_raw(session, provider, first_line, len(tokens)))
            edits.append(await run_edit(client, provider, old_text, new_text))
    del raws[0], edits[0]  # the first of each only warms up
    raw_first = median(raw.first_line for raw in raws)
    raw_end = median(raw.last_token - raw.requested for raw in raws)
    total = median(edit.total for edit in edits)
    return {
        "lines": n_lines,
        "tokens/s": rate or "unlimited",
        "tokens": len(tokens),
        "n": len(edits),
        **spread("first edit ms", [(edit.first_line - raw_first) * 1e3 for edit in edits]),
        **spread("tail ms", [(edit.total - edit.requested - raw_end) * 1e3 for edit in edits]),
        "total ms": total * 1e3,
        "total/raw": total / median(raw.total for raw in raws),
        "messages": len(client.edits),
        "KB": sum(n_bytes for _, n_bytes in client.edits) / 1024,
    }


async def measure_edits(home: Path) -> list[Row]:
    """Measure every size at every speed in one server process."""
    async with Provider.started() as provider:
        (home / "config.toml").write_text(
            '[[lanes.lightning]]\nprovider = "lab"\nmodel = "m"\n'
            f'[providers.lab]\napi = "chat"\nbase_url = "{provider.base_url}"\n'
        )
        async with Client.started(home=home) as client:
            return [await measure(client, provider, n_lines, rate) for rate in RATES for n_lines in SIZES]


async def main() -> None:
    """Measure and print everything."""
    as_json = wants_json(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        edits = await measure_edits(Path(folder))
    print_tables({"Edits compared with the raw stream": edits}, as_json=as_json)


if __name__ == "__main__":
    asyncio.run(main())

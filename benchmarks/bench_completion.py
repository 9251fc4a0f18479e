"""Measure suggestions: the delay behind the model's stream, and the processor time of keystrokes.

The raw stream is the same HTTP answer, read and discarded by a plain aiohttp client. Both run in turn. The server's share is
the time from the client's request to the item, without the median of the raw stream. It includes the way of the two messages,
as a bare request does.

Keystrokes: each one is a ``didChange`` and an automatic ``textDocument/inlineCompletion``, 100 in a second. The figure is the
processor time of the server process for a second. The floor sends the cheapest request instead.
"""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter

import aiohttp
from benchmarks import samples
from benchmarks.client import URI, Client
from benchmarks.provider import Provider
from benchmarks.table import Row, print_tables, spread, wants_json

SIZES = (50, 1000, 10_000)
RUNS = 100
KEYS, KEYS_PER_S = 600, 100
COMMENT = "# sum the prices of all items\n"
NEW = "".join(f"{line}\n" for line in samples.function(20, "sum_of"))
ANSWERS = {"completions": NEW, "chat": f"```python\n{NEW}```\n"}

FLOOR = "typing, with a request that does nothing"
AUTOMATIC = "typing, automatic"

_INVOKED, _AUTOMATIC = 1, 2


async def raw_s(session: aiohttp.ClientSession, base_url: str, api: str) -> float:
    """Read the stream of one answer; return the seconds."""
    path = "chat/completions" if api == "chat" else "completions"
    started = perf_counter()
    async with session.post(f"{base_url}/{path}", json={"stream": True}) as response:
        async for _ in response.content.iter_any():
            pass
    return perf_counter() - started


def position(line: int, character: int, kind: int) -> dict[str, object]:
    """Return the params of a request."""
    return {
        "textDocument": {"uri": URI},
        "position": {"line": line, "character": character},
        "context": {"triggerKind": kind},
    }


async def suggestion_s(client: Client, number: int) -> float:
    """Request one suggestion for a document that has just changed; return the seconds."""
    at = {"line": 0, "character": 0}
    client.change_document([{"range": {"start": at, "end": at}, "text": f"# {number}\n"}])
    client.change_document([{"range": {"start": at, "end": {"line": 1, "character": 0}}, "text": ""}])
    await client.ping()  # the server has read the changes
    started = perf_counter()
    result = await client.ask("textDocument/inlineCompletion", position(0, len(COMMENT) - 1, _INVOKED))
    elapsed = perf_counter() - started
    assert [item["insertText"] for item in result["items"]] == ["\n" + NEW.rstrip()]
    return elapsed


async def measure_delay(client: Client, provider: Provider, api: str, n_lines: int) -> Row:
    """Measure suggestions in one document."""
    await provider.play([ANSWERS[api]], 0)
    client.open_document(COMMENT + "\n" + "".join(f"{line}\n" for line in samples.function(n_lines)))
    raws: list[float] = []
    suggestions: list[float] = []
    bare: list[float] = []
    cpu = 0.0
    async with aiohttp.ClientSession() as session:
        for number in range(RUNS + 5):
            if number == 5:  # the first ones only warm up
                cpu = client.cpu_s()
            raws.append(await raw_s(session, provider.base_url, api))
            await provider.next_times()
            started = perf_counter()
            await client.ping()
            bare.append(perf_counter() - started)
            # At another place, so that the next suggestion does not come from the last answer.
            await client.ask("textDocument/inlineCompletion", position(3, 0, _AUTOMATIC))
            suggestions.append(await suggestion_s(client, number))
            await provider.next_times()
    cpu = client.cpu_s() - cpu
    del raws[:5], suggestions[:5], bare[:5]
    client.close_document()
    raw = median(raws)
    return {
        "api": api,
        "lines": n_lines,
        "n": RUNS,
        **spread("raw stream ms", [each * 1e3 for each in raws]),
        "bare request ms": median(bare) * 1e3,
        **spread("server's share ms", [(each - raw) * 1e3 for each in suggestions]),
        "processor ms": cpu / RUNS * 1e3,
    }


async def measure_keys(client: Client, provider: Provider, n_lines: int, what: str) -> Row:
    """Type at a steady rate; return the share of a core."""
    await provider.play([ANSWERS["completions"]], 0)
    is_through = what == "typing through a suggestion"
    keys = NEW.rstrip() if is_through else ("total = compute(value)\n" * KEYS)[:KEYS]
    client.open_document(COMMENT + "\n" + "".join(f"{line}\n" for line in samples.function(n_lines)))
    await client.ask("textDocument/inlineCompletion", position(1, 0, _INVOKED))
    await provider.next_times()
    line, column = 1, 0
    waiting = []
    started, cpu = perf_counter(), client.cpu_s()
    for number, key in enumerate(keys, 1):
        at = {"line": line, "character": column}
        client.change_document([{"range": {"start": at, "end": at}, "text": key}])
        line, column = (line + 1, 0) if key == "\n" else (line, column + 1)
        request = position(line, column, _AUTOMATIC)
        waiting.append(
            client.ping() if what == FLOOR else client.request("textDocument/inlineCompletion", request)
        )
        await asyncio.sleep(max(0.0, started + number / KEYS_PER_S - perf_counter()))
    elapsed, cpu = perf_counter() - started, client.cpu_s() - cpu
    replies = [(await each).get("result") for each in waiting]
    client.close_document()
    return {
        "keys": what,
        "lines": n_lines,
        "n": len(keys),
        "keys/s": len(keys) / elapsed,
        "items": sum(bool(reply and reply["items"]) for reply in replies),
        "% of a core": 100 * cpu / elapsed,
    }


async def measure(
    home: Path, provider: Provider, api: str, *, automatic: bool
) -> tuple[list[Row], list[Row]]:
    """Measure one server process with one config."""
    (home / "config.toml").write_text(
        f"[completion]\nenabled = true\nautomatic = {str(automatic).lower()}\n"
        "[budget]\nedits_per_day = 100000\ntokens_per_day = 1000000000\n"
        '[[lanes.completion]]\nprovider = "lab"\nmodel = "m"\n'
        f'[providers.lab]\napi = "{api}"\nbase_url = "{provider.base_url}"\n'
    )
    async with Client.started(home=home) as client:
        delays = [] if automatic else [await measure_delay(client, provider, api, n) for n in SIZES]
        if api == "chat":
            return delays, []
        whats = (
            [AUTOMATIC]
            if automatic
            else [FLOOR, "typing, only after a comment", "typing through a suggestion"]
        )
        keys: list[Row] = []
        for n_lines in SIZES:
            for what in whats:
                keys.append(await measure_keys(client, provider, n_lines, what))
                if what == AUTOMATIC:  # once the last key is followed by a pause
                    await provider.next_times()
        return delays, keys


async def main() -> None:
    """Measure and print everything."""
    as_json = wants_json(__doc__)
    delays: list[Row] = []
    keys: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        async with Provider.started() as provider:
            for api, automatic in (("completions", False), ("chat", False), ("completions", True)):
                found = await measure(Path(folder), provider, api, automatic=automatic)
                delays += found[0]
                keys += found[1]
    print_tables({"Suggestions compared with the raw stream": delays, "Keystrokes": keys}, as_json=as_json)


if __name__ == "__main__":
    asyncio.run(main())

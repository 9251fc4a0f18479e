"""Measure a model client over TLS: processor time for a token of a burst, and time to the first token.

Our client is used as in an edit, with deadlines. Beside it run in turn the provider's SDK, which does more
than an edit needs; httpx with JSON lines read by hand; and the floor, which only reads the bytes. The server
is another process with answers made beforehand, so the measured processor time is the client's.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Sequence
from contextlib import aclosing
from statistics import median
from time import perf_counter, process_time

from benchmarks.certificate import is_trusted_here, run_trusting_it
from benchmarks.lane_clients import FLOOR, OURS, Ask, Clients, clients_of
from benchmarks.lane_server import LONG, WORD, Manner, lane_server
from benchmarks.table import Row, print_tables, spread, wants_json

from twospeed.cli.main import GC_THRESHOLDS

MIN_BURSTS, MAX_BURSTS, ENOUGH_S = 3, 11, 4.0
"""A client reads at least `MIN_BURSTS` answers, and no more after `ENOUGH_S` seconds or `MAX_BURSTS` answers."""

MANNERS: Sequence[Manner] = ("full-records", "record-a-token")
FIRST_TOKENS = 200
MOST_US, MOST_MS = 6.0, 0.5

Figures = dict[tuple[str, ...], list[float]]


async def measure_bursts(clients: Clients) -> Figures:
    """Read long answers in turn; return microseconds per token, by transport, manner and client."""
    figures: Figures = {}
    for transport, asks in clients.items():
        for manner in MANNERS:
            elapsed: dict[str, list[float]] = {name: [] for name in asks}
            for number in range(MAX_BURSTS):
                for name, ask in asks.items():
                    if number < MIN_BURSTS or sum(elapsed[name]) < ENOUGH_S:
                        elapsed[name].append(
                            await burst_s(ask, manner, text="" if name == FLOOR else LONG.text)
                        )
            for name, each in elapsed.items():
                figures[transport, manner, name] = [seconds / LONG.output_tokens * 1e6 for seconds in each]
    return figures


async def burst_s(ask: Ask, manner: Manner, *, text: str) -> float:
    """Read a whole answer; return the processor time."""
    started = process_time()
    async with aclosing(ask(manner)) as pieces:
        answer = [piece async for piece in pieces]
    elapsed = process_time() - started
    assert "".join(answer) == text
    return elapsed


async def measure_first_tokens(clients: Clients) -> Figures:
    """Request a word over an open connection; return milliseconds, by transport, client, and measured client.

    Each client runs in turn with the floor alone, because what follows an SDK finds its data in the
    processor's caches.
    """
    figures: Figures = {}
    for transport, asks in clients.items():
        for name in [each for each in asks if each != FLOOR]:
            for number in range(FIRST_TOKENS + 1):
                for measured in (name, FLOOR):
                    ms = await first_token_ms(asks[measured], text="" if measured == FLOOR else WORD.text)
                    if number:
                        figures.setdefault((transport, name, measured), []).append(ms)
    return figures


async def first_token_ms(ask: Ask, *, text: str) -> float:
    """Request a word and read the whole answer; return the time to the word."""
    started = perf_counter()
    async with aclosing(ask("a-word")) as pieces:
        first = await anext(pieces)
        elapsed = perf_counter() - started
        assert first == text
        async for _ in pieces:
            pass
    return elapsed * 1e3


def burst_rows(figures: Figures) -> list[Row]:
    """Return the table of bursts."""
    return [
        {
            "transport": transport,
            "records": manner,
            "client": name,
            "n": len(each),
            **spread("µs/token", each),
            "over floor": median(each) - median(figures[transport, manner, FLOOR]),
            "times twospeed": median(each) / median(figures[transport, manner, OURS]),
        }
        for (transport, manner, name), each in figures.items()
    ]


def first_token_rows(figures: Figures) -> list[Row]:
    """Return the table of first tokens."""
    return [
        {
            "transport": transport,
            "client": name,
            "n": len(each),
            **spread("first token ms", each),
            "floor ms": median(figures[transport, name, FLOOR]),
            "over floor": over_floor_ms(figures, transport, name),
        }
        for (transport, name, measured), each in figures.items()
        if measured == name
    ]


def over_floor_ms(figures: Figures, transport: str, name: str) -> float:
    """Return the delay of a client's first token over the floor."""
    return median(figures[transport, name, name]) - median(figures[transport, name, FLOOR])


def goals(bursts: Figures, first_tokens: Figures) -> list[Row]:
    """Compare the measurements with the goals."""
    measured = [
        *(
            (f"{transport}, {manner}: µs a token", MOST_US, median(each))
            for (transport, manner, name), each in bursts.items()
            if name == OURS
        ),
        *(
            (
                f"{transport}: first token over the floor, ms",
                MOST_MS,
                over_floor_ms(first_tokens, transport, OURS),
            )
            for transport, _, measured in first_tokens
            if measured == OURS
        ),
    ]
    return [
        {"figure": name, "at most": most, "measured": value, "met": "yes" if value <= most else "no"}
        for name, most, value in measured
    ]


async def measure() -> dict[str, Sequence[Row]]:
    """Measure everything."""
    async with lane_server() as base_url, clients_of(base_url) as clients:
        gc.set_threshold(*GC_THRESHOLDS)
        gc.collect()
        gc.freeze()  # what is imported is no answer's garbage; a server does the same
        first_tokens = await measure_first_tokens(clients)
        bursts = await measure_bursts(clients)
    return {
        "Goals": goals(bursts, first_tokens),
        f"A burst of {LONG.output_tokens} tokens": burst_rows(bursts),
        "The first token over an open connection": first_token_rows(first_tokens),
    }


def main() -> None:
    """Measure and print everything."""
    if not is_trusted_here():
        run_trusting_it("benchmarks.bench_lanes")
        return
    as_json = wants_json(__doc__)
    print_tables(asyncio.run(measure()), as_json=as_json)


if __name__ == "__main__":
    main()

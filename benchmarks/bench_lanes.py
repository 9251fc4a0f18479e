"""What a client of a model costs over TLS: processor time for a token of a burst, and time to the first one.

Ours is asked as an edit asks it, deadlines and all. Beside it, in turn: the provider's own SDK, which does more than an
edit needs; httpx, whose lines are read as JSON by hand; and the floor, which only reads the bytes. The server is
another process and its answers are made beforehand, so the processor's time is the client's alone.
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
"""Who takes longer than enough, all in all, has read enough answers with the fewest."""

MANNERS: Sequence[Manner] = ("full-records", "record-a-token")
FIRST_TOKENS = 200
MOST_US, MOST_MS = 6.0, 0.5

Figures = dict[tuple[str, ...], list[float]]


async def measure_bursts(clients: Clients) -> Figures:
    """Have each read long answers, in turn; gives microseconds a token, by way, manner and client."""
    figures: Figures = {}
    for way, asks in clients.items():
        for manner in MANNERS:
            taken: dict[str, list[float]] = {name: [] for name in asks}
            for number in range(MAX_BURSTS):
                for name, ask in asks.items():
                    if number < MIN_BURSTS or sum(taken[name]) < ENOUGH_S:
                        taken[name].append(
                            await burst_s(ask, manner, text="" if name == FLOOR else LONG.text)
                        )
            for name, each in taken.items():
                figures[way, manner, name] = [seconds / LONG.output_tokens * 1e6 for seconds in each]
    return figures


async def burst_s(ask: Ask, manner: Manner, *, text: str) -> float:
    """Read a whole answer; gives the processor's time."""
    started = process_time()
    async with aclosing(ask(manner)) as pieces:
        said = [piece async for piece in pieces]
    taken = process_time() - started
    assert "".join(said) == text
    return taken


async def measure_first_tokens(clients: Clients) -> Figures:
    """Ask each for a word over a connection that is open; gives milliseconds, by way, client, and whose they are.

    Each in turn with the floor alone, whose times stand beside its own: what follows an SDK finds the processor's
    caches full of the SDK.
    """
    figures: Figures = {}
    for way, asks in clients.items():
        for name in [each for each in asks if each != FLOOR]:
            for number in range(FIRST_TOKENS + 1):
                for whose in (name, FLOOR):
                    ms = await first_token_ms(asks[whose], text="" if whose == FLOOR else WORD.text)
                    if number:
                        figures.setdefault((way, name, whose), []).append(ms)
    return figures


async def first_token_ms(ask: Ask, *, text: str) -> float:
    """Ask for a word and read the answer to its end; gives the time to the word."""
    started = perf_counter()
    async with aclosing(ask("a-word")) as pieces:
        said = await anext(pieces)
        taken = perf_counter() - started
        assert said == text
        async for _ in pieces:
            pass
    return taken * 1e3


def burst_rows(figures: Figures) -> list[Row]:
    """Make the table of bursts."""
    return [
        {
            "way": way,
            "records": manner,
            "client": name,
            "n": len(each),
            **spread("µs/token", each),
            "over floor": median(each) - median(figures[way, manner, FLOOR]),
            "times twospeed": median(each) / median(figures[way, manner, OURS]),
        }
        for (way, manner, name), each in figures.items()
    ]


def first_token_rows(figures: Figures) -> list[Row]:
    """Make the table of first tokens."""
    return [
        {
            "way": way,
            "client": name,
            "n": len(each),
            **spread("first token ms", each),
            "floor ms": median(figures[way, name, FLOOR]),
            "over floor": over_floor_ms(figures, way, name),
        }
        for (way, name, whose), each in figures.items()
        if whose == name
    ]


def over_floor_ms(figures: Figures, way: str, name: str) -> float:
    """Give how much later than the floor a client has its first token."""
    return median(figures[way, name, name]) - median(figures[way, name, FLOOR])


def goals(bursts: Figures, first_tokens: Figures) -> list[Row]:
    """Put what was measured beside what it should be at most."""
    measured = [
        *(
            (f"{way}, {manner}: µs a token", MOST_US, median(each))
            for (way, manner, name), each in bursts.items()
            if name == OURS
        ),
        *(
            (
                f"{way}: first token over the floor, ms",
                MOST_MS,
                over_floor_ms(first_tokens, way, OURS),
            )
            for way, _, whose in first_tokens
            if whose == OURS
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
    """Measure everything, print it."""
    if not is_trusted_here():
        run_trusting_it("benchmarks.bench_lanes")
        return
    as_json = wants_json(__doc__)
    print_tables(asyncio.run(measure()), as_json=as_json)


if __name__ == "__main__":
    main()

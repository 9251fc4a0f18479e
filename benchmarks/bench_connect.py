"""Measure what preparation saves: time to the first token over TLS, with a round trip of 30 ms.

The client is ours, used as in an edit; the provider answers at once, so only the connection is measured. Each
round sends one request in each state that a connection can have.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from statistics import median
from time import perf_counter

from benchmarks.certificate import behind_tls, is_trusted_here, run_trusting_it
from benchmarks.far_away import IDLE_S, far_away
from benchmarks.table import Row, print_tables, spread, wants_json

from twospeed.lanes.open_model import open_model
from twospeed.models.base import (
    EditTask,
    Limits,
    Message,
    Model,
    ModelRequest,
    ProviderSettings,
    TextDelta,
)
from twospeed.models.http.connections import Connections
from twospeed.models.keys.key_store import KeyStore
from twospeed.testing.script import Script
from twospeed.testing.scripted_server import ScriptedServer

PROMPT_KB = (2, 16, 64)
RUNS = 15
PAUSE_S = 2 * IDLE_S
"""Shorter than typing an instruction, but long enough for a connection to become idle."""

COLD = "HTTP, new connection"
AHEAD, KEPT, RIGHT_AFTER = "HTTP, connected ahead", "HTTP, idle since an edit", "HTTP, right after an edit"
BEGUN = "HTTP, body begun"
COLD_SOCKET = "WebSocket, new connection"
KEPT_SOCKET, READ_AHEAD = "WebSocket, idle since an edit", "WebSocket, context read ahead"
GOALS = {AHEAD: 40.0, READ_AHEAD: 75.0, BEGUN: 75.0}
"""Minimum percentage saved of the longest prompt's cold request."""

INSTRUCTION = "\n\nAdd a docstring to the function at the cursor, and say what it raises.\n"

Times = dict[str, list[float]]


def main() -> None:
    """Run in a process that trusts a certificate made for this run."""
    if not is_trusted_here():
        run_trusting_it("benchmarks.bench_connect")
        return
    as_json = wants_json(__doc__)
    print_tables(asyncio.run(measure()), as_json=as_json)


async def measure() -> dict[str, list[Row]]:
    """Measure all sizes."""
    async with (
        ScriptedServer(lambda _: Script("pass"), takes_sockets=True) as server,
        behind_tls(server.port) as near,
        far_away(near) as port,
    ):
        base_url = f"https://localhost:{port}/v1"
        await measure_rounds(base_url, n_kb=1, runs=1)  # what is loaded once
        measured = {n_kb: await measure_rounds(base_url, n_kb, RUNS) for n_kb in PROMPT_KB}
    return {"Goals": goals(measured[max(PROMPT_KB)]), "Connect": rows_of(measured)}


async def measure_rounds(base_url: str, n_kb: int, runs: int) -> Times:
    """Measure one size of prompt, all states in turn; return milliseconds to the first token."""
    times: Times = {}

    async def ask(state: str, model: Model) -> None:
        times.setdefault(state, []).append(await first_token_ms(model, n_kb))

    http = ProviderSettings("http", "responses", base_url)
    begun = ProviderSettings("begun", "responses", base_url, early_body=True)
    socket = ProviderSettings("socket", "responses", base_url, websocket=True)
    for _ in range(runs):
        async with opened(http) as (model, _):
            await ask(COLD, model)
            await ask(RIGHT_AFTER, model)
            await asyncio.sleep(PAUSE_S)
            await ask(KEPT, model)
        async with opened(http) as (model, connections):
            await connections.connect(http)
            await asyncio.sleep(PAUSE_S)
            await ask(AHEAD, model)
        async with opened(begun) as (model, connections):
            await connections.connect_spare(begun)
            model.send_ahead(request_of(n_kb, "anything"))
            await asyncio.sleep(PAUSE_S)
            await ask(BEGUN, model)
        async with opened(socket) as (model, _):
            await ask(COLD_SOCKET, model)
            await asyncio.sleep(PAUSE_S)
            await ask(KEPT_SOCKET, model)
        async with opened(socket) as (model, _):
            assert await model.warm(request_of(n_kb, "anything"))
            await asyncio.sleep(PAUSE_S)
            await ask(READ_AHEAD, model)
    return times


@asynccontextmanager
async def opened(provider: ProviderSettings) -> AsyncIterator[tuple[Model, Connections]]:
    """Return a model without a connection."""
    connections = Connections()
    yield open_model(provider, "m", limits=Limits(), connections=connections, keys=KeyStore({})), connections
    await connections.aclose()


async def first_token_ms(model: Model, n_kb: int) -> float:
    """Send a request, read the whole answer, and return the time to its first token."""
    started = perf_counter()
    async with aclosing(model.stream(request_of(n_kb, INSTRUCTION))) as events:
        async for event in events:
            if isinstance(event, TextDelta):
                taken = perf_counter() - started
    return 1e3 * taken


def request_of(n_kb: int, instruction: str) -> ModelRequest:
    """Return a prompt with the code first, which is known before the instruction."""
    context = "x = 1  # code\n" * (n_kb * 1024 // 14)
    prompt = Message("user", context + instruction, n_stable=len(context))
    task = EditTask("", "python", "", lambda _: True)
    return ModelRequest((Message("system", "You edit code."), prompt), task, max_output_tokens=64)


def rows_of(measured: dict[int, Times]) -> list[Row]:
    """Return the table."""
    return [
        {
            "prompt KB": n_kb,
            "when the edit comes": state,
            "n": len(each),
            **spread("first token ms", each),
            "saved ms": median(times[COLD]) - median(each),
            "saved %": saved(times, state),
        }
        for n_kb, times in measured.items()
        for state, each in times.items()
    ]


def goals(times: Times) -> list[Row]:
    """Compare the saved shares with the goals."""
    return [
        {
            "of a cold request": state,
            "saved %, at least": least,
            "measured": saved(times, state),
            "met": "yes" if saved(times, state) >= least else "no",
        }
        for state, least in GOALS.items()
    ]


def saved(times: Times, state: str) -> float:
    """Return the saved percentage of a cold request's time."""
    return 100 * (1 - median(times[state]) / median(times[COLD]))


if __name__ == "__main__":
    main()

"""Measure a keystroke in a long document: a real server over stdio, plain pygls, and no server.

End to end: from sending the change of one character and a request to the reply, when the change has been
applied. The floor is the round trip of the request alone, measured in turn with it. Both servers receive the
same changes in turn.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter
from typing import Any

from benchmarks.client import PLAIN_PYGLS, TWOSPEED, URI, Client
from benchmarks.sources import python_lines
from benchmarks.table import Row, p95, print_tables, spread, wants_json
from lsprotocol import types
from pygls.workspace import TextDocument

from twospeed.text.document import ContentChange, Document
from twospeed.text.positions import Position, Range

SIZES = (1_000, 10_000, 50_000)
RUNS = 300
RUNS_ALONE = 2_000
RUNS_PYGLS_ALONE = 50
SERVERS = {"twospeed": TWOSPEED, "plain pygls": PLAIN_PYGLS}


def places(lines: list[str], n: int) -> list[tuple[int, int]]:
    """Return places anywhere in a text, always the same ones."""
    random = Random(len(lines))
    found = []
    for _ in range(n):
        line = random.randrange(len(lines))
        found.append((line, random.randrange(len(lines[line]))))  # up to before the line end
    return found


async def measure_servers(home: Path) -> list[Row]:
    """Type in both servers, in each of the documents."""
    (home / "config.toml").write_text("")
    rows: list[Row] = []
    for n_lines in SIZES:
        async with AsyncExitStack() as stack:
            clients = {
                name: await stack.enter_async_context(Client.started(command, home=home))
                for name, command in SERVERS.items()
            }
            rows += await measure_size(clients, python_lines(n_lines))
    return rows


async def measure_size(clients: dict[str, Client], lines: list[str]) -> list[Row]:
    """Type in each server in turn."""
    for client in clients.values():
        client.open_document("".join(lines))
        await client.ping()
    typed: dict[str, list[float]] = {name: [] for name in clients}
    pinged: dict[str, list[float]] = {name: [] for name in clients}
    for line, column in places(lines, RUNS):
        for name, client in clients.items():
            pinged[name].append(await seconds(client))
            typed[name].append(await seconds(client, insertion(line, column)))
    return [
        {
            "lines": len(lines),
            "server": name,
            "n": RUNS,
            **spread("keystroke ms", [each * 1e3 for each in typed[name]]),
            "request ms": median(pinged[name]) * 1e3,
            "change ms": (median(typed[name]) - median(pinged[name])) * 1e3,
        }
        for name in clients
    ]


def insertion(line: int, column: int) -> dict[str, Any]:
    """Return the LSP change that inserts a letter."""
    at = {"line": line, "character": column}
    return {"range": {"start": at, "end": at}, "text": "x"}


async def seconds(client: Client, *changes: dict[str, Any]) -> float:
    """Return the time from sending changes, if any, and a request to its reply."""
    started = perf_counter()
    if changes:
        client.change_document(changes)
    await client.ping()
    return perf_counter() - started


def measure_alone() -> list[Row]:
    """Apply the same changes without a server."""
    rows: list[Row] = []
    for n_lines in SIZES:
        lines = python_lines(n_lines)
        text = "".join(lines)
        typed = places(lines, RUNS_ALONE)
        ours = microseconds(typed, following(text))
        pygls = microseconds(typed[:RUNS_PYGLS_ALONE], following_with_pygls(text))
        copy = microseconds(typed, copying(text))
        rows.append(
            {
                "lines": n_lines,
                "n": RUNS_ALONE,
                "twospeed µs": median(ours),
                "p95": p95(ours),
                "pygls µs": median(pygls),
                "copy of the text µs": median(copy),
            }
        )
    return rows


def microseconds(typed: list[tuple[int, int]], step: Callable[[int, int], object]) -> list[float]:
    """Return the time of each keystroke."""
    times = []
    for line, column in typed:
        started = perf_counter()
        step(line, column)
        times.append((perf_counter() - started) * 1e6)
    return times


def following(text: str) -> Callable[[int, int], object]:
    """Apply changes with our document."""
    document = Document.opened(URI, 1, "python", text, "utf-16")

    def step(line: int, column: int) -> None:
        nonlocal document
        at = Position(line, column)
        document, _ = document.changed(ContentChange(Range(at, at), "x"))

    return step


def following_with_pygls(text: str) -> Callable[[int, int], object]:
    """Apply changes with the document of pygls."""
    document = TextDocument(URI, text, 1, "python")

    def step(line: int, column: int) -> None:
        at = types.Position(line, column)
        document.apply_change(types.TextDocumentContentChangePartial(range=types.Range(at, at), text="x"))

    return step


def copying(text: str) -> Callable[[int, int], object]:
    """Insert a letter into one string: the least work of a document without lines."""
    middle = len(text) // 2
    return lambda _line, _column: text[:middle] + "x" + text[middle:]


async def main() -> None:
    """Measure and print everything."""
    as_json = wants_json(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        served = await measure_servers(Path(folder))
    tables = {"A keystroke, end to end": served, "A keystroke, the document alone": measure_alone()}
    print_tables(tables, as_json=as_json)


if __name__ == "__main__":
    asyncio.run(main())

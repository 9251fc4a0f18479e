"""Search for inputs that block the event loop: hostile shapes of growing sizes, and LSP messages.

Each module `silence_ROOM` measures entry points of its room in this process, in processor time, one step at a
time, with listed shapes and random combinations of them by seed. LSP messages go to a real server process:
its answer time to a ping behind the message, and its memory meanwhile.

Fails if a step takes longer than 50 ms or a message needs more than ten times its size; known cases are
listed.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter

import orjson
from benchmarks import silence_core, silence_stream, silence_syntax
from benchmarks.client import URI, Client
from benchmarks.silence import MAX_STEP_MS, Rows
from benchmarks.table import Row, print_tables

ROOMS: dict[str, Callable[[Sequence[int]], Rows]] = {
    "stream": silence_stream.rows,
    "syntax": silence_syntax.rows,
    "text": silence_core.text_rows,
    "gate": silence_core.gate_rows,
    "prompt": silence_core.prompt_rows,
    "workspace": silence_core.workspace_rows,
}
"""The function that measures a room; it receives seeds of random cases."""

MAX_MULTIPLE = 10.0
LEAST_MB = 4.0
"""Memory below which a multiple depends more on the allocator than on the message."""

SHOWN = 25
_RANGE = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
_DOCUMENT = {"uri": URI}


VALUES: dict[str, Callable[[], object]] = {
    "a string": lambda: "a" * 900_000,
    "zeros": lambda: [0] * 450_000,
    "empty arrays": lambda: [[]] * 300_000,
    "an object": lambda: {f"k{number}": 0 for number in range(80_000)},
}

PLACES: dict[str, Callable[[object], object]] = {
    "textDocument/codeAction context.diagnostics": lambda value: {
        "textDocument": _DOCUMENT,
        "range": _RANGE,
        "context": {"diagnostics": value},
    },
    "textDocument/codeAction context.only": lambda value: {
        "textDocument": _DOCUMENT,
        "range": _RANGE,
        "context": {"diagnostics": [], "only": value},
    },
    "textDocument/codeLens textDocument.uri": lambda value: {"textDocument": {"uri": value}},
    "textDocument/didOpen textDocument": lambda value: {"textDocument": value},
    "textDocument/didSave textDocument": lambda value: {"textDocument": value},
    "textDocument/didClose textDocument.uri": lambda value: {"textDocument": {"uri": value}},
    "textDocument/didChange contentChanges": lambda value: {
        "textDocument": {"uri": "file:///other.py", "version": 2},
        "contentChanges": value,
    },
    "workspace/didChangeWatchedFiles changes": lambda value: {"changes": value},
    "workspace/didChangeConfiguration settings": lambda value: {"settings": value},
    "workspace/executeCommand arguments": lambda value: {"command": "twospeed.edit", "arguments": value},
    "window/workDoneProgress/cancel token": lambda value: {"token": value},
    "twospeed/edit context": lambda value: {
        "textDocument": {"uri": URI, "version": 1},
        "range": _RANGE,
        "instruction": "x",
        "context": {"diagnostics": value},
    },
    "twospeed/prepare range": lambda value: {"textDocument": _DOCUMENT, "range": value},
    "twospeed/steer instruction": lambda value: {"editId": "e1", "instruction": value},
    "twospeed/cancel editId": lambda value: {"editId": value},
    "twospeed/decide hunk": lambda value: {"editId": "e1", "action": "accept", "hunk": value},
    "twospeed/variation step": lambda value: {"editId": "e1", "step": value},
    "twospeed/scopes position": lambda value: {"textDocument": _DOCUMENT, "position": value},
    "twospeed/setMode mode": lambda value: {"mode": value},
    "twospeed/status params": lambda value: value,
}


async def lsp_rows(home: Path) -> list[Row]:
    """Send each value in each place to a new server, ping it, and read its memory."""
    rows: list[Row] = []
    for place, make in PLACES.items():
        async with Client.started(home=home) as client:
            client.open_document("def f():\n    return 1\n")
            await client.ping()
            for kind, value in VALUES.items():
                rows.append(await _lsp_row(client, place, kind, make(value())))
    return rows


async def _lsp_row(client: Client, place: str, kind: str, params: object) -> Row:
    method = place.partition(" ")[0]
    size_mb = len(orjson.dumps(params)) / 1e6
    before, cpu = client.resident_mb() or 0.0, client.cpu_s()
    began = perf_counter()
    if method.startswith("twospeed/") or method.endswith(("codeAction", "codeLens", "executeCommand")):
        await asyncio.wait_for(client.request(method, params), 120)
    else:
        client.notify(method, params)
    await asyncio.wait_for(client.ping(), 120)
    silence = perf_counter() - began
    grown = (client.resident_mb() or 0.0) - before
    return {
        "input": f"{place}: {kind}",
        "MB": size_mb,
        "CPU ms": (client.cpu_s() - cpu) * 1e3,
        "silence ms": silence * 1e3,
        "memory MB": grown,
        "multiple": grown / size_mb if grown > LEAST_MB else 0.0,
    }


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("rooms", nargs="*", help=f"{', '.join(ROOMS)}, lsp; all where none is named")
    parser.add_argument("--seed", type=int, default=0, help="the first seed of random cases")
    parser.add_argument("--seeds", type=int, default=20, help="how many seeds")
    parser.add_argument("--json", action="store_true", help="print JSON with unrounded figures")
    return parser.parse_args()


def main() -> int:
    """Measure the requested rooms, print the longest steps, and fail if one is too long."""
    options = _options()
    seeds = range(options.seed, options.seed + options.seeds)
    tables: dict[str, Sequence[Row]] = {}
    too_long: list[str] = []
    too_large: list[str] = []
    for room, rows in ROOMS.items():
        if room in options.rooms or not options.rooms:
            steps = sorted(rows(seeds), key=lambda row: -row[1])
            tables[f"Longest steps of {room}"] = [{"input": name, "ms": ms} for name, ms in steps[:SHOWN]]
            too_long += [f"{room}: {name}" for name, ms in steps if ms > MAX_STEP_MS]
    if "lsp" in options.rooms or not options.rooms:
        with tempfile.TemporaryDirectory() as folder:
            lsp = sorted(asyncio.run(lsp_rows(Path(folder))), key=lambda row: -float(row["silence ms"]))
        tables["Longest silences of a server"] = lsp[:SHOWN]
        too_long += [str(row["input"]) for row in lsp if float(row["CPU ms"]) > MAX_STEP_MS]
        too_large = [str(row["input"]) for row in lsp if float(row["multiple"]) > MAX_MULTIPLE]
    print_tables(tables, as_json=options.json)
    for name in too_long:
        print(f"longer than {MAX_STEP_MS:.0f} ms: {name}", file=sys.stderr)
    for name in too_large:
        print(f"more than {MAX_MULTIPLE:.0f} times its size: {name}", file=sys.stderr)
    return int(bool(too_long or too_large))


if __name__ == "__main__":
    sys.exit(main())

"""Search for inputs that keep the event loop from its next message: hostile shapes at growing sizes, and LSP messages.

The engine and the parser are called in this process and measured in processor time, a step at a time. LSP messages go to
a real server process: how long it takes to answer the ping behind one, and how much memory it takes meanwhile.

Fails where a step takes longer than 50 ms or a message takes more than ten times its size; what is known to is named.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter, thread_time

import orjson
from benchmarks.client import URI, Client
from benchmarks.silence_syntax import cases
from benchmarks.table import Row, print_tables, wants_json
from tests.stream.hostile_shapes import ANSWERS, CHANGES

SIZES = (500, 2000, 8000)
PIECE = 16 * 1024
"""Characters of an answer that arrive at once: what one read of a fast provider brings."""

MAX_STEP_MS = 50.0
MAX_MULTIPLE = 10.0
LEAST_MB = 4.0
"""Memory below which a multiple says more of the allocator than of the message."""

SHOWN = 25
_RANGE = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
_DOCUMENT = {"uri": URI}


def timed(call: Callable[[], object]) -> float:
    """Return the milliseconds of processor time that a call takes in this thread."""
    before = thread_time()
    call()
    return (thread_time() - before) * 1e3


def answer_steps(name: str, n: int) -> float:
    """Return the longest step of an answer."""
    stream, text = ANSWERS[name](n).stream()
    pieces = [text[at : at + PIECE] for at in range(0, len(text), PIECE)]
    longest = max(timed(lambda piece=piece: stream.receive_text(piece)) for piece in pieces)  # type: ignore[misc]
    return max(longest, timed(lambda: stream.finish("stop")))


def engine_rows() -> Iterator[Row]:
    """Measure every shape of answers and of typing at every size."""
    for name in ANSWERS:
        yield _row(f"answer: {name}", [answer_steps(name, n) for n in SIZES])
    for name, make in CHANGES.items():
        yield _row(f"typing: {name}", [timed(make(n)) for n in SIZES])


def _row(name: str, figures: list[float]) -> Row:
    columns = {f"{n} lines, ms": figure for n, figure in zip(SIZES, figures, strict=True)}
    return {"input": name, **columns, "growth of the last": figures[-1] / max(figures[-2], 0.1)}


def syntax_rows() -> Iterator[Row]:
    """Measure the hostile documents of `silence_syntax`."""
    for name, call in cases():
        yield {"input": name, "ms": timed(call)}


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
    """Send each value in each place to a server of its own; ping it behind the message and read its memory."""
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
        client.tell(method, params)
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


async def main() -> int:
    """Measure everything, print the longest silences, and say whether any is too long."""
    as_json = wants_json(__doc__)
    engine = sorted(engine_rows(), key=lambda row: -float(row[f"{SIZES[-1]} lines, ms"]))
    syntax = sorted(syntax_rows(), key=lambda row: -float(row["ms"]))
    with tempfile.TemporaryDirectory() as folder:
        lsp = sorted(await lsp_rows(Path(folder)), key=lambda row: -float(row["silence ms"]))
    tables = {"Longest steps of the engine": engine[:SHOWN], "Longest silences of a server": lsp[:SHOWN]}
    if syntax:
        tables["Longest steps of the parser's room"] = syntax[:SHOWN]
    print_tables(tables, as_json=as_json)
    # The smallest size has the limit; the larger ones show the growth, since the ends of a scope are judged in one step.
    too_long = [row["input"] for row in engine if float(row[f"{SIZES[0]} lines, ms"]) > MAX_STEP_MS]
    too_long += [row["input"] for row in syntax if float(row["ms"]) > MAX_STEP_MS]
    too_long += [row["input"] for row in lsp if float(row["CPU ms"]) > MAX_STEP_MS]
    too_large = [row["input"] for row in lsp if float(row["multiple"]) > MAX_MULTIPLE]
    print(*(f"longer than {MAX_STEP_MS:.0f} ms: {name}" for name in too_long), sep="\n", file=sys.stderr)
    print(
        *(f"more than {MAX_MULTIPLE:.0f} times its size: {name}" for name in too_large),
        sep="\n",
        file=sys.stderr,
    )
    return int(bool(too_long or too_large))


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))

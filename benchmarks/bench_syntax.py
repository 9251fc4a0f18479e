"""Measure whether a long file delays other requests, in a real server over stdio that parses it.

Stalls: a ping every millisecond, and the delay of each reply, while 50,000 lines are parsed in the
background; beside the same pings at the idle server. It ends at the first answer that knows the function, so
a server whose parsing blocks is late with all pings in between.

Scopes: from sending one keystroke and a request for the scopes around it to the answer, at random places of
10,000 lines, inside words for letters. Beside it are the request alone, and the same reparse by tree-sitter.
Each keystroke is reverted and parsed before the next.
"""

from __future__ import annotations

import asyncio
import re
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from keyword import iskeyword
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter
from typing import Any

import tree_sitter_python
from benchmarks.client import URI, Client
from benchmarks.sources import python_lines
from benchmarks.table import Row, p99, print_tables, wants_json
from tree_sitter import Language, Parser

PARSED_LINES = 50_000
PARSED_RUNS = 5
TYPED_LINES = 10_000
KEYSTROKES = 200
PARSE_LIMIT_S = 60
AT_ONCE_S = 0.05
"""Shorter than the server's wait for a tree, longer than an answer from a tree."""

WORD = re.compile(r"\w+")

KEYS = {"letter": "x", "newline": "\n", "quote": '"'}

NAMED = {"function", "class"}


async def scopes_at(client: Client, line: int, column: int) -> set[str]:
    """Return the kinds of the scopes around a place."""
    at = {"line": line, "character": column}
    result = await client.ask("twospeed/scopes", {"textDocument": {"uri": URI}, "position": at})
    return {scope["kind"] for scope in result["scopes"]}


@asynccontextmanager
async def pinging(client: Client) -> AsyncIterator[list[float]]:
    """Ping every millisecond; at the end the list has the milliseconds of all replies."""
    took_ms: list[float] = []

    async def ping() -> None:
        started = perf_counter()
        await client.ping()
        took_ms.append((perf_counter() - started) * 1e3)

    async def ping_forever() -> None:
        while True:
            running.create_task(ping())
            await asyncio.sleep(0.001)

    async with asyncio.TaskGroup() as running:
        forever = running.create_task(ping_forever())
        yield took_ms
        forever.cancel()


async def measure_stalls(client: Client) -> list[Row]:
    """Ping the idle server, and then while it parses a long file, for the same time."""
    lines = python_lines(PARSED_LINES)
    line = a_function(lines)
    idle: list[float] = []
    parsing: list[float] = []
    for run in range(PARSED_RUNS):
        # Another text each time: the tree of one that was closed would be found again.
        client.open_document("".join([*lines, f"RUN = {run}\n"]))
        await client.ping()  # the document has been taken; what is measured is the parsing
        started = perf_counter()
        async with pinging(client) as busy:
            await parsed(client, line)
        parsing += busy
        took_s = perf_counter() - started
        async with pinging(client) as floor:
            await asyncio.sleep(took_s)
        idle += floor
        client.close_document()
    return [
        {
            "server": name,
            "lines": PARSED_LINES,
            "pings": len(late),
            "reply ms": median(late),
            "p99": p99(late),
            "max": max(late),
        }
        for name, late in (("idle", idle), ("parsing", parsing))
    ]


def a_function(lines: list[str]) -> int:
    """Return the first line inside a method in the second half."""
    middle = len(lines) // 2
    return next(
        index + 1 for index, line in enumerate(lines) if index > middle and line.startswith("    def ")
    )


async def parsed(client: Client, line: int) -> None:
    """Request the scopes in a function until the answer knows it."""
    async with asyncio.timeout(PARSE_LIMIT_S):
        while "function" not in await scopes_at(client, line, 0):
            pass  # the server waits a while for the tree before it answers without


async def settled(client: Client, line: int, column: int) -> None:
    """Request scopes until the answer is immediate, so no parsing is left for the next keystroke."""
    async with asyncio.timeout(PARSE_LIMIT_S):
        took_s = AT_ONCE_S
        while took_s >= AT_ONCE_S:
            started = perf_counter()
            await scopes_at(client, line, column)
            took_s = perf_counter() - started


async def measure_keystrokes(client: Client) -> list[Row]:
    """Type each key at random places."""
    lines = python_lines(TYPED_LINES)
    function = a_function(lines)
    client.open_document("".join(lines))
    await parsed(client, function)
    random = Random(TYPED_LINES)
    rows: list[Row] = []
    bare = Reparse(lines)
    for name, key in KEYS.items():
        times: list[float] = []
        floor: list[float] = []
        parses: list[float] = []
        n_named = n_expected = 0
        for _ in range(KEYSTROKES):
            line, column = a_place(lines, key, random)
            n_expected += bool(NAMED & await scopes_at(client, line, column))
            started = perf_counter()
            await client.ping()
            floor.append((perf_counter() - started) * 1e3)
            text, end = typed(key, lines[line], line, column)
            parses.append(bare.took_ms(line, column, text))
            started = perf_counter()
            client.change_document([change((line, column), (line, column), text)])
            found = await scopes_at(client, *end)
            times.append((perf_counter() - started) * 1e3)
            n_named += bool(NAMED & found)
            await settled(client, *end)
            client.change_document([change((line, column), end, "")])
            await settled(client, line, column)
        rows.append(
            {
                "key": name,
                "lines": TYPED_LINES,
                "n": KEYSTROKES,
                "scopes ms": median(times),
                "p99": p99(times),
                "max": max(times),
                "parse ms": median(parses),
                "parse p99": p99(parses),
                "request ms": median(floor),
                "named": n_named,
                "named before": n_expected,
            }
        )
    return rows


def a_place(lines: list[str], key: str, random: Random) -> tuple[int, int]:
    """Choose a place to type: inside a word that is no keyword for a letter, anywhere up to the line end for
    others.

    A letter in a keyword breaks the code around it, as a quote does.
    """
    while True:
        line = random.randrange(len(lines))
        column = random.randrange(len(lines[line]))
        if not key.isalpha():
            return line, column
        words = (match for match in WORD.finditer(lines[line]) if match.start() < column < match.end())
        if any(not iskeyword(match[0]) for match in words):
            return line, column


class Reparse:
    """The floor: tree-sitter's own time for the same keystroke, given the bytes and the exact change."""

    def __init__(self, lines: list[str]) -> None:
        self._bytes = [line.encode() for line in lines]
        self._parser = Parser(Language(tree_sitter_python.language()))
        self._tree = self._parser.parse(b"".join(self._bytes))

    def took_ms(self, line: int, column: int, text: str) -> float:
        """Parse with an inserted text; the next call starts from the same tree."""
        above, old, new = b"".join(self._bytes[:line]), self._bytes[line], text.encode()
        start = len(old.decode()[:column].encode())
        data = b"".join([above, old[:start], new, old[start:], *self._bytes[line + 1 :]])
        at = len(above) + start
        end = (line + 1, len(new) - 1) if new.startswith(b"\n") else (line, start + len(new))
        tree = self._tree.copy()
        tree.edit(at, at, at + len(new), (line, start), (line, start), end)
        started = perf_counter()
        self._parser.parse(data, tree)
        return (perf_counter() - started) * 1e3


def typed(key: str, old: str, line: int, column: int) -> tuple[str, tuple[int, int]]:
    """Return the text that a key inserts, and the cursor then; a new line is indented like the old one."""
    if key != "\n":
        return key, (line, column + 1)
    indentation = old[: len(old) - len(old.lstrip())].strip("\n")
    return key + indentation, (line + 1, len(indentation))


def change(start: tuple[int, int], end: tuple[int, int], text: str) -> dict[str, Any]:
    """Return the LSP change that replaces a range."""
    ends = [{"line": line, "character": column} for line, column in (start, end)]
    return {"range": {"start": ends[0], "end": ends[1]}, "text": text}


async def main() -> None:
    """Measure and print everything."""
    as_json = wants_json(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "config.toml").write_text("")
        async with Client.started(home=Path(folder)) as client:
            stalls = await measure_stalls(client)
            keystrokes = await measure_keystrokes(client)
    print_tables(
        {"Replies while a file is parsed": stalls, "Scopes after a keystroke": keystrokes}, as_json=as_json
    )


if __name__ == "__main__":
    asyncio.run(main())

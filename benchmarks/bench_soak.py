"""Measure whether a server's memory grows with the number of edits: a real process, a scripted model, mixed
edits.

Of each hundred edits about 70 run to their end, and are accepted, rejected or left in review. The others are
steered or cancelled while they stream, fail in the middle of the answer, are previews, run while a user types
above them, or run while their document is closed. The result is the growth of memory from edit 500, when
everything is loaded, to the last edit.

    python -m benchmarks.bench_soak --edits 5000 --limit-mb 10
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from benchmarks import samples
from benchmarks.client import TWOSPEED
from benchmarks.editor import Editor
from benchmarks.table import Row, print_tables

from twospeed.testing.script import Drop, Fault, Reply, Script
from twospeed.testing.scripted_server import RecordedRequest, ScriptedServer

WARM_UP = 500
STEP = 500
FUNCTIONS = 6
LINES = 40
KINDS = {"plain": 70, "steer": 6, "cancel": 8, "fault": 4, "preview": 4, "close": 3, "typing": 5}
_EDIT = re.compile(r"work on (total_of_\d) (\w+) (\d+)")
_STREAMED = 3000.0
"""Tokens per second of an edit that is disturbed while it streams."""


def document() -> str:
    """Return a module of some functions."""
    functions = ["\n".join(samples.function(LINES, f"total_of_{number}")) for number in range(FUNCTIONS)]
    return "\n\n\n".join(functions) + "\n"


def answer(request: RecordedRequest) -> Script:
    """Return the function named by the last words of the instruction."""
    edits = _EDIT.findall(json.dumps(request.body))
    if not edits:
        return Script("")
    name, kind, number = edits[-1]
    lines = samples.function(LINES, name)
    share = random.Random(int(number)).uniform(0.1, 0.6)
    text = "\n".join(samples.changed(lines, share)) + "\n"
    fault: Fault = Drop(after_tokens=60) if int(number) % 2 else Reply(status=400, body=b"{}")
    return Script(
        text,
        tokens_per_second=0.0 if kind in {"plain", "preview"} else _STREAMED,
        faults=(fault,) if kind == "fault" else (),
    )


class Soak:
    """One server and its edits.

    Attributes:
        outcomes: Outcomes of edits, by kind.
    """

    def __init__(self, editor: Editor, seed: int) -> None:
        self._editor = editor
        self._rng = random.Random(seed)
        self._number = 0
        self.outcomes: Counter[str] = Counter()

    async def run(self, n_edits: int) -> None:
        """Run a number of edits, each in one of four documents."""
        kinds = self._rng.choices(list(KINDS), list(KINDS.values()), k=n_edits)
        for kind in kinds:
            self._number += 1
            uri = f"file:///bench/soak_{self._number % 4}.py"
            if uri not in self._editor.texts:
                self._editor.open_text(document(), uri)
            outcome = await self._edit(kind, uri)
            self.outcomes[f"{kind} {outcome}"] += 1
            self._editor.arrivals[uri].clear()
            self._editor.forget_replies()
            if self._number % 40 == 0 and uri in self._editor.texts:  # documents come and go
                self._close(uri)

    async def _edit(self, kind: str, uri: str) -> str:
        text = self._editor.texts[uri]
        name = f"total_of_{self._rng.randrange(FUNCTIONS)}"
        line = next((n for n, line in enumerate(text.lines) if line.startswith(f"def {name}(")), None)
        if line is None:  # an edit that was cancelled has left half of it
            self._close(uri)
            return "reopened"
        at = {"line": line, "character": 4}
        edit_id = f"e{self._number}"
        reply = self._editor.request(
            "twospeed/edit",
            {
                "editId": edit_id,
                "textDocument": {"uri": uri, "version": self._editor.version_of(uri)},
                "range": {"start": at, "end": at},
                "instruction": f"work on {name} {kind} {self._number}",
                "deliver": "preview" if kind == "preview" else "document",
            },
        )
        if meanwhile := self._meanwhile(kind):
            await self._streaming(uri, reply)
            await meanwhile(uri, edit_id)
        answered = await asyncio.wait_for(reply, 60)
        if "error" in answered:
            return f"error {answered['error']['code']}"
        outcome: str = answered["result"]["outcome"]
        action = self._rng.choice(["accept", "reject", None])
        if outcome == "applied" and action and kind != "preview":
            await self._quietly("twospeed/decide", {"editId": edit_id, "action": action})
        return outcome

    async def _streaming(self, uri: str, reply: asyncio.Future[Any]) -> None:
        """Wait until a part of an answer is in the document, or it has ended."""
        while not self._editor.arrivals[uri] and not reply.done():  # noqa: ASYNC110  # edits have no event
            await asyncio.sleep(0.001)

    def _meanwhile(self, kind: str) -> Callable[[str, str], Awaitable[None]] | None:
        return {
            "steer": self._steer,
            "cancel": self._cancel,
            "close": self._close_and_wait,
            "typing": self._type,
        }.get(kind)

    async def _steer(self, uri: str, edit_id: str) -> None:
        del uri
        await self._quietly("twospeed/steer", {"editId": edit_id, "instruction": "shorter"})

    async def _cancel(self, uri: str, edit_id: str) -> None:
        del uri
        keep = self._rng.choice(["none", "partial"])
        await self._quietly("twospeed/cancel", {"editId": edit_id, "keep": keep})

    async def _close_and_wait(self, uri: str, edit_id: str) -> None:
        del edit_id
        self._close(uri)
        self._editor.open_text(document(), uri)

    async def _type(self, uri: str, edit_id: str) -> None:
        del edit_id
        for letter in "# x":
            at = {"line": 0, "character": 0}
            change = {"range": {"start": at, "end": at}, "text": letter}
            self._editor.texts[uri].apply([{"range": change["range"], "newText": letter}])
            self._editor.change_document([change], uri)
            await asyncio.sleep(0)

    def _close(self, uri: str) -> None:
        self._editor.close_document(uri)
        del self._editor.texts[uri]

    async def _quietly(self, method: str, params: object) -> None:
        """Send a request that may be too late."""
        await asyncio.wait_for(self._editor.request(method, params), 60)


async def measure(home: Path, n_edits: int, seed: int, command: tuple[str, ...]) -> tuple[list[Row], Soak]:
    """Run the edits; return the memory after each step."""
    rows: list[Row] = []
    async with ScriptedServer(answer) as server:
        (home / "config.toml").write_text(
            '[[lanes.lightning]]\nprovider = "lab"\nmodel = "m"\n'
            f'[providers.lab]\napi = "chat"\nbase_url = "{server.base_url}"\n'
            "[budget]\nedits_per_day = 1000000\ntokens_per_day = 1000000000000\n"
        )
        async with Editor.started(command, home=home) as editor:
            soak = Soak(editor, seed)
            for n_done in range(STEP, n_edits + 1, STEP):
                await soak.run(STEP)
                server.requests.clear()
                rows.append(
                    {"edits": n_done, "resident MB": editor.resident_mb() or 0.0, "cpu s": editor.cpu_s()}
                )
                print(json.dumps(rows[-1]), file=sys.stderr, flush=True)
    return rows, soak


async def main() -> int:
    """Measure, print, and compare with the limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print JSON with unrounded figures")
    parser.add_argument("--edits", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--limit-mb", type=float, default=10.0, help="largest growth since the first 500 edits"
    )
    options = parser.parse_args()
    command = tuple(os.environ.get("TWOSPEED_SOAK", "").split()) or TWOSPEED
    with tempfile.TemporaryDirectory() as folder:
        rows, soak = await measure(Path(folder), options.edits, options.seed, command)
    by_edits = {int(row["edits"]): float(row["resident MB"]) for row in rows}
    growth = by_edits[max(by_edits)] - by_edits[WARM_UP]
    outcomes: list[Row] = [{"edit": kind, "n": n} for kind, n in sorted(soak.outcomes.items())]
    summary: list[Row] = [{"growth MB since 500 edits": growth, "limit MB": options.limit_mb}]
    print_tables({"Memory": rows, "Edits": outcomes, "Growth": summary}, as_json=options.json)
    return 0 if growth <= options.limit_mb else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))

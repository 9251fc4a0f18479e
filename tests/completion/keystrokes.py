"""Simulate a user who types while suggestions arrive, and look for outdated ones.

``python -m tests.completion.keystrokes --keys 100000 --seed 1``. The exit status is 1 if a suggestion was outdated.

The model's answer depends on the text that it was sent. So an item is right only if some prompt, its answer and what was typed
since give exactly the text at the cursor with the item.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

from tests.lane_config import NOWHERE, lane, provider
from tests.scenarios.editor import URI, Editor, place_range
from tests.simulation.many import home_of_its_own

from twospeed.models.base import Finished, ModelEvent, ModelRequest, TextDelta, Usage

METHOD = "textDocument/inlineCompletion"
CONFIG = (
    "[completion]\nenabled = true\nautomatic = true\n[history]\nenabled = false\n"
    "[budget]\nedits_per_day = 100000000\ntokens_per_day = 1000000000000\n"
)
KEYS_PER_DOCUMENT = 400
MAX_ROUNDS = 6
"""Rounds of the event loop between two keys."""

WORDS = ("total", "item", "price", "count(item)", "rate * 2", "[1, 2]", "return", "x = y")


@dataclass
class Oracle:
    """A model whose answer depends on the text before the gap; it answers at random times."""

    rng: random.Random
    answers: list[tuple[str, str, str]] = field(
        default_factory=list
    )  # the text before and behind the gap, and the answer
    provider: str = "lab"
    name: str = "m"

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Answer with words that are different for each text."""
        assert request.infill
        prefix, suffix = request.infill.prefix, request.infill.suffix
        seed = int.from_bytes(blake2b(prefix.encode(), digest_size=4).digest())
        indent = prefix.rpartition("\n")[2]
        indent = indent[: len(indent) - len(indent.lstrip())]
        lines = [f"{WORDS[seed % len(WORDS)]} + value_{seed}", f"other_{seed}()", f"last_{seed}(1)"]
        answer = f"\n{indent}".join(lines[: 1 + seed % 3])
        self.answers.append((prefix, suffix, answer))
        for at in range(0, len(answer), 7):
            for _ in range(self.rng.randrange(4)):
                await asyncio.sleep(0)
            yield TextDelta(answer[at : at + 7])
        yield Finished("stop")

    async def warm(self, request: ModelRequest) -> Usage | None:
        """Do nothing."""

    def send_ahead(self, request: ModelRequest) -> None:
        """Do nothing."""


class WatchedEditor(Editor):
    """An editor that reports each message of the server."""

    on_message: Callable[[], None] = staticmethod(lambda: None)

    def _receive(self, frame: bytes) -> None:
        super()._receive(frame)
        self.on_message()


@dataclass
class Typist:
    """Types in one document after another, and checks each response."""

    editor: Editor
    oracle: Oracle
    rng: random.Random
    counts: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    line: int = 0
    column: int = 0
    running: list[tuple[int, asyncio.Future[Any]]] = field(default_factory=list)
    waiting: list[tuple[asyncio.Future[Any], tuple[int, int, int]]] = field(default_factory=list)
    shown: str | None = None

    async def type_keys(self, n_keys: int) -> None:
        """Press keys."""
        for number in range(n_keys):
            if number % KEYS_PER_DOCUMENT == 0:
                await self._new_document()
            self._press()
            self.counts["keys"] += 1
            self._request(self.rng.choice((1, 2, 2, 2)))
            if self.rng.random() < 0.2 and self.running:
                self.editor.notify("$/cancelRequest", {"id": self.rng.choice(self.running)[0]})
            for _ in range(self.rng.randrange(MAX_ROUNDS) if self.rng.random() < 0.9 else 60):
                await asyncio.sleep(0)
        await asyncio.gather(*(future for _, future in self.running), return_exceptions=True)

    async def _new_document(self) -> None:
        await asyncio.gather(*(future for _, future in self.running), return_exceptions=True)
        self.running.clear()
        self.oracle.answers.clear()
        if URI in self.editor.buffers:
            self.editor.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
        self.editor.open(
            "def total(items):\n    \n\n\ndef other():\n    pass\n", language=self.rng.choice(("python", ""))
        )
        self.line, self.column = 1, 4
        self.shown = None

    def _press(self) -> None:
        chosen = self.rng.random()
        if self.shown is not None and chosen < 0.75:  # type through what is shown
            self._insert(self.shown[0])
            self.shown = self.shown[1:] or None
        elif chosen < 0.8:
            self._insert(self.rng.choice("abc1 +"))
        elif chosen < 0.85:
            self._insert("\n    ")
        elif chosen < 0.92 and self.column > 4:
            self.editor.type(self.line, self.column - 1, "", end=(self.line, self.column))
            self.column -= 1
            self.shown = None
        else:  # elsewhere
            self.editor.type(0, 0, self.rng.choice("#x\n"))
            if self.text.startswith("\n"):
                self.editor.type(0, 0, "", end=(1, 0))
            self.shown = None

    def _insert(self, text: str) -> None:
        self.editor.type(self.line, self.column, text)
        lines = text.split("\n")
        self.line += len(lines) - 1
        self.column = len(lines[-1]) + (self.column if len(lines) == 1 else 0)
        if text != (self.shown or " ")[0]:
            self.shown = None

    @property
    def text(self) -> str:
        return self.editor.buffers[URI].text

    def _request(self, kind: int) -> None:
        at = {"line": self.line, "character": self.column}
        params = {"textDocument": {"uri": URI}, "position": at, "context": {"triggerKind": kind}}
        buffer = self.editor.buffers[URI]
        version, place = buffer.version, (self.line, self.column)
        request_id, future = self.editor.ask(METHOD, params)
        self.running = [(each, waiting) for each, waiting in self.running if not waiting.done()]
        self.running.append((request_id, future))

        self.waiting.append((future, (version, *place)))
        self.receive()

    def receive(self) -> None:
        """Check the responses that have arrived; the editor calls it for each message, before anything else is typed."""
        for future, requested in [each for each in self.waiting if each[0].done()]:
            self.waiting.remove((future, requested))
            if future.cancelled() or future.exception():
                self.counts["cancelled"] += 1
            elif items := future.result()["items"]:
                self.counts["items"] += 1
                self._check(items[0], requested)
            else:
                self.counts["empty"] += 1

    def _check(self, item: Any, requested: tuple[int, int, int]) -> None:
        version, line, column = requested
        if item["range"] != place_range(line, column, line, column):
            self.faults.append(f"the range {item['range']} is not at {line}:{column}")
        if version != self.editor.buffers[URI].version:
            self.faults.append(f"the item is for version {version}")
            return
        lines = self.text.split("\n")
        before = "\n".join([*lines[:line], lines[line][:column]])
        behind = "\n".join([lines[line][column:], *lines[line + 1 :]])
        got = before + item["insertText"]
        if not any(_gives(each, before, behind, got) for each in self.oracle.answers):
            self.faults.append(f"no answer gives {item['insertText']!r} behind {before[-60:]!r}")
        if len(before) > max(len(prefix) for prefix, _, _ in self.oracle.answers):
            self.counts["from what came already"] += 1
        self.shown = item["insertText"]


def _gives(answered: tuple[str, str, str], before: str, behind: str, got: str) -> bool:
    """Return whether a prompt and its answer, or the first lines of it, give a text."""
    prefix, suffix, answer = answered
    whole = prefix + answer
    is_end = whole[len(got) : len(got) + 1] in ("", "\n")
    return before.startswith(prefix) and behind == suffix and whole.startswith(got) and is_end


async def simulate(n_keys: int, seed: int) -> Typist:
    """Run one simulation; return its counts and faults."""
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "config.toml"
        path.write_text(lane("completion", "lab") + provider("lab", NOWHERE, api="completions") + CONFIG)
        environ = {"TWOSPEED_CONFIG": str(path)}
        async with await WatchedEditor.started({}, environ=environ) as editor:
            assert editor.server.session
            models = editor.server.session.models
            oracle = Oracle(rng)
            models.suggestion_source.open = lambda provider, name, limits: oracle
            models.suggester.pause_s = 0.0  # up to the next round of the event loop
            typist = Typist(editor, oracle, rng)
            editor.on_message = typist.receive
            await typist.type_keys(n_keys)
            return typist


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.completion.keystrokes")
    parser.add_argument("--keys", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    wanted = parser.parse_args()
    with home_of_its_own():
        typist = asyncio.run(simulate(wanted.keys, wanted.seed))
    print(dict(typist.counts))
    print(f"{len(typist.faults)} outdated suggestions")
    for fault in typist.faults[:20]:
        print(fault, file=sys.stderr)
    return 1 if typist.faults else 0


if __name__ == "__main__":
    sys.exit(main())

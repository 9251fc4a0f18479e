"""Measure how little the engine changes, with real edits in tokens, compared with the minimal line diff.

The corpus is not part of this repository: ``TWOSPEED_REPLAY`` names the folder with its ``dev.jsonl.gz``.
Each edit is a scope before and after a commit. The floor is the longest common subsequence of their lines
(see `line_diff`), which needs the whole answer; edits inside lines can need fewer characters.
"""

from __future__ import annotations

import gzip
import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.line_diff import kept_by_minimal_diff
from benchmarks.rivals import CharacterColumns, DiffEachLine, LineScan, Rival
from benchmarks.table import Row, print_tables, wants_json

from twospeed.stream import EditStream, LiveScope, Surroundings
from twospeed.stream.ops import Change, Delete, Insert, Keep, Op
from twospeed.testing.scripted_model import cut_into_tokens
from twospeed.text.document import Document
from twospeed.text.edits import TextEdit
from twospeed.text.lines import body_of, split_lines

FENCE = "`" * 9
"""Longer than any fence in the code."""
MAX_CELLS = 1_000_000
"""Old times new characters up to which characters are aligned: a quarter of a second each."""


class Pair:
    """The lines of one scope before and after a commit."""

    def __init__(self, record: dict[str, str]) -> None:
        self.old, self.new = _bodies(record["scope_before"]), _bodies(record["scope_after"])
        kept = [self.old[index] for index in kept_by_minimal_diff(self.old, self.new)]
        self.n_common = len(kept)
        self.floor = _size(self.old) + _size(self.new) - 2 * _size(kept)
        deleted, inserted = Counter(self.old) - Counter(kept), Counter(self.new) - Counter(kept)
        self.n_moved = (deleted & inserted).total()
        self.text = "".join(f"{line}\n" for line in self.new)


class Ours:
    """The whole engine, with every batch committed at once; counts the changes that a client would get."""

    def __init__(self, old: Sequence[str]) -> None:
        self._old = old
        self._stream = EditStream(old, Surroundings(parses=lambda _text: True))
        self._live = LiveScope([f"{line}\n" for line in old], 0)
        text = "".join(f"{line}\n" for line in old)
        self._document = Document.opened("file:///scope", 1, "", text, "utf-32")
        self._i = 0
        self.deleted, self.inserted = Counter[str](), Counter[str]()
        self.n_edits = self.n_characters = self.n_kept = self.n_decided = 0
        self._take(self._stream.receive_text(f"{FENCE}\n"))

    @property
    def text(self) -> str:
        return self._document.text

    @property
    def is_refused(self) -> bool:
        return self._stream.refusal is not None

    def receive_text(self, text: str) -> None:
        self._take(self._stream.receive_text(text))

    def finish(self) -> None:
        self._take(self._stream.receive_text(f"{FENCE}\n"))
        self._take(self._stream.finish("stop"))

    def _take(self, ops: Sequence[Op]) -> None:
        for op in ops:
            self._count(op)
        self._live.receive_ops(ops)
        if batch := self._live.next_batch():
            for edit in self._document.text_edits(batch.edits):
                self.n_edits += 1
                self.n_characters += len(edit.new_text) + _length(self._document, edit)
            self._document = self._document.with_edits(batch.edits)
            self._live.commit(batch)

    def _count(self, op: Op) -> None:
        match op:
            case Keep(until):
                self.n_kept += until - self._i
                self.n_decided += until - self._i
                self._i = until
            case Delete(until):
                self.deleted.update(self._old[self._i : until])
                self._i = until
            case Insert(line) | Change(_, line):
                self.inserted[line] += 1
                self.n_decided += 1
                if isinstance(op, Change):
                    self.deleted[self._old[op.index]] += 1
                    self._i = op.index + 1


class Tally:
    """Changes by one method in all scopes."""

    def __init__(self) -> None:
        self._sums = Counter[str]()
        self._lags = Counter[int]()

    def run(self, engine: Ours | Rival, pair: Pair) -> None:
        """Stream the new scope."""
        n_received = 0
        for token in cut_into_tokens(pair.text):
            engine.receive_text(token)
            n_received += token.count("\n")
            if isinstance(engine, Ours):
                self._lags[n_received - engine.n_decided] += 1
        engine.finish()
        assert engine.text == pair.text, f"{type(engine).__name__} is wrong"
        figures = {"characters": engine.n_characters, "edits": engine.n_edits}
        if isinstance(engine, Ours | LineScan):
            figures |= {"kept": engine.n_kept, "again": (engine.deleted & engine.inserted).total()}
        self.add(pair, figures)

    def add(self, pair: Pair, figures: Mapping[str, int]) -> None:
        """Add the changes in one scope."""
        self._sums.update(pairs=1, floor=pair.floor, common=pair.n_common, old=len(pair.old), **figures)

    def row(self, name: str) -> Row:
        sums, lags = self._sums, sorted(self._lags.elements())
        return {
            "engine": name,
            "scopes": sums["pairs"],
            "characters %": 100 * sums["characters"] / sums["floor"],
            "kept %": 100 * sums["kept"] / sums["common"] if "kept" in sums else "",
            "again %": 100 * sums["again"] / sums["old"] if "again" in sums else "",
            "edits": sums["edits"] / sums["pairs"] if "edits" in sums else "",
            "lag p50": lags[len(lags) // 2] if lags else "",
            "p99": lags[int(0.99 * len(lags))] if lags else "",
            "max": lags[-1] if lags else "",
        }


def pairs(folder: Path) -> Iterator[Pair]:
    """Read the corpus."""
    with gzip.open(folder / "dev.jsonl.gz", "rt", encoding="utf-8", newline="\n") as records:
        yield from (Pair(json.loads(record)) for record in records)


def is_refused(pair: Pair) -> bool:
    """Whether our engine refuses the scope as an answer."""
    engine = Ours(pair.old)
    engine.receive_text(pair.text)
    engine.finish()
    return engine.is_refused


def measure(folder: Path) -> tuple[list[Row], int]:
    """Run all methods on the corpus; return the rows and the number of refused scopes."""
    ours, scan, diff, minimal, ours_short, columns = (Tally() for _ in range(6))
    n_refused = 0
    for pair in pairs(folder):
        if is_refused(pair):
            n_refused += 1
            continue
        ours.run(Ours(pair.old), pair)
        scan.run(LineScan(pair.old), pair)
        diff.run(DiffEachLine(pair.old), pair)
        minimal.add(pair, {"characters": pair.floor, "kept": pair.n_common, "again": pair.n_moved})
        if _size(pair.old) * _size(pair.new) <= MAX_CELLS:
            ours_short.run(Ours(pair.old), pair)
            columns.run(CharacterColumns(pair.old), pair)
    names = {
        "twospeed": ours,
        "line scan": scan,
        "difflib": diff,
        "minimal diff": minimal,
        "twospeed, short": ours_short,
        "characters, short": columns,
    }
    return [tally.row(name) for name, tally in names.items()], n_refused


def _bodies(text: str) -> list[str]:
    lines = [body_of(line) for line in split_lines(text)]
    return lines if lines[-1] else lines[:-1]


def _size(lines: Sequence[str]) -> int:
    return sum(map(len, lines)) + len(lines)


def _length(document: Document, edit: TextEdit) -> int:
    start, end = edit.range.start, edit.range.end
    return sum(map(len, document.lines[start.line : end.line])) - start.character + end.character


def main() -> None:
    """Measure and print."""
    as_json = wants_json(__doc__)
    folder = os.environ.get("TWOSPEED_REPLAY")
    if not folder:
        print("bench_minimality: skipped, TWOSPEED_REPLAY names no corpus of real edits")
        return
    rows, n_refused = measure(Path(folder))
    print_tables({f"Minimality ({n_refused} refused scopes left out)": rows}, as_json=as_json)


if __name__ == "__main__":
    main()

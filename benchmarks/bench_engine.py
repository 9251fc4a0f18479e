"""Measure the engine's time for a token: answer text to ops, ops to batches, every batch committed at once.

The floor cuts the same tokens into lines and joins them. The rivals (see `rivals`) apply the same tokens to
the same old lines. All run in turn, measured in processor time. Each does the same work every time, so the
fastest run counts.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from statistics import median
from time import perf_counter, thread_time

from benchmarks import samples
from benchmarks.rivals import CharacterColumns, DiffEachLine, LineScan, Rival
from benchmarks.table import Row, p99, print_tables, wants_json

from twospeed.stream import EditStream, LiveScope, ScopeBatch, Surroundings
from twospeed.stream.ops import Op
from twospeed.testing.scripted_model import cut_into_tokens
from twospeed.text.edits import apply_line_edits

SIZES = (20, 100, 500, 2000)
ANSWERS: dict[str, Callable[[Sequence[str]], list[str]]] = {
    "5 % changed": lambda old: samples.changed(old, 0.05),
    "40 % changed": lambda old: samples.changed(old, 0.4),
    "all new": samples.all_new,
    "reversed": samples.turned_round,
}
SURROUNDINGS = Surroundings(comment_markers=("#",), parses=lambda _text: True)

ENOUGH_S, MIN_RUNS, MAX_RUNS = 1.5, 7, 200
RIVAL_S = 2.0
"""A rival that takes longer for one answer is stopped; the time for its tokens so far counts. ``difflib``
gets slower with
each line, so its full time would be worse.
"""


class Engine:
    """Applies one answer to one scope.

    Args:
        on_batch: Called with each batch before it is committed.
    """

    def __init__(self, old: Sequence[str], on_batch: Callable[[ScopeBatch], None] = lambda _: None) -> None:
        self._stream = EditStream(old, SURROUNDINGS)
        self._live = LiveScope([f"{line}\n" for line in old], 0)
        self._on_batch = on_batch

    def receive_text(self, token: str) -> None:
        self._take(self._stream.receive_text(token))

    def finish(self) -> None:
        self._take(self._stream.finish("stop"))
        assert self._stream.refusal is None, self._stream.refusal

    def _take(self, ops: Sequence[Op]) -> None:
        if not ops:
            return  # as an edit does
        self._live.receive_ops(ops)
        if batch := self._live.next_batch():
            self._on_batch(batch)
            self._live.commit(batch)


def run_engine(old: Sequence[str], tokens: Sequence[str]) -> None:
    """Apply a whole answer to a scope."""
    engine = Engine(old)
    for token in tokens:
        engine.receive_text(token)
    engine.finish()


def run_floor(tokens: Sequence[str]) -> str:
    """Cut tokens into lines and join them."""
    lines, partial = [], ""
    for token in tokens:
        partial += token
        if "\n" in token:
            *whole, partial = partial.split("\n")
            lines += whole
    return "\n".join([*lines, partial])


def check(old: Sequence[str], new: Sequence[str], tokens: Sequence[str]) -> int:
    """Check the engine's result before it is timed; return its number of batches with edits."""
    text = [*(f"{line}\n" for line in old), ""]
    n_batches = 0

    def apply(batch: ScopeBatch) -> None:
        nonlocal text, n_batches
        text = apply_line_edits(text, batch.edits, "\n")
        n_batches += bool(batch.edits)

    engine = Engine(old, apply)
    for token in tokens:
        engine.receive_text(token)
    engine.finish()
    assert text == [*(f"{line}\n" for line in new), ""], "the engine is wrong"
    return n_batches


def us_per_token(run: Callable[[], object], n_tokens: int) -> float:
    """Time one run."""
    started = thread_time()
    run()
    return (thread_time() - started) / n_tokens * 1e6


def us_of_each_token(old: Sequence[str], tokens: Sequence[str]) -> list[float]:
    """Time every token of one answer by the clock, which is cheaper to read."""
    engine = Engine(old)
    times = []
    for token in tokens:
        started = perf_counter()
        engine.receive_text(token)
        times.append((perf_counter() - started) * 1e6)
    engine.finish()
    return times


def us_per_token_of(rival: Rival, tokens: Sequence[str]) -> float:
    """Time a rival for the tokens that it processes in ``RIVAL_S``."""
    stop = perf_counter() + RIVAL_S
    started = thread_time()
    n_tokens = 0
    for token in tokens:
        rival.receive_text(token)
        n_tokens += 1
        if perf_counter() > stop:
            break
    return (thread_time() - started) / n_tokens * 1e6


def measure(n_lines: int, name: str) -> Row:
    """Measure one kind of answer in a scope of one size."""
    old = samples.function(n_lines)
    new = ANSWERS[name](old)
    tokens = cut_into_tokens(samples.answer(new), seed=n_lines)
    bare = cut_into_tokens("".join(f"{line}\n" for line in new), seed=n_lines)  # no rival knows of fences
    n_batches = check(old, new, tokens)
    engine: list[float] = []
    floor: list[float] = []
    scan: list[float] = []
    each: list[list[float]] = []
    started = perf_counter()
    while len(engine) < MAX_RUNS and (len(engine) < MIN_RUNS or perf_counter() - started < ENOUGH_S):
        engine.append(us_per_token(lambda: run_engine(old, tokens), len(tokens)))
        floor.append(us_per_token(lambda: run_floor(tokens), len(tokens)))
        scan.append(us_per_token_of(LineScan(old), bare))
        each.append(us_of_each_token(old, tokens))
    token_us = [min(times) for times in zip(*each, strict=True)]
    return {
        "lines": n_lines,
        "answer": name,
        "tokens": len(tokens),
        "batches": n_batches,
        "n": len(engine),
        "µs/token": min(engine),
        "p50": median(token_us),
        "p99": p99(token_us),
        "max": max(token_us),
        "floor": min(floor),
        "ratio": round(min(engine) / min(floor)),
        "line scan": min(scan),
        "difflib": us_per_token_of(DiffEachLine(old), bare),
        "characters": us_per_token_of(CharacterColumns(old), bare),
    }


def main() -> None:
    """Measure and print everything."""
    as_json = wants_json(__doc__)
    gc.collect()
    gc.freeze()  # what is imported is not the engine's garbage
    rows = [measure(n_lines, name) for n_lines in SIZES for name in ANSWERS]
    print_tables({"Engine, microseconds a token": rows}, as_json=as_json)


if __name__ == "__main__":
    main()

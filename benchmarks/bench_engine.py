"""How long the engine takes for a token: answer text to ops, ops to batches of edits, every batch committed at once.

The floor does the least that could be called the same: it cuts the same tokens into lines and joins them. Both run
in turn, so that what the machine does meanwhile is the same for both.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from time import perf_counter

from benchmarks import samples
from benchmarks.table import Row, print_tables, spread, wants_json

from twospeed.models.scripted import cut_into_tokens
from twospeed.stream import Batch, EditStream, LiveScope, Surroundings
from twospeed.stream.ops import Op
from twospeed.text.edits import apply_line_edits

SIZES = (20, 100, 500, 2000)
ANSWERS: dict[str, Callable[[Sequence[str]], list[str]]] = {
    "5 % changed": lambda old: samples.changed(old, 0.05),
    "40 % changed": lambda old: samples.changed(old, 0.4),
    "all new": samples.all_new,
    "reversed": samples.turned_round,
}
SURROUNDINGS = Surroundings(comment_markers=("#",), parses=lambda _text: True)

ENOUGH_S, MIN_RUNS, MAX_RUNS = 1.0, 7, 200


def run_engine(
    old: Sequence[str], tokens: Sequence[str], *, on_batch: Callable[[Batch], None] = lambda _: None
) -> None:
    """Bring one answer into one scope."""
    stream, live = EditStream(old, SURROUNDINGS), LiveScope([f"{line}\n" for line in old], 0)

    def take(ops: Sequence[Op]) -> None:
        live.receive_ops(ops)
        if batch := live.next_batch():
            on_batch(batch)
            live.commit(batch)

    for token in tokens:
        take(stream.receive_text(token))
    take(stream.finish("stop"))
    assert stream.refusal is None, stream.refusal


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
    """See that the engine is right before it is timed; return its number of batches with edits."""
    text = [*(f"{line}\n" for line in old), ""]
    n_batches = 0

    def apply(batch: Batch) -> None:
        nonlocal text, n_batches
        text = apply_line_edits(text, batch.edits, "\n")
        n_batches += bool(batch.edits)

    run_engine(old, tokens, on_batch=apply)
    assert text == [*(f"{line}\n" for line in new), ""], "the engine is wrong"
    return n_batches


def us_per_token(run: Callable[[], object], n_tokens: int) -> float:
    """Time one run."""
    started = perf_counter()
    run()
    return (perf_counter() - started) / n_tokens * 1e6


def measure(n_lines: int, name: str) -> Row:
    """Measure one kind of answer against a scope of one size."""
    old = samples.function(n_lines)
    new = ANSWERS[name](old)
    tokens = cut_into_tokens(samples.answer(new), seed=n_lines)
    n_batches = check(old, new, tokens)
    engine: list[float] = []
    floor: list[float] = []
    started = perf_counter()
    while len(engine) < MAX_RUNS and (len(engine) < MIN_RUNS or perf_counter() - started < ENOUGH_S):
        engine.append(us_per_token(lambda: run_engine(old, tokens), len(tokens)))
        floor.append(us_per_token(lambda: run_floor(tokens), len(tokens)))
    figures = {**spread("µs/token", engine), **spread("floor", floor)}
    ratio = round(figures["µs/token"] / figures["floor"], 1)
    return {
        "lines": n_lines,
        "answer": name,
        "tokens": len(tokens),
        "batches": n_batches,
        "n": len(engine),
        **figures,
        "ratio": ratio,
    }


def main() -> None:
    """Measure everything, print it."""
    as_json = wants_json(__doc__)
    gc.collect()
    gc.freeze()  # what is imported is not the engine's garbage
    rows = [measure(n_lines, name) for n_lines in SIZES for name in ANSWERS]
    print_tables({"Engine, microseconds a token": rows}, as_json=as_json)


if __name__ == "__main__":
    main()

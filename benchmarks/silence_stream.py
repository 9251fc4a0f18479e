"""Hostile scopes, answers and typing for every entry of ``stream``: the cases that ``bench_silence`` measures for it."""

from __future__ import annotations

from collections.abc import Sequence
from time import thread_time

from benchmarks.silence import Rows, least, step_ms
from tests.stream.hostile_shapes import ANSWERS, CHANGES

SIZES = (500, 2000, 8000)
PIECE = 16 * 1024
"""Characters of an answer that arrive at once: what one read of a fast provider brings."""


def answer_ms(name: str, n: int) -> float:
    """Return the longest step of an answer."""

    def measured() -> float:
        stream, text = ANSWERS[name](n).stream()
        steps = []
        for at in range(0, len(text), PIECE):
            before = thread_time()
            stream.receive_text(text[at : at + PIECE])
            steps.append(thread_time() - before)
        before = thread_time()
        stream.finish("stop")
        return max(*steps, thread_time() - before) * 1e3

    return least(measured)


def rows(_seeds: Sequence[int]) -> Rows:
    """Measure every shape of answers and of typing at every size."""
    for name in ANSWERS:
        for n in SIZES:
            yield f"answer of {n} lines: {name}", answer_ms(name, n)
    for name, make in CHANGES.items():
        for n in SIZES:
            yield f"typing in {n} lines: {name}", step_ms(lambda make=make, n=n: make(n))  # type: ignore[misc]

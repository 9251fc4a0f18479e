"""INV4: the cost of a token does not depend on the length of the scope: an edit is linear in answer and old
text.

Work is counted in executed lines of the engine, because time depends on the machine. Work of C code inside
one line is not counted, so the hostile shapes are also measured in processor time at two sizes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.stream.hostile_shapes import ANSWERS, CHANGES
from tests.stream.live_edit import LiveEdit
from tests.stream.texts import Case, Pace
from tests.timing import check_growth, seconds

import twospeed
from twospeed.stream import EditStream, Surroundings

ENGINE = str(Path(twospeed.__file__).parent)

MAY_GROW = 1.2
"""Limit of the cost of the third part of a long edit, in relation to the second; 5/3 where cost is quadratic.

The first part is not compared: there is too little text before it.
"""


@dataclass
class Work:
    """The number of executed lines of the engine."""

    n_lines: int = 0

    def trace(self, frame: FrameType, event: str, _: Any) -> Any:
        if not frame.f_code.co_filename.startswith(ENGINE):
            return None
        self.n_lines += event == "line"
        return self.trace

    @contextmanager
    def counted(self) -> Iterator[None]:
        before = sys.gettrace()
        sys.settrace(self.trace)
        try:
            yield
        finally:
            sys.settrace(before)


def work(old: Sequence[str], new: Sequence[str], pace: Pace) -> int:
    """Stream a whole answer, apply it as it arrives, and count the engine's work."""
    old, new = ["def f():", *old, "    return 1"], ["def f():", *new, "    return 1"]
    edit, work = LiveEdit(Case((), tuple(old), (), tuple(new), ("\n",) * (len(old) - 1))), Work()
    with work.counted():
        stream = EditStream(old, Surroundings(("#",)))
        for piece, is_shown in pace.pieces(pace.text(["```", *new, "```"])):
            edit.receive_ops(stream.receive_text(piece))
            if is_shown:
                edit.show()
        edit.receive_ops(stream.finish("stop"))
        edit.show()
    assert stream.refusal is None
    assert edit.client.lines == new
    return work.n_lines


def check_linear(short: int, middle: int, long: int) -> None:
    """Check that the cost of three edits, each longer by the same amount, grows by the same amount."""
    assert long - middle <= MAY_GROW * (middle - short)


FATES = ["keep", "keep", "change", "delete", "insert", "twice"]
BODIES = ["    name_{n} = first({n})", "    log()", "", "    again[{n}] += 1"]

blocks = st.lists(st.tuples(st.sampled_from(BODIES), st.sampled_from(FATES)), min_size=1, max_size=6)


def repeated(block: Sequence[tuple[str, str]], times: int) -> tuple[list[str], list[str]]:
    """Repeat a block of lines and its new version."""
    old, new = [], []
    for number in range(times):
        for body, fate in block:
            line = body.format(n=number)
            if fate != "insert":
                old.append(line)
            new += {"delete": [], "change": [line and f"{line} + 0"], "twice": [line, line]}.get(fate, [line])
    return old, new


@given(blocks, st.sampled_from([(2,), (4,), (9,)]), st.sampled_from([(True,), (False, False, True)]))
@settings(max_examples=5)  # each takes as long as fifty cases of the others
def test_inv4_a_token_costs_the_same_however_long_the_scope(
    block: list[tuple[str, str]], sizes: tuple[int, ...], shows: tuple[bool, ...]
) -> None:
    pace = Pace(sizes, shows)
    check_linear(*(work(*repeated(block, times), pace) for times in (12, 24, 36)))


SHAPES = {
    "all lines equal": lambda n: (["    x()"] * n, ["    x()"] * (n + n // 2)),
    "all lines new": lambda n: ([f"    a_{k}()" for k in range(n)], [f"    other = {k}" for k in range(n)]),
    "all lines changed": lambda n: (
        [f"    a_{k} = 1" for k in range(n)],
        [f"    a_{k} = 2" for k in range(n)],
    ),
    "all lines reversed": lambda n: (
        [f"    a_{k}()" for k in range(n)],
        [f"    a_{k}()" for k in range(n)][::-1],
    ),
    "halves swapped": lambda n: (
        [f"    a_{k}()" for k in range(n)],
        [f"    a_{k % n}()" for k in range(n // 2, n + n // 2)],
    ),
    "first half deleted": lambda n: (
        [f"    a_{k}()" for k in range(n)],
        [f"    a_{k}()" for k in range(n // 2, n)],
    ),
    "two lines in turns": lambda n: (
        ["    x()", "    y()"] * (n // 2),
        ["    y()", "    y()", "    x()"] * (n // 2),
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_inv4_a_token_costs_the_same_however_long_the_scope_in_the_worst_cases(shape: str) -> None:
    check_linear(*(work(*SHAPES[shape](n), Pace((4,))) for n in (40, 80, 120)))


N_LINES = 300


@pytest.mark.parametrize("shape", ANSWERS)
def test_the_time_of_an_answer_grows_with_its_length_for_any_content(shape: str) -> None:
    def measured(n: int) -> float:
        stream, text = ANSWERS[shape](n).stream()
        return seconds(lambda: (stream.receive_text(text), stream.finish("stop")))

    check_growth(measured, N_LINES)


@pytest.mark.parametrize("change", CHANGES)
def test_the_time_of_a_change_grows_with_its_length_for_any_content(change: str) -> None:
    def measured(n: int) -> float:
        return seconds(CHANGES[change](n))

    check_growth(measured, N_LINES)

"""Count the work of a function, so that a law about its cost holds on a slow machine as on a fast one."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from types import FrameType

import pytest

from twospeed.syntax.trees.trees import SourceTree, parse_fully
from twospeed.text.line_blocks import Lines

MOST_CALLS = 500_000
"""Limit for one search around a place: about 80 ms."""


def n_calls(work: Callable[[], object]) -> int:
    """Count the calls of functions and methods, including those of tree-sitter."""
    count = 0

    def count_call(_frame: FrameType, event: str, _arg: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    previous = sys.getprofile()
    sys.setprofile(count_call)
    try:
        work()
    finally:
        sys.setprofile(previous)
    return count


class CountedLines(Lines):
    """Lines that count how many of them are read.

    Slices and iterations read many lines in one call, so `n_calls` alone does not measure them.
    """

    n_read = 0

    def __getitem__(self, index: int | slice) -> str | tuple[str, ...]:  # type: ignore[override]
        found = super().__getitem__(index)
        self.n_read += 1 if isinstance(found, str) else len(found)
        return found

    def __iter__(self) -> Iterator[str]:
        for line in super().__iter__():
            self.n_read += 1
            yield line


def parse_without_limit(language_id: str, lines: Sequence[str]) -> SourceTree:
    """Parse a document without the limit of processor time, which a slow machine may exceed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(time, "thread_time", lambda: 0.0)
        source = parse_fully(language_id, lines)
    assert source
    return source

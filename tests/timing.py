"""Bounds of processor time that do not depend on how fast the machine is.

A text is processed at two sizes in the same run, and the longer must not take much more than its share. A figure that is
too high is measured again: a garbage collection, or another program in the same cache, may fall into one.
"""

from __future__ import annotations

from collections.abc import Callable
from time import thread_time
from typing import TypeVar

ResultT = TypeVar("ResultT")

TRIES = 3

FOUR_TIMES = 10.0
"""By how much four times the size may cost more: 4 where cost is linear, 16 where it is quadratic, and some noise."""

TOO_LITTLE_S = 0.03
"""Processor time below which nothing can be said of how it grows."""


def seconds(action: Callable[[], object]) -> float:
    """Return the processor time of this thread that an action takes."""
    began = thread_time()
    action()
    return thread_time() - began


def check_growth(measured: Callable[[int], float], size: int) -> None:
    """Expect that four times the size costs about four times the seconds that ``measured`` returns."""
    for _ in range(TRIES):
        large = measured(4 * size)
        if large < TOO_LITTLE_S or large < FOUR_TIMES * min(measured(size) for _ in range(3)):
            return
    raise AssertionError(f"{measured(size):.3f} s for a size of {size}, {large:.3f} s for four times as much")


def check_linear(action: Callable[[int], object], size: int) -> None:
    """Expect that an action takes about four times as long for four times the size."""
    check_growth(lambda n: seconds(lambda: action(n)), size)


def within(limit_s: float, action: Callable[[], ResultT]) -> ResultT:
    """Return what an action returns, and expect that it takes less processor time than the limit."""
    for _ in range(TRIES):
        began = thread_time()
        result = action()
        took = thread_time() - began
        if took < limit_s:
            return result
    raise AssertionError(f"it took {took:.3f} s, not less than {limit_s} s")

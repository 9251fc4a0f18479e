"""Times and rates of one edit, on a scripted clock."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from twospeed.edits.stopwatch import Stopwatch
from twospeed.edits.values import Stats
from twospeed.models.base import Usage


class Clock:
    """Seconds, as a test sets them."""

    now = 100.0

    def __call__(self) -> float:
        return self.now

    def pass_s(self, seconds: float) -> None:
        self.now += seconds


def stopped(watch: Stopwatch) -> tuple[float | None, float | None, float, float | None]:
    stats = watch.stopped(Stats(requests=3))
    assert stats.requests == 3
    return stats.queued_ms, stats.ttft_ms, stats.duration_ms, stats.tokens_per_second


def test_times_are_reported_in_milliseconds_since_the_edit_was_taken_up() -> None:
    clock = Clock()
    watch = Stopwatch(clock)
    assert stopped(watch) == (None, None, 0.0, None)
    clock.pass_s(0.25)
    watch.note_turn()
    watch.note_request()
    clock.pass_s(0.5)
    watch.note_text()
    clock.pass_s(2)
    watch.note_text()
    watch.note_usage(Usage(1000, 109, reasoning_tokens=8))
    clock.pass_s(0.123456)
    assert stopped(watch) == (250.0, 750.0, 2873.46, 50.5)


def test_the_first_text_of_all_counts_and_the_rate_of_the_last_answer() -> None:
    clock = Clock()
    watch = Stopwatch(clock)
    watch.note_request()
    clock.pass_s(1)
    watch.note_text()
    watch.note_usage(Usage(1, 1000))
    clock.pass_s(1)
    watch.note_request()
    assert stopped(watch) == (None, 1000.0, 2000.0, None)
    clock.pass_s(1)
    watch.note_text()
    clock.pass_s(4)
    watch.note_text()
    assert stopped(watch)[3] is None, "the usage was that of the answer before"
    watch.note_usage(Usage(1, 20))
    assert stopped(watch) == (None, 1000.0, 7000.0, 5.0)


@pytest.mark.parametrize(
    ("n_tokens", "seconds", "rate"), [(0, 2, None), (1, 2, None), (2, 2, 1.0), (2, 0, None), (100, 3, 33.3)]
)
def test_a_rate_needs_two_tokens_and_some_time(n_tokens: int, seconds: float, rate: float | None) -> None:
    clock = Clock()
    watch = Stopwatch(clock)
    watch.note_usage(Usage(1, n_tokens))
    assert stopped(watch)[3] is None
    watch.note_text()
    clock.pass_s(seconds)
    watch.note_text()
    assert stopped(watch)[3] == rate


def test_statistics_begin_with_nothing_known() -> None:
    nothing = (
        "ttft_ms",
        "queued_ms",
        "input_tokens",
        "output_tokens",
        "cached_tokens",
        "cache_write_tokens",
        "reasoning_tokens",
        "cost",
        "tokens_per_second",
    )
    zero = ("duration_ms", "requests", "uncounted", "lines_added", "lines_removed", "chars_sent")
    assert asdict(Stats()) == {**dict.fromkeys(nothing), **dict.fromkeys(zero, 0)}

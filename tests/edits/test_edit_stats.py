"""The statistics of one edit: usage added up over its requests, times and rates on a scripted clock."""

from __future__ import annotations

import itertools
from dataclasses import asdict

import pytest

from twospeed.edits.stats import RequestUsage, Stats, Stopwatch, add_up
from twospeed.models.base import Price, Usage

USAGE = Usage(1_000_000, 100_000, cached_tokens=3, cache_write_tokens=5, reasoning_tokens=7)
CHEAP, DEAR = Price(1.0, 10.0), Price(4.0, 40.0)
PRICED = RequestUsage(USAGE, is_usage_complete=True, price=CHEAP)
DEARER = RequestUsage(USAGE, is_usage_complete=True, price=DEAR)
UNPRICED = RequestUsage(USAGE, is_usage_complete=True, price=None)
UNCOUNTED = RequestUsage(None, is_usage_complete=False, price=CHEAP)


def added(*requests: RequestUsage) -> Stats:
    stats = Stats()
    for each in requests:
        add_up(stats, each)
    return stats


def test_tokens_of_all_requests_are_added_up() -> None:
    stats = added(PRICED, UNPRICED, UNCOUNTED)
    assert (stats.requests, stats.uncounted) == (3, 1)
    assert (stats.input_tokens, stats.output_tokens) == (2_000_000, 200_000)
    assert (stats.cached_tokens, stats.cache_write_tokens, stats.reasoning_tokens) == (6, 10, 14)


def test_costs_of_several_prices_are_added_up() -> None:
    assert added(PRICED, DEARER).cost == pytest.approx(2.0 + 8.0)


@pytest.mark.parametrize("requests", set(itertools.permutations([PRICED, PRICED, UNPRICED])))
def test_a_request_without_a_price_leaves_the_cost_unknown_in_any_order(
    requests: tuple[RequestUsage, ...],
) -> None:
    assert added(*requests).cost is None


def test_a_request_without_reported_usage_keeps_the_known_cost() -> None:
    assert added(PRICED, UNCOUNTED).cost == added(UNCOUNTED, PRICED).cost == pytest.approx(2.0)
    assert added(UNCOUNTED).cost is None
    assert added(UNCOUNTED).input_tokens is None


class Clock:
    """A clock that a test sets, in seconds."""

    now = 100.0

    def __call__(self) -> float:
        return self.now

    def pass_s(self, seconds: float) -> None:
        self.now += seconds


def stopped(watch: Stopwatch) -> tuple[float | None, float | None, float, float | None]:
    stats = watch.stopped(Stats(requests=3))
    assert stats.requests == 3
    return stats.queued_ms, stats.ttft_ms, stats.duration_ms, stats.tokens_per_second


def test_times_are_milliseconds_since_the_edit_was_accepted() -> None:
    clock = Clock()
    watch = Stopwatch(clock)
    assert stopped(watch) == (None, None, 0.0, None)
    clock.pass_s(0.25)
    watch.note_turn()
    watch.note_request()
    clock.pass_s(0.5)
    watch.note_delta()
    clock.pass_s(2)
    watch.note_delta()
    watch.note_usage(Usage(1000, 109, reasoning_tokens=8))
    clock.pass_s(0.123456)
    assert stopped(watch) == (250.0, 750.0, 2873.46, 50.5)


def test_ttft_is_of_the_first_answer_and_the_rate_of_the_last_answer() -> None:
    clock = Clock()
    watch = Stopwatch(clock)
    watch.note_request()
    clock.pass_s(1)
    watch.note_delta()
    watch.note_usage(Usage(1, 1000))
    clock.pass_s(1)
    watch.note_request()
    assert stopped(watch) == (None, 1000.0, 2000.0, None)
    clock.pass_s(1)
    watch.note_delta()
    clock.pass_s(4)
    watch.note_delta()
    assert stopped(watch)[3] is None, "the usage belonged to the previous answer"
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
    watch.note_delta()
    clock.pass_s(seconds)
    watch.note_delta()
    assert stopped(watch)[3] == rate


def test_new_statistics_contain_no_values() -> None:
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

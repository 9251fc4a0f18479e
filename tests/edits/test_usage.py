"""What the requests of one instruction have used, added up: a cost is known only while each one's is."""

from __future__ import annotations

import itertools

import pytest

from twospeed.edits.usage import RequestUsage, add_up
from twospeed.edits.values import Stats
from twospeed.models.base import Usage
from twospeed.models.catalog.prices import Price

USAGE = Usage(1_000_000, 100_000, cached_tokens=3, cache_write_tokens=5, reasoning_tokens=7)
CHEAP, DEAR = Price(1.0, 10.0), Price(4.0, 40.0)
PRICED = RequestUsage(USAGE, is_whole=True, price=CHEAP)
DEARER = RequestUsage(USAGE, is_whole=True, price=DEAR)
UNPRICED = RequestUsage(USAGE, is_whole=True, price=None)
UNCOUNTED = RequestUsage(None, is_whole=False, price=CHEAP)


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
def test_a_request_without_a_price_leaves_the_cost_unknown_whenever_it_came(
    requests: tuple[RequestUsage, ...],
) -> None:
    assert added(*requests).cost is None


def test_a_request_that_was_not_counted_leaves_what_is_known() -> None:
    assert added(PRICED, UNCOUNTED).cost == added(UNCOUNTED, PRICED).cost == pytest.approx(2.0)
    assert added(UNCOUNTED).cost is None
    assert added(UNCOUNTED).input_tokens is None

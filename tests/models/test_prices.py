"""Prices of tokens."""

from __future__ import annotations

import pytest

from twospeed.models.base import Price, Usage

PRICE = Price(input=2.0, output=10.0, cached_input=0.5, cache_write=2.5)


def test_each_kind_of_token_has_its_own_price() -> None:
    usage = Usage(input_tokens=1000, output_tokens=300, cached_tokens=400, cache_write_tokens=100)
    assert PRICE.of(usage) == (500 * 2 + 400 * 0.5 + 100 * 2.5 + 300 * 10) / 1_000_000


def test_reasoning_is_part_of_the_output_and_billed_once() -> None:
    assert PRICE.of(Usage(output_tokens=300, reasoning_tokens=200)) == 0.003


def test_without_a_cache_price_cached_tokens_cost_as_input() -> None:
    usage = Usage(input_tokens=1000, cached_tokens=400, cache_write_tokens=500)
    assert Price(input=2.0, output=10.0).of(usage) == 0.002


def test_a_cache_price_of_zero_costs_nothing() -> None:
    assert Price(input=2.0, output=0.0, cached_input=0.0).of(Usage(1000, 0, 1000)) == 0.0


@pytest.mark.parametrize(
    "usage",
    [Usage(input_tokens=100, cached_tokens=900), Usage(input_tokens=100, cache_write_tokens=900)],
)
def test_cached_tokens_are_limited_to_the_input(usage: Usage) -> None:
    assert 0 < PRICE.of(usage) <= 100 * 2.5 / 1_000_000


def test_written_tokens_are_limited_to_the_uncached_input() -> None:
    assert PRICE.of(Usage(input_tokens=100, cached_tokens=60, cache_write_tokens=80)) == 130 / 1_000_000

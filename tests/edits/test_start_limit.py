"""A burst of edits is accepted, a loop of edits is not."""

from __future__ import annotations

import pytest

from twospeed.edits.start_limit import BURST, STARTS_PER_S, StartLimit
from twospeed.errors import LimitReached
from twospeed.lsp.wire.error_codes import rpc_error


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def taken(limit: StartLimit, n_tries: int) -> int:
    n_taken = 0
    for _ in range(n_tries):
        try:
            limit.take()
        except LimitReached:
            continue
        n_taken += 1
    return n_taken


@pytest.mark.security("R11.3")
def test_a_burst_is_allowed_and_then_the_rate() -> None:
    clock = Clock()
    limit = StartLimit(clock=clock)
    assert (BURST, STARTS_PER_S) == (128, 16)
    assert taken(limit, 200) == 128
    clock.now += 0.5
    assert taken(limit, 200) == 8
    clock.now += 0.05
    assert taken(limit, 200) == 0
    clock.now += 0.05
    assert taken(limit, 200) == 1


@pytest.mark.security("R11.3")
def test_a_long_pause_allows_at_most_one_burst() -> None:
    clock = Clock()
    limit = StartLimit(clock=clock)
    assert taken(limit, 200) == 128
    clock.now += 3600
    assert taken(limit, 200) == 128


@pytest.mark.security("R11.3")
def test_starts_above_the_rate_fail_with_a_reason() -> None:
    limit = StartLimit(burst=1, clock=Clock())
    limit.take()
    with pytest.raises(LimitReached, match="16 a second") as caught:
        limit.take()
    assert rpc_error(caught.value).code == -32803


def test_starts_that_cost_nothing_do_not_count() -> None:
    limit = StartLimit(burst=3, clock=lambda: 0.0)
    for _ in range(3):
        limit.take()
        limit.give_back()
    limit.give_back()
    assert taken(limit, 9) == 3  # no more than one burst
    limit.give_back()
    assert taken(limit, 9) == 1
    limit.give_back(2)
    assert taken(limit, 9) == 2
    limit.give_back(3)
    limit.take(3)
    assert taken(limit, 9) == 0


def test_several_starts_are_counted_together_or_not_at_all() -> None:
    limit = StartLimit(burst=4, clock=lambda: 0.0)
    limit.take(2)
    with pytest.raises(LimitReached):
        limit.take(3)
    limit.take(2)
    assert taken(limit, 9) == 0

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.routing.failures import error, timeout

from twospeed import errors
from twospeed.errors import ModelError
from twospeed.routing.retries import MAX_REQUESTS, SHOWN_FROM_S, Situation, wait_before_next


def wait(
    failure: ModelError,
    mode: str = "lightning",
    *,
    n_requests: int = 1,
    waited_s: float = 0.0,
    other: bool = False,
    last_resort: bool = False,
    jitter: float = 0.0,
) -> float | None:
    situation = Situation(mode, n_requests, waited_s, other, last_resort, jitter)  # type: ignore[arg-type]  # a mode
    return wait_before_next(failure, situation)


LIMITED = error(errors.RateLimited)
PASSING = [
    LIMITED,
    error(errors.ModelOverloaded),
    error(errors.ModelUnavailable),
    error(errors.AnswerBrokeOff),
]
LASTING = [
    error(errors.InvalidKey),
    error(errors.UnknownModel),
    error(errors.ModelProtocolError),
    error(errors.ContextTooLong),
    timeout("total_s"),
    timeout("first_content_s"),
    timeout("content_gap_s"),
]


def limited(seconds: float) -> ModelError:
    return error(errors.RateLimited, retry_after_s=seconds)


@pytest.mark.parametrize("failure", PASSING, ids=lambda it: type(it).__name__)
@pytest.mark.parametrize("mode", ["lightning", "deep"])
def test_another_ready_model_is_used_at_once(failure: ModelError, mode: str) -> None:
    assert wait(failure, mode, other=True) == 0


@pytest.mark.parametrize("failure", PASSING, ids=lambda it: type(it).__name__)
def test_without_another_model_the_same_one_is_retried_after_half_a_second_then_one(
    failure: ModelError,
) -> None:
    assert wait(failure) == 0.5
    assert wait(failure, n_requests=2, waited_s=0.5) == 1.0


@pytest.mark.parametrize("failure", LASTING, ids=lambda it: getattr(it, "limit", type(it).__name__))
@pytest.mark.parametrize("other", [True, False])
def test_a_permanent_failure_is_not_retried(failure: ModelError, other: bool) -> None:
    assert wait(failure, other=other, last_resort=True) is None


@pytest.mark.security("R13")
@given(
    st.sampled_from([*PASSING, *LASTING, limited(0.0), error(errors.ModelUnavailable, should_retry=True)]),
    st.sampled_from(["lightning", "deep"]),
    st.booleans(),
    st.booleans(),
)
def test_at_most_three_requests_are_made(
    failure: ModelError, mode: str, other: bool, last_resort: bool
) -> None:
    assert wait(failure, mode, n_requests=MAX_REQUESTS, other=other, last_resort=last_resort) is None
    assert MAX_REQUESTS == 3


def test_lightning_waits_at_most_300_ms_for_capacity_while_another_is_ready() -> None:
    assert wait(limited(0.3), other=True) == 0.3
    assert wait(limited(0.31), other=True) == 0.0
    assert wait(limited(0.2), other=True, waited_s=0.2) == 0.0


def test_lightning_waits_at_most_three_seconds_without_another_model() -> None:
    assert wait(limited(3)) == 3.0
    assert wait(limited(3.1)) is None
    assert wait(limited(2), waited_s=2) is None


def test_deep_waits_two_minutes_without_another_model_and_three_seconds_with_one() -> None:
    assert wait(limited(120), "deep") == 120.0
    assert wait(limited(121), "deep") is None
    assert wait(limited(3), "deep", other=True) == 3.0
    assert wait(limited(4), "deep", other=True) == 0.0


def test_jitter_extends_a_wait_by_at_most_a_quarter() -> None:
    assert wait(limited(2), jitter=0.5) == 2.25
    assert wait(limited(2), jitter=1.0) == 2.5


def test_should_retry_false_excludes_this_model_but_not_another() -> None:
    no = error(errors.ModelUnavailable, should_retry=False)
    assert wait(no) is None
    assert wait(no, other=True) == 0.0


def test_should_retry_true_allows_a_retry_after_any_failure() -> None:
    yes = error(errors.ModelProtocolError, should_retry=True)
    assert wait(yes) == 0.5
    assert wait(yes, other=True) == 0.5, "it does not cool down, so it is the one that is asked"


@pytest.mark.parametrize(
    "failure", [error(errors.QuotaExhausted), timeout("connect_s")], ids=["quota", "connect"]
)
def test_a_lasting_failure_is_retried_elsewhere_or_not_at_all(failure: ModelError) -> None:
    assert wait(failure) is None
    assert wait(failure, other=True) == 0.0
    assert wait(failure, last_resort=True) == 0.0


def test_the_last_resort_is_used_after_waiting() -> None:
    assert wait(LIMITED, last_resort=True) == 0.5
    assert wait(limited(60), last_resort=True) == 0.0


@given(
    st.sampled_from(["lightning", "deep"]),
    st.floats(0, 200),
    st.floats(0, 200),
    st.booleans(),
    st.integers(1, 3),
    st.floats(0, 1),
)
def test_no_wait_exceeds_the_limit_of_its_mode(
    mode: str, said: float, waited: float, other: bool, n_requests: int, jitter: float
) -> None:
    waits = wait(limited(said), mode, n_requests=n_requests, waited_s=waited, other=other, jitter=jitter)
    longest = {("lightning", True): 0.3, ("deep", False): 120.0}.get((mode, other), SHOWN_FROM_S)
    assert waits is None or waits <= 1.25 * max(longest - waited, 0)

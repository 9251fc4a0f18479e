from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.routing.failures import error, timeout

from twospeed import errors
from twospeed.errors import ModelError
from twospeed.models.base import Limits
from twospeed.routing.cooldowns import MAX_COOLDOWN_S, Cause, Cooldowns, cause_of
from twospeed.routing.lanes import LaneEntry

NOW = 1000.0


def entry(provider: str = "lab", model: str = "m") -> LaneEntry:
    return LaneEntry(provider, model, limits=Limits(), is_cloud=True, origin="config")


@pytest.mark.parametrize(
    ("failure", "cause"),
    [
        (error(errors.RateLimited), Cause.RATE),
        (error(errors.QuotaExhausted), Cause.QUOTA),
        (error(errors.ModelOverloaded), Cause.OVERLOAD),
        (error(errors.ModelUnavailable), Cause.DOWN),
        (error(errors.AnswerBrokeOff), Cause.DOWN),
        (timeout("connect_s"), Cause.DOWN),
        (timeout("first_content_s"), Cause.DOWN),
        (timeout("content_gap_s"), Cause.DOWN),
        (timeout("total_s"), None),
        (error(errors.InvalidKey), None),
        (error(errors.UnknownModel), None),
        (error(errors.ContextTooLong), None),
        (error(errors.ModelProtocolError), None),
    ],
    ids=lambda value: getattr(value, "limit", type(value).__name__),
)
def test_temporary_failures_cause_a_cooldown_and_lasting_ones_do_not(
    failure: ModelError, cause: Cause | None
) -> None:
    assert cause_of(failure) is cause
    cooldown = Cooldowns().failed(entry(), failure, NOW).of(entry(), NOW)
    assert (cooldown.cause if cooldown else None) is cause


def test_a_cooldown_lasts_as_long_as_the_provider_says() -> None:
    after = Cooldowns().failed(entry(), error(errors.RateLimited, retry_after_s=42), NOW)
    cooldown = after.of(entry(), NOW)
    assert cooldown
    assert cooldown.is_from_provider
    assert cooldown.description(NOW) == "rate limited, again in 42 s"
    assert cooldown.description(NOW + 40.5) == "rate limited, again in 2 s"
    assert after.of(entry(), NOW + 41.9)
    assert after.of(entry(), NOW + 42) is None


def test_an_absurd_retry_after_is_limited() -> None:
    after = Cooldowns().failed(entry(), error(errors.RateLimited, retry_after_s=1e9), NOW)
    assert after.of(entry(), NOW + MAX_COOLDOWN_S) is None


def test_a_short_retry_after_is_trusted_once() -> None:
    soon = error(errors.RateLimited, retry_after_s=0.2)
    known = Cooldowns().failed(entry(), soon, NOW)
    assert known.of(entry(), NOW + 0.2) is None
    known = known.failed(entry(), soon, NOW + 0.2)
    assert (cooldown := known.of(entry(), NOW + 10))
    assert not cooldown.is_from_provider


def test_a_longer_retry_after_is_trusted_again() -> None:
    later = error(errors.RateLimited, retry_after_s=20)
    known = Cooldowns().failed(entry(), later, NOW).failed(entry(), later, NOW + 20)
    assert (cooldown := known.of(entry(), NOW + 20))
    assert (cooldown.is_from_provider, cooldown.until) == (True, NOW + 40)


def test_a_failed_guess_does_not_affect_trust_in_the_provider() -> None:
    known = Cooldowns().failed(entry(), error(errors.ModelUnavailable), NOW)
    known = known.failed(entry(), error(errors.RateLimited, retry_after_s=2), NOW + 5)
    assert known.of(entry(), NOW + 7) is None


def test_without_a_provider_time_each_failure_doubles_the_cooldown() -> None:
    known, now, lengths = Cooldowns(), NOW, []
    for _ in range(9):
        known = known.failed(entry(), error(errors.ModelUnavailable), now)
        cooldown = known.of(entry(), now)
        assert cooldown
        assert not cooldown.is_from_provider
        lengths.append(cooldown.until - now)
        now = cooldown.until
    assert lengths == [5, 10, 20, 40, 80, 160, 300, 300, 300]


def test_concurrent_failures_count_once() -> None:
    known = Cooldowns()
    for _ in range(5):
        known = known.failed(entry(), error(errors.ModelUnavailable), NOW)
    assert known.of(entry(), NOW + 5) is None


def test_a_guess_does_not_shorten_the_time_of_the_provider() -> None:
    known = Cooldowns().failed(entry(), error(errors.RateLimited, retry_after_s=60), NOW)
    known = known.failed(entry(), error(errors.ModelUnavailable), NOW + 1)
    assert known.of(entry(), NOW + 59)


def test_a_success_clears_earlier_failures() -> None:
    known = Cooldowns().failed(entry(), error(errors.ModelUnavailable), NOW)
    known = known.failed(entry(), error(errors.ModelUnavailable), NOW + 10)
    known = known.served(entry())
    assert known.of(entry(), NOW + 10) is None
    known = known.failed(entry(), error(errors.ModelUnavailable), NOW + 20)
    assert known.of(entry(), NOW + 25) is None


def test_a_rate_limit_affects_one_model_and_a_quota_the_whole_provider() -> None:
    limited = Cooldowns().failed(entry(), error(errors.RateLimited), NOW)
    assert limited.of(entry(model="other"), NOW) is None
    spent = Cooldowns().failed(entry(), error(errors.QuotaExhausted), NOW)
    assert spent.of(entry(model="other"), NOW)
    assert spent.of(entry("second"), NOW) is None
    assert spent.served(entry(model="other")).of(entry(), NOW) is None


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (errors.RateLimited, "lab/m is rate limited, again in 7 s"),
        (errors.QuotaExhausted, "lab/m is out of quota, again in 7 s"),
        (errors.ModelOverloaded, "lab/m is overloaded, again in 7 s"),
        (errors.ModelUnavailable, "lab/m is down, again in 7 s"),
    ],
)
def test_an_edit_that_needs_a_cooling_entry_fails_with_the_same_error(
    kind: type[ModelError], words: str
) -> None:
    cooldown = Cooldowns().failed(entry(), error(kind, retry_after_s=7), NOW).of(entry(), NOW)
    assert cooldown
    made = cooldown.error(entry(), NOW)
    assert (type(made), str(made), made.provider, made.model) == (kind, words, "lab", "m")


KINDS = (errors.RateLimited, errors.QuotaExhausted, errors.ModelOverloaded, errors.ModelUnavailable)
FAILURES = st.tuples(
    st.sampled_from(KINDS), st.none() | st.floats(0, 1e9), st.floats(0, 1e4), st.sampled_from("ab")
)


@given(st.lists(FAILURES, max_size=12))
def test_no_cooldown_exceeds_an_hour(failures: list[tuple]) -> None:
    known, now = Cooldowns(), NOW
    for kind, said, later, model in failures:
        now += later
        known = known.failed(entry(model=model), error(kind, retry_after_s=said), now)
        for each in "ab":
            cooldown = known.of(entry(model=each), now)
            assert cooldown is None or now < cooldown.until <= now + MAX_COOLDOWN_S
            assert known.served(entry(model=each)).of(entry(model=each), now) is None

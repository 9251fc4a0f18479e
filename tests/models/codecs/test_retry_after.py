"""Retry-After times are parsed in every form that providers use."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from multidict import CIMultiDict

from twospeed.models.codecs.retry_after import MAX_WAIT_S, format_seconds, parse_wait, parse_wait_in_message

TEN = {"Date": "Sat, 21 Nov 2026 10:00:00 GMT"}


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"Retry-After": "7"}, 7.0),
        ({"Retry-After": "1.5"}, 1.5),
        ({"retry-after-ms": "250", "Retry-After": "1"}, 0.25),
        ({"Retry-After": "-5"}, 0.0),
        ({"Retry-After": "1e300"}, MAX_WAIT_S),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": "inf"}, None),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": ""}, None),
        ({}, None),
        ({"Retry-After": "Sat, 21 Nov 2026 10:00:30 GMT", **TEN}, 30.0),
        ({"Retry-After": "Sat, 21 Nov 2026 09:00:00 GMT", **TEN}, 0.0),
        ({"Retry-After": "Sat, 21 Nov 2026 10:00:30 GMT"}, None),
        ({"Retry-After": "Sat, 21 Nov 2026 10:00:30 -0000", **TEN}, 30.0),
        ({"Retry-After": "Sat, 21 Nov 2026 25:00:30 GMT", **TEN}, None),
        ({"Retry-After": "Sat, 21 Nov 99999999999999999999 10:00:30 GMT", **TEN}, None),
        ({"Retry-After": f"Sat, {2**31} Nov 2026 10:00:30 GMT", **TEN}, None),
    ],
)
def test_the_time_to_wait_is_parsed_from_headers(headers: dict[str, str], expected: float | None) -> None:
    assert parse_wait(CIMultiDict(headers)) == expected


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"x-ratelimit-reset-requests": "6m0.5s"}, 360.5),
        ({"x-ratelimit-reset-tokens": "120ms"}, 0.12),
        ({"X-RateLimit-Reset-Tokens-Minute": "33.011"}, 33.011),
        ({"X-RateLimit-Reset": "1795255230000", **TEN}, 30.0),
        ({"X-RateLimit-Reset": "1795255230", **TEN}, 30.0),
        ({"X-RateLimit-Reset": "1795255230"}, None),
        ({"anthropic-ratelimit-requests-reset": "2026-11-21T10:00:30Z", **TEN}, 30.0),
        ({"x-ratelimit-reset-requests": "later"}, None),
        ({"x-ratelimit-remaining-requests": "0"}, None),
    ],
)
def test_without_retry_after_the_reset_times_of_limits_are_used(
    headers: dict[str, str], expected: float | None
) -> None:
    assert parse_wait(CIMultiDict(headers)) == pytest.approx(expected)


def test_the_exhausted_limit_decides_the_wait() -> None:
    headers = {
        "x-ratelimit-reset-requests": "1h0m0s",
        "x-ratelimit-remaining-requests": "17",
        "x-ratelimit-reset-tokens": "2s",
        "x-ratelimit-remaining-tokens": "0",
        "x-ratelimit-reset-tokens-day": "3s",
        "x-ratelimit-remaining-tokens-day": "0",
    }
    assert parse_wait(CIMultiDict(headers)) == 3.0
    headers["x-ratelimit-remaining-tokens"] = headers["x-ratelimit-remaining-tokens-day"] = "5"
    assert parse_wait(CIMultiDict(headers)) == 2.0
    assert parse_wait(CIMultiDict({**headers, "retry-after": "9"})) == 9.0


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Rate limit reached. Please try again in 1.3s. Visit us", 1.3),
        ("try again in 250ms", 0.25),
        ("Try again in 20 seconds", 20.0),
        ("try again in 7m12.5s!", 432.5),
        ("try again in 999999999d", MAX_WAIT_S),
        ("try again in 3 sheep", None),
        ("try again in a while", None),
        ("later", None),
    ],
)
def test_the_time_to_wait_is_parsed_from_a_message(message: str, expected: float | None) -> None:
    assert parse_wait_in_message(message) == expected


NAMES = st.sampled_from(
    [
        "retry-after",
        "retry-after-ms",
        "date",
        "x-ratelimit-reset",
        "x-ratelimit-remaining",
        "x-ratelimit-reset-tokens",
    ]
)


@pytest.mark.security("R10.1")
@given(st.dictionaries(NAMES, st.text(max_size=40) | st.from_regex(r"\A[0-9.hms:TZ+-]{1,30}\Z")))
def test_any_header_gives_a_bounded_wait_or_none(headers: dict[str, str]) -> None:
    wait = parse_wait(CIMultiDict(headers))
    assert wait is None or 0 <= wait <= MAX_WAIT_S


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0.1 s"),
        (0.21, "0.3 s"),
        (1, "1 s"),
        (41.2, "42 s"),
        (119, "119 s"),
        (119.5, "2 min"),
        (3600, "60 min"),
        (86400, "24 h"),
    ],
)
def test_seconds_are_formatted_with_a_unit(seconds: float, words: str) -> None:
    assert format_seconds(seconds) == words

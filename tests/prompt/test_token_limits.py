from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from twospeed.models.base import Limits
from twospeed.prompt.budget import TokenLimits, initial_token_limits, reduced_token_limits


def room(**more: int | None) -> TokenLimits:
    facts: dict = {
        "n_chars": 40_000,
        "scope_chars": 400,
        "max_output_tokens": 4096,
        "prompt_tokens": 10_000,
        "limit_tokens": 8192,
    }
    return reduced_token_limits(**{**facts, **more})


def test_without_a_reported_limit_only_the_scope_is_sent() -> None:
    assert room(limit_tokens=None) == TokenLimits(0, 4096)


def test_the_prompt_gets_what_the_answer_does_not_need() -> None:
    # 7782 usable, twice the scope of 100 tokens and 256 besides for the answer
    assert room() == TokenLimits(7326, 456)


def test_a_text_with_more_tokens_than_estimated_gets_less_space() -> None:
    assert room(prompt_tokens=20_000).budget_tokens < room().budget_tokens / 1.9


def test_a_prompt_that_fits_shortens_the_answer() -> None:
    shorter = room(n_chars=12_000, prompt_tokens=3000, max_output_tokens=8192)
    assert shorter.budget_tokens >= 3000
    assert shorter.max_output_tokens == 7782 - 3000


def test_a_limit_below_the_scope_leaves_out_everything_else() -> None:
    assert room(limit_tokens=64).budget_tokens == 0
    assert room(limit_tokens=64).max_output_tokens >= 1


@given(
    st.integers(1, 10**6),
    st.integers(0, 10**6),
    st.integers(1, 10**5),
    st.none() | st.integers(1, 10**6),
    st.integers(1, 10**6),
)
def test_prompt_and_answer_fit_together(
    n_chars: int, scope_chars: int, max_output: int, prompt_tokens: int | None, limit: int
) -> None:
    made = reduced_token_limits(
        n_chars=n_chars,
        scope_chars=scope_chars,
        max_output_tokens=max_output,
        prompt_tokens=prompt_tokens,
        limit_tokens=limit,
    )
    density = prompt_tokens / n_chars if prompt_tokens else 0.25
    sent = min(made.budget_tokens * 4, n_chars)  # as much as the budget lets through
    assert 1 <= made.max_output_tokens <= max_output
    assert made.budget_tokens >= 0
    assert sent * density + made.max_output_tokens <= limit or made.max_output_tokens == 1


LIMITS = Limits(max_output_tokens=8_000, context_tokens=30_000)


def test_the_first_limits_are_those_of_the_settings() -> None:
    assert initial_token_limits(LIMITS, None) == TokenLimits(30_000, 8_000)
    assert initial_token_limits(LIMITS, 10**6) == TokenLimits(30_000, 8_000)


def test_a_small_window_is_halved_between_prompt_and_answer() -> None:
    assert initial_token_limits(LIMITS, 20_000) == TokenLimits(9_600, 8_000)
    assert initial_token_limits(LIMITS, 4_096) == TokenLimits(1_638, 2_048)


@given(st.integers(1, 10**7))
def test_a_known_window_never_exceeds_the_settings(window_tokens: int) -> None:
    room = initial_token_limits(LIMITS, window_tokens)
    assert 0 <= room.budget_tokens <= 30_000
    assert 1 <= room.max_output_tokens <= 8_000
    assert room.budget_tokens + room.max_output_tokens <= max(window_tokens, 1)


def test_limits_are_exact_to_the_token() -> None:
    assert room(prompt_tokens=None) == TokenLimits(7326, 456)
    assert room(prompt_tokens=0) == TokenLimits(7326, 456)
    assert room(n_chars=0, prompt_tokens=10) == TokenLimits(92, 4096)
    assert room(limit_tokens=64) == TokenLimits(0, 60)
    assert room(limit_tokens=0) == TokenLimits(0, 1)
    limits = Limits(context_tokens=10_000, max_output_tokens=4000)
    assert initial_token_limits(limits, None) == TokenLimits(10_000, 4000)
    assert initial_token_limits(limits, 8000) == TokenLimits(3200, 4000)
    assert initial_token_limits(limits, 7999) == TokenLimits(3200, 3999)
    assert initial_token_limits(limits, 100_000) == TokenLimits(10_000, 4000)
    assert initial_token_limits(limits, 1) == TokenLimits(0, 1)
    assert initial_token_limits(limits, 0) == TokenLimits(0, 1)

"""Token limits of prompt and answer: at first, and after a model refused a prompt for its length."""

from __future__ import annotations

from dataclasses import dataclass

from twospeed.models.base import Limits

from .budget import CHARS_PER_TOKEN

_MARGIN = 0.95
"""Share of a model's limit that is used: messages cost tokens of their own, and the density of lines varies.
"""

_DENSE = 0.8
"""Share of the window used before the first request: in code a token often has three characters instead of
four."""

_MIN_ANSWER_TOKENS = 256


@dataclass(frozen=True, slots=True)
class TokenLimits:
    """Limits of the next prompt and of its answer.

    Attributes:
        budget_tokens: Limit of the prompt, in the estimate of `budget`. 0 leaves out everything but the scope.
        max_output_tokens: Limit of the answer.
    """

    budget_tokens: int
    max_output_tokens: int


def initial_token_limits(limits: Limits, window_tokens: int | None) -> TokenLimits:
    """Return the limits for a first request.

    Args:
        limits: Limits of the settings.
        window_tokens: Limit of prompt and answer together, if known. The answer then gets at most half of it.
    """
    if window_tokens is None:
        return TokenLimits(limits.context_tokens, limits.max_output_tokens)
    answer = max(min(limits.max_output_tokens, window_tokens // 2), 1)
    return TokenLimits(min(limits.context_tokens, int((window_tokens - answer) * _DENSE)), answer)


def reduced_token_limits(
    *,
    n_chars: int,
    scope_chars: int,
    max_output_tokens: int,
    prompt_tokens: int | None,
    limit_tokens: int | None,
) -> TokenLimits:
    """Return limits after a model refused a prompt for its length.

    Prompt and answer share the limit, and some servers reserve all of ``max_output_tokens``. The answer keeps
    space for twice the scope, the prompt gets the rest, and the answer gets what the prompt does not need.

    Args:
        n_chars: Code points of the refused prompt.
        scope_chars: Code points of the scope.
        max_output_tokens: The requested limit of the answer.
        prompt_tokens: Length of the prompt as the provider counted it, if reported.
        limit_tokens: The model's limit, if reported. Otherwise only the scope is sent.
    """
    if limit_tokens is None:
        return TokenLimits(0, max_output_tokens)
    tokens_per_char = prompt_tokens / max(n_chars, 1) if prompt_tokens else 1 / CHARS_PER_TOKEN
    usable = int(limit_tokens * _MARGIN)
    answer = min(max_output_tokens, int(2 * scope_chars * tokens_per_char) + _MIN_ANSWER_TOKENS)
    for_prompt = max(usable - answer, 0)
    needed = min(int(n_chars * tokens_per_char), for_prompt)
    return TokenLimits(
        int(for_prompt / tokens_per_char / CHARS_PER_TOKEN),
        max(min(max_output_tokens, usable - needed), 1),
    )

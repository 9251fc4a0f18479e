"""How long prompt and answer may be: at first, and when a model said that it was too much."""

from __future__ import annotations

from dataclasses import dataclass

from twospeed.models.base import Limits

from .budget import CHARS_PER_TOKEN

_MARGIN = 0.95
"""Of a model's limit; the messages cost tokens of their own, and lines are of unequal density."""

_DENSE = 0.8
"""Of what is free in a model that nobody has asked yet: in code a token is often of three characters, not of four."""

_MIN_ANSWER_TOKENS = 256


@dataclass(frozen=True, slots=True)
class Room:
    """What the next prompt and its answer may be.

    Attributes:
        budget_tokens: For the whole prompt, in the estimate of `budget`; 0 leaves out all but the scope.
        max_output_tokens: For the answer.
    """

    budget_tokens: int
    max_output_tokens: int


def room_at_first(limits: Limits, window_tokens: int | None) -> Room:
    """Find room for a prompt and its answer.

    Args:
        limits: What the settings allow.
        window_tokens: What prompt and answer may be together, where that is known: then the answer gets half of it at
            most, and the prompt what the answer does not need.
    """
    if window_tokens is None:
        return Room(limits.context_tokens, limits.max_output_tokens)
    answer = max(min(limits.max_output_tokens, window_tokens // 2), 1)
    return Room(min(limits.context_tokens, int((window_tokens - answer) * _DENSE)), answer)


def room_after(
    *,
    n_chars: int,
    scope_chars: int,
    max_output_tokens: int,
    prompt_tokens: int | None,
    limit_tokens: int | None,
) -> Room:
    """Find room for a prompt that was refused for its length.

    Prompt and answer share the limit, and some servers reserve all of ``max_output_tokens``. So the answer keeps room
    for twice the scope, the prompt gets the rest, and the answer what the prompt does not need.

    Args:
        n_chars: Code points of the prompt that was refused.
        scope_chars: Those of the scope.
        max_output_tokens: What was asked for.
        prompt_tokens: How long the provider found the prompt; ``None`` where it did not say.
        limit_tokens: What would have fitted; ``None`` where it did not say, then all but the scope goes.
    """
    if limit_tokens is None:
        return Room(0, max_output_tokens)
    tokens_per_char = prompt_tokens / max(n_chars, 1) if prompt_tokens else 1 / CHARS_PER_TOKEN
    usable = int(limit_tokens * _MARGIN)
    answer = min(max_output_tokens, int(2 * scope_chars * tokens_per_char) + _MIN_ANSWER_TOKENS)
    for_prompt = max(usable - answer, 0)
    needed = min(int(n_chars * tokens_per_char), for_prompt)
    return Room(
        int(for_prompt / tokens_per_char / CHARS_PER_TOKEN),
        max(min(max_output_tokens, usable - needed), 1),
    )

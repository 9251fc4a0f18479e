"""Build the messages for a model from facts. Pure functions: no I/O, no clock, no random numbers."""

from .budget import CHARS_PER_TOKEN, TokenLimits, initial_token_limits, reduced_token_limits
from .build import PromptFacts, build_prompt

__all__ = [
    "CHARS_PER_TOKEN",
    "PromptFacts",
    "TokenLimits",
    "build_prompt",
    "initial_token_limits",
    "reduced_token_limits",
]

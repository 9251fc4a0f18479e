"""Build the messages for a model from facts. Pure functions: no I/O, no clock, no random numbers.

``build`` writes the messages and ``budget`` divides the space. ``outline`` and ``definitions`` describe code
outside the scope. ``answer_form`` chooses the form of the answer, ``token_limits`` the length of prompt and
answer, and ``texts`` contains the wording.
"""

from .budget import CHARS_PER_TOKEN
from .build import PromptFacts, build_prompt
from .token_limits import TokenLimits, initial_token_limits, reduced_token_limits

__all__ = [
    "CHARS_PER_TOKEN",
    "PromptFacts",
    "TokenLimits",
    "build_prompt",
    "initial_token_limits",
    "reduced_token_limits",
]

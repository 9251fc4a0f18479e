"""Read from a refusal how long a prompt was and how much would have fitted. No I/O.

Sources: llama.cpp's server (``n_prompt_tokens`` and ``n_ctx`` in the error), the messages of OpenAI, vLLM, OpenRouter
and Anthropic, which have no such fields.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_MAX_TOKENS = 10**9

_LIMIT = re.compile(r"maximum context length is (\d{1,10})")
_PROMPT = (
    re.compile(r"\((\d{1,10}) (?:in|of) (?!the (?:completion|output))"),  # (4904 in the messages, 4096 in …)
    re.compile(r"resulted in (\d{1,10}) tokens"),
    re.compile(r"has (\d{1,10}) input tokens"),
)
_ANTHROPIC = (
    re.compile(r"(?P<prompt>\d{1,10}) tokens > (?P<limit>\d{1,10}) maximum"),
    re.compile(r"(?P<prompt>\d{1,10}) \+ \d{1,10} > (?P<limit>\d{1,10})"),
)


@dataclass(frozen=True, slots=True)
class Overflow:
    """Tokens, as the provider counts them; ``None`` where it did not say.

    Attributes:
        prompt_tokens: Of the prompt that was refused.
        limit_tokens: What prompt and answer may be together.
    """

    prompt_tokens: int | None = None
    limit_tokens: int | None = None


def read_overflow(error: Mapping[str, object], message: str) -> Overflow:
    """Read the numbers of an error: its fields first, then its words."""
    fields = Overflow(_count(error.get("n_prompt_tokens")), _count(error.get("n_ctx")))
    if fields.limit_tokens is not None:
        return fields
    for pattern in _ANTHROPIC:
        if match := pattern.search(message):
            return Overflow(_count(int(match["prompt"])), _count(int(match["limit"])))
    limit = _LIMIT.search(message)
    prompt = next((match for pattern in _PROMPT if (match := pattern.search(message))), None)
    return Overflow(_count(int(prompt[1])) if prompt else None, _count(int(limit[1])) if limit else None)


def _count(value: object) -> int | None:
    """Take a number of tokens that makes sense."""
    return value if isinstance(value, int) and 0 < value <= _MAX_TOKENS else None

"""Parse the prompt's length and the limit from an error. No I/O.

Sources: llama.cpp's server (``n_prompt_tokens`` and ``n_ctx`` in the error); the messages of OpenAI, vLLM,
OpenRouter, Anthropic, Groq and Cerebras, which have no such fields.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_MAX_TOKENS = 10**9

_LIMIT = re.compile(r"(?:maximum context length|while limit) is (\d{1,10})")
_PROMPT = (
    re.compile(r"\((\d{1,10}) (?:in|of) (?!the (?:completion|output))"),  # (4904 in the messages, 4096 in …)
    re.compile(r"resulted in (\d{1,10}) tokens"),
    re.compile(r"has (\d{1,10}) input tokens"),
)
_ANTHROPIC = (
    re.compile(r"(?P<prompt>\d{1,10}) tokens > (?P<limit>\d{1,10}) maximum"),
    re.compile(r"(?P<prompt>\d{1,10}) \+ \d{1,10} > (?P<limit>\d{1,10})"),
)
_IN_ONE = re.compile(r"Limit (?P<limit>\d{1,10}), Requested (?P<total>\d{1,10})")
"""A request larger than the account's tokens per minute: waiting does not help. With ``Used`` in it, it does."""


@dataclass(frozen=True, slots=True)
class Overflow:
    """Tokens, as the provider counts; ``None`` if unknown.

    Attributes:
        limit_tokens: Limit of prompt and answer together.
        total_tokens: Of prompt and longest answer, if only their sum is known.
    """

    prompt_tokens: int | None = None
    limit_tokens: int | None = None
    total_tokens: int | None = None

    def of_prompt(self, max_output_tokens: int) -> int | None:
        """Return the prompt's tokens, given the request's limit for the answer."""
        if self.total_tokens is None:
            return self.prompt_tokens
        return _count(self.total_tokens - max_output_tokens)


def read_overflow(error: Mapping[str, object], message: str) -> Overflow:
    """Return the numbers of an error, from its fields if present, else from its message."""
    fields = Overflow(_count(error.get("n_prompt_tokens")), _count(error.get("n_ctx")))
    if fields.limit_tokens is not None:
        return fields
    for pattern in _ANTHROPIC:
        if match := pattern.search(message):
            return Overflow(_count(int(match["prompt"])), _count(int(match["limit"])))
    if (match := _IN_ONE.search(message)) and int(match["total"]) > int(match["limit"]):
        return Overflow(None, _count(int(match["limit"])), _count(int(match["total"])))
    limit = _LIMIT.search(message)
    prompt = next((match for pattern in _PROMPT if (match := pattern.search(message))), None)
    return Overflow(_count(int(prompt[1])) if prompt else None, _count(int(limit[1])) if limit else None)


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and 0 < value <= _MAX_TOKENS else None

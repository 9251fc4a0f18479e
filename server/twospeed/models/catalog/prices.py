"""The cost of tokens. The user configures prices, because they change; there is no built-in price list. No I/O."""

from __future__ import annotations

from dataclasses import dataclass

from twospeed.models.base import Usage

_PER = 1_000_000
_DIGITS = 10


@dataclass(frozen=True, slots=True)
class Price:
    """Price of a million tokens of each kind, in a currency of the user's choice.

    Attributes:
        output: For the answer and the reasoning.
        cached_input: For input read from a cache; ``None`` means ``input``.
        cache_write: For input written to a cache; ``None`` means ``input``.
    """

    input: float
    output: float
    cached_input: float | None = None
    cache_write: float | None = None

    def of(self, usage: Usage) -> float:
        """Return the cost of a request, in the currency of the prices."""
        cached = min(usage.cached_tokens, usage.input_tokens)
        written = min(usage.cache_write_tokens, usage.input_tokens - cached)
        cost = (
            (usage.input_tokens - cached - written) * self.input
            + cached * (self.input if self.cached_input is None else self.cached_input)
            + written * (self.input if self.cache_write is None else self.cache_write)
            + usage.output_tokens * self.output
        )
        return round(cost / _PER, _DIGITS)

"""What a model's tokens cost. No I/O, and no price list: prices are the user's to write down, since they change."""

from __future__ import annotations

from dataclasses import dataclass

from twospeed.models.base import Usage

_PER = 1_000_000
_DIGITS = 10


@dataclass(frozen=True, slots=True)
class Price:
    """What a million tokens of each kind cost, in whatever currency the user counts.

    Attributes:
        input: Of the prompt.
        output: Of the answer, its reasoning counted.
        cached_input: Of the part of a prompt that was read from a cache; as ``input`` where ``None``.
        cache_write: Of the part that was written to one; as ``input`` where ``None``.
    """

    input: float
    output: float
    cached_input: float | None = None
    cache_write: float | None = None

    def of(self, usage: Usage) -> float:
        """Say what a request has cost, in the currency of the prices."""
        cached = min(usage.cached_tokens, usage.input_tokens)
        written = min(usage.cache_write_tokens, usage.input_tokens - cached)
        cost = (
            (usage.input_tokens - cached - written) * self.input
            + cached * (self.input if self.cached_input is None else self.cached_input)
            + written * (self.input if self.cache_write is None else self.cache_write)
            + usage.output_tokens * self.output
        )
        return round(cost / _PER, _DIGITS)

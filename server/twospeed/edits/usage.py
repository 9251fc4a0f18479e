"""Add up the usage of all requests of one instruction, as the providers report it.

Usage that a provider does not report is not estimated here; `Stats.uncounted` says that it is missing.
"""

from __future__ import annotations

from dataclasses import dataclass

from twospeed.models.base import Usage
from twospeed.models.catalog.prices import Price

from .values import Stats

_DIGITS = 10


@dataclass(frozen=True, slots=True)
class RequestUsage:
    """The usage of one request.

    Attributes:
        usage: As the provider reports it; ``None`` if it does not.
        is_whole: Whether that is all: not for a stopped answer, nor if nothing was reported.
        price: The price of the tokens; ``None`` if the config has none.
    """

    usage: Usage | None
    is_whole: bool
    price: Price | None


def add_up(stats: Stats, request_usage: RequestUsage) -> None:
    """Add a request to the statistics of its edit; the cost is known only if the cost of every request is."""
    stats.requests += 1
    stats.uncounted += not request_usage.is_whole
    usage = request_usage.usage
    if usage is None:
        return
    is_first = stats.input_tokens is None
    stats.input_tokens = (stats.input_tokens or 0) + usage.input_tokens
    stats.output_tokens = (stats.output_tokens or 0) + usage.output_tokens
    stats.cached_tokens = (stats.cached_tokens or 0) + usage.cached_tokens
    stats.cache_write_tokens = (stats.cache_write_tokens or 0) + usage.cache_write_tokens
    stats.reasoning_tokens = (stats.reasoning_tokens or 0) + usage.reasoning_tokens
    if request_usage.price is None or (stats.cost is None and not is_first):
        stats.cost = None
    else:
        stats.cost = round((stats.cost or 0.0) + request_usage.price.of(usage), _DIGITS)

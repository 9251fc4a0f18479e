"""The statistics of one edit: its times, and the tokens and cost of all its requests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace

from twospeed.models.base import Price, Usage

_COST_DIGITS = 10


@dataclass(slots=True)
class Stats:
    """Times in milliseconds since the edit was accepted; tokens as reported by the providers."""

    ttft_ms: float | None = None  # until the first text of an answer
    queued_ms: float | None = None  # until no other edit was in the way
    duration_ms: float = 0.0
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost: float | None = None  # by the prices of the config; None if a model has none
    requests: int = 0
    uncounted: int = 0  # requests without complete counts, which are not estimated
    tokens_per_second: float | None = None  # of the applied answer, while it was written
    lines_added: int = 0
    lines_removed: int = 0
    chars_sent: int = 0


@dataclass(frozen=True, slots=True)
class RequestUsage:
    """The usage of one request."""

    usage: Usage | None  # as the provider reports it
    is_usage_complete: bool  # false for a stopped answer, and if nothing was reported
    price: Price | None  # the price in the config


def add_up(stats: Stats, request_usage: RequestUsage) -> None:
    """Add a request to the statistics of its edit; the cost is known only if each request has one."""
    stats.requests += 1
    stats.uncounted += not request_usage.is_usage_complete
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
        stats.cost = round((stats.cost or 0.0) + request_usage.price.of(usage), _COST_DIGITS)


def sum_of(stats: Sequence[Stats]) -> Stats:
    """Return the statistics of edits that ran at the same time: the times of the slowest, and the sums of the rest.

    The cost is unknown if that of an edit with requests is.
    """
    total = Stats()
    for name in (field.name for field in fields(Stats)):
        values = [value for each in stats if (value := getattr(each, name)) is not None]
        if values:
            setattr(total, name, max(values) if name.endswith("_ms") else sum(values))
    if any(each.requests and each.cost is None for each in stats):
        total.cost = None
    total.tokens_per_second = None
    return total


class Stopwatch:
    """Measures the times of one edit, from its construction on.

    Args:
        clock: Monotonic seconds.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._start = clock()
        self._turn: float | None = None
        self._first_text: float | None = None
        self._begun = self._last_text = 0.0
        self._has_text = False
        self._usage = Usage()

    def note_turn(self) -> None:
        """Record that no other edit is in the way."""
        self._turn = self._clock()

    def note_request(self) -> None:
        """Record that an answer is requested, perhaps in place of a stopped one."""
        self._has_text = False
        self._usage = Usage()

    def note_delta(self) -> None:
        """Record that text of the answer arrived."""
        self._last_text = self._clock()
        if not self._has_text:
            self._has_text, self._begun = True, self._last_text
        if self._first_text is None:
            self._first_text = self._last_text

    def note_usage(self, usage: Usage) -> None:
        """Record the token counts of the provider."""
        self._usage = usage

    def stopped(self, stats: Stats) -> Stats:
        """Return the statistics with the times filled in."""
        return replace(
            stats,
            ttft_ms=None if self._first_text is None else _ms(self._first_text - self._start),
            queued_ms=None if self._turn is None else _ms(self._turn - self._start),
            duration_ms=_ms(self._clock() - self._start),
            tokens_per_second=self._tokens_per_second(),
        )

    def _tokens_per_second(self) -> float | None:
        n_tokens = self._usage.output_tokens - self._usage.reasoning_tokens
        if not self._has_text or n_tokens <= 1 or self._last_text <= self._begun:
            return None
        return round(n_tokens / (self._last_text - self._begun), 1)


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 2)

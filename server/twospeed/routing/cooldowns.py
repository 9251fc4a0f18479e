"""Cooldowns: which lane entries are not used after a failure, why, and until when.

A cooldown lasts as long as the provider says. Otherwise its length is a guess by cause that doubles with each
consecutive failure. Times are seconds of the caller's clock.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from twospeed.errors import (
    AnswerBrokeOff,
    ModelError,
    ModelOverloaded,
    ModelTimeout,
    ModelUnavailable,
    QuotaExhausted,
    RateLimited,
    UnknownModel,
)
from twospeed.models.codecs.retry_after import format_seconds

from .lanes import LaneEntry

# Limit for a provider's own time: an absurd value must not disable a model for the day.
MAX_COOLDOWN_S = 3600.0

_MAX_GUESS_S = 300.0
_TIMER_TOLERANCE_S = 0.001  # a timer may fire slightly early


class Cause(Enum):
    """Cause of a cooldown; each value fits after "is"."""

    RATE = "rate limited"
    QUOTA = "out of quota"
    OVERLOAD = "overloaded"
    DOWN = "down"


# Rate limits are counted by the minute, so a few tries find the gap; credit is bought by a person.
_GUESSES_S = {Cause.RATE: 10.0, Cause.QUOTA: 900.0, Cause.OVERLOAD: 10.0, Cause.DOWN: 5.0}

_ERRORS: dict[Cause, type[ModelError]] = {
    Cause.RATE: RateLimited,
    Cause.QUOTA: QuotaExhausted,
    Cause.OVERLOAD: ModelOverloaded,
    Cause.DOWN: ModelUnavailable,
}

_CAUSES: tuple[tuple[type[ModelError], Cause], ...] = (
    # The first matching row counts.
    (RateLimited, Cause.RATE),
    (QuotaExhausted, Cause.QUOTA),
    (ModelOverloaded, Cause.OVERLOAD),
    (ModelUnavailable, Cause.DOWN),
    (AnswerBrokeOff, Cause.DOWN),
    (ModelTimeout, Cause.DOWN),
)


def cause_of(error: ModelError) -> Cause | None:
    """Return the cause of a cooldown; None if waiting does not help."""
    # A wrong key, an unknown model and a refused request need a person. An answer that exceeded `total_s` was in
    # progress.
    if isinstance(error, UnknownModel) or (isinstance(error, ModelTimeout) and error.limit == "total_s"):
        return None
    return next((cause for kind, cause in _CAUSES if isinstance(error, kind)), None)


@dataclass(frozen=True, slots=True)
class Cooldown:
    """The cooldown of an entry, or of a whole provider if its account is out of quota."""

    cause: Cause
    until: float
    is_from_provider: bool  # otherwise the time is a guess
    n_failures: int

    def description(self, now: float) -> str:
        """Format cause and time: ``rate limited, again in 42 s``."""
        return f"{self.cause.value}, again in {format_seconds(self.until - now)}"

    def error(self, entry: LaneEntry, now: float) -> ModelError:
        """Return the error of an edit that needed this entry."""
        message = f"{entry.label} is {self.description(now)}"
        return _ERRORS[self.cause](message, provider=entry.provider, model=entry.model)


_Key = tuple[str, str | None]


@dataclass(frozen=True, slots=True)
class Cooldowns:
    """All known failures; an expired one is kept until the entry serves again."""

    _by_key: Mapping[_Key, Cooldown] = field(default_factory=dict)

    def of(self, entry: LaneEntry, now: float) -> Cooldown | None:
        """Return the longest active cooldown of an entry."""
        known = (self._by_key.get(key) for key in _keys(entry))
        return max(
            (each for each in known if each and now < each.until - _TIMER_TOLERANCE_S),
            key=lambda it: it.until,
            default=None,
        )

    def failed(self, entry: LaneEntry, error: ModelError, now: float) -> Cooldowns:
        """Return the cooldowns after a failure."""
        cause = cause_of(error)
        if cause is None:
            return self
        key = (entry.provider, None if cause is Cause.QUOTA else entry.model)
        before = self._by_key.get(key)
        is_new = before is None or now >= before.until  # concurrent edits may report the same failure
        n_failures = (before.n_failures if before else 0) + is_new
        guess_s, provider_s = _GUESSES_S[cause], error.retry_after_s
        # If the provider's own time proved too short, a short time is not trusted again.
        was_wrong = before is not None and before.is_from_provider and is_new
        if provider_s is not None and (provider_s >= guess_s or not was_wrong):
            until = now + min(provider_s, MAX_COOLDOWN_S)
            cooldown = Cooldown(cause, until, is_from_provider=True, n_failures=n_failures)
        elif before and before.is_from_provider and not is_new:
            return self
        else:
            doubled_s = min(guess_s * 2.0 ** min(n_failures - 1, 10), max(guess_s, _MAX_GUESS_S))
            cooldown = Cooldown(cause, now + doubled_s, is_from_provider=False, n_failures=n_failures)
        return Cooldowns({**self._by_key, key: cooldown})

    def served(self, entry: LaneEntry) -> Cooldowns:
        """Return the cooldowns after an answer."""
        if not any(key in self._by_key for key in _keys(entry)):
            return self
        keys = set(_keys(entry))
        return Cooldowns({key: each for key, each in self._by_key.items() if key not in keys})


def _keys(entry: LaneEntry) -> tuple[_Key, _Key]:
    return (entry.provider, entry.model), (entry.provider, None)

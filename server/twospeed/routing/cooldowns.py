"""Leave alone for a while who could not answer: which entries cool down, why, and until when.

An entry cools for as long as its provider said. Where it said nothing it cools for a time that fits the cause and
doubles with each failure in a row; that is a guess, so such an entry is still asked where no other model is ready.
Who has said "soon" and fails again is not believed a second time.
Times are seconds of the clock of whoever keeps these values.
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
from twospeed.models.codecs.retry_after import spelt

from .lanes import LaneEntry

MAX_COOLDOWN_S = 3600.0
"""Whatever a provider says: an absurd number must not cost a model for the rest of the day."""

_MAX_GUESS_S = 300.0
_GRAIN_S = 0.001  # a timer may go off a little early


class Cause(Enum):
    """Why an entry cools down; the values read well behind "is"."""

    RATE = "rate limited"
    QUOTA = "out of quota"
    OVERLOAD = "overloaded"
    DOWN = "down"


_GUESSES_S = {Cause.RATE: 10.0, Cause.QUOTA: 900.0, Cause.OVERLOAD: 10.0, Cause.DOWN: 5.0}
"""Rate limits are counted by the minute, so several tries find the gap; credit is bought by a person."""

_ERRORS: dict[Cause, type[ModelError]] = {
    Cause.RATE: RateLimited,
    Cause.QUOTA: QuotaExhausted,
    Cause.OVERLOAD: ModelOverloaded,
    Cause.DOWN: ModelUnavailable,
}

_CAUSES: tuple[tuple[type[ModelError], Cause], ...] = (
    # The first row that fits counts.
    (RateLimited, Cause.RATE),
    (QuotaExhausted, Cause.QUOTA),
    (ModelOverloaded, Cause.OVERLOAD),
    (ModelUnavailable, Cause.DOWN),
    (AnswerBrokeOff, Cause.DOWN),
    (ModelTimeout, Cause.DOWN),
)


def cause_of(error: ModelError) -> Cause | None:
    """Say why an entry that failed like this should be left alone; ``None`` where that would be of no use.

    A wrong key, an unknown model or a request that is not understood will be so in a minute as well, and somebody
    has to mend it; an answer that took longer than ``total_s`` was on its way.
    """
    if isinstance(error, UnknownModel) or (isinstance(error, ModelTimeout) and error.limit == "total_s"):
        return None
    return next((cause for kind, cause in _CAUSES if isinstance(error, kind)), None)


@dataclass(frozen=True, slots=True)
class Cooldown:
    """One entry's, or, where an account has run out of quota, all of a provider's.

    Attributes:
        cause: Why.
        until: When it is over.
        is_said: Whether the provider said for how long; else it is a guess.
        n_failures: How many in a row.
    """

    cause: Cause
    until: float
    is_said: bool
    n_failures: int

    def words(self, now: float) -> str:
        """Say why and for how long, as ``rate limited, again in 42 s``."""
        return f"{self.cause.value}, again in {spelt(self.until - now)}"

    def error(self, entry: LaneEntry, now: float) -> ModelError:
        """Make the error of an edit that would have needed this entry."""
        message = f"{entry.label} is {self.words(now)}"
        return _ERRORS[self.cause](message, provider=entry.provider, model=entry.model)


_Key = tuple[str, str | None]


@dataclass(frozen=True, slots=True)
class Cooldowns:
    """All that is known of failures; those that are over are remembered until the entry has served again."""

    _by_key: Mapping[_Key, Cooldown] = field(default_factory=dict)

    def of(self, entry: LaneEntry, now: float) -> Cooldown | None:
        """Return an entry's cooldown, of two the longer one; ``None`` where it may be asked."""
        known = (self._by_key.get(key) for key in _keys(entry))
        return max(
            (each for each in known if each and now < each.until - _GRAIN_S),
            key=lambda it: it.until,
            default=None,
        )

    def failed(self, entry: LaneEntry, error: ModelError, now: float) -> Cooldowns:
        """Take note of a failure."""
        cause = cause_of(error)
        if cause is None:
            return self
        key = (entry.provider, None if cause is Cause.QUOTA else entry.model)
        before = self._by_key.get(key)
        is_new = before is None or now >= before.until  # several edits may run into the same trouble
        n_failures = (before.n_failures if before else 0) + is_new
        guess_s, said_s = _GUESSES_S[cause], error.retry_after_s
        was_wrong = before is not None and before.is_said and is_new
        if said_s is not None and (said_s >= guess_s or not was_wrong):
            until = now + min(said_s, MAX_COOLDOWN_S)
            cooldown = Cooldown(cause, until, is_said=True, n_failures=n_failures)
        elif before and before.is_said and not is_new:
            return self
        else:
            doubled_s = min(guess_s * 2.0 ** min(n_failures - 1, 10), max(guess_s, _MAX_GUESS_S))
            cooldown = Cooldown(cause, now + doubled_s, is_said=False, n_failures=n_failures)
        return Cooldowns({**self._by_key, key: cooldown})

    def served(self, entry: LaneEntry) -> Cooldowns:
        """Take note that an entry answers."""
        if not any(key in self._by_key for key in _keys(entry)):
            return self
        keys = set(_keys(entry))
        return Cooldowns({key: each for key, each in self._by_key.items() if key not in keys})


def _keys(entry: LaneEntry) -> tuple[_Key, _Key]:
    return (entry.provider, entry.model), (entry.provider, None)

"""Decide whether a request that failed is made again, and when. Nothing of its answer was shown by then.

With another model ready, nobody waits long for this one. Where there is no other, the same model is asked again, if
the failure is one that passes. Sources: the retry rules of the providers' SDKs, which wait half a second, twice that,
and so on, at most two minutes where they are told to.
"""

from __future__ import annotations

from dataclasses import dataclass

from twospeed.errors import (
    AnswerBrokeOff,
    ModelError,
    ModelTimeout,
    ModelUnavailable,
    RateLimited,
    UnknownModel,
)

from .cooldowns import cause_of
from .lanes import Mode

MAX_REQUESTS = 3
"""For one instruction, whoever is asked."""

SHOWN_FROM_S = 3.0
"""A person is told of a wait that is longer."""

_PATIENCE_S: dict[tuple[Mode, bool], float] = {
    # mode, whether another model is ready
    ("lightning", True): 0.3,
    ("lightning", False): SHOWN_FROM_S,
    ("deep", True): SHOWN_FROM_S,
    ("deep", False): 120.0,
}
"""How long an instruction may wait in all."""

_FIRST_WAIT_S = 0.5
_LONGEST_WAIT_S = 8.0
_JITTER = 0.25


@dataclass(frozen=True, slots=True)
class Situation:
    """What is known when a request has failed.

    Attributes:
        mode: The speed asked for.
        n_requests: How many were made for this instruction.
        waited_s: How long it has waited already.
        has_other: Whether another model than the one that failed is ready, the built-in engine not counted.
        has_last_resort: Whether at least the built-in engine may be asked instead, or a model that cools down.
        jitter: Between 0 and 1, by chance: many clients must not come back in the same moment.
    """

    mode: Mode
    n_requests: int
    waited_s: float
    has_other: bool
    has_last_resort: bool
    jitter: float


def wait_before_next(error: ModelError, situation: Situation) -> float | None:
    """Return the seconds to wait before the next request, ``None`` where there is to be none.

    The next request goes to whoever `choose_route` names then. The provider's own word on retries counts: "no" keeps
    the request from this model, "yes" allows it, whatever the failure.
    """
    if situation.n_requests >= MAX_REQUESTS:
        return None
    goes_elsewhere = cause_of(error) is not None  # a model that does not cool down is chosen again
    has_other = situation.has_other and goes_elsewhere
    if _passes(error):
        wait_s = _wait_for_this(error, situation, has_other=has_other)
        if wait_s is not None:
            return wait_s
    if isinstance(error, ModelTimeout) and error.limit != "connect_s":
        return None  # the time of this edit is up
    return 0.0 if has_other or (situation.has_last_resort and goes_elsewhere) else None


def _passes(error: ModelError) -> bool:
    """Tell whether the same request may succeed there in a moment."""
    if error.should_retry is not None:
        return error.should_retry
    is_passing = isinstance(error, RateLimited | ModelUnavailable | AnswerBrokeOff)
    return is_passing and not isinstance(error, UnknownModel)


def _wait_for_this(error: ModelError, situation: Situation, *, has_other: bool) -> float | None:
    """Return how long to wait for the model that failed; ``None`` where that is too long."""
    if error.retry_after_s is not None:
        wait_s = error.retry_after_s
    elif has_other:
        return None
    else:
        wait_s = min(_FIRST_WAIT_S * 2 ** (situation.n_requests - 1), _LONGEST_WAIT_S)
    if situation.waited_s + wait_s > _PATIENCE_S[situation.mode, has_other]:
        return None
    return wait_s * (1 + _JITTER * situation.jitter)

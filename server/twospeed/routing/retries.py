"""Decide whether and when a failed request is repeated. Nothing of its answer was shown yet.

Source: the retry rules of the providers' SDKs: half a second, doubling, and at most two minutes if the
provider says so.
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

# For one instruction, over all models.
MAX_REQUESTS = 3

# Longer waits are shown to the user.
SHOWN_FROM_S = 3.0

# Longest total wait for one instruction.
_PATIENCE_S: dict[tuple[Mode, bool], float] = {
    # mode, whether another model is ready
    ("lightning", True): 0.3,
    ("lightning", False): SHOWN_FROM_S,
    ("deep", True): SHOWN_FROM_S,
    ("deep", False): 120.0,
}

_FIRST_WAIT_S = 0.5
_LONGEST_WAIT_S = 8.0
_JITTER = 0.25


@dataclass(frozen=True, slots=True)
class Situation:
    """The state after a failed request."""

    mode: Mode
    n_requests: int
    waited_s: float
    has_other: bool  # another model is ready, except the built-in engine
    has_last_resort: bool  # the built-in engine or a cooling model may be used instead
    jitter: float  # between 0 and 1, so that clients do not retry at the same time


def wait_before_next(error: ModelError, situation: Situation) -> float | None:
    """Return the seconds to wait before the next request, or None for no request."""
    if situation.n_requests >= MAX_REQUESTS:
        return None
    goes_elsewhere = cause_of(error) is not None  # a model that does not cool down is chosen again
    has_other = situation.has_other and goes_elsewhere
    if _is_temporary(error):
        wait_s = _wait_for_this(error, situation, has_other=has_other)
        if wait_s is not None:
            return wait_s
    if isinstance(error, ModelTimeout) and error.limit != "connect_s":
        return None  # this edit has used its time
    return 0.0 if has_other or (situation.has_last_resort and goes_elsewhere) else None


def _is_temporary(error: ModelError) -> bool:
    if error.should_retry is not None:  # the provider's `x-should-retry`
        return error.should_retry
    is_passing = isinstance(error, RateLimited | ModelUnavailable | AnswerBrokeOff)
    return is_passing and not isinstance(error, UnknownModel)


def _wait_for_this(error: ModelError, situation: Situation, *, has_other: bool) -> float | None:
    if error.retry_after_s is not None:
        wait_s = error.retry_after_s
    elif has_other:
        return None  # the other model is used
    else:
        wait_s = min(_FIRST_WAIT_S * 2 ** (situation.n_requests - 1), _LONGEST_WAIT_S)
    if situation.waited_s + wait_s > _PATIENCE_S[situation.mode, has_other]:
        return None
    return wait_s * (1 + _JITTER * situation.jitter)

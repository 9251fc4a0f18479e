"""Map errors to reasons of the contract: a code of the closed list, and one sentence for the user."""

from __future__ import annotations

from twospeed import errors
from twospeed.secrets.scrub import scrub

from .values import Reason

_CODES: tuple[tuple[type[BaseException], str], ...] = (
    (errors.ModelUnavailable, "model-unavailable"),
    (errors.ModelTimeout, "model-timeout"),
    (errors.RateLimited, "rate-limited"),
    (errors.QuotaExhausted, "quota"),
    (errors.InvalidKey, "invalid-key"),
    (errors.ContextTooLong, "context-too-long"),
    (errors.ModelProtocolError, "model-protocol"),
    (errors.BudgetSpent, "budget"),
    (errors.OwnKeyInPrompt, "secret"),
    (errors.UnsafeEndpoint, "unsafe-endpoint"),
    (errors.EditUnconfirmed, "unconfirmed"),
    (errors.ClientRefused, "client-refused"),
    (errors.SettingsError, "settings"),
)


def reason_of(error: BaseException) -> Reason:
    """Return the reason for an error; only the log has the details of an unexpected error."""
    if isinstance(error, errors.TwospeedError):
        code = next((code for kind, code in _CODES if isinstance(error, kind)), "internal")
        return Reason(code, scrub(str(error)))
    return Reason("internal", "twospeed failed; the log has the details")

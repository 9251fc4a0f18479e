"""Turn what a provider says of a failure into one of our errors. No I/O.

The same words come as the body of an HTTP error and, after HTTP 200, as an event in the middle of an answer;
both pass here. The codes decide before the status does: providers say "no credit left" with 429 and "prompt too
long" with 400, 413 or 500. What is quoted from a provider is one line of at most 200 characters, with control
and invisible characters escaped and keys masked; nothing is quoted where the key itself was the matter.
Sources: the error pages of OpenAI, Anthropic, OpenRouter and Groq, llama.cpp's and vLLM's servers, RFC 9110.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from enum import Enum, auto

import orjson

from twospeed.errors import (
    ContextTooLong,
    InvalidKey,
    ModelError,
    ModelProtocolError,
    ModelUnavailable,
    QuotaExhausted,
    RateLimited,
)

from .keys import Secret, scrub

MAX_QUOTED_CHARS = 200
_MAX_RETRY_AFTER_S = 24 * 3600.0
_MAX_LOOKED_AT_CHARS = 16 * 1024
# Wider than the shapes of `secret_shapes`: providers quote keys half masked, and here no word is too dear.
_KEY_LIKE = re.compile(r"\b(?:(?:sk|gsk|csk|xai|rk|pk|key)[-_]|bearer )[\w*.+/=-]{6,}", re.IGNORECASE)
_TRY_AGAIN_IN = re.compile(r"try again in ([0-9]{1,6}(?:\.[0-9]{1,6})?) ?(ms|s)\b", re.IGNORECASE)


class _Kind(Enum):
    KEY = auto()
    QUOTA = auto()
    RATE = auto()
    CONTEXT = auto()
    MODEL = auto()
    UNAVAILABLE = auto()
    REQUEST = auto()


_KIND_BY_CODE = (
    ("insufficient_quota", _Kind.QUOTA),
    ("credit_balance", _Kind.QUOTA),
    ("billing_error", _Kind.QUOTA),
    ("context_length_exceeded", _Kind.CONTEXT),
    ("exceed_context_size", _Kind.CONTEXT),  # llama.cpp
    ("model_not_found", _Kind.MODEL),
    ("invalid_api_key", _Kind.KEY),
    ("authentication_error", _Kind.KEY),
    ("permission_error", _Kind.KEY),
    ("rate_limit", _Kind.RATE),
    ("slow_down", _Kind.UNAVAILABLE),
    ("overloaded", _Kind.UNAVAILABLE),
)
_TOO_LONG_PHRASES = ("maximum context length", "prompt is too long")  # vLLM and OpenRouter; Anthropic
_KIND_BY_STATUS = {
    401: _Kind.KEY,
    402: _Kind.QUOTA,
    403: _Kind.KEY,
    404: _Kind.MODEL,
    408: _Kind.UNAVAILABLE,
    409: _Kind.UNAVAILABLE,
    413: _Kind.CONTEXT,
    429: _Kind.RATE,
    498: _Kind.UNAVAILABLE,  # Groq: capacity exceeded
}
_SENTENCES: dict[_Kind, tuple[Callable[..., ModelError], str]] = {
    _Kind.KEY: (InvalidKey, "{provider} did not accept the key"),
    _Kind.QUOTA: (QuotaExhausted, "{provider} has no credit left for this account"),
    _Kind.RATE: (RateLimited, "{provider} takes no more requests for now"),
    _Kind.CONTEXT: (ContextTooLong, "the prompt is too long for {model}"),
    _Kind.MODEL: (ModelUnavailable, "{provider} does not know {model}, or its base_url is wrong"),
    _Kind.UNAVAILABLE: (ModelUnavailable, "{provider} could not answer"),
    _Kind.REQUEST: (ModelProtocolError, "{provider} refused the request"),
}
_FIRST_ERROR_STATUS = 400
_FIRST_SERVER_STATUS = 500


@dataclass(frozen=True, slots=True)
class Complaint:
    """What a provider said of a failure.

    Attributes:
        status: HTTP status; 200 where the failure came inside an answer and named none.
        codes: Its codes and types, for the machine.
        message: Its sentence, as sent.
        retry_after_s: How long to wait, where it said so.
    """

    status: int
    codes: str = ""
    message: str = ""
    retry_after_s: float | None = None


def read_complaint(status: int, headers: Mapping[str, str], body: bytes) -> Complaint:
    """Read an HTTP error; ``headers`` must be found whatever their case, a body that is not JSON says nothing."""
    try:
        parsed: object = orjson.loads(body)
    except orjson.JSONDecodeError:
        parsed = None
    inner = complaint_from_json(parsed, status=status) or Complaint(status)
    wait = parse_retry_after(headers)
    if wait is None:
        wait = inner.retry_after_s
    return Complaint(status, inner.codes, inner.message, wait)


def complaint_from_json(value: object, *, status: int = 200) -> Complaint | None:
    """Find the error in a JSON value; ``None`` where there is none.

    Knows ``{"error": {…}}``, ``{"error": "…"}``, the same in a list of one (Google), a bare
    ``{"object": "error", "message": …}`` (vLLM) and ``{"detail": …}`` (FastAPI).
    """
    if isinstance(value, list) and value:
        value = value[0]
    if not isinstance(value, dict):
        return None
    error = value.get("error") or value.get("detail") or (value if value.get("object") == "error" else None)
    if error is None:
        return None
    if not isinstance(error, dict):
        return Complaint(status, message=error if isinstance(error, str) else "")
    code, kind, message = error.get("code"), error.get("type"), error.get("message")
    if isinstance(code, int) and _FIRST_ERROR_STATUS <= code < 600 and status < _FIRST_ERROR_STATUS:  # noqa: PLR2004
        status = code  # OpenRouter's way to say it after HTTP 200
    message = message if isinstance(message, str) else ""
    codes = " ".join(word for word in (code, kind) if isinstance(word, str))
    return Complaint(status, codes, message, _wait_in_words(message))


def model_error(complaint: Complaint, *, provider: str, model: str, key: Secret | None = None) -> ModelError:
    """Make the error to raise; never quotes ``key``."""
    kind = _kind_of(complaint)
    error, sentence = _SENTENCES[kind]
    message = sentence.format(provider=provider, model=model)
    if complaint.status >= _FIRST_ERROR_STATUS:
        message += f" (HTTP {complaint.status})"
    said = "" if kind is _Kind.KEY else quote(complaint.message, key=key)
    if said:
        message += f": {said}"
    if kind is _Kind.RATE:
        return RateLimited(message, provider=provider, model=model, retry_after_s=complaint.retry_after_s)
    return error(message, provider=provider, model=model)


def quote(text: str, *, key: Secret | None = None) -> str:
    """Make foreign text fit for a message: one line, at most 200 characters, nothing invisible, no key."""
    if key is not None:
        text = key.hide_in(text)
    text = scrub(text[:_MAX_LOOKED_AT_CHARS])
    text = _KEY_LIKE.sub("***", text)
    line = " ".join(text[: 4 * MAX_QUOTED_CHARS].split()).rstrip(".")
    shown = "".join(char if _is_visible(char) else f"\\u{{{ord(char):x}}}" for char in line)
    return shown if len(shown) <= MAX_QUOTED_CHARS else shown[: MAX_QUOTED_CHARS - 1] + "…"


def parse_retry_after(headers: Mapping[str, str]) -> float | None:
    """Read ``retry-after-ms`` and ``Retry-After`` (RFC 9110, section 10.2.3), in seconds.

    A date is measured against the answer's own ``Date``, so that no clock of ours is needed or trusted.

    Returns:
        Between 0 and one day; ``None`` where the headers are missing or make no sense.
    """
    for name, unit_s in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        seconds = _number(headers.get(name, ""))
        if seconds is not None:
            return _bounded(seconds * unit_s)
    try:
        until = parsedate_to_datetime(headers.get("retry-after", ""))
        sent = parsedate_to_datetime(headers.get("date", ""))
        return _bounded((until - sent).total_seconds())
    except (ValueError, TypeError, OverflowError):
        return None


def _kind_of(complaint: Complaint) -> _Kind:
    codes = complaint.codes.lower()
    for code, kind in _KIND_BY_CODE:
        if code in codes:
            return kind
    if any(phrase in complaint.message.lower() for phrase in _TOO_LONG_PHRASES):
        return _Kind.CONTEXT
    is_ours = _FIRST_ERROR_STATUS <= complaint.status < _FIRST_SERVER_STATUS
    return _KIND_BY_STATUS.get(complaint.status, _Kind.REQUEST if is_ours else _Kind.UNAVAILABLE)


def _wait_in_words(message: str) -> float | None:
    match = _TRY_AGAIN_IN.search(message)
    if match is None:
        return None
    return _bounded(float(match[1]) * (0.001 if match[2].lower() == "ms" else 1.0))


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _bounded(seconds: float) -> float:
    return min(max(seconds, 0.0), _MAX_RETRY_AFTER_S)


def _is_visible(char: str) -> bool:
    # Categories C* are control, format (bidi overrides, tags), surrogate, private and unassigned characters.
    return not unicodedata.category(char).startswith("C") and char not in "\u2028\u2029"

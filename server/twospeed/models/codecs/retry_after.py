"""Parse how long a provider requires the client to wait.

Sources: RFC 9110, section 10.2.3 (``Retry-After``); the rate limit pages of OpenAI and Groq (``6m0s``),
Cerebras (seconds), Anthropic (RFC 3339 dates) and OpenRouter (milliseconds since 1970).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

MAX_WAIT_S = 24 * 3600.0  # longer waits are cut to this

_UNITS_S = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_PART = r"(\d{1,9}(?:\.\d{1,9})?) ?(ms|[smhd])(?:econds?|inutes?|ours?)?(?![a-z])"
_PARTS = re.compile(_PART)
_DURATION = re.compile(f"(?:{_PART} ?){{1,4}}")
_TRY_AGAIN_IN = re.compile("try again in ")
_RESET = re.compile(r"(?:x|anthropic)-ratelimit-(?:.*-)?reset(?:-.*)?")
_FIRST_EPOCH_S = 1e9
_FIRST_EPOCH_MS = 1e12


def parse_wait(headers: Mapping[str, str]) -> float | None:
    """Return the seconds of the first valid header, between 0 and one day."""
    for name, unit_s in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        seconds = _number(headers.get(name, ""))
        if seconds is not None:
            return _bounded(seconds * unit_s)
    # A date is compared with the date of the response, so the local clock does not matter.
    sent = _moment(headers.get("date", ""))
    until = _moment(headers.get("retry-after", ""))
    if until is not None:
        return None if sent is None else _bounded(until - sent)
    return _until_reset(headers, sent)


def parse_wait_in_message(message: str) -> float | None:
    """Find "try again in 1.3s" in a message; seconds, between 0 and one day."""
    message = message.lower()
    before = _TRY_AGAIN_IN.search(message)
    duration = _DURATION.match(message, before.end()) if before else None
    return _duration(duration[0]) if duration else None


def format_seconds(seconds: float) -> str:
    """Format seconds, rounded up: ``0.3 s``, ``42 s``, ``5 min``, ``2 h``."""
    if seconds < 1:
        return f"{max(math.ceil(seconds * 10), 1) / 10:g} s"
    for unit_s, unit, limit in ((1, "s", 120), (60, "min", 120)):
        count = math.ceil(seconds / unit_s)
        if count < limit:
            return f"{count} {unit}"
    return f"{math.ceil(seconds / 3600)} h"


def _until_reset(headers: Mapping[str, str], sent: float | None) -> float | None:
    # The longest wait of the exhausted limits counts, or else the shortest of all.
    exhausted, all_waits = [], []
    for name, wait in _resets(headers, sent):
        all_waits.append(wait)
        if _number(headers.get(name.replace("reset", "remaining"), "")) == 0:
            exhausted.append(wait)
    return max(exhausted) if exhausted else min(all_waits, default=None)


def _resets(headers: Mapping[str, str], sent: float | None) -> Iterator[tuple[str, float]]:
    for name, value in headers.items():
        if not _RESET.fullmatch(name.lower()):
            continue
        seconds = _number(value)
        if seconds is None:
            moment = _moment(value)
            wait = _duration(value) if moment is None else _since(sent, moment)
        elif seconds >= _FIRST_EPOCH_S:
            wait = _since(sent, seconds / 1000 if seconds >= _FIRST_EPOCH_MS else seconds)
        else:
            wait = _bounded(seconds)
        if wait is not None:
            yield name.lower(), wait


def _duration(text: str) -> float | None:
    if not _DURATION.fullmatch(text):
        return None
    return _bounded(sum(float(count) * _UNITS_S[unit] for count, unit in _PARTS.findall(text)))


def _moment(text: str) -> float | None:
    for parse in (parsedate_to_datetime, datetime.fromisoformat):  # HTTP and RFC 3339
        try:
            moment = parse(text)
        except (ValueError, TypeError, IndexError, OverflowError):
            continue
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    return None


def _since(sent: float | None, moment: float) -> float | None:
    return None if sent is None else _bounded(moment - sent)


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _bounded(seconds: float) -> float:
    return min(max(seconds, 0.0), MAX_WAIT_S)

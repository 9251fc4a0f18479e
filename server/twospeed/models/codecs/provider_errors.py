"""Map a provider's error to an exception.

Codes decide before the status: providers report "no credit left" with 429, and "prompt too long" with 400,
413 or 500. An error about the key is not quoted, because it may contain half of the key.
Sources: error pages of OpenAI, Anthropic, OpenRouter, Groq and Cerebras; llama.cpp's and vLLM's servers.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, auto

import orjson

from twospeed.errors import (
    ContextTooLong,
    InvalidKey,
    ModelError,
    ModelOverloaded,
    ModelProtocolError,
    ModelUnavailable,
    QuotaExhausted,
    RateLimited,
    UnknownModel,
)
from twospeed.models.keys.secret import Secret
from twospeed.secrets.scrub import scrub

from .retry_after import format_seconds, parse_wait, parse_wait_in_message

MAX_QUOTED_CHARS = 200
_MAX_SCANNED_CHARS = 16 * 1024
# Text that looks like a key, also after a masked part of a known key: many keys share a prefix. It is wider than
# the patterns of `secrets`, because providers quote partly masked keys and a false match does no harm.
_KEY_LIKE = re.compile(
    r"(?:\*{3}|\b(?:(?:sk|gsk|csk|xai|rk|pk|key)[-_]|bearer ))[\w*.+/=-]{6,}", re.IGNORECASE
)


class _Kind(Enum):
    KEY = auto()
    ACCESS = auto()
    QUOTA = auto()
    RATE = auto()
    CONTEXT = auto()
    MODEL = auto()
    OVERLOAD = auto()
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
    ("permission_error", _Kind.ACCESS),  # Anthropic
    ("rate_limit", _Kind.RATE),
    ("slow_down", _Kind.OVERLOAD),
    ("overloaded", _Kind.OVERLOAD),
    ("capacity_exceeded", _Kind.OVERLOAD),  # Groq
)
_TOO_LONG_PHRASES = ("maximum context length", "prompt is too long")  # vLLM and OpenRouter; Anthropic
_KIND_BY_STATUS = {
    401: _Kind.KEY,
    402: _Kind.QUOTA,
    403: _Kind.ACCESS,  # OpenAI: a country or a project; Anthropic: what the key may not use
    404: _Kind.MODEL,
    408: _Kind.UNAVAILABLE,
    409: _Kind.UNAVAILABLE,
    413: _Kind.CONTEXT,
    429: _Kind.RATE,
    498: _Kind.OVERLOAD,  # Groq
    503: _Kind.OVERLOAD,
    529: _Kind.OVERLOAD,  # Anthropic
}
_SENTENCES: dict[_Kind, tuple[Callable[..., ModelError], str]] = {
    _Kind.KEY: (InvalidKey, "{provider} rejected the key"),
    _Kind.ACCESS: (InvalidKey, "{provider} does not allow this key to use {model}"),
    _Kind.QUOTA: (QuotaExhausted, "{provider} has no credit left for this account"),
    _Kind.RATE: (RateLimited, "{provider} accepts no more requests for {now}"),
    _Kind.CONTEXT: (ContextTooLong, "the prompt is too long for {model}"),
    _Kind.MODEL: (UnknownModel, "{provider} does not know {model}, or its base_url is wrong"),
    _Kind.OVERLOAD: (ModelOverloaded, "{model} has no capacity at {provider} for {now}"),
    _Kind.UNAVAILABLE: (ModelUnavailable, "{provider} could not answer"),
    _Kind.REQUEST: (ModelProtocolError, "{provider} refused the request"),
}
_FIRST_ERROR_STATUS = 400
_FIRST_SERVER_STATUS = 500

_MAX_TOKENS = 10**9

_CONTEXT_LIMIT = re.compile(r"(?:maximum context length|while limit) is (\d{1,10})")
_PROMPT_LENGTHS = (
    re.compile(r"\((\d{1,10}) (?:in|of) (?!the (?:completion|output))"),  # (4904 in the messages, 4096 in …)
    re.compile(r"resulted in (\d{1,10}) tokens"),
    re.compile(r"has (\d{1,10}) input tokens"),
)
_ANTHROPIC = (
    re.compile(r"(?P<prompt>\d{1,10}) tokens > (?P<limit>\d{1,10}) maximum"),
    re.compile(r"(?P<prompt>\d{1,10}) \+ \d{1,10} > (?P<limit>\d{1,10})"),
)
# A request larger than the account's tokens per minute: waiting does not help. With ``Used`` in it, it does.
_LIMIT_AND_SUM = re.compile(r"Limit (?P<limit>\d{1,10}), Requested (?P<total>\d{1,10})")


@dataclass(frozen=True, slots=True)
class Overflow:
    """Tokens of a prompt that is too long, as the provider counts."""

    prompt_tokens: int | None = None
    limit_tokens: int | None = None  # of prompt and answer together
    total_tokens: int | None = None  # of prompt and longest answer, if only their sum is known

    def of_prompt(self, max_output_tokens: int) -> int | None:
        """Return the prompt's tokens, given the request's limit for the answer."""
        if self.total_tokens is None:
            return self.prompt_tokens
        return _token_count(self.total_tokens - max_output_tokens)


@dataclass(frozen=True, slots=True)
class ProviderError:
    """A provider's error; ``status`` is 200 if it came inside a response without a status."""

    status: int  # 200 if the error came inside a response without a status
    codes: str = ""
    message: str = ""
    retry_after_s: float | None = None
    should_retry: bool | None = None
    overflow: Overflow = field(default_factory=Overflow)


def read_provider_error(status: int, headers: Mapping[str, str], body: bytes) -> ProviderError:
    """Parse an HTTP error; ``headers`` must be case-insensitive. A body that is not JSON is ignored."""
    try:
        parsed: object = orjson.loads(body)
    except orjson.JSONDecodeError:
        parsed = None
    inner = provider_error_from_json(parsed, status=status) or ProviderError(status)
    wait = parse_wait(headers)
    return replace(
        inner,
        status=status,
        retry_after_s=inner.retry_after_s if wait is None else wait,
        should_retry={"true": True, "false": False}.get(headers.get("x-should-retry", "").lower()),
    )


def provider_error_from_json(value: object, *, status: int = 200) -> ProviderError | None:
    """Return the error in a JSON value, or None."""
    if isinstance(value, list) and value:  # Google
        value = value[0]
    if not isinstance(value, dict):
        return None
    is_bare = value.get("object") == "error" or (
        status >= _FIRST_ERROR_STATUS and isinstance(value.get("message"), str)
    )
    # The forms: {"error": {…}}, {"error": "…"}, {"detail": …} (FastAPI), {"object": "error", "message": …} (vLLM)
    # and, with an error status, {"message": …} (Cerebras).
    error = value.get("error") or value.get("detail") or (value if is_bare else None)
    if error is None:
        return None
    if not isinstance(error, dict):
        return ProviderError(status, message=error if isinstance(error, str) else "")
    code, kind, message = error.get("code"), error.get("type"), error.get("message")
    if isinstance(code, int) and _FIRST_ERROR_STATUS <= code < 600 and status < _FIRST_ERROR_STATUS:  # noqa: PLR2004
        status = code  # OpenRouter, after HTTP 200
    message = message if isinstance(message, str) else ""
    codes = " ".join(word for word in (code, kind) if isinstance(word, str))
    return ProviderError(
        status, codes, message, parse_wait_in_message(message), overflow=read_overflow(error, message)
    )


def model_error(
    provider_error: ProviderError,
    *,
    provider: str,
    model: str,
    key: Secret | None = None,
    max_output_tokens: int = 0,
) -> ModelError:
    """Return the exception, without ``key`` in its message."""
    kind = _kind_of(provider_error)
    error, sentence = _SENTENCES[kind]
    is_key_missing = kind is _Kind.KEY and key is None
    if is_key_missing:
        sentence = "{provider} requires a key, and none was sent"
    wait_s = provider_error.retry_after_s
    message = sentence.format(
        provider=provider, model=model, now="now" if wait_s is None else format_seconds(wait_s)
    )
    if provider_error.status >= _FIRST_ERROR_STATUS:
        message += f" (HTTP {provider_error.status})"
    if is_key_missing:
        message += (
            ": name the variable of its key in api_key_env in your config, or run twospeed key set "
            + provider
        )
    is_about_key = kind is _Kind.KEY or (kind is _Kind.ACCESS and "key" in provider_error.message.lower())
    quoted = "" if is_about_key else quote(provider_error.message, key=key)
    if quoted:
        message += f": {quoted}"
    if kind is _Kind.CONTEXT:
        return ContextTooLong(
            message,
            provider=provider,
            model=model,
            prompt_tokens=provider_error.overflow.of_prompt(max_output_tokens),
            limit_tokens=provider_error.overflow.limit_tokens,
            should_retry=provider_error.should_retry,
        )
    return error(
        message,
        provider=provider,
        model=model,
        retry_after_s=wait_s,
        should_retry=provider_error.should_retry,
    )


def quote(text: str, *, key: Secret | None = None) -> str:
    """Make foreign text safe for a message: one line, at most 200 characters, nothing invisible, no key."""
    if key is not None:
        text = key.hide_in(text)
    text = scrub(text[:_MAX_SCANNED_CHARS])
    text = _KEY_LIKE.sub("***", text)
    line = " ".join(text[: 4 * MAX_QUOTED_CHARS].split()).rstrip(".")
    shown = "".join(char if _is_visible(char) else f"\\u{{{ord(char):x}}}" for char in line)
    return shown if len(shown) <= MAX_QUOTED_CHARS else shown[: MAX_QUOTED_CHARS - 1] + "…"


def _kind_of(provider_error: ProviderError) -> _Kind:
    codes = provider_error.codes.lower()
    for code, kind in _KIND_BY_CODE:
        if code in codes:
            return _Kind.CONTEXT if kind is _Kind.RATE and provider_error.overflow.total_tokens else kind
    if any(phrase in provider_error.message.lower() for phrase in _TOO_LONG_PHRASES):
        return _Kind.CONTEXT
    is_client_error = _FIRST_ERROR_STATUS <= provider_error.status < _FIRST_SERVER_STATUS
    is_client_error |= "invalid_" in codes or "_policy" in codes  # after HTTP 200 only the codes show it
    return _KIND_BY_STATUS.get(provider_error.status, _Kind.REQUEST if is_client_error else _Kind.UNAVAILABLE)


def read_overflow(error: Mapping[str, object], message: str) -> Overflow:
    """Return the numbers of an error, from its fields if present, else from its message."""
    fields = Overflow(_token_count(error.get("n_prompt_tokens")), _token_count(error.get("n_ctx")))
    if fields.limit_tokens is not None:
        return fields
    for pattern in _ANTHROPIC:
        if match := pattern.search(message):
            return Overflow(_token_count(int(match["prompt"])), _token_count(int(match["limit"])))
    if (match := _LIMIT_AND_SUM.search(message)) and int(match["total"]) > int(match["limit"]):
        return Overflow(None, _token_count(int(match["limit"])), _token_count(int(match["total"])))
    limit = _CONTEXT_LIMIT.search(message)
    prompt = next((match for pattern in _PROMPT_LENGTHS if (match := pattern.search(message))), None)
    return Overflow(
        _token_count(int(prompt[1])) if prompt else None, _token_count(int(limit[1])) if limit else None
    )


def _token_count(value: object) -> int | None:
    return value if isinstance(value, int) and 0 < value <= _MAX_TOKENS else None


def _is_visible(char: str) -> bool:
    # Categories C* are control, format (bidi overrides, tags), surrogate, private and unassigned characters.
    return not unicodedata.category(char).startswith("C")

"""Classify a value as random, as a password, or as code and examples, in linear time.

`python -m benchmarks.bench_secrets` measures the bounds: secrets found, and false positives in ordinary
source.
"""

from __future__ import annotations

import math
import re
from collections import Counter

LEAST_BITS = 4.0
"""Entropy per character: English with spaces has about 4.1, identifiers less, random base64 more than 4.2."""

LEAST_HEX_BITS = 3.0
LEAST_RANDOM_CHARS = 24
LEAST_TOKEN_CHARS = 16
LEAST_PASSWORD_CHARS = 6
MAX_PASSWORD_CHARS = 128

_LEAST_TOKEN_BITS = 3.0
_LEAST_CHANGES = 3
"""Changes between letters and digits in a token; ``base64encode`` has two."""

_TEMPLATE = re.compile(
    r"\$[{(]|\{\{|\$[A-Za-z_]\w{0,64}\Z|%(?:\(\w{0,40}\))?[sd](?![A-Za-z0-9])|%\w{1,64}%|<[\w .:/-]{1,64}>|\{[\w.:!()\[\]]{0,64}\}|#\{|@\w{1,40}@\Z"
    r"|\\[bdwsBDWS]|\(\?|\w\|\w{1,24}\||%\w[\w.]{0,80}%|://|\*\*\*|\.\.\.|^\.{0,2}/|^~/|^@[\w.-]{1,80}/|^[A-Za-z]:\\\\|\$\$|^\\u"
)
_HEX = re.compile(r"(?:0x)?[0-9a-fA-F]{32,}+")
_UUID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
_TOKEN = re.compile(r"[A-Za-z0-9+/_\-=.~%|:]++")
_PART = r"[A-Za-z_]++[0-9]{0,4}+[A-Za-z_]*+[0-9]{0,2}+"
_DOTTED_NAME = re.compile(rf"{_PART}(?:(?:\.|->|::){_PART})+")
_CODE = re.compile(r"[a-z_]++|[A-Z_]++|[^0-9]*+|[^A-Za-z]*+")
_CHANGE = re.compile(r"(?<=[A-Za-z])[0-9]|(?<=[0-9])[A-Za-z]")
_VERSION = re.compile(
    r"0x[0-9a-fA-F]{1,16}[uUlL]{0,3}|#[0-9a-fA-F]{3,8}|[\w@^~<>=-]{0,24}?v?[0-9]{1,4}(?:\.[0-9]{1,6}){1,4}[\w.+-]{0,24}|[0-9]{1,4}[-/.][0-9]{1,2}[-/.][0-9]{1,4}[T0-9:.Z+-]{0,24}"
)
_WORDS = re.compile(
    r"(?:[A-Za-z]++[0-9]{0,2}[_\-./:,|]){1,24}[A-Za-z]{0,32}[0-9]{0,6}|[A-Za-z_]{1,48}+[0-9]?"
)
"""Names in code: words with separators and up to two digits each, or one word and a digit."""

_CALL = re.compile(r"[\w.]{1,64}+[(\[]")
_SYMBOLS = re.compile(r"[!@#$%^&*?+=~|,;]")
_CAMEL_CASE = re.compile(r"(?:[A-Z]{1,5}[a-z]{2,}+|[a-z]{3,}+|[_\-./,|:])++[A-Z]{0,6}[0-9]{0,4}")
_TYPE = re.compile(
    r"(?i)(?:u?int|float|complex|vec|mat|char|utf|sha|md|hmac|base|aes|rsa|ecdsa|ed|hs|rs|es|ps|oauth|http|ipv|x|iso|sha[123]_|p|uint8|latin|cp|ascii|big|blake|crc|curve|secp|argon|bcrypt|pbkdf|scrypt|ripemd|keccak|hkdf|chacha)[_-]?[0-9]{1,4}\w{0,12}(?:[_-]\w{1,24}){0,4}"
)
_EXAMPLE = re.compile(
    r"(?i)change[_-]?(?:me|it|this)|placeholder|example|your[_\-. ]|^your|dummy|redacted|replace[_-]?(?:me|with|this)|^todo|^fixme|x{4,}"
    r"|undefined|insert[_-]|^my[_-]?(?:secret|pass|token|key)|enter[_-]|(?:to|be)[_-]?set|^<|^\[|^(.)\1*\Z|^(?:0?123456789?0?|abc123|abcdef\w*)\Z"
)
_SECRET_WORD = re.compile(r"(?i)passw|pwd|secret|token|api[_-]?key|credential|username|user[_-]|email")


def looks_random(value: str, *, is_quoted: bool) -> bool:
    """Return whether a value of at least 24 characters is random; unquoted, it needs a digit and a letter."""
    if len(value) < LEAST_RANDOM_CHARS or _TEMPLATE.search(value) or _DOTTED_NAME.fullmatch(value):
        return False
    if (not is_quoted and _CODE.fullmatch(value)) or _WORDS.fullmatch(value) or _CAMEL_CASE.fullmatch(value):
        return False
    if _HEX.fullmatch(value):
        return bits_per_character(value) >= LEAST_HEX_BITS
    return bits_per_character(value) >= LEAST_BITS


def looks_like_token(value: str) -> bool:
    """Return whether a value of at least 16 characters mixes letters and digits randomly, or is a UUID."""
    if len(value) < LEAST_TOKEN_CHARS or not _TOKEN.fullmatch(value):
        return False
    if _UUID.fullmatch(value):
        return len(set(value)) > _LEAST_UUID_CHARS
    if (
        _TEMPLATE.search(value)
        or _VERSION.fullmatch(value)
        or _WORDS.fullmatch(value)
        or _TYPE.fullmatch(value)
    ):
        return False
    if len(_CHANGE.findall(value)) < _LEAST_CHANGES or _DOTTED_NAME.fullmatch(value):
        return False
    return bits_per_character(value) >= _LEAST_TOKEN_BITS


_LEAST_UUID_CHARS = 6


def looks_like_password(value: str, *, is_quoted: bool) -> bool:
    """Return whether a person may have chosen a password: letters mixed with digits or symbols."""
    if not LEAST_PASSWORD_CHARS <= len(value) <= MAX_PASSWORD_CHARS or not any(map(str.isalpha, value)):
        return False
    has_digit, n_symbols = any(map(str.isdigit, value)), len(_SYMBOLS.findall(value))
    if not (has_digit or n_symbols >= 2 or (is_quoted and n_symbols)):  # noqa: PLR2004  # two symbols
        return False
    if any(each.search(value) for each in (_TEMPLATE, _EXAMPLE)) or _CALL.match(value):
        return False
    if any(each.fullmatch(value) for each in (_DOTTED_NAME, _VERSION, _TYPE)):
        return False
    if n_symbols:
        return has_digit or not is_sentence(value)
    is_word_and_digit = is_quoted and value.isalnum() and value[:-1].isalpha()
    is_name = _SECRET_WORD.search(value) and not value[-3:].isdigit()
    return not is_name and (is_word_and_digit or not _WORDS.fullmatch(value))


def has_mixture(value: str) -> bool:
    """Return whether a short value alternates letters and digits, or contains a symbol."""
    return "/" not in value and (
        len(_CHANGE.findall(value)) >= _LEAST_CHANGES - 1 or bool(_SYMBOLS.search(value))
    )


def is_sentence(value: str) -> bool:
    """Return whether a value is words with punctuation: ``Required!``, ``a=b``, ``text/html;level``."""
    return _SYMBOLS.sub("", value).isalpha() and not _SYMBOLS.search(value[1:-1])


def bits_per_character(text: str) -> float:
    """Return the entropy per character in bits (Shannon, 1948); 0 for an empty text."""
    counts = Counter(text).values()
    return sum(n / len(text) * math.log2(len(text) / n) for n in counts)

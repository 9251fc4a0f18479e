r"""Find parts of an API key in a text, in linear time: a provider may quote half of it.

The search covers any case, base64 (three shifts, both alphabets) and hexadecimal digits, behind escapes
(``%2D``, ``\u002d``, ``\x2d``, ``&#45;``). It finds the first and the last eight characters, and any 23 of
the middle.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from functools import lru_cache

LEAST_PIECE_CHARS = 8
_BLOCK_CHARS = 12

_ESCAPE = re.compile(
    r"%([0-9a-f]{2})|\\u00([0-9a-f]{2})|\\x([0-9a-f]{2})|&#x0{0,4}([0-9a-f]{2});|&#0{0,4}([0-9]{2,3});|\\(?=/)"
)
_ALPHABETS = str.maketrans("-_", "+/")
_BASE64_CHARS = 8 / 6
"""Base64 characters for each byte."""

_SHIFTS = ((0, 0), (1, 2), (2, 3))
"""Number of bytes before a key, and of base64 characters with bits of them."""


def spans_of_key(text: str, key: str) -> Iterator[tuple[int, int]]:
    """Yield the offsets of parts of ``key`` (8 ASCII characters or more), in code points; some overlap."""
    read, offsets = _without_escapes(text)
    for form, probes in _forms(key):
        for at_form, probe in probes:
            at = read.find(probe)
            while at >= 0:
                start, end = _extended(read, form, at, at + len(probe), at_form)
                yield (start, end) if offsets is None else (offsets[start], offsets[end])
                at = read.find(probe, end)


def _without_escapes(text: str) -> tuple[str, list[int] | None]:
    lower = "".join(each.lower() if each.isascii() else each for each in text).translate(_ALPHABETS)
    if not any(each in lower for each in ("%", "\\", "&#")):
        return lower, None
    pieces: list[str] = []
    offsets: list[int] = []
    done = 0
    for match in _ESCAPE.finditer(lower):
        digits = next(filter(None, match.groups()), "")
        char = chr(int(digits, 10 if match[5] else 16)).lower().translate(_ALPHABETS) if digits else ""
        pieces += (lower[done : match.start()], char)
        offsets += range(done, match.start())
        offsets += [match.start()] * len(char)
        done = match.end()
    return "".join((*pieces, lower[done:])), [*offsets, *range(done, len(lower) + 1)]


@lru_cache(maxsize=64)
def _forms(key: str) -> tuple[tuple[str, tuple[tuple[int, str], ...]], ...]:
    raw = key.encode()
    forms = [(key, 1.0), (raw.hex(), 2.0)]
    for n_before, n_mixed in _SHIFTS:
        encoded = base64.b64encode(bytes(n_before) + raw).decode()
        n_bytes = n_before + len(raw)
        forms.append((encoded[n_mixed : n_bytes * 8 // 6], _BASE64_CHARS))
    return tuple((form, tuple(_probes(form, width))) for form, width in _compared(forms))


def _compared(forms: list[tuple[str, float]]) -> Iterator[tuple[str, float]]:
    for form, width in forms:
        yield form.lower().translate(_ALPHABETS), width


def _probes(form: str, width: float) -> Iterator[tuple[int, str]]:
    n_end, n_block = int(LEAST_PIECE_CHARS * width), int(_BLOCK_CHARS * width)
    yield 0, form[:n_end]
    if len(form) > n_end:
        yield len(form) - n_end, form[-n_end:]
    for start in range(n_block, len(form) - n_block, n_block):
        yield start, form[start : start + n_block]


def _extended(text: str, form: str, start: int, end: int, at_form: int) -> tuple[int, int]:
    first, last = at_form, at_form + end - start
    while start > 0 and first > 0 and text[start - 1] == form[first - 1]:
        start, first = start - 1, first - 1
    while end < len(text) and last < len(form) and text[end] == form[last]:
        end, last = end + 1, last + 1
    return start, end

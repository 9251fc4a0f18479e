"""Estimates the nesting depth and memory of a JSON message before it is parsed.

Strings are removed first. In invalid JSON the counts are right up to the first error, where the parser stops.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

FREE_BYTES = 4 * 1024 * 1024
"""Memory that any message may take."""

MAX_MULTIPLE = 10
"""Memory that a message may take, as a multiple of its size; an array of changes takes up to 9.8."""

_LIST_BYTES, _OBJECT_BYTES, _STRING_BYTES, _NUMBER_BYTES, _ITEM_BYTES, _KEY_BYTES = 64, 160, 56, 24, 8, 100
"""Bytes of an empty list, a dictionary of five keys, a short string, a number, a list item, and each further key
(``sys.getsizeof`` in CPython 3.11 to 3.14).
"""

_KEYS_INCLUDED = 5
_PIECE_BYTES = 64 * 1024
_BRACKETS = bytes.maketrans(b"{}", b"[]")
_STEPS = [1 if byte == ord("[") else -1 for byte in range(256)]
_USUAL_DEPTH = 4
_NO_BRACKETS = bytes(byte for byte in range(256) if byte not in b"[]{}")


@dataclass(frozen=True, slots=True)
class MessageCost:
    """The cost of a message."""

    n_bytes: int  # memory without the text of strings; 0 if less than `FREE_BYTES`
    is_too_large: bool
    is_too_deep: bool  # False if it is too large


def cost_of(body: bytes, max_depth: int) -> MessageCost:
    """Estimate the cost of a message; takes 0.5 ms for each MB, at worst 5 ms."""
    is_flat = body.count(b"[") + body.count(b"{") <= max_depth
    if is_flat and (len(body) < FREE_BYTES // _OBJECT_BYTES or _most_bytes(body) <= FREE_BYTES):
        return MessageCost(0, is_too_large=False, is_too_deep=False)
    outside, n_strings = _without_strings(body)
    n_bytes = _estimate(outside, n_strings)
    is_too_large = n_bytes > max(FREE_BYTES, MAX_MULTIPLE * len(body))
    return MessageCost(n_bytes, is_too_large, not is_too_large and _depth_of(outside) > max_depth)


def _most_bytes(body: bytes) -> int:
    # An upper bound: it also counts the characters in strings.
    return (
        body.count(b"[") * (_LIST_BYTES + _ITEM_BYTES)
        + body.count(b"{") * (_OBJECT_BYTES + _ITEM_BYTES)
        + body.count(b",") * (_STRING_BYTES + _ITEM_BYTES)
        + body.count(b":") * (_STRING_BYTES + _KEY_BYTES)
    )


def _without_strings(body: bytes) -> tuple[bytes, int]:
    # In pieces, because splitting copies each string.
    if b"\\" in body:
        body = body.replace(b"\\\\", b"").replace(b'\\"', b"")
    kept: list[bytes] = []
    n_quotes = 0
    for start in range(0, len(body), _PIECE_BYTES):
        parts = body[start : start + _PIECE_BYTES].split(b'"')
        kept.append(b"".join(parts[n_quotes % 2 :: 2]))
        n_quotes += len(parts) - 1
    return b"".join(kept), n_quotes // 2


def _estimate(outside: bytes, n_strings: int) -> int:
    n_lists, n_objects = outside.count(b"["), outside.count(b"{")
    n_commas, n_keys = outside.count(b","), outside.count(b":")
    n_texts = max(0, n_strings - n_keys)
    return (
        n_lists * _LIST_BYTES
        + n_objects * _OBJECT_BYTES
        + max(0, n_keys - _KEYS_INCLUDED * n_objects) * _KEY_BYTES
        + n_texts * _STRING_BYTES
        + max(0, n_commas - n_texts) * _NUMBER_BYTES
        + max(0, n_commas + n_lists + n_objects - n_keys) * _ITEM_BYTES
    )


def _depth_of(outside: bytes) -> int:
    brackets = outside.translate(_BRACKETS, _NO_BRACKETS)
    for _ in range(_USUAL_DEPTH):  # each pass removes the innermost level, so usually nothing is left
        brackets = brackets.replace(b"[]", b"")
    return _USUAL_DEPTH + max(accumulate(map(_STEPS.__getitem__, brackets)), default=0)

"""Estimates the nesting depth and memory of a JSON message before it is parsed.

Strings are removed first. In invalid JSON the counts are right up to the first error, where the parser stops.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

FREE_BYTES = 4 * 1024 * 1024
"""A message may always take this much memory."""

MAX_MULTIPLE = 10
"""A larger message may take this multiple of its size; an array of changes takes up to 9.8."""

_LIST_BYTES, _OBJECT_BYTES, _STRING_BYTES, _NUMBER_BYTES, _ITEM_BYTES, _KEY_BYTES = 64, 160, 56, 24, 8, 100
"""Bytes of an empty list, a dictionary of five keys, a short string, a number, a list item, and each further key
(``sys.getsizeof`` in CPython 3.11 to 3.14).
"""

_OBJECT_KEYS = 5  # keys that _OBJECT_BYTES includes
_PIECE_BYTES = 64 * 1024
_TO_SQUARE = bytes.maketrans(b"{}", b"[]")
_ALL_BUT_BRACKETS = bytes(byte for byte in range(256) if byte not in b"[]{}")
_DEPTH_CHANGES = [1 if byte == ord("[") else -1 for byte in range(256)]  # used for b"[" and b"]" only
_USUAL_DEPTH = 4


@dataclass(frozen=True, slots=True)
class MessageCost:
    """The estimated cost of parsing a message, and whether it exceeds a limit."""

    n_bytes: int  # memory without the text of strings; 0 if it is certainly less than `FREE_BYTES`
    is_too_large: bool
    is_too_deep: bool  # False if it is too large


def cost_of(body: bytes, max_depth: int) -> MessageCost:
    """Estimate the cost of a message; takes 0.5 ms for each MB, at worst 5 ms."""
    cannot_be_deep = body.count(b"[") + body.count(b"{") <= max_depth
    if cannot_be_deep and (len(body) < FREE_BYTES // _OBJECT_BYTES or _upper_bound(body) <= FREE_BYTES):
        return MessageCost(0, is_too_large=False, is_too_deep=False)
    outside, n_strings = _without_strings(body)
    n_bytes = _estimate(outside, n_strings)
    is_too_large = n_bytes > max(FREE_BYTES, MAX_MULTIPLE * len(body))
    return MessageCost(n_bytes, is_too_large, not is_too_large and _depth_of(outside) > max_depth)


def _upper_bound(body: bytes) -> int:
    # It also counts the characters in strings.
    return (
        body.count(b"[") * (_LIST_BYTES + _ITEM_BYTES)
        + body.count(b"{") * (_OBJECT_BYTES + _ITEM_BYTES)
        + body.count(b",") * (_STRING_BYTES + _ITEM_BYTES)
        + body.count(b":") * (_STRING_BYTES + _KEY_BYTES)
    )


def _without_strings(body: bytes) -> tuple[bytes, int]:
    if b"\\" in body:
        # Escaped quotes end no string. Escaped backslashes go first: the quote after one is not escaped.
        body = body.replace(b"\\\\", b"").replace(b'\\"', b"")
    kept: list[bytes] = []
    n_quotes = 0
    for start in range(0, len(body), _PIECE_BYTES):  # in pieces, because splitting copies each string
        parts = body[start : start + _PIECE_BYTES].split(b'"')
        # Every second part is outside strings; after an odd number of quotes the piece begins inside one.
        kept.append(b"".join(parts[n_quotes % 2 :: 2]))
        n_quotes += len(parts) - 1
    return b"".join(kept), n_quotes // 2


def _estimate(outside: bytes, n_strings: int) -> int:
    n_lists, n_objects = outside.count(b"["), outside.count(b"{")
    n_commas, n_keys = outside.count(b","), outside.count(b":")
    n_string_values = max(0, n_strings - n_keys)
    return (
        n_lists * _LIST_BYTES
        + n_objects * _OBJECT_BYTES
        + max(0, n_keys - _OBJECT_KEYS * n_objects) * _KEY_BYTES
        + n_string_values * _STRING_BYTES
        + max(0, n_commas - n_string_values) * _NUMBER_BYTES
        + max(0, n_commas + n_lists + n_objects - n_keys) * _ITEM_BYTES
    )


def _depth_of(outside: bytes) -> int:
    brackets = outside.translate(_TO_SQUARE, _ALL_BUT_BRACKETS)
    for _ in range(_USUAL_DEPTH):  # each pass removes the innermost level, so usually nothing is left
        brackets = brackets.replace(b"[]", b"")
    return _USUAL_DEPTH + max(accumulate(map(_DEPTH_CHANGES.__getitem__, brackets)), default=0)

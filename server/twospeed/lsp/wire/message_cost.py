"""Say before a JSON message is parsed how deep it is nested and how much memory its values will take.

Nothing is built but copies of the bytes: characters are counted, and strings are cut out first where their text could
be taken for brackets. In what is no JSON the counts hold up to its first error, which is as far as a parser gets.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

FREE_BYTES = 4 * 1024 * 1024
"""Of memory that any message may take."""

MAX_MULTIPLE = 10
"""How many times its own size a message may take. An array of changes takes up to 9.8 times its size."""

_LIST_BYTES, _OBJECT_BYTES, _STRING_BYTES, _NUMBER_BYTES, _ITEM_BYTES, _KEY_BYTES = 64, 160, 56, 24, 8, 100
"""Of an empty list, a dictionary of five keys, a short text, a number, a place in a list, and a further key with its entry
(``sys.getsizeof`` in CPython 3.11 to 3.14). Keys are shared between dictionaries that have the same."""

_KEYS_INCLUDED = 5
_PIECE_BYTES = 64 * 1024
_BRACKETS = bytes.maketrans(b"{}", b"[]")
_STEPS = [1 if byte == ord("[") else -1 for byte in range(256)]
_USUAL_DEPTH = 4
_NO_BRACKETS = bytes(byte for byte in range(256) if byte not in b"[]{}")


@dataclass(frozen=True, slots=True)
class MessageCost:
    """What a message costs.

    Attributes:
        n_bytes: Of memory that its values take beside the text of its strings; 0 where that is less than `FREE_BYTES`.
        is_too_large: Whether that is more than it may take.
        is_too_deep: Whether it is nested deeper than it may be; not looked at where it is too large.
    """

    n_bytes: int
    is_too_large: bool
    is_too_deep: bool


def cost_of(body: bytes, max_depth: int) -> MessageCost:
    """Look at a message.

    Args:
        body: JSON.
        max_depth: How deep arrays and objects may be nested.

    Cost: 0.5 ms for each MB, 5 ms where it has many values or its strings hold many brackets.
    """
    is_flat = body.count(b"[") + body.count(b"{") <= max_depth
    if is_flat and (len(body) < FREE_BYTES // _OBJECT_BYTES or _most_bytes(body) <= FREE_BYTES):
        return MessageCost(0, is_too_large=False, is_too_deep=False)
    outside, n_strings = _without_strings(body)
    n_bytes = _estimate(outside, n_strings)
    is_too_large = n_bytes > max(FREE_BYTES, MAX_MULTIPLE * len(body))
    return MessageCost(n_bytes, is_too_large, not is_too_large and _depth_of(outside) > max_depth)


def _most_bytes(body: bytes) -> int:
    """Return more than a message can take, whether or not what is counted stands in strings."""
    return (
        body.count(b"[") * (_LIST_BYTES + _ITEM_BYTES)
        + body.count(b"{") * (_OBJECT_BYTES + _ITEM_BYTES)
        + body.count(b",") * (_STRING_BYTES + _ITEM_BYTES)
        + body.count(b":") * (_STRING_BYTES + _KEY_BYTES)
    )


def _without_strings(body: bytes) -> tuple[bytes, int]:
    """Return what stands outside of strings, and the number of strings; a piece at a time, since each string is a copy."""
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
    for _ in range(_USUAL_DEPTH):  # each pass takes the innermost level away, and mostly all of them
        brackets = brackets.replace(b"[]", b"")
    return _USUAL_DEPTH + max(accumulate(map(_STEPS.__getitem__, brackets)), default=0)

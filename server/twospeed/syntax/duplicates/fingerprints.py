"""Compare functions without running them.

A fingerprint contains hashes of the words and shapes of a function's `normal_form`. Two functions do the same
if nearly all words and most shapes are equal: a rewritten function keeps its outside names, strings and
numbers, while a single different word mostly means a different function. Short functions such as getters,
stubs and delegations are not compared.

The limits are measured with the standard library: ``benchmarks/bench_duplicates.py``.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary
from zlib import crc32

from .function_parts import FunctionTooLarge, parts_of
from .normal_form import NormalForm

if TYPE_CHECKING:  # see trees
    from tree_sitter import Node

    from twospeed.syntax.trees.trees import SourceTree

MIN_WORDS = 3
"""Smallest number of different words. A function with fewer resembles many others."""

MIN_SHAPES = 4
SAME_WORDS = 0.95
SAME_SHAPES = 0.7

_BYTES_EACH = 4


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Fingerprint:
    """The content of a function, in about 200 bytes.

    Attributes:
        words: Sorted hashes of its words, 4 bytes each. A repeated word has its own hash.
        shapes: Sorted hashes of its shapes, likewise.
    """

    words: bytes
    shapes: bytes


_in_use: WeakValueDictionary[bytes, Fingerprint] = WeakValueDictionary()
"""By hash of the source. Most functions of a file are unchanged when it is read again."""


def fingerprint_of(source: SourceTree, function: Node) -> Fingerprint | None:
    """Return the fingerprint of a function. A `symbols.Mark`.

    Args:
        source: File of the function.
        function: Its node, of a function type of the `LanguageProfile`.

    Returns:
        ``None`` if the function is too small to be distinguished from others, or too large.

    Cost: 25 us for a line, a tenth of that for text with a cached fingerprint.
    """
    if function.has_error:
        return None
    code = function.text or b""
    origin = blake2b(code, digest_size=16, person=source.profile.language_id.encode()[:16]).digest()
    known = _in_use.get(origin)
    if known is None and (known := _computed(function, code)):
        _in_use[origin] = known
    return known


def _computed(function: Node, code: bytes) -> Fingerprint | None:
    try:
        form = NormalForm(*parts_of(function, code))
    except FunctionTooLarge:
        return None
    if not form.has_logic or len(set(form.words)) < MIN_WORDS or len(form.shapes) < MIN_SHAPES:
        return None
    return Fingerprint(_packed(form.words), _packed(form.shapes))


def is_duplicate(one: Fingerprint, other: Fingerprint) -> bool:
    """Return whether two functions of one language do the same.

    Cost: 5 us, or next to nothing if their sizes differ enough.
    """
    return (
        _in_common(one.words, other.words, SAME_WORDS) >= SAME_WORDS
        and _in_common(one.shapes, other.shapes, SAME_SHAPES) >= SAME_SHAPES
    )


def _in_common(one: bytes, other: bytes, at_least: float) -> float:
    """Return the common share of two bags. 0 if their sizes show that it is below ``at_least``."""
    few, many = sorted((len(one), len(other)))
    if few < at_least * many:
        return 0.0
    n_shared = len(_items(one) & _items(other))
    return n_shared / ((few + many) // _BYTES_EACH - n_shared)


@lru_cache(maxsize=64)
def _items(packed: bytes) -> frozenset[int]:
    return frozenset(memoryview(packed).cast("I"))


def _packed(bag: Sequence[str]) -> bytes:
    hashes = {
        crc32(f"{number} {item}".encode("utf-8", "replace"))
        for item, count in Counter(bag).items()
        for number in range(count)
    }
    return array("I", sorted(hashes)).tobytes()

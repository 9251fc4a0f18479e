"""Tell whether two functions do the same, without running them.

A fingerprint holds the words and shapes of a function's `normal_form`, as hashes. Two functions do the same if nearly
all their words are the same, and most of their shapes: names from outside, texts and numbers hardly change when a
function is written another way, while one that differs in a single word mostly does something else.
What is too short to be worth a name is nobody's twin: a getter, a stub, a line that hands on to another function.

The limits are measured over the standard library: ``benchmarks/bench_duplicates.py``.
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
"""Different words a function must have: one that has fewer is like many others."""

MIN_SHAPES = 4
SAME_WORDS = 0.95
SAME_SHAPES = 0.7

_BYTES_EACH = 4


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Fingerprint:
    """What a function does, in some 200 bytes.

    Attributes:
        words: Hashes of its words, 4 bytes each, sorted; a word that is there again is another word.
        shapes: Hashes of its shapes, likewise.
    """

    words: bytes
    shapes: bytes


_in_use: WeakValueDictionary[bytes, Fingerprint] = WeakValueDictionary()
"""By what they were taken of. A file that is read again after a change has most of its functions unchanged."""


def fingerprint_of(source: SourceTree, function: Node) -> Fingerprint | None:
    """Take a function's fingerprint; a `symbols.Mark`.

    Args:
        source: The function's file.
        function: Its node, of a type that its `LanguageProfile` has among the functions.

    Returns:
        ``None`` where there is too little in it to tell it from others, or too much to look at.

    Cost: 25 us a line, a tenth of that where somebody has a fingerprint of the same text.
    """
    if function.has_error:
        return None
    code = function.text or b""
    origin = blake2b(code, digest_size=16, person=source.profile.language_id.encode()[:16]).digest()
    known = _in_use.get(origin)
    if known is None and (known := _taken(function, code)):
        _in_use[origin] = known
    return known


def _taken(function: Node, code: bytes) -> Fingerprint | None:
    try:
        form = NormalForm(*parts_of(function, code))
    except FunctionTooLarge:
        return None
    if not form.has_logic or len(set(form.words)) < MIN_WORDS or len(form.shapes) < MIN_SHAPES:
        return None
    return Fingerprint(_packed(form.words), _packed(form.shapes))


def is_duplicate(one: Fingerprint, other: Fingerprint) -> bool:
    """Whether two functions of one language do the same.

    Cost: 5 us, or next to nothing where their sizes tell.
    """
    return (
        _in_common(one.words, other.words, SAME_WORDS) >= SAME_WORDS
        and _in_common(one.shapes, other.shapes, SAME_SHAPES) >= SAME_SHAPES
    )


def _in_common(one: bytes, other: bytes, at_least: float) -> float:
    """Return which part of all items two bags share; 0 where their sizes alone say that it is less than asked for."""
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

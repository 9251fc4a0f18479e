"""Find the functions of an answer that the project already has, without running them.

A fingerprint contains hashes of the words and shapes of a function's `normal_form`. Two functions do the same
if nearly all words and most shapes are equal: a rewritten function keeps its outside names, strings and
numbers. The limits are measured with the standard library: ``benchmarks/bench_duplicates.py``.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from itertools import chain, islice
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary
from zlib import crc32

from twospeed.syntax.definitions.symbols import symbols_of
from twospeed.syntax.trees.trees import SourceTree
from twospeed.text.code import javascript
from twospeed.text.code.scope import ScopeCode
from twospeed.text.code.symbols import Symbol, SymbolPlace

from .function_parts import FunctionTooLarge, parts_of
from .normal_form import NormalForm

if TYPE_CHECKING:  # see trees
    from tree_sitter import Node

    from twospeed.syntax.trees.trees import SourceTree


@dataclass(frozen=True, slots=True)
class DuplicateFunction:
    """A new function, and an existing one that does the same.

    Attributes:
        path: File of the existing one, relative to the workspace. Empty for the same document.
    """

    function: Symbol
    other: Symbol
    path: str = ""


def new_functions(
    before: Sequence[str],
    after: Sequence[str],
    language_id: str,
    *,
    old: ScopeCode,
    new: ScopeCode,
) -> tuple[Symbol, ...]:
    """Return the functions of an answer with a new name, with their fingerprints.

    Renamed functions of the scope, and those that are too short to be compared, are left out.
    """
    if _names_in(new) <= _names_in(old):
        return ()
    known = _functions_in(before, language_id, old)
    here = _functions_in(after, language_id, new)
    names = Counter(symbol.name for symbol in known)
    new_starts: set[int] = set()
    for symbol in here:
        names[symbol.name] -= 1
        if names[symbol.name] < 0 and not is_called_by_python(symbol):
            new_starts.add(symbol.start)
    if not new_starts:
        return ()
    remaining = {symbol.name for symbol in here}
    removed_starts = {symbol.start for symbol in known if symbol.name not in remaining}
    removed_marks = [other.mark for other in _fingerprinted(before, language_id, removed_starts)]
    return tuple(
        symbol
        for symbol in _fingerprinted(after, language_id, new_starts)
        if not any(_are_alike(symbol.mark, other) for other in removed_marks)
    )


def find_duplicates(
    functions: Sequence[Symbol], after: Sequence[str], language_id: str, elsewhere: Iterable[SymbolPlace]
) -> tuple[DuplicateFunction, ...]:
    """Return existing functions that do the same as new ones, at most one for each.

    Cost: 0.4 ms for a function of the document, 3 us for one ``elsewhere``, marked with `fingerprint_of`.
    """
    file = symbols_of(after, language_id, mark=fingerprint_of)
    here = file.symbols if file else ()
    places = [place for place in elsewhere if are_interoperable(place.file.language_id, language_id)]
    new = {function.start for function in functions}
    found: list[DuplicateFunction] = []
    for function in functions:
        # Of two new ones the second repeats the first.
        others = [other for other in here if other.start not in new or other.start < function.start]
        near = (DuplicateFunction(function, other) for other in others if are_duplicates(function, other))
        far = (
            DuplicateFunction(function, place.symbol, place.path)
            for place in places
            if are_duplicates(function, place.symbol)
        )
        found += islice(chain(near, far), 1)
    return tuple(found)


def are_interoperable(language_id: str, other: str) -> bool:
    """Return whether code of one language can call the other directly."""
    return language_id == other or {language_id, other} <= javascript.LANGUAGE_IDS


def _names_in(code: ScopeCode) -> Counter[str]:
    definitions = code.definitions or ()
    return Counter(each.name for each in definitions if each.kind == "function" and not each.is_local)


def _functions_in(lines: Sequence[str], language_id: str, code: ScopeCode) -> list[Symbol]:
    file = symbols_of(lines, language_id)
    symbols = file.symbols if file else ()
    start, end = code.first_line, code.first_line + len(code.code)
    return [each for each in symbols if each.kind == "function" and start <= each.start and each.end <= end]


def _fingerprinted(lines: Sequence[str], language_id: str, starts: Container[int]) -> list[Symbol]:
    file = symbols_of(lines, language_id)
    functions = [each for each in (file.symbols if file else ()) if each.kind == "function"]
    ends_by_start = {each.start: each.end for each in functions if each.start in starts}
    rows = {row for start, end in ends_by_start.items() for row in range(start, end)}

    def mark(source: SourceTree, node: Node) -> Fingerprint | None:
        return fingerprint_of(source, node) if node.start_point.row in rows else None

    file = symbols_of(lines, language_id, mark=mark) if rows else None
    return [
        each
        for each in (file.symbols if file else ())
        if each.start in ends_by_start and each.mark is not None
    ]


def are_duplicates(function: Symbol, other: Symbol) -> bool:
    """Return whether two functions with fingerprints do the same and one could replace the other."""
    if function.depth and other.depth and function.word == other.word:
        return False  # methods of two classes with one interface
    return _are_alike(function.mark, other.mark)


def _are_alike(one: object, other: object) -> bool:
    return isinstance(one, Fingerprint) and isinstance(other, Fingerprint) and is_duplicate(one, other)


def is_called_by_python(symbol: Symbol) -> bool:
    """Return whether it is a method that Python calls itself, so that its name is required."""
    return symbol.depth > 0 and symbol.word.startswith("__") and symbol.word.endswith("__")


MIN_WORDS = 3
"""Smallest number of different words. A function with fewer resembles many others."""

MIN_SHAPES = 4
SAME_WORDS = 0.95
SAME_SHAPES = 0.7

_BYTES_EACH = 4


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Fingerprint:
    """The content of a function, in about 200 bytes: sorted hashes of words and shapes, 4 bytes each.

    A repeated word has its own hash.
    """

    words: bytes
    shapes: bytes


_in_use: WeakValueDictionary[bytes, Fingerprint] = WeakValueDictionary()
"""By hash of the source. Most functions of a file are unchanged when it is read again."""


def fingerprint_of(source: SourceTree, function: Node) -> Fingerprint | None:
    """Return the fingerprint of a function node, or ``None`` if it is too small or too large to compare.

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
    """Return whether two functions of one language do the same. Cost: at most 5 us."""
    return (
        _common_share(one.words, other.words, SAME_WORDS) >= SAME_WORDS
        and _common_share(one.shapes, other.shapes, SAME_SHAPES) >= SAME_SHAPES
    )


def _common_share(one: bytes, other: bytes, at_least: float) -> float:
    few, many = sorted((len(one), len(other)))
    if few < at_least * many:
        return 0.0  # the sizes alone show that the share is too low
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

"""Find the functions of an answer that the project already has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING

from twospeed.syntax.definitions.symbols import symbols_of
from twospeed.syntax.trees.trees import SourceTree
from twospeed.text.code import javascript
from twospeed.text.code.scope import ScopeCode
from twospeed.text.code.symbols import Symbol, SymbolPlace

from .fingerprints import Fingerprint, fingerprint_of, is_duplicate

if TYPE_CHECKING:  # see trees
    from tree_sitter import Node


@dataclass(frozen=True, slots=True)
class DuplicateFunction:
    """A new function and an existing one that does the same.

    Attributes:
        function: The new one, at its place in the document with the answer.
        other: The existing one.
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
    """Return the new functions of an answer that are long enough to be compared.

    Returns:
        Functions with a new name that are not renamed functions of the scope, each with its fingerprint.
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
    left = {symbol.name for symbol in here}
    missing_starts = {symbol.start for symbol in known if symbol.name not in left}
    missing_marks = [other.mark for other in _marked(before, language_id, missing_starts)]
    return tuple(
        symbol
        for symbol in _marked(after, language_id, new_starts)
        if not any(_are_alike(symbol.mark, other) for other in missing_marks)
    )


def find_duplicates(
    functions: Sequence[Symbol], after: Sequence[str], language_id: str, elsewhere: Iterable[SymbolPlace]
) -> tuple[DuplicateFunction, ...]:
    """Find existing functions that do the same as new ones.

    Args:
        functions: Result of `new_functions`.
        after: Lines of the document with the answer.
        language_id: LSP language id.
        elsewhere: Functions of other files, marked with `fingerprint_of`.

    Returns:
        At most one for each function: of the same document, or else the first.

    Cost: 0.4 ms for a function of the document, 3 us for one elsewhere.
    """
    file = symbols_of(after, language_id, mark=fingerprint_of)
    here = file.symbols if file else ()
    places = [place for place in elsewhere if is_akin(place.file.language_id, language_id)]
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


def is_akin(language_id: str, other: str) -> bool:
    """Return whether code of one language can call the other directly."""
    return language_id == other or {language_id, other} <= javascript.LANGUAGE_IDS


def _names_in(code: ScopeCode) -> Counter[str]:
    """Count the functions of a scope by name, without nested ones."""
    definitions = code.definitions or ()
    return Counter(each.name for each in definitions if each.kind == "function" and not each.is_local)


def _functions_in(lines: Sequence[str], language_id: str, code: ScopeCode) -> list[Symbol]:
    file = symbols_of(lines, language_id)
    symbols = file.symbols if file else ()
    start, end = code.first_line, code.first_line + len(code.code)
    return [each for each in symbols if each.kind == "function" and start <= each.start and each.end <= end]


def _marked(lines: Sequence[str], language_id: str, starts: Container[int]) -> list[Symbol]:
    """Return the functions that start on some lines, including decorators, and have a fingerprint."""
    file = symbols_of(lines, language_id)
    functions = [each for each in (file.symbols if file else ()) if each.kind == "function"]
    wanted = {each.start: each.end for each in functions if each.start in starts}
    rows = {row for start, end in wanted.items() for row in range(start, end)}

    def mark(source: SourceTree, node: Node) -> Fingerprint | None:
        return fingerprint_of(source, node) if node.start_point.row in rows else None

    file = symbols_of(lines, language_id, mark=mark) if rows else None
    return [each for each in (file.symbols if file else ()) if each.start in wanted and each.mark is not None]


def are_duplicates(function: Symbol, other: Symbol) -> bool:
    """Return whether two functions do the same and one could replace the other.

    Args:
        function: A function marked with `fingerprint_of`.
        other: Another one of the same language.
    """
    if function.depth and other.depth and function.word == other.word:
        return False  # methods of two classes with one interface
    return _are_alike(function.mark, other.mark)


def _are_alike(one: object, other: object) -> bool:
    return isinstance(one, Fingerprint) and isinstance(other, Fingerprint) and is_duplicate(one, other)


def is_called_by_python(symbol: Symbol) -> bool:
    """Return whether it is a method that Python calls itself, so that its name is required."""
    return symbol.depth > 0 and symbol.word.startswith("__") and symbol.word.endswith("__")

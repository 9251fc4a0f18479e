"""Choose the definitions for a prompt: those of names in the scope.

A name is resolved in the file, then through its imports, then in the workspace. A wrong definition does more
harm than none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from twospeed.text.code import javascript
from twospeed.text.code.symbols import FileSymbols, Symbol, SymbolPlace, UsedName

from .outline import signature_at

Lookup = Callable[[str], Sequence[SymbolPlace]]
"""Returns the definitions of a name in the workspace, by its last word. Empty until the index is complete."""

MAX_DEFINITIONS = 40
MAX_MEMBERS = 16
"""Limit of members that are listed for a class."""

MAX_OVERLOADS = 3
"""Limit of definitions of one name in one file that are all included, such as a struct and its ``impl``."""

_FAMILIES = (
    javascript.LANGUAGE_IDS,
    frozenset({"c", "cpp"}),
)
"""Languages that use each other's names."""

_FILES_OF_FOLDERS = frozenset({"__init__", "index", "mod", "lib"})
"""Files that are imported by the name of their folder."""

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class DefinitionText:
    """A definition in a prompt: its signature, and those of the members of a class.

    Attributes:
        path: Relative to the workspace. Empty for the document itself.
        end: Line after the last.
    """

    path: str
    start: int
    end: int
    text: str


@dataclass(frozen=True)
class ScopeNames:
    """A scope (lines ``start`` up to ``end``) and the names that it uses.

    Attributes:
        is_imported_by_name: Whether the language uses names of other files only after importing them.
    """

    path: str
    file: FileSymbols
    start: int
    end: int
    names: Sequence[UsedName]
    is_imported_by_name: bool
    lookup: Lookup

    def definitions(self) -> tuple[DefinitionText, ...]:
        """Return the unambiguous definitions of the names: of the document first, then in order of use."""
        found: dict[tuple[str, int], SymbolPlace] = {}
        for name in self.names:
            for place in self._resolve(name):
                found.setdefault((place.path, place.number), place)
        shown_places = [place for place in found.values() if not _is_shown_with_class(place, found)]
        own = [place for place in shown_places if place.path == self.path]
        others = [place for place in shown_places if place.path != self.path]
        return tuple(
            DefinitionText(
                "" if place.path == self.path else place.path,
                place.symbol.start,
                place.symbol.end,
                _text_of(place),
            )
            for place in (*own, *others)[:MAX_DEFINITIONS]
        )

    def _resolve(self, name: UsedName) -> Sequence[SymbolPlace]:
        if len(name.name) < 2:  # noqa: PLR2004 # a single letter is a variable
            return ()
        if own := self._own.get(name.name):
            is_defined_here = any(self._overlaps(place.symbol) for place in own)
            return () if is_defined_here else _unambiguous(self._of_kind(own, name, is_own=True))
        elsewhere = [
            place
            for place in self.lookup(name.name)
            if place.path != self.path and _is_same_family(place.file.language_id, self.file.language_id)
        ]
        return _unambiguous(self._reachable(self._of_kind(elsewhere, name, is_own=False), name))

    def _of_kind(
        self, places: Sequence[SymbolPlace], name: UsedName, *, is_own: bool
    ) -> Sequence[SymbolPlace]:
        outer = [place for place in places if place.symbol.depth == 0]
        if name.is_member:
            return [place for place in places if place.symbol.depth] or outer
        may_be_member = is_own and not self.is_imported_by_name  # a bare method name, as in Java
        return outer or (places if may_be_member else ())

    def _reachable(self, places: Sequence[SymbolPlace], name: UsedName) -> Sequence[SymbolPlace]:
        statements = [words for words in self._imports if name.name in words or name.owner in words]
        if name.is_member:
            words = frozenset().union(*(statements if name.owner in self._imported else self._imports))
            # A member may also be in the same folder.
            nearby = [place for place in places if _folder_of(place.path) == _folder_of(self.path)]
            return nearby or _reached_by(words, places)
        reached = _reached_by(frozenset().union(*statements), places)
        return reached if self.is_imported_by_name else reached or places

    @cached_property
    def _own(self) -> dict[str, list[SymbolPlace]]:
        used = {name.name for name in self.names}
        own: dict[str, list[SymbolPlace]] = {}
        for number, symbol in enumerate(self.file.symbols):
            if symbol.word in used:
                own.setdefault(symbol.word, []).append(SymbolPlace(self.path, self.file, number))
        return own

    @cached_property
    def _imports(self) -> list[frozenset[str]]:
        return [frozenset(_WORD.findall(statement)) for statement in self.file.imports]

    @cached_property
    def _imported(self) -> frozenset[str]:
        return frozenset().union(*self._imports)

    def _overlaps(self, symbol: Symbol) -> bool:
        return symbol.start < self.end and self.start < symbol.end


def _unambiguous(places: Sequence[SymbolPlace]) -> Sequence[SymbolPlace]:
    # A few definitions of one name at the top level of one file are overloads.
    if len(places) <= 1:
        return places
    is_outer = all(place.symbol.depth == 0 for place in places)
    is_one_file = len({place.path for place in places}) == 1
    return places if is_one_file and is_outer and len(places) <= MAX_OVERLOADS else ()


def _reached_by(words: frozenset[str], places: Sequence[SymbolPlace]) -> Sequence[SymbolPlace]:
    # Files that an import names, else those in folders that it names, which may re-export them.
    files = [place for place in places if _module_name(place.path) in words]
    return files or [place for place in places if not words.isdisjoint(place.path.split("/")[:-1])]


def _module_name(path: str) -> str:
    *folders, name = path.split("/")
    stem = name.split(".")[0]
    return folders[-1] if folders and stem in _FILES_OF_FOLDERS else stem


def _folder_of(path: str) -> str:
    return path.rpartition("/")[0]


def _is_same_family(one: str, other: str) -> bool:
    return one == other or any({one, other} <= family for family in _FAMILIES)


def _is_shown_with_class(place: SymbolPlace, found: Mapping[tuple[str, int], SymbolPlace]) -> bool:
    owner = place.file.owner_of(place.number)
    is_found = owner is not None and (place.path, owner) in found
    return is_found and owner is not None and len(place.file.members_of(owner)) <= MAX_MEMBERS


def _text_of(place: SymbolPlace) -> str:
    symbol = place.symbol
    if (owner := place.file.owner_of(place.number)) is not None:
        return signature_at(place.file.symbols[owner], 0, is_brief=True) + signature_at(symbol, 1)
    members = place.file.members_of(place.number) if symbol.kind == "class" else ()
    lines = [signature_at(symbol, 0), *(signature_at(member, 1) for member in members[:MAX_MEMBERS])]
    if len(members) > MAX_MEMBERS:
        lines.append(f"    ({len(members) - MAX_MEMBERS} more left out)\n")
    return "".join(lines)

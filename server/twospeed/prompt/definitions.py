"""Choose the definitions a model is told of: those of names that the scope uses.

A name is resolved by looking: in the file itself, then where its imports lead, then in the workspace. Where two places
could be meant neither is told of, for a wrong definition does more harm than none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from twospeed.text.code import javascript
from twospeed.text.code.symbols import FileSymbols, Symbol, SymbolPlace, UsedName

from .outline import shown

Lookup = Callable[[str], Sequence[SymbolPlace]]
"""Gives every definition of a name in the workspace, by its last word; knows nothing yet where it is asked early."""

MAX_DEFINITIONS = 40
MAX_MEMBERS = 16
"""Of a class that is told of, by their signatures."""

MAX_OVERLOADS = 3
"""What is defined so often in one file, under one name, is told of whole: a struct and its ``impl``, overloads."""

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
    """A definition as a model is told of it.

    Attributes:
        path: Where it stands, relative to the workspace; empty for the document itself.
        start: First line.
        end: Line after the last.
        text: Its signature; of a class also its members'.
    """

    path: str
    start: int
    end: int
    text: str


@dataclass(frozen=True)
class ScopeNames:
    """What is known of a scope and the names in it.

    Attributes:
        path: The document's path, relative to the workspace.
        file: What the document defines.
        start: The scope's first line.
        end: Line after its last.
        names: What it uses, in order.
        is_imported_by_name: Whether only imported names of other files can be meant.
        named: Looks in the workspace.
    """

    path: str
    file: FileSymbols
    start: int
    end: int
    names: Sequence[UsedName]
    is_imported_by_name: bool
    named: Lookup

    def definitions(self) -> tuple[DefinitionText, ...]:
        """Return what the names mean where that is certain: the document's own first, else in the order of use."""
        found: dict[tuple[str, int], SymbolPlace] = {}
        for name in self.names:
            for place in self._meant_by(name):
                found.setdefault((place.path, place.number), place)
        told = [place for place in found.values() if not _is_told_with_class(place, found)]
        own = [place for place in told if place.path == self.path]
        others = [place for place in told if place.path != self.path]
        return tuple(
            DefinitionText(
                "" if place.path == self.path else place.path,
                place.symbol.start,
                place.symbol.end,
                _text_of(place),
            )
            for place in (*own, *others)[:MAX_DEFINITIONS]
        )

    def _meant_by(self, name: UsedName) -> Sequence[SymbolPlace]:
        if len(name.name) < 2:  # noqa: PLR2004  # a letter is a variable
            return ()
        if own := self._own.get(name.name):
            is_defined_here = any(self._overlaps(place.symbol) for place in own)
            return () if is_defined_here else _certain(self._of_kind(own, name, is_own=True))
        elsewhere = [
            place
            for place in self.named(name.name)
            if place.path != self.path and _is_same_family(place.file.language_id, self.file.language_id)
        ]
        return _certain(self._reachable(self._of_kind(elsewhere, name, is_own=False), name))

    def _of_kind(
        self, places: Sequence[SymbolPlace], name: UsedName, *, is_own: bool
    ) -> Sequence[SymbolPlace]:
        """Keep members for a name behind a dot, what is no member for any other."""
        outer = [place for place in places if place.symbol.depth == 0]
        if name.is_member:
            return [place for place in places if place.symbol.depth] or outer
        may_be_member = is_own and not self.is_imported_by_name  # a method's bare name, as in Java
        return outer or (places if may_be_member else ())

    def _reachable(self, places: Sequence[SymbolPlace], name: UsedName) -> Sequence[SymbolPlace]:
        """Keep what the document's imports lead to; a member also where it stands beside the document."""
        statements = [words for words in self._imports if name.name in words or name.owner in words]
        if name.is_member:
            words = frozenset().union(*(statements if name.owner in self._imported else self._imports))
            beside = [place for place in places if _folder_of(place.path) == _folder_of(self.path)]
            return beside or _led_to(words, places)
        led_to = _led_to(frozenset().union(*statements), places)
        return led_to if self.is_imported_by_name else led_to or places

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
        """The words of each import statement."""
        return [frozenset(_WORD.findall(statement)) for statement in self.file.imports]

    @cached_property
    def _imported(self) -> frozenset[str]:
        return frozenset().union(*self._imports)

    def _overlaps(self, symbol: Symbol) -> bool:
        return symbol.start < self.end and self.start < symbol.end


def _certain(places: Sequence[SymbolPlace]) -> Sequence[SymbolPlace]:
    """Return what a name means: one place, or all of a few of that name in one file; else nothing."""
    if len(places) <= 1:
        return places
    is_outer = all(place.symbol.depth == 0 for place in places)
    is_one_file = len({place.path for place in places}) == 1
    return places if is_one_file and is_outer and len(places) <= MAX_OVERLOADS else ()


def _led_to(words: frozenset[str], places: Sequence[SymbolPlace]) -> Sequence[SymbolPlace]:
    """Keep the files that an import statement speaks of; or else those in a folder, which may hand on their names."""
    files = [place for place in places if _module_name(place.path) in words]
    return files or [place for place in places if not words.isdisjoint(place.path.split("/")[:-1])]


def _module_name(path: str) -> str:
    """Name a file as imports do."""
    *folders, name = path.split("/")
    stem = name.split(".")[0]
    return folders[-1] if folders and stem in _FILES_OF_FOLDERS else stem


def _folder_of(path: str) -> str:
    return path.rpartition("/")[0]


def _is_same_family(one: str, other: str) -> bool:
    return one == other or any({one, other} <= family for family in _FAMILIES)


def _is_told_with_class(place: SymbolPlace, found: Mapping[tuple[str, int], SymbolPlace]) -> bool:
    """Whether a member's class is told of too, with all of its members."""
    owner = place.file.owner_of(place.number)
    is_found = owner is not None and (place.path, owner) in found
    return is_found and owner is not None and len(place.file.members_of(owner)) <= MAX_MEMBERS


def _text_of(place: SymbolPlace) -> str:
    """Write a definition; a member below the head of its class, a class with its members."""
    symbol = place.symbol
    if (owner := place.file.owner_of(place.number)) is not None:
        return shown(place.file.symbols[owner], 0, is_brief=True) + shown(symbol, 1)
    members = place.file.members_of(place.number) if symbol.kind == "class" else ()
    lines = [shown(symbol, 0), *(shown(member, 1) for member in members[:MAX_MEMBERS])]
    if len(members) > MAX_MEMBERS:
        lines.append(f"    ({len(members) - MAX_MEMBERS} more left out)\n")
    return "".join(lines)

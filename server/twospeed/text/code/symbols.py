"""The definitions and imports of a file, as plain values."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Literal

SymbolKind = Literal["function", "class", "value"]


@dataclass(frozen=True, slots=True)
class Symbol:
    """A named function or class, or a value or type with a name outside functions.

    Attributes:
        kind: A method is a function, a field is a value.
        name: As written, on one line: ``total``, ``Cart.total``, ``A::operator bool``.
        signature: The source before the body, or the first line of a value.
        start: First line, 0-based, including decorators.
        end: Line after the last.
        depth: Number of enclosing classes.
        mark: Value of a hook, see `syntax.definitions.symbols`.
    """

    kind: SymbolKind
    name: str
    signature: str
    start: int
    end: int
    depth: int = 0
    mark: Hashable = None

    @property
    def word(self) -> str:
        """The last word of the name, by which code refers to it."""
        if self.name.isidentifier():
            return self.name
        return self.name.replace("::", ".").replace("->", ".").rpartition(".")[2].strip()


@dataclass(frozen=True, slots=True)
class FileSymbols:
    """The definitions and imports of a file, in text order."""

    language_id: str
    symbols: tuple[Symbol, ...] = ()
    imports: tuple[str, ...] = ()

    def owner_of(self, number: int) -> int | None:
        """Return the index of the class that directly contains a symbol, or ``None``."""
        depth = self.symbols[number].depth
        above = (index for index in range(number - 1, -1, -1) if self.symbols[index].depth < depth)
        return next(above, None)

    def members_of(self, number: int) -> tuple[Symbol, ...]:
        """Return the direct members of the class at an index of ``symbols``."""
        owner = self.symbols[number]
        members: list[Symbol] = []
        for symbol in self.symbols[number + 1 :]:
            if symbol.depth <= owner.depth:
                break
            if symbol.depth == owner.depth + 1:
                members.append(symbol)
        return tuple(members)


@dataclass(frozen=True, slots=True)
class SymbolPlace:
    """The symbol ``file.symbols[number]`` and its path in the workspace, with slashes."""

    path: str
    file: FileSymbols
    number: int

    @property
    def symbol(self) -> Symbol:
        """The symbol itself."""
        return self.file.symbols[self.number]


@dataclass(frozen=True, slots=True)
class UsedName:
    """A name that code uses; ``owner`` is the word before its dot: ``config`` in ``config.load``."""

    name: str
    owner: str = ""
    is_member: bool = False

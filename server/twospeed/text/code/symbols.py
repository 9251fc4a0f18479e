"""The definitions and imports of a file, as plain values.

`syntax` reads them, `workspace` keeps them, `prompt` shows them.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Literal

SymbolKind = Literal["function", "class", "value"]


@dataclass(frozen=True, slots=True)
class Symbol:
    """A named function or class, or a value or type that is bound to a name outside functions.

    Attributes:
        kind: A method is a function, a field is a value.
        name: As written, on one line: ``total``, ``Cart.total``, ``A::operator bool``.
        signature: The source before the body, without the indentation of its first line. Of a value its first line.
        start: First line, 0-based, including decorators.
        end: Line after the last.
        depth: Number of enclosing classes.
        mark: Value of the reader's hook, see `syntax.definitions.symbols`.
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
        """The last word of the name, which is how code refers to it."""
        if self.name.isidentifier():
            return self.name
        return self.name.replace("::", ".").replace("->", ".").rpartition(".")[2].strip()


@dataclass(frozen=True, slots=True)
class FileSymbols:
    """The definitions of one file.

    Attributes:
        symbols: In text order, members after their class.
        imports: Import statements as written, without the line end after each.
    """

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
    """A symbol and the file that defines it.

    Attributes:
        path: Relative to the workspace, with slashes.
        number: Index of the symbol in ``file.symbols``.
    """

    path: str
    file: FileSymbols
    number: int

    @property
    def symbol(self) -> Symbol:
        """The symbol itself."""
        return self.file.symbols[self.number]


@dataclass(frozen=True, slots=True)
class UsedName:
    """A name that code uses.

    Attributes:
        owner: The word before the dot, if any: ``config`` in ``config.load``.
        is_member: Whether a dot precedes the name.
    """

    name: str
    owner: str = ""
    is_member: bool = False

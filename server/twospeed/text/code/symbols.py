"""What a file defines and imports, as plain values: what `syntax` reads, `workspace` keeps and `prompt` shows."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Literal

SymbolKind = Literal["function", "class", "value"]


@dataclass(frozen=True, slots=True)
class Symbol:
    """A named function or class, or a value or type bound to a name outside of functions.

    Attributes:
        kind: What it is; a method is a function, a field a value.
        name: As written, on one line: ``total``, ``Cart.total`` where the code says so, ``A::operator bool``.
        signature: What stands before its body, without the indentation of its first line; several lines where it is
            written so, with line ends between them. Of a value its first line.
        start: First line, 0-based, decorators and the like counted.
        end: Line after the last.
        depth: How many classes it stands in.
        mark: What the reader's hook has said of it, see `syntax.definitions.symbols`.
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
        """The last word of its name, by which code uses it."""
        if self.name.isidentifier():
            return self.name
        return self.name.replace("::", ".").replace("->", ".").rpartition(".")[2].strip()


@dataclass(frozen=True, slots=True)
class FileSymbols:
    """What one file defines.

    Attributes:
        language_id: LSP language id.
        symbols: In the order of the text, members behind their class.
        imports: Its import statements as written, each without the line end behind it.
    """

    language_id: str
    symbols: tuple[Symbol, ...] = ()
    imports: tuple[str, ...] = ()

    def owner_of(self, number: int) -> int | None:
        """Return the number of the class that a symbol stands directly in; ``None`` for one that is no member."""
        depth = self.symbols[number].depth
        above = (index for index in range(number - 1, -1, -1) if self.symbols[index].depth < depth)
        return next(above, None)

    def members_of(self, number: int) -> tuple[Symbol, ...]:
        """Return what stands directly in the class with a number in ``symbols``."""
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
    """Where something is defined.

    Attributes:
        path: Relative to the workspace, with slashes.
        file: What the file defines.
        number: Which of its symbols is meant.
    """

    path: str
    file: FileSymbols
    number: int

    @property
    def symbol(self) -> Symbol:
        """What is meant."""
        return self.file.symbols[self.number]


@dataclass(frozen=True, slots=True)
class UsedName:
    """A name that code uses.

    Attributes:
        name: The word.
        owner: The word before the dot, where it stands behind one: ``config`` in ``config.load``.
        is_member: Whether it stands behind a dot.
    """

    name: str
    owner: str = ""
    is_member: bool = False

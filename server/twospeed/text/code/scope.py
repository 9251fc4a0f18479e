"""The scope of an edit, and its parsed content. Line numbers are 0-based."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

ScopeKind = Literal["selection", "function", "class", "block", "file", "insertion"]
"""``insertion`` is an empty scope: the answer is inserted before its line."""

ScopeChoice = Literal["auto", "selection", "function", "class", "file"]
"""The scopes that a client can request."""


@dataclass(frozen=True, slots=True)
class Scope:
    """The lines that an edit may change: ``start`` up to, but not including, ``end``."""

    kind: ScopeKind
    name: str | None
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Definition:
    """A named function or class, up to ``last_line`` inclusive, with its decorators.

    Attributes:
        within: Names of the enclosing definitions in the scope, outermost first.
        is_local: Whether a function of the scope encloses it.
        is_empty: Whether it is a function without statements, or with only ``pass``, ``...`` or "not
            implemented".
    """

    kind: Literal["function", "class"]
    name: str
    first_line: int = 0
    last_line: int = 0
    within: tuple[str, ...] = ()
    is_local: bool = False
    is_empty: bool = False

    @property
    def path(self) -> tuple[str, ...]:
        """Names of the enclosing definitions, outermost first, and its own name."""
        return (*self.within, self.name)


class TextLiteral(NamedTuple):
    """The content of a string literal on one line, without quotes."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class ScopeCode:
    """The parsed content of a scope.

    Attributes:
        code: The lines without comments, strings and line ends. Columns are unchanged.
        literals: String contents, except those of docstrings.
        definitions: ``None`` if the parser cannot list them.
    """

    first_line: int
    code: tuple[str, ...] = ()
    literals: tuple[TextLiteral, ...] = ()
    definitions: tuple[Definition, ...] | None = None


@dataclass(frozen=True, slots=True)
class SyntaxErrorAt:
    """A syntax error; ``what`` is half a sentence: ``cannot read ")"``, ``"}" is missing``."""

    line: int
    what: str

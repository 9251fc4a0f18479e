"""The scope of an edit: the lines that it may change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

ScopeKind = Literal["selection", "function", "class", "block", "file", "insertion"]
"""``insertion`` is an empty scope: the answer is inserted before its line."""

ScopeChoice = Literal["auto", "selection", "function", "class", "file"]
"""The scopes that a client can request."""


@dataclass(frozen=True, slots=True)
class Scope:
    """The lines from ``start`` up to, but not including, ``end``.

    Attributes:
        name: Name of the function or class, if it has one.
        start: First line, 0-based.
        end: Line after the last. Equal to ``start`` for an insertion.
    """

    kind: ScopeKind
    name: str | None
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Definition:
    """A named function or class.

    Attributes:
        first_line: First line, including decorators.
        last_line: Last line, inclusive.
        within: Names of the enclosing definitions in the scope, outermost first.
        is_local: Whether a function of the scope encloses it.
        is_empty: Whether it is a function without a body, or with only comments, ``pass``, ``...`` or "not implemented".
    """

    kind: Literal["function", "class"]
    name: str
    first_line: int = 0
    last_line: int = 0
    within: tuple[str, ...] = ()
    is_local: bool = False
    is_empty: bool = False


class TextLiteral(NamedTuple):
    """The content of a string literal on one line, without quotes.

    A multi-line string gives one for each line.
    """

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class ScopeCode:
    """The parsed content of a scope.

    Attributes:
        first_line: First line of the scope.
        code: The lines without comments, docstrings, string contents and line ends. Columns are unchanged.
        literals: String contents, except those of docstrings.
        definitions: All definitions in the lines, in order. ``None`` if the parser cannot list them.
    """

    first_line: int
    code: tuple[str, ...] = ()
    literals: tuple[TextLiteral, ...] = ()
    definitions: tuple[Definition, ...] | None = None


@dataclass(frozen=True, slots=True)
class SyntaxErrorAt:
    """A syntax error.

    Attributes:
        what: Half a sentence: ``cannot read ")"``, ``"}" is missing``.
    """

    line: int
    what: str

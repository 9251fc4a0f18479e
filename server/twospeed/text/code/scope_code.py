"""The parsed content of a scope, as plain values for rooms that do not parse.

Line numbers are 0-based and refer to the document.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple


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

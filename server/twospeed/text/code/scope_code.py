"""What a parser sees in a scope, as plain values, for whoever judges code without parsing it.

Lines are 0-based and of the document.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple


@dataclass(frozen=True, slots=True)
class Definition:
    """A named function or class.

    Attributes:
        kind: What it is.
        name: As written.
        first_line: Its first line, decorators and the like counted.
        last_line: Its last line.
        within: Names of the definitions of the scope around it, outermost first.
        is_local: Whether a function of the scope is around it.
        is_empty: Whether it is a function in which nothing does anything: it has no body, or one of comments, ``pass``,
            ``...`` and "not implemented".
    """

    kind: Literal["function", "class"]
    name: str
    first_line: int = 0
    last_line: int = 0
    within: tuple[str, ...] = ()
    is_local: bool = False
    is_empty: bool = False


class TextLiteral(NamedTuple):
    """What stands in a string on one line, without its marks; a string of several lines is one of these a line."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class ScopeCode:
    """What stands in a scope.

    Attributes:
        first_line: Where the scope begins.
        code: Its lines without comments, docstrings, what stands in strings, and line ends; columns are as they were.
        literals: What stands in strings; not in docstrings, which nothing reads.
        definitions: What its lines define, at any depth, in order; ``None`` where that cannot be told.
    """

    first_line: int
    code: tuple[str, ...] = ()
    literals: tuple[TextLiteral, ...] = ()
    definitions: tuple[Definition, ...] | None = None


@dataclass(frozen=True, slots=True)
class SyntaxErrorAt:
    """Something a parser could not read.

    Attributes:
        line: Where it stands.
        what: Half a sentence: ``cannot read ")"``, ``"}" is missing``.
    """

    line: int
    what: str

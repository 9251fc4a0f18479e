"""Identifiers, and the scopes of names, as plain values; columns are code points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Place = tuple[int, int]
"""A line of the scope and a column in code points."""

Role = Literal[
    "definition",
    "reference",
    "attribute",
    "member",
    "keyword",
    "key",
    "import",
    "export",
    "global",
    "component",
]
"""What an identifier stands for.

``definition`` binds a name: a parameter, a variable, a function, a class. ``reference`` uses it.
``attribute`` stands behind a dot. ``member`` is defined in a class body: a method, a class variable, a field.
``keyword`` names an argument in a call. ``key`` names a property, and is no variable.
``import`` is the name another module gave, ``export`` a variable that is given away under its name.
``global`` stands in a Python ``global`` or ``nonlocal``. ``component`` is a reference from a JSX tag, where a
lower-case name would mean something else.
"""

NameScopeKind = Literal["module", "function", "class", "block"]
"""Where names are bound together; comprehensions are blocks."""


@dataclass(frozen=True, slots=True)
class Span:
    """``start`` inclusive up to ``end`` exclusive."""

    start: Place
    end: Place


@dataclass(frozen=True, slots=True)
class Raised:
    """An error a function raises, as the code shows it.

    Attributes:
        name: The error's class, as written.
        condition: The test of the ``if`` directly around it, where there is one on one line.
    """

    name: str
    condition: str | None = None


@dataclass(frozen=True, slots=True)
class Identifier:
    """One occurrence of a name; never in a string or comment.

    Attributes:
        name: As written.
        span: Where.
        role: What it stands for there.
        owner: For an attribute, what stands before the dot; for a keyword, what is called; empty where that is
            more than names and dots.
        is_shorthand: JavaScript's ``{name}``, which is a key and a variable at once.
        scope: Number, in ``CodeFacts.name_scopes``, of the scope it is bound in or looked up from.
    """

    name: str
    span: Span
    role: Role
    owner: str = ""
    is_shorthand: bool = False
    scope: int = 0


@dataclass(frozen=True, slots=True)
class NameScope:
    """A part of the code with names of its own.

    Attributes:
        parent: Number of the scope around it, ``None`` for the module.
        kind: What it is.
        is_inside: Whether all of it lies in the lines of the edit.
    """

    parent: int | None
    kind: NameScopeKind
    is_inside: bool

"""Identifiers and scopes of names, as plain values. Columns are code points."""

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
"""The role of an identifier.

``definition`` binds a name: a parameter, variable, function or class. ``reference`` uses it. ``attribute``
follows a dot. ``member`` is defined in a class body: a method, class variable or field. ``keyword`` names an
argument in a call. ``key`` names a property and is no variable. ``import`` is a name of another module,
``export`` a variable exported under its own name. ``global`` is in a Python ``global`` or ``nonlocal``.
``component`` is a reference from a JSX tag, where a lower-case name has another meaning."""

NameScopeKind = Literal["module", "function", "class", "block"]
"""Kinds of scopes of names. Comprehensions are blocks."""


@dataclass(frozen=True, slots=True)
class Span:
    """From ``start`` up to, but not including, ``end``."""

    start: Place
    end: Place


@dataclass(frozen=True, slots=True)
class Raised:
    """An error that a function raises.

    Attributes:
        condition: Condition of the directly enclosing ``if``, if it is on one line.
    """

    name: str
    condition: str | None = None


@dataclass(frozen=True, slots=True)
class Identifier:
    """One occurrence of a name, never in a string or comment.

    Attributes:
        owner: The text before the dot of an attribute, or the callee of a keyword, if it is names and dots.
        is_shorthand: JavaScript's ``{name}``, which is both a key and a variable.
        scope: Number of the scope in which it is bound or looked up, in ``CodeFacts.name_scopes``.
    """

    name: str
    span: Span
    role: Role
    owner: str = ""
    is_shorthand: bool = False
    scope: int = 0


@dataclass(frozen=True, slots=True)
class NameScope:
    """A part of the code with its own names.

    Attributes:
        parent: Number of the enclosing scope, ``None`` for the module.
        is_inside: Whether all of it is in the lines of the edit.
    """

    parent: int | None
    kind: NameScopeKind
    is_inside: bool

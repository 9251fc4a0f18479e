"""The scope of an edit: the lines that it may change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

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

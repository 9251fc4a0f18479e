"""The lines an edit may change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ScopeKind = Literal["selection", "function", "class", "block", "file", "insertion"]
"""What a scope is. ``insertion`` is an empty scope: the answer is inserted before its line."""

ScopeChoice = Literal["auto", "selection", "function", "class", "file"]
"""What a client may ask for."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Whole lines ``start`` up to, not including, ``end`` of a document.

    Attributes:
        kind: What the lines are.
        name: The function's or class's name, where it has one.
        start: First line, 0-based.
        end: Line after the last; equal to ``start`` for an insertion.
    """

    kind: ScopeKind
    name: str | None
    start: int
    end: int

"""What the aligner decides: one step of ``scope == NEW[:j] ++ OLD[i:]`` each.

Every step moves the boundary between the written and the old lines down and keeps the equation true, so any
choice of steps is exact; a good choice is minimal.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Keep:
    """Old lines up to ``until`` stay as they are."""

    until: int


@dataclass(frozen=True, slots=True)
class Delete:
    """Old lines up to ``until`` go."""

    until: int


@dataclass(frozen=True, slots=True)
class Insert:
    """A new line, at the boundary."""

    line: str


@dataclass(frozen=True, slots=True)
class Change:
    """Old line ``index`` becomes ``line``, in its place."""

    index: int
    line: str


Op = Keep | Delete | Insert | Change

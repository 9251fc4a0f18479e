"""Decisions of the aligner, each one a step of ``scope == NEW[:j] ++ OLD[i:]``.

Every op moves the boundary between written and old lines down and keeps the equation true. So every sequence
of ops is exact; a good one is minimal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Keep:
    """Old lines up to ``until`` stay."""

    until: int


@dataclass(frozen=True, slots=True)
class Delete:
    """Old lines up to ``until`` are deleted."""

    until: int


@dataclass(frozen=True, slots=True)
class Insert:
    """A new line at the boundary.

    If ``old`` is set, it is that old line, unchanged, although the last `Change` changed it: that change is
    then an insert above the old line, which is kept; see `without_corrected_changes`.
    """

    line: str
    old: int = -1


@dataclass(frozen=True, slots=True)
class Change:
    """Old line ``index`` becomes ``line``."""

    index: int
    line: str


Op = Keep | Delete | Insert | Change


def keeps(op: Op) -> bool:
    """Return whether an op ends with an old line that stays."""
    return isinstance(op, Keep) or (isinstance(op, Insert) and op.old >= 0)


def changes_something(ops: Sequence[Op]) -> bool:
    """Return whether complete ops change the old lines."""
    return any(not isinstance(op, Keep) for op in ops)


def without_corrected_changes(ops: Sequence[Op]) -> list[Op]:
    """Return equivalent ops without changes that a later `Insert` corrects."""
    done: list[Op] = []
    changed = -1  # index in ``done`` of the last change, if only inserts followed
    for op in ops:
        if isinstance(op, Insert) and op.old >= 0 and changed >= 0:
            change = done[changed]
            assert isinstance(change, Change)
            done[changed] = Insert(change.line)
            done.append(Keep(op.old + 1))
            changed = -1
        else:
            if not isinstance(op, Insert):
                changed = len(done) if isinstance(op, Change) else -1
            done.append(op)
    return done

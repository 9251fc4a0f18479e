"""What the aligner decides: one step of ``scope == NEW[:j] ++ OLD[i:]`` each.

Every step moves the boundary between the written and the old lines down and keeps the equation true, so any
choice of steps is exact; a good choice is minimal.
"""

from __future__ import annotations

from collections.abc import Sequence
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
    """A new line, at the boundary.

    ``old`` is set where it is no new one: it is the old line of that index, which was changed last, and comes as itself
    after all. What it was changed to is a new line above it then, and it is kept; see `settled`.
    """

    line: str
    old: int = -1


@dataclass(frozen=True, slots=True)
class Change:
    """Old line ``index`` becomes ``line``, in its place."""

    index: int
    line: str


Op = Keep | Delete | Insert | Change


def keeps(op: Op) -> bool:
    """Whether an op ends with an old line that stays."""
    return isinstance(op, Keep) or (isinstance(op, Insert) and op.old >= 0)


def settled(ops: Sequence[Op]) -> list[Op]:
    """Return ops that do the same, in which no old line is changed that comes as itself after all."""
    done: list[Op] = []
    changed = -1  # where in ``done`` the last change is, while only new lines came since
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

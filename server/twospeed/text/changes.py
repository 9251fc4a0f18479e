"""The algebra of changes: apply, compose, invert, map.

A change set says how one text becomes another, without holding either. The same code serves two grains:
a ``str``, counted in code points, and a ``tuple`` of lines, counted in lines.

Between two elements that stay there is at most one replacement, so that what a change set does has one form
only, and ``==`` asks whether two do the same to every text. Where elements are replaced, the new ones stand
before the place of the old ones: an insertion elsewhere in that place comes behind them.

Coordinates of the text before end in ``_old``, of the text after in ``_new``. Numbers and
lengths that do not fit the text, and replacements that overlap or are not sorted, raise ``ValueError``.

Source: the CodeMirror reference manual, ``ChangeSet``, whose names and laws these are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Generic, Literal, NamedTuple, TypeVar

S = TypeVar("S", str, tuple[str, ...])

Assoc = Literal[-1, 1]
"""The side a position sticks to where text comes to stand at it: -1 the element before it, 1 the one behind."""

Deleted = Literal["before", "after", "across"]
"""What has to be deleted for a position to be lost: the element before it, the one behind it, both."""


class Replacement(NamedTuple, Generic[S]):
    """Elements ``start`` up to, not including, ``end`` of the old text become ``new``."""

    start: int
    end: int
    new: S


class Change(NamedTuple, Generic[S]):
    """``start_old`` up to ``end_old`` of the text before is ``start_new`` up to ``end_new`` of the one after."""

    start_old: int
    end_old: int
    start_new: int
    end_new: int
    new: S


class _Step(NamedTuple, Generic[S]):
    """Go on by ``size`` old elements: keep them (``new`` is ``None``), or put ``new`` in their place.

    Each does one thing: what inserts has size 0, what deletes an empty ``new``.
    """

    size: int
    new: S | None

    @property
    def size_new(self) -> int:
        return self.size if self.new is None else len(self.new)


@dataclass(frozen=True, slots=True)
class ChangeSet(Generic[S]):
    """A way from one text to another; build it with `of` or `empty`.

    Attributes:
        length: Elements of the text before.
        replacements: Sorted, disjoint, none empty, at least one element kept between two of them.
    """

    length: int
    replacements: tuple[Replacement[S], ...] = ()

    @classmethod
    def of(cls, length: int, replacements: Iterable[Replacement[S]]) -> ChangeSet[S]:
        """Build a change set of replacements of one text.

        Args:
            length: Elements of that text.
            replacements: Sorted and disjoint; they may touch, and be empty.
        """
        builder = _Builder[S]()
        for start, end, new in replacements:
            if not builder.at <= start <= end <= length:
                raise ValueError(f"replacement {start}:{end} does not fit into {builder.at}:{length}")
            builder.add(_Step(start - builder.at, None))
            builder.add(_Step(end - start, new))
        builder.add(_Step(length - builder.at, None))
        return builder.built()

    @classmethod
    def empty(cls, length: int) -> ChangeSet[S]:
        """Build the change set that changes nothing of a text of ``length`` elements."""
        return cls(length)

    def __bool__(self) -> bool:
        return bool(self.replacements)

    @property
    def new_length(self) -> int:
        """Elements of the text after."""
        return self.length + sum(len(new) - (end - start) for start, end, new in self.replacements)

    def iter_changes(self) -> Iterator[Change[S]]:
        """Yield what changes, from the start of the text to its end."""
        shift = 0
        for start, end, new in self.replacements:
            yield Change(start, end, start + shift, start + shift + len(new), new)
            shift += len(new) - (end - start)

    def apply(self, old: S) -> S:
        """Return the text after."""
        _check_length(self.length, len(old))
        pieces: list[S] = []
        at = 0
        for start, end, new in self.replacements:
            pieces += [old[at:start], new]
            at = end
        pieces.append(old[at:])
        return _joined(pieces)

    def invert(self, old: S) -> ChangeSet[S]:
        """Return the change set that leads back to ``old``, the text before."""
        _check_length(self.length, len(old))
        undone = (
            Replacement(change.start_new, change.end_new, old[change.start_old : change.end_old])
            for change in self.iter_changes()
        )
        return ChangeSet(self.new_length, tuple(undone))

    def compose(self, other: ChangeSet[S]) -> ChangeSet[S]:
        """Return the one change set that does what this one and then ``other`` do."""
        _check_length(self.new_length, other.length)
        builder = _Builder[S]()
        first, second = self._steps(), other._steps()
        while first or second:
            if first and not first[-1].size_new:
                builder.add(first.pop())  # the second never saw it
            elif second and not second[-1].size:
                builder.add(second.pop())
            else:
                size = min(first[-1].size_new, second[-1].size)
                made, then = _pull(first, size), _pull(second, size)
                if then.new is None:
                    builder.add(made)
                elif made.new is None:
                    builder.add(then)
                # else the second deletes what the first had inserted
        return builder.built()

    def map(self, other: ChangeSet[S], *, before: bool = False) -> ChangeSet[S]:
        """Return this change set as it reads once ``other``, made for the same text, has been applied.

        ``b.compose(a.map(b, before=True)) == a.compose(b.map(a))``, whatever ``a`` and ``b`` are. What both delete is
        deleted once; what one inserts is never deleted by the other.

        Args:
            other: What was applied first.
            before: Where both insert at the same place, this one's text comes first.
        """
        _check_length(self.length, other.length)
        builder = _Builder[S]()
        ours, theirs = self._steps(), other._steps()
        while ours or theirs:
            they_insert = bool(theirs) and not theirs[-1].size
            if ours and not ours[-1].size and (before or not they_insert):
                builder.add(ours.pop())
            elif they_insert:
                builder.add(_Step(theirs.pop().size_new, None))
            else:
                size = min(ours[-1].size, theirs[-1].size)
                our, their = _pull(ours, size), _pull(theirs, size)
                if their.new is None:
                    builder.add(our)  # else they have deleted it
        return builder.built()

    def map_position(self, position: int, assoc: Assoc = -1) -> int:
        """Carry a position from the text before into the text after.

        A position at an edge of deleted elements stays at that edge of what replaced them. One at an insertion, or
        inside of deleted elements, goes to the side that ``assoc`` says.

        Args:
            position: Number of elements before it, ``0 <= position <= length``.
            assoc: The side it sticks to.
        """
        shift = 0
        for start, end, new in self._up_to(position):
            if position <= end:
                at_edge = start < end and position in (start, end)
                stays = position == start if at_edge else assoc < 0
                return start + shift + (0 if stays else len(new))
            shift += len(new) - (end - start)
        return position + shift

    def map_unless_deleted(self, position: int, deleted: Deleted, assoc: Assoc = -1) -> int | None:
        """Carry a position like `map_position`; return ``None`` where what ``deleted`` names of it is gone."""
        before = any(start < position <= end for start, end, _ in self._up_to(position))
        after = any(start <= position < end for start, end, _ in self._up_to(position))
        is_lost = {"before": before, "after": after, "across": before and after}[deleted]
        return None if is_lost else self.map_position(position, assoc)

    def _up_to(self, position: int) -> Iterator[Replacement[S]]:
        """Yield the replacements that begin at a position or before it."""
        if not 0 <= position <= self.length:
            raise ValueError(f"position {position} is outside of 0:{self.length}")
        return (each for each in self.replacements if each.start <= position)

    def _steps(self) -> list[_Step[S]]:
        """Return insertions, deletions and what is kept, each on its own; the first step stands last, to be popped."""
        steps: list[_Step[S]] = []
        at = 0
        for start, end, new in self.replacements:
            steps += [_Step(start - at, None), _Step(0, new), _Step(end - start, new[:0])]
            at = end
        steps.append(_Step(self.length - at, None))
        return [step for step in reversed(steps) if step.size or step.new]


class _Builder(Generic[S]):
    """Collects steps from the start of the old text on, and joins what touches."""

    def __init__(self) -> None:
        self.at = 0
        self._start = 0
        self._pieces: list[S] = []
        self._replacements: list[Replacement[S]] = []

    def add(self, step: _Step[S]) -> None:
        self.at += step.size
        if step.new is not None:
            self._pieces.append(step.new)
        elif step.size:
            self._close(self.at - step.size)
            self._start = self.at

    def built(self) -> ChangeSet[S]:
        self._close(self.at)
        return ChangeSet(self.at, tuple(self._replacements))

    def _close(self, end: int) -> None:
        if self._start < end or any(self._pieces):
            self._replacements.append(Replacement(self._start, end, _joined(self._pieces)))
        self._pieces = []


def _pull(steps: list[_Step[S]], n: int) -> _Step[S]:
    """Take ``n`` elements off the step that is next; the rest of it stays."""
    size, new = steps.pop()
    if new:  # an insertion
        if n < len(new):
            steps.append(_Step(0, new[n:]))
        return _Step(0, new[:n])
    if n < size:
        steps.append(_Step(size - n, new))
    return _Step(n, new)


def _joined(pieces: Sequence[S]) -> S:
    """Join one piece or more."""
    first = pieces[0]
    if isinstance(first, str):
        return first[:0].join(pieces)
    return tuple(chain.from_iterable(pieces))


def _check_length(expected: int, length: int) -> None:
    if expected != length:
        raise ValueError(f"made for a text of length {expected}, not {length}")

"""The rows of a live scope: one for each line of the document, and a last one for the line below the scope.

A removed line is kept in the row below its place, whether an op, the user or an undo removed it. So it can be
restored, and is recognized when it comes back (`typed_rows`). The functions at the end return what is in review.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from itertools import count, repeat
from operator import is_not
from typing import Any, NamedTuple

from twospeed.text.lines import body_of


class RowKind(Enum):
    """The origin of a row: the scope before the edit, the answer, or the user.

    A removed line of the answer that another answer replaced is `PAST`: only an undo brings it back.
    """

    OLD = auto()
    NEW = auto()
    USER = auto()
    PAST = auto()


class Row(NamedTuple):
    """One line, in the document or removed from it; immutable."""

    kind: RowKind
    text: str  # last known; only the document knows the present line end
    written: str  # before the user touched it
    # Index among the old lines; for a row of the user that of the row above; -1 if there is none. Below the
    # boundary it never decreases.
    old: int = -1
    # The change that wrote this NEW row, or removed this OLD one; 0 for none. An OLD row in the document has
    # a hunk if the change was reverted.
    hunk: int = 0
    other: Row | None = None  # of a line changed in place, the form that is not in the document
    proposed: str | None = None  # the answer's text in place of the user's line
    removed: tuple[Row, ...] = ()  # directly above it, in order
    batch: int = 0  # number of the batch that wrote or removed it; 0 for none

    @property
    def is_touched(self) -> bool:
        """Whether its text differs from the written one, ignoring the line end."""
        return self.text is not self.written and body_of(self.text) != body_of(self.written)

    @property
    def is_plain(self) -> bool:
        """Whether it is an old line without any change."""
        return self.kind is RowKind.OLD and not self.hunk and not self.removed and self.text is self.written

    def flipped(self) -> Row:
        """Return the other form of a line changed in place, with this one as its other form."""
        other = self.other
        assert other
        this = Row(self.kind, self.written, self.written, self.old, self.hunk, batch=self.batch)
        return Row(
            other.kind,
            other.text,
            other.written,
            other.old,
            self.hunk,
            this,
            other.proposed,
            other.removed,
            self.batch,
        )

    def with_text(self, line: str) -> Row:
        """Return the row with another text."""
        kind, _, written, old, hunk, other, proposed, removed, batch = self
        return Row(kind, line, written, old, hunk, other, proposed, removed, batch)

    def with_removed(self, removed: tuple[Row, ...]) -> Row:
        """Return the row with other removed rows above it."""
        kind, text, written, old, hunk, other, proposed, _, batch = self
        return Row(kind, text, written, old, hunk, other, proposed, removed, batch)


def old_rows(lines: Sequence[str]) -> list[Row]:
    """Return the rows of an untouched scope."""
    defaults = repeat(0), repeat(None), repeat(None), repeat(()), repeat(0)  # of the fields from ``hunk`` on
    return [
        *_rows(zip(repeat(RowKind.OLD), lines, lines, count(), *defaults)),
        Row(RowKind.USER, "", "", len(lines)),
    ]


def _rows(fields: Iterable[tuple[Any, ...]]) -> list[Row]:
    return list(map(tuple.__new__, repeat(Row), fields))  # no Python call for each row, for speed


def removed_row(row: Row, hunk: int, batch: int) -> Row:
    """Return a row as it is kept after the change ``hunk`` removed it."""
    kind, text, written, old, _, other, proposed, _, _ = row
    return Row(kind, text, written, old, hunk, other, proposed, (), batch)


def removed_rows(rows: Sequence[Row], hunk: int, batch: int) -> list[Row] | None:
    """Return `removed_row` of many rows; ``None`` unless all are unchanged old lines."""
    kinds, texts, written, old, hunks, others, proposed, removed, _ = zip(*rows, strict=True)
    if (
        kinds.count(RowKind.OLD) < len(kinds)
        or any(hunks)
        or any(removed)
        or any(map(is_not, texts, written))
    ):
        return None
    return _rows(zip(kinds, texts, written, old, repeat(hunk), others, proposed, removed, repeat(batch)))


def typed_row(line: str, above: Row | None) -> Row:
    """Return a row of the user, below another."""
    return Row(RowKind.USER, line, line, above.old if above else -1)


def proposal(line: str) -> Row:
    """Return a removed row with the answer's text for a line that the user deleted."""
    return Row(RowKind.USER, "", "", proposed=line)


class Boundary(NamedTuple):
    """The boundary between decided rows and old lines."""

    row: int = 0  # the first undecided row
    old: int = 0  # the first undecided old line
    hunk: int = 0  # number of the last change
    is_hunk_open: bool = False  # whether the next written line belongs to it


# What is in review


@dataclass(frozen=True, slots=True)
class Hunk:
    """One contiguous change: the lines ``start`` up to ``end`` of the document replaced the lines ``removed``."""

    number: int
    start: int
    end: int
    removed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Clash:
    """A place where the user's line was kept; ``proposed`` is the answer's text, empty for a deletion."""

    start: int
    end: int
    proposed: str


def is_answer_touched(rows: Sequence[Row]) -> bool:
    """Return whether the user has inserted a line, or changed or deleted one that the answer wrote."""
    typed = any(row.kind is RowKind.USER or (row.kind is RowKind.NEW and row.is_touched) for row in rows[:-1])
    return typed or any(removed.kind is RowKind.NEW for row in rows for removed in row.removed)


def hunks_in(rows: Sequence[Row], start: int) -> list[Hunk]:
    """Return the changes in the rows of a scope that begins at line ``start``."""
    found: dict[int, tuple[int, list[str]]] = {}
    ends: dict[int, int] = {}
    back: dict[int, list[str]] = {}  # old lines that came back below a change of their hunk
    for line, row in enumerate(rows, start):
        for removed in row.removed:
            if removed.kind is RowKind.OLD and removed.hunk:
                old_lines = found.setdefault(removed.hunk, (line, []))[1]
                old_lines += (*back.pop(removed.hunk, ()), removed.text)
                ends[removed.hunk] = line
        if row.kind is RowKind.NEW:
            old_lines = found.setdefault(row.hunk, (line, []))[1]
            old_lines += back.pop(row.hunk, ())
            if row.other:
                old_lines.append(row.other.text)
            ends[row.hunk] = line + 1
        elif row.kind is RowKind.OLD and row.hunk in found:
            back.setdefault(row.hunk, []).append(row.text)
    return [
        Hunk(number, start, ends[number], tuple(old_lines))
        for number, (start, old_lines) in sorted(found.items())
    ]


def clashes_in(rows: Sequence[Row], start: int) -> list[Clash]:
    """Return the places where the user's lines were kept."""
    clashes: list[Clash] = []
    for line, row in enumerate(rows, start):
        if row.removed:
            clashes += [Clash(line, line, removed.proposed) for removed in row.removed if removed.proposed]
        if row.proposed is not None and row.proposed != body_of(row.text):
            clashes.append(Clash(line, line + 1, row.proposed))
    return clashes


def answer_places(rows: Sequence[Row], start: int) -> list[tuple[int, int]]:
    """Return the place of each line of a whole answer; see `LiveScope.answer_places`."""
    places: list[tuple[int, int]] = []
    for line, row in enumerate(rows, start):
        if row.removed:
            # Removed lines of the answer: its new ones, and old ones that it kept and the user deleted.
            n_counted = sum(
                each.kind is RowKind.NEW or not (each.hunk or each.kind is RowKind.USER)
                for each in row.removed
            )
            places += [(line, line)] * n_counted
        if row.kind is not RowKind.USER:
            places.append((line, line + 1))
    return places


def accepted(row: Row, is_selected: Callable[[int], bool]) -> Row:
    """Return a row without the old lines of the selected hunks; their new lines become old ones."""
    if not (row.hunk or row.removed):
        return row
    removed = tuple(each for each in row.removed if not each.hunk or not is_selected(each.hunk))
    if row.hunk and is_selected(row.hunk):
        return Row(RowKind.OLD, row.text, row.written, row.old, 0, None, row.proposed, removed)
    return row.with_removed(removed) if row.removed else row

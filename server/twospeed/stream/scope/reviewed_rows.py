"""What can be decided in a live scope: the changes that were made, and where the user's lines were left alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from twospeed.text.lines import body_of

from .rows import Row, RowKind


@dataclass(frozen=True, slots=True)
class Hunk:
    """One contiguous change: lines ``start`` up to ``end`` of the document stand where ``removed`` stood."""

    number: int
    start: int
    end: int
    removed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Clash:
    """A place where the user's line was left alone.

    ``proposed`` is what the answer wants there: the line changed to that, or, where it is empty, the line gone. What the
    answer writes instead of a line that is to go stands above it then: it was shown before anybody could know.
    """

    start: int
    end: int
    proposed: str


def hunks_in(rows: Sequence[Row], start: int) -> list[Hunk]:
    """Return the changes in the rows of a scope that begins at line ``start``; see `LiveScope.hunks`."""
    found: dict[int, tuple[int, list[str]]] = {}
    ends: dict[int, int] = {}
    for line, row in enumerate(rows, start):
        for gone in row.gone:
            if gone.kind is RowKind.OLD and gone.hunk:
                found.setdefault(gone.hunk, (line, []))[1].append(gone.text)
                ends[gone.hunk] = line
        if row.kind is RowKind.NEW:
            removed = found.setdefault(row.hunk, (line, []))[1]
            if row.other:
                removed.append(row.other.text)
            ends[row.hunk] = line + 1
    return [
        Hunk(number, start, ends[number], tuple(removed))
        for number, (start, removed) in sorted(found.items())
    ]


def clashes_in(rows: Sequence[Row], start: int) -> list[Clash]:
    """Return where the user's lines were left alone; see `LiveScope.clashes`."""
    result: list[Clash] = []
    for line, row in enumerate(rows, start):
        if row.gone:
            result += [Clash(line, line, gone.proposed) for gone in row.gone if gone.proposed]
        if row.proposed is not None and row.proposed != body_of(row.text):
            result.append(Clash(line, line + 1, row.proposed))
    return result


def answer_places(rows: Sequence[Row], start: int) -> list[tuple[int, int]]:
    """Say where each line of a whole answer is; see `LiveScope.answer_places`."""
    places: list[tuple[int, int]] = []
    for line, row in enumerate(rows, start):
        if row.gone:
            n_counted = sum(
                each.kind is RowKind.NEW or not (each.hunk or each.kind is RowKind.USER) for each in row.gone
            )
            places += [(line, line)] * n_counted
        if row.kind is not RowKind.USER:
            places.append((line, line + 1))
    return places


def accepted(row: Row, numbers: Callable[[int], bool]) -> Row:
    """Return a row without the old lines of some hunks."""
    if not (row.hunk or row.gone):
        return row
    gone = tuple(each for each in row.gone if not each.hunk or not numbers(each.hunk))
    if row.hunk and numbers(row.hunk):
        return Row(RowKind.OLD, row.text, row.text, row.old, 0, None, row.proposed, gone)
    return row.with_gone(gone) if row.gone else row

"""What the user can review in a live scope: changes, and lines of the user that were kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from twospeed.text.lines import body_of

from .rows import Row, RowKind


@dataclass(frozen=True, slots=True)
class Hunk:
    """One contiguous change: the lines ``start`` to ``end`` of the document replaced ``removed``."""

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


def hunks_in(rows: Sequence[Row], start: int) -> list[Hunk]:
    """Return the changes in the rows of a scope that begins at line ``start``."""
    found: dict[int, tuple[int, list[str]]] = {}
    ends: dict[int, int] = {}
    for line, row in enumerate(rows, start):
        for removed in row.removed:
            if removed.kind is RowKind.OLD and removed.hunk:
                found.setdefault(removed.hunk, (line, []))[1].append(removed.text)
                ends[removed.hunk] = line
        if row.kind is RowKind.NEW:
            old_lines = found.setdefault(row.hunk, (line, []))[1]
            if row.other:
                old_lines.append(row.other.text)
            ends[row.hunk] = line + 1
    return [
        Hunk(number, start, ends[number], tuple(old_lines))
        for number, (start, old_lines) in sorted(found.items())
    ]


def clashes_in(rows: Sequence[Row], start: int) -> list[Clash]:
    """Return the places where the user's lines were kept."""
    result: list[Clash] = []
    for line, row in enumerate(rows, start):
        if row.removed:
            result += [Clash(line, line, removed.proposed) for removed in row.removed if removed.proposed]
        if row.proposed is not None and row.proposed != body_of(row.text):
            result.append(Clash(line, line + 1, row.proposed))
    return result


def answer_places(rows: Sequence[Row], start: int) -> list[tuple[int, int]]:
    """Return the place of each line of a whole answer; see `LiveScope.answer_places`."""
    places: list[tuple[int, int]] = []
    for line, row in enumerate(rows, start):
        if row.removed:
            n_counted = sum(
                each.kind is RowKind.NEW or not (each.hunk or each.kind is RowKind.USER)
                for each in row.removed
            )
            places += [(line, line)] * n_counted
        if row.kind is not RowKind.USER:
            places.append((line, line + 1))
    return places


def accepted(row: Row, numbers: Callable[[int], bool]) -> Row:
    """Return a row without the old lines of some hunks."""
    if not (row.hunk or row.removed):
        return row
    removed = tuple(each for each in row.removed if not each.hunk or not numbers(each.hunk))
    if row.hunk and numbers(row.hunk):
        return Row(RowKind.OLD, row.text, row.text, row.old, 0, None, row.proposed, removed)
    return row.with_removed(removed) if row.removed else row

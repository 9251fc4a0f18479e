"""What a change that the user made means for the rows in its place.

Two readings are tried. ``match_undo``: every line the change leaves there is one that stands there or stood there once,
and none of the old lines or the user's own is missing. Then the change takes something back, or does it again: an
undo, or a redo, of what we or the user did, and each line is what it was. ``apply_typing``, otherwise: lines that are the same
keep their rows, a line that resembles one is that one, touched; of the others, those in the same place are paired from
the top, so that the first half of a line that was split and the first of lines that were joined go on as that line.
A line that was moved is deleted in one place and typed in the other.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

from twospeed.stream.aligner import aligned, is_similar
from twospeed.stream.ops import Change, Delete, Insert, Keep
from twospeed.text.lines import body_of

from .rows import Boundary, Row, RowKind, typed_row

MAX_AROUND = 32
"""Rows above and below a change that it may have happened at as well; more would cost a person time at each Enter."""


MAX_READINGS = 100_000
"""Steps that may be spent on which of equal lines came back; a change that needs more is read as typing."""

MAX_SEARCHED = 20_000
"""Rows that are looked at for lines that were removed and are typed again, in one change."""

MAX_RECALLED = 2_500
"""Rows that may have come back or gone in one change; where there are more, only all of them coming back is noticed."""

MAX_ALIGNED, MAX_ALIGNED_CHARS = 2_000, 100_000
"""Lines of a change, old and new, that are compared; in a longer one those in the same place are paired."""


class TypedRows(NamedTuple):
    """Rows ``first`` up to ``last`` become ``rows``; the first undecided row is then ``boundary_row``."""

    first: int
    last: int
    rows: list[Row]
    boundary_row: int


class _Slot(NamedTuple):
    """A row that stands in the place of a change, or has gone from it.

    Attributes:
        row: As it is now.
        forms: What it may be afterwards, if it stands there then.
        may_go: Whether it may also be gone.
        is_decided: Whether it belongs above the boundary.
    """

    row: Row
    forms: tuple[Row, ...]
    may_go: bool
    is_decided: bool


class _Emitter:
    """Collects the rows of a place from the top down, each with what has gone from above it."""

    def __init__(self, first: int, last: int, boundary: Boundary) -> None:
        self._first, self._last, self._boundary = first, last, boundary
        self._gone: list[Row] = []
        self._n_decided = 0
        self.rows: list[Row] = []

    def emit(self, row: Row, gone: Sequence[Row] = (), *, is_decided: bool) -> None:
        if self._gone or gone or row.gone:
            row = row.with_gone((*self._gone, *gone))
            self._gone = []
        self.rows.append(row)
        if is_decided:
            self._n_decided = len(self.rows)

    def drop(self, row: Row) -> None:
        """Let a row go, and remember it; one of the user's would come back as the user's anyway."""
        if row.kind is not RowKind.USER or row.proposed is not None:
            self._gone.append(row.with_gone(()) if row.gone else row)

    def typed(self) -> TypedRows:
        """Return the outcome; the row below the change is the last of its rows."""
        boundary_row = self._boundary.row
        if self._last < boundary_row:
            boundary_row += len(self.rows) - (self._last + 1 - self._first)
        elif self._first <= boundary_row:
            boundary_row = self._first + self._n_decided
        return TypedRows(self._first, self._last + 1, self.rows, boundary_row)


# Taken back


def match_undo(
    rows: Sequence[Row], first: int, last: int, lines: Sequence[str], boundary: Boundary
) -> TypedRows | None:
    """Read a change as lines coming back, or going again.

    Args:
        rows: The scope's rows, the one below it included.
        first: The first row that was replaced.
        last: The row behind the last that was.
        lines: What stands there now, with line ends.
        boundary: Where the zipper stands.

    Returns:
        ``None`` where some line is none of those, or a line is missing that only the user can have deleted.
    """
    n_rows = last - first + sum(len(row.gone) for row in rows[first : last + 1])
    if n_rows > MAX_RECALLED:
        return _all_back(rows, first, lines, boundary) if first == last else None
    first, last, lines = _widened(rows, first, last, lines)
    slots: list[_Slot] = []
    for index in range(first, last):
        slots += _slots(rows[index], boundary, is_decided=index < boundary.row)
    below = rows[last]
    is_below_decided = last < boundary.row
    slots += _gone_slots(below, boundary, is_decided=is_below_decided)
    forms = _explain(slots, [body_of(line) for line in lines])
    if forms is None:
        return None
    emitter = _Emitter(first, last, boundary)
    texts = iter(lines)
    for slot, form in zip(slots, forms, strict=True):
        if form:
            emitter.emit(form.with_text(next(texts)), is_decided=slot.is_decided)
        else:
            emitter.drop(slot.row)
    emitter.emit(below, is_decided=is_below_decided)
    return emitter.typed()


def _all_back(rows: Sequence[Row], at: int, lines: Sequence[str], boundary: Boundary) -> TypedRows | None:
    """Read inserted lines as all those that have gone from above row ``at``, if they are."""
    below = rows[at]
    if len(lines) != len(below.gone):
        return None
    if any(body_of(row.text) != body_of(line) for row, line in zip(below.gone, lines, strict=True)):
        return None
    is_below_decided = at < boundary.row
    emitter = _Emitter(at, at, boundary)
    for slot, line in zip(_gone_slots(below, boundary, is_decided=is_below_decided), lines, strict=True):
        if not slot.forms:
            return None
        emitter.emit(slot.row.with_text(line), is_decided=slot.is_decided)
    emitter.emit(below.with_gone(()), is_decided=is_below_decided)
    return emitter.typed()


def _widened(
    rows: Sequence[Row], first: int, last: int, lines: Sequence[str]
) -> tuple[int, int, Sequence[str]]:
    """Widen a change to all the rows that it may as well have happened at.

    Where lines repeat, those that came or went may have done so anywhere among their likes. And where what we wrote
    begins or ends like what we removed, a change back leaves that part alone.
    """
    bodies = {body_of(line) for line in (*lines, *(row.text for row in rows[first:last]))}
    top, bottom = first, last
    while top > max(0, first - MAX_AROUND) and _may_be_part(rows[top - 1], bodies):
        top -= 1
    while bottom < min(len(rows) - 1, last + MAX_AROUND) and _may_be_part(rows[bottom], bodies):
        bottom += 1
    above = [row.text for row in rows[top:first]]
    below = [row.text for row in rows[last:bottom]]
    return top, bottom, (*above, *lines, *below)


def _may_be_part(row: Row, bodies: Collection[str]) -> bool:
    return row.hunk > 0 or body_of(row.text) in bodies


def _slots(row: Row, boundary: Boundary, *, is_decided: bool) -> Iterator[_Slot]:
    yield from _gone_slots(row, boundary, is_decided=is_decided)
    is_ours = row.kind is RowKind.NEW or (row.kind is RowKind.OLD and row.hunk > 0)
    may_go = is_ours and not row.other and not row.is_touched
    yield _Slot(row, _forms(row), may_go, is_decided)


def _gone_slots(row: Row, boundary: Boundary, *, is_decided: bool) -> Iterator[_Slot]:
    for gone in row.gone:
        is_known = gone.kind is RowKind.OLD and not gone.hunk and gone.old >= boundary.old
        forms = () if gone.kind is RowKind.USER else _forms(gone)
        yield _Slot(gone, forms, True, is_decided or not is_known)


def _forms(row: Row) -> tuple[Row, ...]:
    forms = [row]
    if row.is_touched:
        forms.append(row._replace(text=row.written))
    if row.other:
        forms.append(row.flipped())
    return tuple(forms)


_Path = tuple[int, Row, "_Path"] | None
"""Which slots take which form, the last of them first."""


def _explain(slots: Sequence[_Slot], lines: Sequence[str]) -> list[Row | None] | None:
    """Choose for each slot what it is, or that it is gone, so that the slots in order read as the lines.

    Where there are several ways, an old line is there sooner than a new one. Cost: slots that read like one of the
    lines, times how many of them are more than the lines; ``None`` from ``MAX_READINGS`` on.
    """
    wanted = set(lines)
    candidates: list[tuple[int, dict[str, Row]]] = []
    for index, slot in enumerate(slots):
        forms = {body: form for form in slot.forms[::-1] if (body := body_of(form.text)) in wanted}
        if forms:
            candidates.append((index, forms))
        elif not slot.may_go:
            return None
    n_more = len(candidates) - len(lines)
    if n_more < 0 or len(candidates) * n_more > MAX_READINGS:
        return None
    paths: dict[int, _Path] = {0: None}  # by the number of lines that are explained
    n_left = len(candidates)
    for index, forms in candidates:
        n_left -= 1
        taken: dict[int, _Path] = {
            n + 1: (index, forms[lines[n]], path)
            for n, path in paths.items()
            if n < len(lines) and lines[n] in forms
        }
        if slots[index].may_go:
            taken = {**taken, **paths} if slots[index].row.kind is RowKind.NEW else {**paths, **taken}
        paths = {n: path for n, path in taken.items() if n + n_left >= len(lines)}
    if len(lines) not in paths:
        return None
    chosen: list[Row | None] = [None] * len(slots)
    path = paths[len(lines)]
    while path:
        index, chosen[index], path = path
    return chosen


# Touched


def apply_typing(
    rows: Sequence[Row], first: int, last: int, lines: Sequence[str], boundary: Boundary
) -> TypedRows:
    """Read a change as typing: arguments as those of `match_undo`."""
    emitter = _Emitter(first, last, boundary)
    old = [body_of(row.text) for row in rows[first:last]]
    is_above = last <= boundary.row
    for index, place in _pairs(old, [body_of(line) for line in lines]):
        row = None if index is None else rows[first + index]
        if place is None:
            assert row
            for gone in row.gone:
                emitter.drop(gone)
            emitter.drop(row)
        elif row is None or index is None:
            above = emitter.rows[-1] if emitter.rows else rows[first - 1] if first else None
            emitter.emit(typed_row(lines[place], above), is_decided=is_above)
        else:
            is_decided = first + index < boundary.row
            touched = _touched(row, lines[place])
            emitter.emit(touched, touched.gone, is_decided=is_decided)
    below = rows[last]
    emitter.emit(below, below.gone, is_decided=last < boundary.row)
    return emitter.typed()


def _touched(row: Row, line: str) -> Row:
    """Let a row read otherwise; an old one that we had removed is no longer part of our change then.

    An empty line is typed before anything is typed into it, and proves nothing: one that was taken for an old one is
    the user's after all.
    """
    if row.kind is not RowKind.OLD or not row.hunk or body_of(row.text) == body_of(line):
        return row.with_text(line)
    if not row.written.strip():
        return Row(
            RowKind.USER, line, line, row.old, gone=(*row.gone, row._replace(text=row.written, gone=()))
        )
    return row._replace(text=line, hunk=0, other=None)


def take_back(rows: list[Row], first: int, last: int, boundary: Boundary) -> None:
    """Know lines that were made to read as ones which our change had removed there: these are back.

    A change that undoes ours together with typing, or that a person makes by hand, does not read as an undo; but to put
    the old line back would double it.

    Args:
        rows: The scope's rows, the one below it included; changed in place, and none is added.
        first: The first row that was touched.
        last: The row behind the last that was.
        boundary: Where the zipper stands; below it nothing was removed.
    """
    n_left, is_back, touched = MAX_SEARCHED, False, range(first, min(last, boundary.row))
    for index in touched:
        row = rows[index]
        if row.other:
            if body_of(row.other.text) == body_of(row.text):
                rows[index] = row.flipped().with_text(row.text).with_gone(row.gone)
                is_back = True
        elif n_left > 0 and _may_be_removed(row):
            n_left -= sum(1 + len(below.gone) for below in rows[index : index + MAX_AROUND])
            if found := _removed_near(rows, index):
                _bring_back(rows, index, *found)
                is_back = True
    for index in touched if is_back else ():
        rows[index] = _typed_instead(rows[index], rows[index - 1] if index else None)


def _typed_instead(row: Row, above: Row | None) -> Row:
    """Return a row of the user's if the row was new and now reads quite differently.

    `apply_typing` pairs such lines by place only. In a change that also undoes ours, the new line is gone.
    """
    is_new = row.kind is RowKind.NEW and row.is_touched and not row.other
    if not is_new or is_similar(body_of(row.text), body_of(row.written)):
        return row
    return typed_row(row.text, above).with_gone((*row.gone, row._replace(text=row.written, gone=())))


def _may_be_removed(row: Row) -> bool:
    """Whether a row that reads as a removed line may be that line."""
    return row.kind is not RowKind.OLD and bool(
        row.is_touched if row.kind is RowKind.NEW else row.text.strip()
    )


def _removed_near(rows: Sequence[Row], index: int) -> tuple[int, int] | None:
    """Find a line that was removed and reads as a row does now: the row it hangs on, and where.

    One of ours that was touched may be any line that its change removed; one of the user's, the next below.
    """
    row = rows[index]
    body = body_of(row.text)
    for below in range(index, min(index + MAX_AROUND, len(rows))):
        for at, gone in enumerate(rows[below].gone):
            is_removed = gone.kind is RowKind.OLD and gone.hunk and row.hunk in (0, gone.hunk)
            if is_removed and body_of(gone.text) == body:
                return below, at
        if row.kind is RowKind.USER and rows[below].kind is not RowKind.USER:
            return None
    return None


def _bring_back(rows: list[Row], index: int, below: int, at: int) -> None:
    """Let a row be the line that hangs on row ``below`` as number ``at``."""
    row, gone = rows[index], rows[below].gone
    above, rest = gone[:at], gone[at + 1 :]
    if below == index:
        rows[index + 1] = rows[index + 1]._replace(gone=(*rest, *rows[index + 1].gone))
    else:
        above = (*row.gone, *above)
        rows[below] = rows[below]._replace(gone=rest)
    if row.kind is RowKind.NEW:
        above = (*above, row._replace(text=row.written, gone=()))
    rows[index] = gone[at]._replace(text=row.text, gone=above)


def _pairs(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int | None, int | None]]:
    """Pair old lines with new ones, in order; one without a partner has gone, or come."""
    at_old = at_new = 0
    for index, place in [*_anchors(old, new), (len(old), len(new))]:
        yield from zip_longest(range(at_old, index), range(at_new, place))
        if index < len(old):
            yield index, place
        at_old, at_new = index + 1, place + 1


def _anchors(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Pair lines that are the same, or similar."""
    if not old or not new or len(old) == len(new) == 1 or len(old) + len(new) > MAX_ALIGNED:
        return
    if sum(map(len, old)) + sum(map(len, new)) > MAX_ALIGNED_CHARS:
        return
    at_old = at_new = 0
    for op in aligned(old, new):
        match op:
            case Insert():
                at_new += 1
            case Delete(until):
                at_old = until
            case Keep(until):
                n_kept = until - at_old
                yield from zip(range(at_old, until), range(at_new, at_new + n_kept), strict=True)
                at_old, at_new = until, at_new + n_kept
            case Change(index):
                yield index, at_new
                at_old, at_new = index + 1, at_new + 1

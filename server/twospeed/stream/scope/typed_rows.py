"""Apply a change of the user to the rows at its place, as an undo or redo, or else as typing.

No client reports an undo. A change is matched as an undo or redo if every line after it is or was there, and no
old line or line of the user is missing. Each line then gets its former row.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from twospeed.stream.aligner import is_similar
from twospeed.text.lines import body_of

from .line_pairs import line_pairs
from .rows import Boundary, Row, RowKind, typed_row

MAX_AROUND = 32
"""Rows on each side of a change that are matched too: equal lines make its place uncertain. More would delay each Enter."""

MAX_STEPS = 100_000
"""Steps for choosing which of equal lines came back; with more, a change counts as typing."""

MAX_SEARCHED = 20_000
"""Rows that one change searches for removed lines typed again."""

MAX_MATCHED = 2_500
"""Rows that may have come back or disappeared; with more, only the return of all is detected."""


class TypedRows(NamedTuple):
    """The rows that replace rows ``first`` to ``last``, and the first undecided row afterwards."""

    first: int
    last: int
    rows: list[Row]
    boundary_row: int


class _Slot(NamedTuple):
    """A row at the place of a change, in the document or removed."""

    row: Row
    forms: tuple[Row, ...]  # the rows that it may be in the document afterwards
    may_be_removed: bool  # by an undo or redo
    is_decided: bool  # above the boundary


class _Emitter:
    """Collects rows from the top down, each with the removed rows above it."""

    def __init__(self, first: int, last: int, boundary: Boundary) -> None:
        self._first, self._last, self._boundary = first, last, boundary
        self._removed: list[Row] = []  # dropped since the last row, so directly above the next one
        self._n_decided = 0  # number of rows up to the last decided one
        self.rows: list[Row] = []

    def emit(self, row: Row, removed: Sequence[Row] = (), *, is_decided: bool) -> None:
        if self._removed or removed or row.removed:
            row = row.with_removed((*self._removed, *removed))
            self._removed = []
        self.rows.append(row)
        if is_decided:
            self._n_decided = len(self.rows)

    def drop(self, row: Row) -> None:
        # A deleted line of the user is not restored by us, so it is not kept.
        if row.kind is not RowKind.USER or row.proposed is not None:
            self._removed.append(row.with_removed(()) if row.removed else row)

    def typed(self) -> TypedRows:
        """Return the result; the row below the change is its last row."""
        boundary_row = self._boundary.row
        if self._last < boundary_row:
            boundary_row += len(self.rows) - (self._last + 1 - self._first)
        elif self._first <= boundary_row:
            boundary_row = self._first + self._n_decided
        return TypedRows(self._first, self._last + 1, self.rows, boundary_row)


# Undo and redo


def match_undo(
    rows: Sequence[Row], first: int, last: int, lines: Sequence[str], boundary: Boundary
) -> TypedRows | None:
    """Match a change of the rows ``first`` to ``last`` as lines that come back or disappear.

    Returns:
        ``None`` if it inserts another line, or if only the user can have deleted a missing one.
    """
    n_rows = last - first + sum(len(row.removed) for row in rows[first : last + 1])
    if n_rows > MAX_MATCHED:  # an insertion may still be the return of all removed rows
        return _match_all_removed(rows, first, lines, boundary) if first == last else None
    first, last, lines = _widened(rows, first, last, lines)
    slots: list[_Slot] = []
    for index in range(first, last):
        slots += _slots(rows[index], boundary, is_decided=index < boundary.row)
    below = rows[last]
    is_below_decided = last < boundary.row
    slots += _removed_slots(below, boundary, is_decided=is_below_decided)
    forms = _assign_lines(slots, [body_of(line) for line in lines])
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


def _match_all_removed(
    rows: Sequence[Row], at: int, lines: Sequence[str], boundary: Boundary
) -> TypedRows | None:
    below = rows[at]
    if len(lines) != len(below.removed):
        return None
    if any(body_of(row.text) != body_of(line) for row, line in zip(below.removed, lines, strict=True)):
        return None
    is_below_decided = at < boundary.row
    emitter = _Emitter(at, at, boundary)
    for slot, line in zip(_removed_slots(below, boundary, is_decided=is_below_decided), lines, strict=True):
        if not slot.forms:
            return None
        emitter.emit(slot.row.with_text(line), is_decided=slot.is_decided)
    emitter.emit(below.with_removed(()), is_decided=is_below_decided)
    return emitter.typed()


def _widened(
    rows: Sequence[Row], first: int, last: int, lines: Sequence[str]
) -> tuple[int, int, Sequence[str]]:
    # If lines repeat, equal lines may have come or disappeared anywhere among them. If a written part begins
    # or ends like the removed one, a revert does not touch the common lines.
    bodies = {body_of(line) for line in (*lines, *(row.text for row in rows[first:last]))}
    top, bottom = first, last
    while top > max(0, first - MAX_AROUND) and _may_belong_to_undo(rows[top - 1], bodies):
        top -= 1
    while bottom < min(len(rows) - 1, last + MAX_AROUND) and _may_belong_to_undo(rows[bottom], bodies):
        bottom += 1
    above = [row.text for row in rows[top:first]]
    below = [row.text for row in rows[last:bottom]]
    return top, bottom, (*above, *lines, *below)


def _may_belong_to_undo(row: Row, bodies: Collection[str]) -> bool:
    return row.hunk > 0 or body_of(row.text) in bodies


def _slots(row: Row, boundary: Boundary, *, is_decided: bool) -> Iterator[_Slot]:
    yield from _removed_slots(row, boundary, is_decided=is_decided)
    # An undo removes a new line, and a redo an old line that was restored.
    is_ours = row.kind is RowKind.NEW or (row.kind is RowKind.OLD and row.hunk > 0)
    may_be_removed = is_ours and not row.other and not row.is_touched
    yield _Slot(row, _forms(row), may_be_removed, is_decided)


def _removed_slots(row: Row, boundary: Boundary, *, is_decided: bool) -> Iterator[_Slot]:
    for removed in row.removed:
        # An old line that the user deleted below the boundary: if it comes back, the answer has not reached it.
        is_undecided = removed.kind is RowKind.OLD and not removed.hunk and removed.old >= boundary.old
        forms = () if removed.kind is RowKind.USER else _forms(removed)
        yield _Slot(removed, forms, True, is_decided or not is_undecided)


def _forms(row: Row) -> tuple[Row, ...]:
    if row.kind is RowKind.PAST:
        return (row._replace(kind=RowKind.NEW),)
    forms = [row]
    if row.is_touched:
        forms.append(row._replace(text=row.written))
    if row.other:
        forms.append(row.flipped())
    return tuple(forms)


_Path = tuple[int, Row, "_Path"] | None
"""Chosen slots with their forms, the last slot first."""


def _assign_lines(slots: Sequence[_Slot], lines: Sequence[str]) -> list[Row | None] | None:
    """Choose for each slot a form or its removal, so that the slots in order give the lines.

    Cost: matching slots times their surplus over the lines; ``None`` from ``MAX_STEPS`` on.
    """
    wanted = set(lines)
    candidates: list[tuple[int, dict[str, Row]]] = []
    for index, slot in enumerate(slots):
        forms = {body: form for form in slot.forms[::-1] if (body := body_of(form.text)) in wanted}
        if forms:
            candidates.append((index, forms))
        elif not slot.may_be_removed:
            return None
    n_surplus = len(candidates) - len(lines)
    if n_surplus < 0 or len(candidates) * n_surplus > MAX_STEPS:
        return None
    paths: dict[int, _Path] = {0: None}  # keyed by the number of explained lines
    n_left = len(candidates)
    for index, forms in candidates:
        n_left -= 1
        next_paths: dict[int, _Path] = {
            n + 1: (index, forms[lines[n]], path)
            for n, path in paths.items()
            if n < len(lines) and lines[n] in forms
        }
        # Of two equal lines, an undo removes that of the answer and restores the old one.
        if slots[index].may_be_removed:
            is_of_answer = slots[index].row.kind in (RowKind.NEW, RowKind.PAST)
            next_paths = {**next_paths, **paths} if is_of_answer else {**paths, **next_paths}
        paths = {n: path for n, path in next_paths.items() if n + n_left >= len(lines)}
    if len(lines) not in paths:
        return None
    chosen: list[Row | None] = [None] * len(slots)
    path = paths[len(lines)]
    while path:
        index, chosen[index], path = path
    return chosen


def is_undone(rows: Sequence[Row], newest: int, *, is_one_step: bool) -> bool:
    """Return whether the user has undone batch ``newest``, the last one that was written, and not only typed.

    An undo reverts whole steps, newest first: no line that the batch wrote is left, and all lines that it removed or
    changed are back. ``is_one_step`` means that the client makes all batches one undo step.
    """
    n_removed, has_old_again, has_others = 0, False, False
    for row in rows:
        for removed in row.removed:
            if removed.batch == newest and (removed.kind is RowKind.OLD or removed.other):
                return False  # an old line is still missing
            n_removed += removed.batch == newest
        if row.kind is RowKind.NEW:
            if row.batch == newest:
                return False
            has_others = True
        elif row.batch == newest:
            has_old_again = True
    if not (n_removed or has_old_again):
        return False
    # If the batch wrote one line and removed none, a user may have deleted that line. This is an undo if each
    # batch is an undo step. If all batches are one step, an undo reverts all, so it is typing while another
    # is left.
    return has_old_again or n_removed > 1 or not (is_one_step and has_others)


# Typing


def apply_typing(
    rows: Sequence[Row], first: int, last: int, lines: Sequence[str], boundary: Boundary
) -> TypedRows:
    """Apply a change as typing; the arguments are those of `match_undo`."""
    # Equal lines keep their rows, and a similar line is the same row, touched. Other lines are paired by
    # position from the top, so the first half of a split line, and the first of joined lines, keep the row.
    emitter = _Emitter(first, last, boundary)
    old = [body_of(row.text) for row in rows[first:last]]
    is_above = last <= boundary.row
    for index, place in line_pairs(old, [body_of(line) for line in lines]):
        row = None if index is None else rows[first + index]
        if place is None:
            assert row
            for removed in row.removed:
                emitter.drop(removed)
            emitter.drop(row)
        elif row is None or index is None:
            above = emitter.rows[-1] if emitter.rows else rows[first - 1] if first else None
            emitter.emit(typed_row(lines[place], above), is_decided=is_above)
        else:
            is_decided = first + index < boundary.row
            touched = _with_typed_text(row, lines[place])
            emitter.emit(touched, touched.removed, is_decided=is_decided)
    below = rows[last]
    emitter.emit(below, below.removed, is_decided=last < boundary.row)
    return emitter.typed()


def _with_typed_text(row: Row, line: str) -> Row:
    if row.kind is not RowKind.OLD or not row.hunk or body_of(row.text) == body_of(line):
        return row.with_text(line)
    if not row.written.strip():  # an empty line matched to an old one was the user's after all
        return Row(
            RowKind.USER,
            line,
            line,
            row.old,
            removed=(*row.removed, row._replace(text=row.written, removed=())),
        )
    return row._replace(text=line, hunk=0, other=None)  # a restored old row leaves our change


def recognize_restored(rows: list[Row], first: int, last: int, boundary: Boundary) -> None:
    """Restore in place the typed lines that our change removed there.

    A change that mixes an undo with typing is not matched as an undo, and the old line must not be doubled.
    """
    n_left, has_restored, indices = MAX_SEARCHED, False, range(first, min(last, boundary.row))
    for index in indices:
        row = rows[index]
        if row.other:
            if body_of(row.other.text) == body_of(row.text):
                rows[index] = row.flipped().with_text(row.text).with_removed(row.removed)
                has_restored = True
        elif n_left > 0 and _may_be_retyped(row):
            n_left -= sum(1 + len(below.removed) for below in rows[index : index + MAX_AROUND])
            if found := _removed_near(rows, index):
                _restore_line(rows, index, *found)
                has_restored = True
    for index in indices if has_restored else ():
        rows[index] = _without_wrong_pair(rows[index], rows[index - 1] if index else None)


def _without_wrong_pair(row: Row, above: Row | None) -> Row:
    # `apply_typing` may have paired a new row with an unrelated typed line.
    is_new = row.kind is RowKind.NEW and row.is_touched and not row.other
    if not is_new or is_similar(body_of(row.text), body_of(row.written)):
        return row
    return typed_row(row.text, above).with_removed((*row.removed, row._replace(text=row.written, removed=())))


def _may_be_retyped(row: Row) -> bool:
    return row.kind is not RowKind.OLD and bool(
        row.is_touched if row.kind is RowKind.NEW else row.text.strip()
    )


def _removed_near(rows: Sequence[Row], index: int) -> tuple[int, int] | None:
    """Return the row above which a removed old line has the same text, and its index there.

    For a touched row of ours, any line that its change removed; for a row of the user, only the next below.
    """
    row = rows[index]
    body = body_of(row.text)
    for below in range(index, min(index + MAX_AROUND, len(rows))):
        for at, removed in enumerate(rows[below].removed):
            is_removed = removed.kind is RowKind.OLD and removed.hunk and row.hunk in (0, removed.hunk)
            if is_removed and body_of(removed.text) == body:
                return below, at
        if row.kind is RowKind.USER and rows[below].kind is not RowKind.USER:
            return None
    return None


def _restore_line(rows: list[Row], index: int, below: int, at: int) -> None:
    row, removed = rows[index], rows[below].removed
    above, rest = removed[:at], removed[at + 1 :]
    if below == index:
        rows[index + 1] = rows[index + 1]._replace(removed=(*rest, *rows[index + 1].removed))
    else:
        above = (*row.removed, *above)
        rows[below] = rows[below]._replace(removed=rest)
    if row.kind is RowKind.NEW:
        above = (*above, row._replace(text=row.written, removed=()))
    rows[index] = removed[at]._replace(text=row.text, removed=above)

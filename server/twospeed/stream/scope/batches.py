"""Build batches of line edits that write ops into a scope's rows, or revert them, without changing the rows."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import NamedTuple

from twospeed.stream.ops import Change, Delete, Insert, Keep, Op
from twospeed.text.edits import LineEdit
from twospeed.text.lines import body_of

from .rows import Boundary, Row, RowKind, proposal, removed_row, removed_rows

_OLD_OF = attrgetter("old")
_RUN = 256
"""Rows that are deleted together if none of them is part of a change."""


class ScopeBatch(NamedTuple):
    """Sorted, disjoint line edits, and ``rows``, which then replace rows ``first`` to ``last``.

    A batch without edits can be committed at once.
    """

    edits: tuple[LineEdit, ...]
    first: int
    last: int
    rows: list[Row]
    boundary: Boundary
    n_ops: int  # that it performs
    number: int = 0  # among the batches of ops, from 1; 0 for one that restores lines


class _Edits:
    """Line edits in order; adjacent ones are merged, except for a line changed in place."""

    def __init__(self, start: int) -> None:
        self._start = start
        self._at = -1
        self._count = 0
        self._lines: list[str] = []
        self._done: list[LineEdit] = []

    def write(self, row: int, count: int, lines: Sequence[str] = ()) -> None:
        if self._at + self._count != row or self._at < 0:
            self._close()
            self._at = row
        self._count += count
        self._lines += lines

    def change(self, row: int, line: str) -> None:
        """Change a line in place; a line without a line end keeps the present one."""
        self._close()
        self._done.append(LineEdit(self._start + row, 1, (line,)))

    def _close(self) -> None:
        if self._at >= 0:
            self._done.append(LineEdit(self._start + self._at, self._count, tuple(self._lines)))
            self._at, self._count, self._lines = -1, 0, []

    def finish(self) -> tuple[LineEdit, ...]:
        self._close()
        return tuple(self._done)


class BatchBuilder:
    """Performs ops on the rows below the boundary. Cost: the rows that an op changes."""

    def __init__(self, rows: Sequence[Row], boundary: Boundary, start: int, number: int = 0) -> None:
        self._rows = rows
        self._number = number
        self._first, self._old, self._hunk, self._is_hunk_open = boundary
        self._at = self._first
        self._out: list[Row] = []
        self._removed: list[Row] = []
        self._edits = _Edits(start)

    def perform(self, op: Op) -> None:
        """Perform the next op."""
        match op:
            case Keep(until):
                self._pass_to(self._row_of(until))
                self._old, self._is_hunk_open = until, False
            case Insert(line, old):
                if old < 0 or not self._restore_line(old):
                    self._emit(
                        Row(RowKind.NEW, line, line, -1, self._open_hunk(), None, None, (), self._number)
                    )
                    self._edits.write(self._at, 0, (line,))
            case Change(index, line):
                self._pass_to(self._row_of(index))
                self._change(index, line)
                self._old = index + 1
            case Delete(until):
                self._delete_to(self._row_of(until))
                self._old = until

    def batch(self, n_ops: int) -> ScopeBatch:
        """Return the batch of ``n_ops`` ops."""
        rows, last = self._out, self._at
        boundary = Boundary(self._first + len(rows), self._old, self._hunk, self._is_hunk_open)
        if self._removed:
            self._emit(self._rows[last])
            last += 1
        return ScopeBatch(self._edits.finish(), self._first, last, rows, boundary, n_ops, self._number)

    def _row_of(self, old: int) -> int:
        rows, at = self._rows, self._at
        # The guess is wrong only if the user typed or deleted rows below the boundary.
        guess = at + max(0, old - self._old)
        if guess < len(rows) and rows[guess].old >= old and (guess == at or rows[guess - 1].old < old):
            return guess
        return bisect_left(rows, old, at, key=_OLD_OF)

    def _open_hunk(self) -> int:
        if not self._is_hunk_open:
            self._hunk, self._is_hunk_open = self._hunk + 1, True
        return self._hunk

    def _emit(self, row: Row) -> None:
        if self._removed:
            row = row.with_removed((*self._removed, *row.removed))
            self._removed = []
        self._out.append(row)

    def _pass_to(self, end: int) -> None:
        if self._at < end and self._removed:
            self._emit(self._rows[self._at])
            self._at += 1
        self._out += self._rows[self._at : end]
        self._at = end

    def _restore_line(self, old: int) -> bool:
        """Insert an old line below its changed form; return False if that is impossible."""
        at = self._first
        while at and self._rows[at - 1].kind is not RowKind.OLD and not self._rows[at - 1].other:
            at -= 1
        row = self._rows[at - 1] if at else None
        if not row or not row.other or old not in (row.old, row.other.old):
            return False
        if row.kind is RowKind.NEW:
            self._out = [row._replace(other=None), *self._rows[at : self._first], *self._out]
            self._first = at - 1
            self._emit(row.other._replace(hunk=row.hunk))
            self._edits.write(self._at, 0, (row.other.text,))
        # otherwise the user has reverted the change, and the old line is in the document
        self._is_hunk_open = False
        return True

    def _delete_to(self, end: int) -> None:
        while self._at < end:
            rows = self._rows[self._at : min(end, self._at + _RUN)]
            if removed := removed_rows(rows, self._hunk + (not self._is_hunk_open), self._number):
                self._open_hunk()
                self._removed += removed
                self._edits.write(self._at, len(rows))
                self._at += len(rows)
            else:
                for row in rows:
                    self._delete(row)

    def _delete(self, row: Row) -> None:
        if row.kind is RowKind.USER:
            self._emit(row)
        elif row.is_touched:
            self._emit(row._replace(proposed=""))
        else:
            self._removed += (*row.removed, removed_row(row, self._open_hunk(), self._number))
            self._edits.write(self._at, 1)
        self._at += 1

    def _change(self, index: int, line: str) -> None:
        row = self._rows[self._at]
        if row.old != index or row.kind is not RowKind.OLD:  # the user has deleted the line, which is kept so
            self._removed.append(proposal(line))
            return
        if row.is_touched:
            self._emit(row if body_of(row.text) == line else row._replace(proposed=line))
        else:
            other = row.with_removed(()) if row.removed else row
            self._emit(
                Row(RowKind.NEW, line, line, -1, self._open_hunk(), other, None, row.removed, self._number)
            )
            self._edits.change(self._at, line)
        self._at += 1


class HunkReverter:
    """Restores the old lines of selected hunks, except for rows that the user touched."""

    def __init__(self, start: int, is_selected: Callable[[int], bool]) -> None:
        self._is_selected = is_selected
        self._edits = _Edits(start)
        self._at = 0
        self._out: list[Row] = []
        self._removed: list[Row] = []

    def restore(self, row: Row) -> None:
        """Receive the next row, from the top down."""
        if row.is_plain and not self._removed:
            self._out.append(row)
            self._at += 1
            return
        self._restore_removed(row)
        if row.kind is not RowKind.NEW or row.is_touched or not self._is_selected(row.hunk):
            self._emit(row)
        elif row.other:
            self._edits.change(self._at, row.other.text)
            self._emit(row.flipped())
        else:
            self._edits.write(self._at, 1)
            self._removed.append(row.with_removed(()))
        self._at += 1

    def batch(self, below: Row, boundary: Boundary) -> ScopeBatch:
        """Return the batch; ``below`` is the first row that was not written."""
        self._restore_removed(below)
        boundary = boundary._replace(row=len(self._out))
        self._emit(below)
        return ScopeBatch(self._edits.finish(), 0, self._at + 1, self._out, boundary, 0)

    def _restore_removed(self, row: Row) -> None:
        for removed in row.removed:
            if removed.kind is RowKind.OLD and removed.hunk and self._is_selected(removed.hunk):
                self._edits.write(self._at, 0, (removed.text,))
                self._emit(removed)
            else:
                self._removed.append(removed)

    def _emit(self, row: Row) -> None:
        if self._removed or row.removed:
            row = row.with_removed(tuple(self._removed))
            self._removed = []
        self._out.append(row)

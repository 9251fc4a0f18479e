"""Batches of line edits: ops are written into a scope's rows, or taken back from them.

``BatchBuilder`` writes ops, ``HunkReverter`` puts old lines back. Both read the rows and change nothing; what the rows will be
once the document shows the edits is in the ``ScopeBatch``.
"""

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
"""Rows that are deleted in one go where none of them has anything to do with a change."""


class ScopeBatch(NamedTuple):
    """Line edits against the document as it stands, and what is so once the client has shown them.

    ``edits`` may be empty: then there is nothing to send, and the batch can be committed at once.

    Attributes:
        edits: Sorted and disjoint.
        first: The first row that changes.
        last: The row behind the last that does.
        rows: What they become.
        boundary: Where the zipper stands then.
        n_ops: How many ops it carries out.
        number: Its number among those the model's ops made, from 1; 0 for one that puts lines back.
    """

    edits: tuple[LineEdit, ...]
    first: int
    last: int
    rows: list[Row]
    boundary: Boundary
    n_ops: int
    number: int = 0


class _Edits:
    """Line edits in order; neighbours become one, but a line changed in its place stays alone."""

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
        """Change a line in its place; one without a line end keeps the one that is there."""
        self._close()
        self._done.append(LineEdit(self._start + row, 1, (line,)))

    def _close(self) -> None:
        if self._at >= 0:
            self._done.append(LineEdit(self._start + self._at, self._count, tuple(self._lines)))
            self._at, self._count, self._lines = -1, 0, []

    def taken(self) -> tuple[LineEdit, ...]:
        self._close()
        return tuple(self._done)


class BatchBuilder:
    """Perform ops on the rows below the boundary.

    Cost: that of the rows an op changes; rows it keeps are copied as one slice.

    Args:
        rows: The scope's rows, the one below it included.
        boundary: Where the zipper stands.
        start: The document line of the first row.
        number: The number of the batch.
    """

    def __init__(self, rows: Sequence[Row], boundary: Boundary, start: int, number: int = 0) -> None:
        self._rows = rows
        self._number = number
        self._first, self._old, self._hunk, self._is_hunk_open = boundary
        self._at = self._first
        self._out: list[Row] = []
        self._gone: list[Row] = []
        self._edits = _Edits(start)

    def perform(self, op: Op) -> None:
        """Take the next op."""
        match op:
            case Keep(until):
                self._pass_to(self._row_of(until))
                self._old, self._is_hunk_open = until, False
            case Insert(line, old):
                if old < 0 or not self._bring_back(old):
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
        """Return what was built from ``n_ops`` ops."""
        rows, last = self._out, self._at
        boundary = Boundary(self._first + len(rows), self._old, self._hunk, self._is_hunk_open)
        if self._gone:
            self._emit(self._rows[last])
            last += 1
        return ScopeBatch(self._edits.taken(), self._first, last, rows, boundary, n_ops, self._number)

    def _row_of(self, old: int) -> int:
        """Find the first row that comes with old line ``old`` or behind it.

        Where nothing was typed it is as many rows further down as old lines.
        """
        rows, at = self._rows, self._at
        guess = at + max(0, old - self._old)
        if guess < len(rows) and rows[guess].old >= old and (guess == at or rows[guess - 1].old < old):
            return guess
        return bisect_left(rows, old, at, key=_OLD_OF)

    def _open_hunk(self) -> int:
        if not self._is_hunk_open:
            self._hunk, self._is_hunk_open = self._hunk + 1, True
        return self._hunk

    def _emit(self, row: Row) -> None:
        if self._gone:
            row = row.with_gone((*self._gone, *row.gone))
            self._gone = []
        self._out.append(row)

    def _pass_to(self, end: int) -> None:
        if self._at < end and self._gone:
            self._emit(self._rows[self._at])
            self._at += 1
        self._out += self._rows[self._at : end]
        self._at = end

    def _bring_back(self, old: int) -> bool:
        """Have an old line that is shown as changed stand below what it was changed to, as it was; say if it can be."""
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
        # else the user has taken the change back, and it stands there
        self._is_hunk_open = False
        return True

    def _delete_to(self, end: int) -> None:
        while self._at < end:
            rows = self._rows[self._at : min(end, self._at + _RUN)]
            if removed := removed_rows(rows, self._hunk + (not self._is_hunk_open), self._number):
                self._open_hunk()
                self._gone += removed
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
            self._gone += (*row.gone, removed_row(row, self._open_hunk(), self._number))
            self._edits.write(self._at, 1)
        self._at += 1

    def _change(self, index: int, line: str) -> None:
        row = self._rows[self._at]
        if row.old != index or row.kind is not RowKind.OLD:  # the user has deleted the line: that stands
            self._gone.append(proposal(line))
            return
        if row.is_touched:
            self._emit(row if body_of(row.text) == line else row._replace(proposed=line))
        else:
            other = row.with_gone(()) if row.gone else row
            self._emit(
                Row(RowKind.NEW, line, line, -1, self._open_hunk(), other, None, row.gone, self._number)
            )
            self._edits.change(self._at, line)
        self._at += 1


class HunkReverter:
    """Walk down the written rows and put the old lines of hunks back, sparing rows the user has touched.

    Args:
        start: The document line of the first row.
        wanted: Which hunks, by number.
    """

    def __init__(self, start: int, wanted: Callable[[int], bool]) -> None:
        self._wanted = wanted
        self._edits = _Edits(start)
        self._at = 0
        self._out: list[Row] = []
        self._gone: list[Row] = []

    def restore(self, row: Row) -> None:
        """Take the next row, from the top down."""
        if row.is_plain and not self._gone:
            self._out.append(row)
            self._at += 1
            return
        self._restore_gone(row)
        if row.kind is not RowKind.NEW or row.is_touched or not self._wanted(row.hunk):
            self._emit(row)
        elif row.other:
            self._edits.change(self._at, row.other.text)
            self._emit(row.flipped())
        else:
            self._edits.write(self._at, 1)
            self._gone.append(row.with_gone(()))
        self._at += 1

    def batch(self, below: Row, boundary: Boundary) -> ScopeBatch:
        """Return what was built; ``below`` is the first row that was not written."""
        self._restore_gone(below)
        boundary = boundary._replace(row=len(self._out))
        self._emit(below)
        return ScopeBatch(self._edits.taken(), 0, self._at + 1, self._out, boundary, 0)

    def _restore_gone(self, row: Row) -> None:
        for gone in row.gone:
            if gone.kind is RowKind.OLD and gone.hunk and self._wanted(gone.hunk):
                self._edits.write(self._at, 0, (gone.text,))
                self._emit(gone)
            else:
                self._gone.append(gone)

    def _emit(self, row: Row) -> None:
        """Give a row what has gone from above it."""
        if self._gone or row.gone:
            row = row.with_gone(tuple(self._gone))
            self._gone = []
        self._out.append(row)

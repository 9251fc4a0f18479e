"""The rows of a live scope, and the batches of edits built from them.

A row is one line of the document. Old lines that are gone are remembered as ghosts at the row below them, so that
everything can be put back. ``Builder`` writes ops, ``Restorer`` puts ghosts back; both read the rows, change
nothing, and end in a ``Batch``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto

from twospeed.text.edits import LineEdit
from twospeed.text.lines import body_of, eol_of

from .ops import Change, Delete, Insert, Keep, Op


class Kind(Enum):
    """Where a row comes from."""

    OLD = auto()
    NEW = auto()
    USER = auto()


@dataclass(frozen=True, slots=True)
class Ghost:
    """An old line that is not in the document any more, or a proposal that found its line gone."""

    hunk: int
    old: int
    text: str
    is_proposal: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the document; ``text`` has the line's own end."""

    kind: Kind
    text: str
    old: int = -1
    hunk: int = 0
    is_touched: bool = False
    replaced: Ghost | None = None
    proposed: str | None = None
    gone: tuple[Ghost, ...] = ()


@dataclass(frozen=True, slots=True)
class Batch:
    """Line edits against the document as it stands, and what is so once the client has shown them.

    ``edits`` may be empty: then there is nothing to send, and the batch can be committed at once.
    """

    edits: tuple[LineEdit, ...]
    first: int
    last: int
    rows: tuple[Row, ...]
    boundary: int
    end_gone: tuple[Ghost, ...]
    n_ops: int
    hunk: int
    is_hunk_open: bool


class _Edits:
    """Line edits in order; neighbours become one, but a line changed in its place stays alone."""

    def __init__(self, start: int) -> None:
        self._start = start
        self._edits: list[tuple[int, int, list[str], bool]] = []

    def write(self, row: int, count: int, lines: Sequence[str]) -> None:
        if self._edits:
            at, n_old, new, is_single = self._edits[-1]
            if not is_single and at + n_old == row:
                new += lines
                self._edits[-1] = (at, n_old + count, new, False)
                return
        self._edits.append((row, count, list(lines), False))

    def change(self, row: int, line: str) -> None:
        self._edits.append((row, 1, [line], True))

    def __iter__(self) -> Iterator[LineEdit]:
        return (LineEdit(self._start + row, count, tuple(lines)) for row, count, lines, _ in self._edits)


class Builder:
    """Perform ops on the rows below the boundary, without touching them."""

    def __init__(
        self, rows: Sequence[Row], boundary: int, *, start: int, hunk: int, is_hunk_open: bool
    ) -> None:
        self._rows = rows
        self._first = self._at = boundary
        self._hunk = hunk
        self._is_hunk_open = is_hunk_open
        self._out: list[Row] = []
        self._gone: list[Ghost] = []
        self._edits = _Edits(start)

    def _open_hunk(self) -> int:
        if not self._is_hunk_open:
            self._hunk, self._is_hunk_open = self._hunk + 1, True
        return self._hunk

    def perform(self, op: Op) -> None:
        """Take the next op."""
        match op:
            case Keep(until):
                while self._at < len(self._rows) and self._is_before(until):
                    self._pass()
                self._is_hunk_open = False
            case Insert(line):
                self._emit(Row(Kind.NEW, line, hunk=self._open_hunk()))
                self._edits.write(self._at, 0, [line])
            case Delete(until):
                while self._has_old_before(until):
                    self._delete()
            case Change(index, line):
                self._change(index, line)

    def batch(self, n_ops: int, end_gone: tuple[Ghost, ...]) -> Batch:
        """Return what was built from ``n_ops`` ops; ``end_gone`` are the ghosts at the scope's end so far."""
        rows, last = list(self._out), self._at
        if self._gone and last < len(self._rows):
            below = self._rows[last]
            rows.append(replace(below, gone=(*self._gone, *below.gone)))
            last += 1
        elif self._gone:
            end_gone = (*self._gone, *end_gone)
        return Batch(
            tuple(self._edits),
            self._first,
            last,
            tuple(rows),
            self._first + len(self._out),
            end_gone,
            n_ops,
            self._hunk,
            self._is_hunk_open,
        )

    def _is_before(self, until: int) -> bool:
        row = self._rows[self._at]
        return row.kind is Kind.USER or row.old < until

    def _has_old_before(self, until: int) -> bool:
        for index in range(self._at, len(self._rows)):
            if self._rows[index].kind is not Kind.USER:
                return self._rows[index].old < until
        return False

    def _pass(self) -> None:
        self._emit(self._rows[self._at])
        self._at += 1

    def _emit(self, row: Row) -> None:
        self._out.append(replace(row, gone=(*self._gone, *row.gone)) if self._gone else row)
        self._gone.clear()

    def _delete(self) -> None:
        row = self._rows[self._at]
        if row.kind is Kind.USER:
            self._pass()
        elif row.is_touched:
            self._clash("")
        else:
            self._gone += [*row.gone, Ghost(self._open_hunk(), row.old, row.text)]
            self._edits.write(self._at, 1, [])
            self._at += 1

    def _change(self, index: int, line: str) -> None:
        while self._has_old_before(index + 1) and self._rows[self._at].kind is Kind.USER:
            self._pass()
        if not self._has_old_before(index + 1):  # the user has deleted the line: that stands
            self._gone.append(Ghost(self._open_hunk(), index, line, is_proposal=True))
            return
        row = self._rows[self._at]
        if row.is_touched:
            self._clash(line)
            return
        text = line + eol_of(row.text)
        ghost = Ghost(self._open_hunk(), row.old, row.text)
        self._emit(Row(Kind.NEW, text, hunk=self._hunk, replaced=ghost, gone=row.gone))
        self._edits.change(self._at, text)
        self._at += 1

    def _clash(self, proposed: str) -> None:
        self._emit(replace(self._rows[self._at], proposed=proposed))
        self._at += 1


class Restorer:
    """Walk down the written rows and put old lines back."""

    def __init__(self, start: int, wanted: Callable[[int], bool]) -> None:
        self._wanted = wanted
        self._carried: tuple[Ghost, ...] = ()
        self.rows: list[Row] = []
        self.edits = _Edits(start)

    def restore(self, index: int, row: Row) -> None:
        """Take row ``index``, from the top down."""
        others = self.ghosts(index, row.gone)
        if row.kind is not Kind.NEW or row.is_touched or not self._wanted(row.hunk):
            self.rows.append(replace(row, gone=others))
        elif row.replaced:
            self.edits.change(index, row.replaced.text)
            self.rows.append(Row(Kind.OLD, row.replaced.text, row.replaced.old, gone=others))
        else:
            self.edits.write(index, 1, [])
            self._carried = others

    def ghosts(self, index: int, gone: Sequence[Ghost]) -> tuple[Ghost, ...]:
        """Write the wanted ghosts back above row ``index``; return the others, for the row below."""
        others = [*self._carried]
        self._carried = ()
        for ghost in gone:
            if ghost.is_proposal or not self._wanted(ghost.hunk):
                others.append(ghost)
            else:
                self.edits.write(index, 0, [ghost.text])
                self.rows.append(Row(Kind.OLD, ghost.text, ghost.old, gone=tuple(others)))
                others = []
        return tuple(others)


def come_back(
    rows: Sequence[Row], below: Sequence[Ghost], lines: Sequence[str]
) -> tuple[list[Row], tuple[Ghost, ...]] | None:
    """Read a change of rows as the return of old lines: an undo of what was written there.

    Args:
        rows: The rows that were changed, all above the boundary.
        below: The ghosts at the row below them.
        lines: What they were changed to.

    Returns:
        The rows as they are then, and the ghosts that are left at the row below; ``None`` where some line is none of
        the old ones, or none of them proves anything.
    """
    if not any(line.strip() for line in lines):
        return None
    result: list[Row] = []
    gone: list[Ghost] = []
    for was, ghost in _old_lines(rows, below):
        is_old = ghost is None or not ghost.is_proposal
        if is_old and len(result) < len(lines) and body_of(was.text) == body_of(lines[len(result)]):
            result.append(replace(was, text=lines[len(result)], gone=tuple(gone)))
            gone.clear()
        elif ghost:
            gone.append(ghost)
        else:
            return None
    return (result, tuple(gone)) if len(result) == len(lines) else None


def _old_lines(rows: Sequence[Row], below: Sequence[Ghost]) -> Iterator[tuple[Row, Ghost | None]]:
    """Give what stood, or still stands, in some rows; with its ghost where it is gone and may stay so."""
    for row in rows:
        yield from ((Row(Kind.OLD, ghost.text, ghost.old), ghost) for ghost in row.gone)
        if row.replaced:
            yield Row(Kind.OLD, row.replaced.text, row.replaced.old), None
        elif row.kind is not Kind.NEW:
            yield replace(row, gone=()), None
    yield from ((Row(Kind.OLD, ghost.text, ghost.old), ghost) for ghost in below)

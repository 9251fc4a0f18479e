"""The scope as it stands in the document: what was written, what is still old, what the user typed.

A ``LiveScope`` is a list of rows, one a line of the document, cut in two by the boundary of the zipper: above it
what is decided, below it the old lines still to come. Old lines that went are remembered at the row below them,
so that everything can be put back.

Ops wait here until a batch of edits is built from them. Building changes nothing; only ``commit``, once the client
has shown the batch, does. If the user typed in between, the batch is dropped and built anew from the same ops:
they speak of old lines, not of positions, so typing never makes them wrong.

Laws: a batch is sorted, disjoint and inside the scope; a line the user touched is never changed or removed by us,
and is reported instead; putting everything back gives the old text plus what the user typed. A user who undoes what we
wrote has put it back already.
Not here: which version a batch is for, and whether it arrived (`delivery`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from twospeed.text.document import Splice
from twospeed.text.lines import body_of

from .ops import Keep, Op
from .rows import Batch, Builder, Ghost, Kind, Restorer, Row, come_back


@dataclass(frozen=True, slots=True)
class Hunk:
    """One contiguous change: lines ``start`` up to ``end`` of the document stand where ``removed`` stood."""

    number: int
    start: int
    end: int
    removed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Clash:
    """A place where the user's line was left alone; ``proposed`` is what the answer wanted there, or nothing."""

    start: int
    end: int
    proposed: str


class LiveScope:
    """Follow one scope of one document.

    Args:
        lines: The scope's lines, with their line ends.
        start: The document line the scope begins at.
    """

    def __init__(self, lines: Sequence[str], start: int) -> None:
        self.start = start
        self.has_crossed_edge = False
        self.has_landed = False
        self._rows = [Row(Kind.OLD, line, index) for index, line in enumerate(lines)]
        self._boundary = 0
        self._end_gone: tuple[Ghost, ...] = ()
        self._pending: list[Op] = []
        self._hunk = 0
        self._is_hunk_open = False

    @property
    def end(self) -> int:
        """Document line behind the scope's last one."""
        return self.start + len(self._rows)

    # The model writes

    def receive_ops(self, ops: Sequence[Op]) -> None:
        """Queue what the aligner decided."""
        self._pending += ops

    def next_batch(self) -> Batch | None:
        """Build the edits for everything that waits; ``None`` where nothing does."""
        if not self._pending:
            return None
        builder = Builder(
            self._rows,
            self._boundary,
            start=self.start,
            hunk=self._hunk,
            is_hunk_open=self._is_hunk_open,
        )
        for op in self._pending:
            builder.perform(op)
        return builder.batch(len(self._pending), self._end_gone)

    def commit(self, batch: Batch) -> None:
        """Take note that the document now holds the batch, the last one built."""
        self._rows[batch.first : batch.last] = batch.rows
        self._boundary = batch.boundary
        self._end_gone = batch.end_gone
        self._hunk = batch.hunk
        self._is_hunk_open = batch.is_hunk_open
        self.has_landed = self.has_landed or bool(batch.edits)
        del self._pending[: batch.n_ops]

    # The old text comes back

    def put_back(self, numbers: Callable[[int], bool] = lambda _: True) -> Batch:
        """Build the edits that restore the old lines of hunks, sparing lines the user has touched.

        Args:
            numbers: Which hunks, by number; all where it is left out.
        """
        restorer = Restorer(self.start, numbers)
        for index, row in enumerate(self._rows[: self._boundary]):
            restorer.restore(index, row)
        rest, end_gone = self._rows[self._boundary :], self._end_gone
        if rest:
            rest[0] = replace(rest[0], gone=restorer.ghosts(self._boundary, rest[0].gone))
        else:
            end_gone = restorer.ghosts(self._boundary, end_gone)
        rows = (*restorer.rows, *rest)
        return Batch(
            tuple(restorer.edits),
            0,
            len(self._rows),
            rows,
            len(restorer.rows),
            end_gone,
            0,
            self._hunk,
            self._is_hunk_open,
        )

    def put_back_all(self) -> Batch:
        """Build the edits that restore all old lines, and forget what was decided and not yet shown."""
        self._pending.clear()
        return self.put_back()

    def keep_part(self) -> Batch:
        """Build the edits that leave what was written up to the last kept old line, and nothing behind it."""
        while self._pending and not isinstance(self._pending[-1], Keep):
            self._pending.pop()
        open_hunk = self._hunk if self._is_hunk_open else None
        return self.next_batch() or self.put_back(lambda number: number == open_hunk)

    # What is in review

    def hunks(self) -> list[Hunk]:
        """Return the changes that can be accepted or rejected, in order."""
        found: dict[int, list[tuple[int, int, tuple[str, ...]]]] = {}
        for index, row in enumerate([*self._rows, Row(Kind.USER, "", gone=self._end_gone)]):
            line = self.start + index
            for ghost in row.gone:
                if not ghost.is_proposal:
                    found.setdefault(ghost.hunk, []).append((line, line, (ghost.text,)))
            if row.kind is Kind.NEW:
                removed = (row.replaced.text,) if row.replaced else ()
                found.setdefault(row.hunk, []).append((line, line + 1, removed))
        return [_joined(number, parts) for number, parts in sorted(found.items())]

    def clashes(self) -> list[Clash]:
        """Return where the user's lines were left alone though the answer changes them."""
        result: list[Clash] = []
        for index, row in enumerate([*self._rows, Row(Kind.USER, "", gone=self._end_gone)]):
            line = self.start + index
            result += [Clash(line, line, ghost.text) for ghost in row.gone if ghost.is_proposal]
            if row.proposed is not None:
                result.append(Clash(line, line + 1, row.proposed))
        return result

    def accept(self, numbers: Callable[[int], bool] = lambda _: True) -> None:
        """Forget the old lines of hunks: what stands there is the document's own now."""
        self._rows = [_accepted(row, numbers) for row in self._rows]
        self._end_gone = _others(self._end_gone, numbers)

    # The user types

    def follow(self, splice: Splice) -> None:
        """Follow a change of the document that is not ours.

        Lines keep their identity: a changed line is touched, a new one is the user's, a deleted one is gone for
        good. A change above the scope moves it, one across its edge sets ``has_crossed_edge``, as does one that
        deletes all of it.
        """
        first, last = splice.start - self.start, splice.start + splice.count - self.start
        n_rows = len(self._rows)
        growth = len(splice.lines) - splice.count
        if last <= 0:
            self.start += growth
        elif first >= n_rows:
            return
        elif first == 0 and last == n_rows and not splice.lines:
            self.has_crossed_edge = True
            self._rows, self._boundary, self._end_gone = [], 0, ()
        elif first < 0 or last > n_rows:
            self.has_crossed_edge = True
            self._replace_rows(max(first, 0), min(last, n_rows), ())
            if first < 0:
                self.start = splice.start + len(splice.lines)
        else:
            self._replace_rows(first, last, splice.lines)

    def _replace_rows(self, first: int, last: int, lines: Sequence[str]) -> None:
        old = self._rows[first:last]
        if last <= self._boundary and self._undo(first, last, lines):
            return
        n_paired = min(len(old), len(lines))
        rows = [_touched(row, line) for row, line in zip(old, lines, strict=False)]
        rows += [Row(Kind.USER, line) for line in lines[n_paired:]]
        orphans = tuple(ghost for row in old[n_paired:] for ghost in row.gone)
        self._rows[first:last] = rows
        if last <= self._boundary:
            self._boundary += len(lines) - len(old)
        elif first < self._boundary:
            self._boundary = first + min(self._boundary - first, n_paired)
        below = first + len(rows)
        if below < len(self._rows):
            self._rows[below] = replace(self._rows[below], gone=orphans + self._rows[below].gone)
        else:
            self._end_gone = orphans + self._end_gone

    def _undo(self, first: int, last: int, lines: Sequence[str]) -> bool:
        """Take back what was written in some rows where the user's change brings the old lines back."""
        below = self._rows[last].gone if last < len(self._rows) else self._end_gone
        back = come_back(self._rows[first:last], below, lines)
        if back is None:
            return False
        rows, gone = back
        if last < len(self._rows):
            self._rows[last] = replace(self._rows[last], gone=gone)
        else:
            self._end_gone = gone
        self._rows[first:last] = rows
        self._boundary += len(rows) - (last - first)
        return True


def _touched(row: Row, line: str) -> Row:
    if body_of(row.text) == body_of(line):
        return replace(row, text=line)
    return replace(row, text=line, is_touched=True)


def _joined(number: int, parts: Sequence[tuple[int, int, tuple[str, ...]]]) -> Hunk:
    removed = tuple(line for _, _, lines in parts for line in lines)
    return Hunk(number, min(start for start, _, _ in parts), max(end for _, end, _ in parts), removed)


def _accepted(row: Row, numbers: Callable[[int], bool]) -> Row:
    gone = _others(row.gone, numbers)
    if row.kind is Kind.NEW and numbers(row.hunk):
        return Row(Kind.OLD, row.text, gone=gone)
    return replace(row, gone=gone)


def _others(ghosts: Sequence[Ghost], numbers: Callable[[int], bool]) -> tuple[Ghost, ...]:
    return tuple(ghost for ghost in ghosts if not numbers(ghost.hunk))

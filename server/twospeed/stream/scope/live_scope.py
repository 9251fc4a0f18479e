"""The scope as it stands in the document: what was written, what is still old, what the user typed.

A ``LiveScope`` is a list of rows, one a line of the document, cut in two by the boundary of the zipper: above it
what is decided, below it the old lines still to come. Old lines that went are remembered at the row below them,
so that everything can be put back.

Ops wait here until a batch of edits is built from them. Building changes nothing; only ``commit``, once the client
has shown the batch, does. If the user typed in between, the batch is dropped and built anew from the same ops:
they speak of old lines, not of positions, so typing never makes them wrong.

Laws: a batch is sorted, disjoint and inside the scope; a line the user touched is never changed or removed by us,
and is reported instead; where nothing was touched the scope becomes the new lines and what the user typed between them;
putting everything back gives the old text and what the user typed; a user who undoes what we wrote has put it back
already, and may do it again.
Not here: which version a batch is for, and whether it arrived (`delivery`).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from copy import copy
from operator import attrgetter

from twospeed.stream.ops import Change, Delete, Keep, Op, keeps, settled
from twospeed.text.document import Splice
from twospeed.text.lines import bodies_of, body_of

from .batches import BatchBuilder, HunkReverter, ScopeBatch
from .other_answer import rewritten
from .reviewed_rows import Clash, Hunk, accepted, answer_places, clashes_in, hunks_in
from .rows import Boundary, RowKind, old_rows
from .typed_rows import MAX_AROUND, TypedRows, apply_typing, match_undo, take_back
from .undone import is_undone

MAX_FOLLOWED = 8_000
"""Lines that a change in the scope takes away and brings; one of more is not followed, and ends the edit."""

MAX_HALVED = 500
"""Lines that have gone, from which either all or none of them come back beyond the scope's edge."""


class LiveScope:
    """Follow one scope of one document.

    Args:
        lines: The scope's lines, with their line ends.
        start: The document line the scope begins at.
        is_one_step: Whether the client makes all batches one undo step.

    Attributes:
        has_crossed_edge: Whether a change went across the scope's edge.
        has_lost_track: Whether one of these brought lines, so that nobody knows which of the scope's still stand.
        has_landed: Whether anything was written.
        is_taken_back: Whether the user has undone the newest of what was written (`undone`).
    """

    def __init__(self, lines: Sequence[str], start: int, *, is_one_step: bool = False) -> None:
        self.start = start
        self.is_taken_back = False
        self.has_crossed_edge = False
        self.has_lost_track = False
        self.has_landed = False
        self._rows = old_rows(lines)
        self._boundary = Boundary()
        self._pending: list[Op] = []
        self._kept: Keep | None = None  # behind those that wait: it makes no batch of its own
        self._known = set(bodies_of(lines))  # what never stood here cannot come back
        self._is_written = False
        self._is_one_step = is_one_step
        self._n_batches = 0

    @property
    def end(self) -> int:
        """Document line behind the scope's last one."""
        return self.start + len(self._rows) - 1

    @property
    def n_waiting(self) -> int:
        """How many ops wait to be shown."""
        return len(self._pending)

    @property
    def n_decided(self) -> int:
        """How many rows are decided."""
        return self._boundary.row

    @property
    def n_rows(self) -> int:
        """How many rows there are, with those that have gone."""
        return len(self._rows) + sum(len(row.gone) for row in self._rows)

    def copy(self) -> LiveScope:
        """Return one to build a batch of in another thread; the batch is this one's, if nothing was typed meanwhile."""
        twin = copy(self)
        vars(twin).update(_rows=self._rows.copy(), _pending=self._pending.copy())
        return twin

    # The model writes

    def receive_ops(self, ops: Sequence[Op]) -> None:
        """Queue what the aligner decided."""
        for op in ops:
            if isinstance(op, Keep):
                self._kept = op
                continue
            self._queue_kept()
            self._pending.append(op)
            if not isinstance(op, Delete):
                self._known.add(op.line)

    def next_batch(self) -> ScopeBatch | None:
        """Build the edits for everything that waits; ``None`` where nothing is to be changed yet."""
        ops = self._pending[: len(self._pending) - self._waits_for_next_op]
        if not ops:
            return None
        builder = BatchBuilder(self._rows, self._boundary, self.start, self._n_batches + 1)
        for op in settled(ops):
            builder.perform(op)
        return builder.batch(len(ops))

    def commit(self, batch: ScopeBatch) -> None:
        """Take note that the document now holds the batch, the last one built."""
        self._rows[batch.first : batch.last] = batch.rows
        self._boundary = batch.boundary
        self.has_landed = self.has_landed or bool(batch.edits)
        if batch.edits:
            self._n_batches = batch.number
        del self._pending[: batch.n_ops]

    def end_writing(self) -> None:
        """Take note that no op comes any more: once all that was written is undone, nothing of it comes back.

        So it does not matter whether a client tells of an undo and what follows it at once or one after the other.
        """
        self._is_written = True

    @property
    def _waits_for_next_op(self) -> bool:
        """Whether the last op changes a line that the user has touched: the next one may say that it is to stay."""
        if not self._pending or self._kept or self._is_written:
            return False
        op = self._pending[-1]
        if not isinstance(op, Change):
            return False
        row = self._rows[bisect_left(self._rows, op.index, self._boundary.row, key=attrgetter("old"))]
        return row.kind is not RowKind.OLD or row.old != op.index or row.is_touched

    def _queue_kept(self) -> None:
        if self._kept:
            self._pending.append(self._kept)
            self._kept = None

    # The old text comes back

    def put_back(self, numbers: Callable[[int], bool] = lambda _: True) -> ScopeBatch:
        """Build the edits that restore the old lines of hunks, sparing lines the user has touched.

        Args:
            numbers: Which hunks, by number; all where it is left out.
        """
        restorer = HunkReverter(self.start, numbers)
        for row in self._rows[: self._boundary.row]:
            restorer.restore(row)
        return restorer.batch(self._rows[self._boundary.row], self._boundary)

    def revert_all(self) -> ScopeBatch:
        """Build the edits that restore all old lines, and forget what was decided and not yet shown."""
        self.forget_waiting()
        return self.put_back()

    def forget_waiting(self) -> None:
        """Forget what was decided and not yet shown."""
        self._pending.clear()
        self._kept = None

    def keep_part(self) -> ScopeBatch:
        """Build the edits that leave what was written up to the last kept old line, and nothing behind it."""
        self._queue_kept()
        while self._pending and not keeps(self._pending[-1]):
            self._pending.pop()
        open_hunk = self._boundary.hunk if self._boundary.is_hunk_open else None
        return self.next_batch() or self.put_back(lambda number: number == open_hunk)

    def other_answer(self, ops: Sequence[Op]) -> ScopeBatch:
        """Build the edits that put another whole answer in the place of this one, of which no hunk was accepted."""
        self._known.update(op.line for op in ops if not isinstance(op, Keep | Delete))
        return rewritten(self._rows, self._boundary, self.start, ops)

    # What is in review

    def hunks(self) -> list[Hunk]:
        """Return the changes that can be accepted or rejected, in order."""
        return hunks_in(self._rows, self.start)

    @property
    def has_hunks(self) -> bool:
        """Whether there is anything to accept or reject."""
        return any(
            row.kind is RowKind.NEW or any(gone.kind is RowKind.OLD and gone.hunk for gone in row.gone)
            for row in self._rows
        )

    def clashes(self) -> list[Clash]:
        """Return where the user's lines were left alone though the answer changes them."""
        return clashes_in(self._rows, self.start)

    def answer_places(self) -> list[tuple[int, int]]:
        """Say where each line of a whole answer stands: its line and the one below it, or twice the place of one that is gone.

        Once a change was taken back its old lines are counted in the place of the new ones.
        """
        return answer_places(self._rows, self.start)

    def accept(self, numbers: Callable[[int], bool] = lambda _: True) -> None:
        """Forget the old lines of hunks: what stands there is the document's own now."""
        self._rows = [accepted(row, numbers) for row in self._rows]

    # The user types

    def follow(self, splice: Splice) -> None:
        """Follow a change of the document that is not ours.

        Lines keep their identity (`typed_rows`). A change above the scope moves it, one across its edge sets
        ``has_crossed_edge``, as does one that deletes all of it. What comes to stand at an edge is outside, but for
        lines that stood there before.
        """
        self._follow(splice)
        first = splice.start - self.start
        if self._n_batches and first <= self._boundary.row:
            self.is_taken_back |= is_undone(self._rows, self._n_batches, is_one_step=self._is_one_step)
        if self._known and self._is_written and not self._pending and not self.has_hunks:
            self._known.clear()
            self.accept()  # no line that goes from now on is one that we removed

    def _follow(self, splice: Splice) -> None:
        first, last = splice.start - self.start, splice.start + splice.count - self.start
        n_lines = len(self._rows) - 1
        growth = len(splice.lines) - splice.count
        if first == n_lines and not splice.count and self._come_back_below(splice):
            return
        if last == 0 and growth > 0 and self._come_back_above(splice, growth):
            return
        if last <= 0:
            self.start += growth
        elif first >= n_lines:
            return
        elif first < 0 or last > n_lines or (last - first == n_lines and not splice.lines):
            self._cross(first, last, splice)
        elif last - first + len(splice.lines) > MAX_FOLLOWED:
            self._lose_track()
        elif self._recall(first, last, splice.lines):
            return
        elif last - first == n_lines and self._leaves_nothing(splice):
            self._cross(first, last, splice)
        else:
            self._apply(apply_typing(self._rows, first, last, splice.lines, self._boundary))
            take_back(self._rows, first, first + len(splice.lines), self._boundary)

    def _leaves_nothing(self, splice: Splice) -> bool:
        """Whether a change of all the scope deletes it though lines are left: at a document's end, a blank one is."""
        has_text = any(row.text.strip() for row in self._rows)
        return has_text and not any(line.strip() for line in splice.lines)

    def _come_back_below(self, splice: Splice) -> bool:
        """Take lines that come to stand below the scope for its own coming back: all of them, or the first ones.

        Those below may have gone with them, and come back with them.
        """
        n_rows = len(self._rows) - 1
        return bool(self._recall_most(n_rows, len(splice.lines), lambda n: splice.lines[:n]))

    def _come_back_above(self, splice: Splice, growth: int) -> bool:
        """Take lines above the scope for its own coming back: all of them, or the last ones."""
        if splice.count:
            return False
        n_back = self._recall_most(0, growth, lambda n: splice.lines[-n:])
        if n_back:
            self.start += growth - n_back
        return n_back > 0

    def _recall_most(self, row: int, n_lines: int, some: Callable[[int], Sequence[str]]) -> int:
        """Read as many of the lines at an edge as possible as lines coming back: all, or no more than have gone.

        Fewer of them can be read so wherever more can, so the number is found by halving.

        Args:
            row: The row at the edge.
            n_lines: How many lines there are.
            some: Returns so many of them, those next to the edge.

        Returns:
            How many have come back.
        """
        if typed := self._recalled(row, row, some(n_lines)):
            self._apply(typed)
            return n_lines
        best, found = 0, None
        too_many = min(n_lines - 1, len(self._rows[row].gone)) + 1
        n = n_most = too_many - 1  # usually all that has gone comes back
        while best < n and (n == n_most or n_most <= MAX_HALVED):
            typed = self._recalled(row, row, some(n))
            if typed:
                best, found = n, typed
            else:
                too_many = n
            n = (best + too_many) // 2
        if found:
            self._apply(found)
        return best

    def _lose_track(self) -> None:
        """Follow a change of so many lines that it is not read: all that it leaves is the document's own."""
        self.has_crossed_edge = self.has_lost_track = True
        self._rows = [self._rows[-1].with_gone(())]
        self._boundary = self._boundary._replace(row=0, is_hunk_open=False)

    def _cross(self, first: int, last: int, splice: Splice) -> None:
        """Follow a change across an edge: the scope is what it leaves, and what it brings is outside."""
        self.has_crossed_edge = True
        n_lines = len(self._rows) - 1
        self.has_lost_track |= bool(splice.lines) and (first < 0 or last > n_lines)
        top, bottom = max(first, 0), min(last, n_lines)
        if first < 0:
            self.start = splice.start + len(splice.lines)
        if bottom - top < n_lines:
            self._apply(apply_typing(self._rows, top, bottom, (), self._boundary))
        elif not self._recall(top, bottom, ()):
            self._rows = [self._rows[-1]._replace(gone=())]
            self._boundary = self._boundary._replace(row=0)
        # What had gone, and is back outside, is not put back a second time.
        came, below = {body_of(line) for line in splice.lines}, self._rows[top]
        self._rows[top] = below._replace(
            gone=tuple(row for row in below.gone if body_of(row.text) not in came)
        )

    def _recall(self, first: int, last: int, lines: Sequence[str]) -> bool:
        typed = self._recalled(first, last, lines)
        if typed:
            self._apply(typed)
        return typed is not None

    def _recalled(self, first: int, last: int, lines: Sequence[str]) -> TypedRows | None:
        n_gone = sum(len(row.gone) for row in self._rows[first : last + 1])
        if len(lines) > last - first + n_gone + 2 * MAX_AROUND:
            return None
        if any(body_of(line) not in self._known for line in lines):
            return None
        return match_undo(self._rows, first, last, lines, self._boundary)

    def _apply(self, typed: TypedRows) -> None:
        self._rows[typed.first : typed.last] = typed.rows
        self._boundary = self._boundary._replace(row=typed.boundary_row)

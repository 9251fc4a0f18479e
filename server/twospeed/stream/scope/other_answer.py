"""Replace one whole answer by another, in one batch of only their difference."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from twospeed.stream.aligner import aligned
from twospeed.stream.ops import Op, settled
from twospeed.text.edits import LineEdit, common_ends
from twospeed.text.lines import body_of

from .batches import BatchBuilder, HunkReverter, ScopeBatch
from .rows import Boundary, Row, RowKind, old_rows, typed_row

MAX_COMPARED = 4_000
"""Lines of two answers that are compared; of longer answers all lines between the differing ends are sent."""


def rewritten(rows: Sequence[Row], boundary: Boundary, start: int, ops: Sequence[Op]) -> ScopeBatch:
    """Build the edits that replace the whole answer in a scope by another one; the user's text stays.

    No hunk was accepted. ``ops`` are the other answer, against the old lines.
    """
    restorer = HunkReverter(start, lambda _: True)
    for row in rows[: boundary.row]:
        restorer.restore(row)
    back = restorer.batch(rows[boundary.row], boundary)
    old = list(_in_order([*back.rows, *rows[back.last :]]))
    builder = BatchBuilder(old, Boundary(hunk=boundary.hunk), start)
    for op in settled(ops):
        builder.perform(op)
    then = builder.batch(0)
    new = [*then.rows, *old[then.last :]]
    edits = _edits_between([row.text for row in rows[:-1]], [row.text for row in new[:-1]], start)
    return ScopeBatch(edits, 0, len(rows), new, then.boundary, 0)


def _in_order(rows: Sequence[Row]) -> Iterator[Row]:
    # As in a scope without an answer: old lines, and the user's between them.
    above = None
    for row in rows[:-1]:
        above = row if row.kind is RowKind.OLD else typed_row(row.text, above).with_removed(row.removed)
        yield above
    yield rows[-1]


def _edits_between(old: Sequence[str], new: Sequence[str], start: int) -> tuple[LineEdit, ...]:
    bodies, new_bodies = list(map(body_of, old)), list(map(body_of, new))
    if len(old) + len(new) > MAX_COMPARED:
        head, tail = common_ends(bodies, new_bodies)
        lines = tuple(new[head : len(new) - tail])
        n_removed = len(old) - head - tail
        return (LineEdit(start + head, n_removed, lines),) if n_removed or lines else ()
    builder = BatchBuilder(old_rows(old), Boundary(), start)
    for op in settled(aligned(bodies, new_bodies)):
        builder.perform(op)
    edits: list[LineEdit] = []
    at = -start
    for edit in builder.batch(0).edits:  # the compared lines had no line ends; restored old lines have them
        first, n_lines = edit.start + at, len(edit.lines)
        edits.append(LineEdit(edit.start, edit.count, tuple(new[first : first + n_lines])))
        at += n_lines - edit.count
    return tuple(edits)

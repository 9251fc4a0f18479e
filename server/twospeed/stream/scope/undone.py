"""Distinguish an undo of the written text from typing, while the model still writes.

No client reports an undo, but it reverts whole steps, newest first: no line that the newest batch wrote is
left, and all lines that it removed or changed are back.
"""

from __future__ import annotations

from collections.abc import Sequence

from .rows import Row, RowKind


def is_undone(rows: Sequence[Row], newest: int, *, is_one_step: bool) -> bool:
    """Return whether batch ``newest`` was undone.

    ``is_one_step`` means that the client makes all batches one undo step.
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

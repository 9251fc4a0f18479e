"""Tell an undo of what a model has written so far from typing, while it goes on writing.

No client says "undo". What tells it from typing is that an undo takes back whole steps, newest first: nothing that the
newest batch wrote stands there any more, and everything that it removed or changed stands again. A user who deletes or
changes some of the lines of a batch leaves the others.

One case reads the same both ways: the newest batch brought one line and removed none, and the user deletes that line.
It is an undo where each batch is an undo step of its own. Where the client makes all batches one step, an undo takes
the others along, so it is typing as long as one of them stands.
"""

from __future__ import annotations

from collections.abc import Sequence

from .rows import Row, RowKind


def is_undone(rows: Sequence[Row], newest: int, *, is_one_step: bool) -> bool:
    """Return whether the newest batch was undone.

    Args:
        rows: The scope's rows, the one below it included.
        newest: The number of the last batch that the document has shown, from 1.
        is_one_step: Whether the client makes all batches one undo step.
    """
    n_gone, has_old_again, has_others = 0, False, False
    for row in rows:
        for gone in row.gone:
            if gone.batch == newest and (gone.kind is RowKind.OLD or gone.other):
                return False  # an old line is still missing
            n_gone += gone.batch == newest
        if row.kind is RowKind.NEW:
            if row.batch == newest:
                return False
            has_others = True
        elif row.batch == newest:
            has_old_again = True
    if not (n_gone or has_old_again):
        return False
    return has_old_again or n_gone > 1 or not (is_one_step and has_others)

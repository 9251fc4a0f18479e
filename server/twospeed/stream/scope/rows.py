"""The rows of a live scope: one a line of the document, with what has gone from above it.

Nothing that stood in the scope is forgotten. A line that we removed, that the user deleted, or that an undo took back
is gone: it is kept at the row below its place, as it was, so that it can be put back and is known again when it comes
back by itself (`typed_rows`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum, auto
from itertools import count, repeat
from operator import is_not
from typing import Any, NamedTuple

from twospeed.text.lines import body_of


class RowKind(Enum):
    """Who a row is from."""

    OLD = auto()
    NEW = auto()
    USER = auto()


class Row(NamedTuple):
    """One line, in the document or gone from it. Never changed, only replaced.

    Attributes:
        kind: Who it is from.
        text: How it reads, with the line end it had when it was last told of, if it had one; the document knows the one
            it has.
        written: How it read before the user touched it.
        old: Its index among the old lines; of a row of the user's, that of the row above; -1 where there is none.
            Below the boundary it never decreases.
        hunk: The change it is part of; 0 for none. A ``NEW`` row was written by it. An ``OLD`` row was removed by it:
            it is gone still, or stands again because that was taken back.
        other: Of a line changed in its place, the form that does not stand there now.
        proposed: What the answer wanted in the place of the user's line, if it wanted something.
        gone: What has gone from right above it, in order.
        batch: The number of the batch that wrote it, or removed it; 0 for none.
    """

    kind: RowKind
    text: str
    written: str
    old: int = -1
    hunk: int = 0
    other: Row | None = None
    proposed: str | None = None
    gone: tuple[Row, ...] = ()
    batch: int = 0

    @property
    def is_touched(self) -> bool:
        """Whether it reads otherwise than it was written; a line that the user brought back to that is not touched."""
        return self.text is not self.written and body_of(self.text) != body_of(self.written)

    @property
    def is_plain(self) -> bool:
        """Whether it is an old line that has nothing to do with a change."""
        return self.kind is RowKind.OLD and not self.hunk and not self.gone and self.text is self.written

    def flipped(self) -> Row:
        """Return the other form of a line changed in its place, with this one, untouched, as its other form."""
        other = self.other
        assert other
        this = Row(self.kind, self.written, self.written, self.old, self.hunk, batch=self.batch)
        return Row(
            other.kind,
            other.text,
            other.written,
            other.old,
            self.hunk,
            this,
            other.proposed,
            other.gone,
            self.batch,
        )

    def with_text(self, line: str) -> Row:
        """Return the same row that reads otherwise."""
        kind, _, written, old, hunk, other, proposed, gone, batch = self
        return Row(kind, line, written, old, hunk, other, proposed, gone, batch)

    def with_gone(self, gone: tuple[Row, ...]) -> Row:
        """Return the same row below others that have gone."""
        kind, text, written, old, hunk, other, proposed, _, batch = self
        return Row(kind, text, written, old, hunk, other, proposed, gone, batch)


def old_rows(lines: Sequence[str]) -> list[Row]:
    """Return the rows of a scope in which nothing has happened yet, and the row below it.

    That last one is no line of the scope: it carries what has gone from the scope's end.
    """
    same = repeat(0), repeat(None), repeat(None), repeat(()), repeat(0)
    return [
        *_rows(zip(repeat(RowKind.OLD), lines, lines, count(), *same)),
        Row(RowKind.USER, "", "", len(lines)),
    ]


def _rows(fields: Iterable[tuple[Any, ...]]) -> list[Row]:
    """Make many rows without a call in Python for each."""
    return list(map(tuple.__new__, repeat(Row), fields))


def removed_row(row: Row, hunk: int, batch: int) -> Row:
    """Return a row as it hangs below its place once a change has removed it."""
    kind, text, written, old, _, other, proposed, _, _ = row
    return Row(kind, text, written, old, hunk, other, proposed, (), batch)


def removed_rows(rows: Sequence[Row], hunk: int, batch: int) -> list[Row] | None:
    """Return the same of some rows; ``None`` where any is more than an old line that stands there as it was."""
    kinds, texts, written, old, hunks, others, proposed, gone, _ = zip(*rows, strict=True)
    if kinds.count(RowKind.OLD) < len(kinds) or any(hunks) or any(gone) or any(map(is_not, texts, written)):
        return None
    return _rows(zip(kinds, texts, written, old, repeat(hunk), others, proposed, gone, repeat(batch)))


def typed_row(line: str, above: Row | None) -> Row:
    """Return a row of the user's, below another."""
    return Row(RowKind.USER, line, line, above.old if above else -1)


def proposal(line: str) -> Row:
    """Return what stands for a change of a line that is no more."""
    return Row(RowKind.USER, "", "", proposed=line)


class Boundary(NamedTuple):
    """Where the zipper stands.

    Attributes:
        row: The first row that is not decided.
        old: The first old line that is not.
        hunk: The number of the last change.
        is_hunk_open: Whether what is written next belongs to it.
    """

    row: int = 0
    old: int = 0
    hunk: int = 0
    is_hunk_open: bool = False

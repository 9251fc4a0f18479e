"""Scopes of several edits of one document that one batch changes.

Laws: a joined batch is sorted, disjoint and inside its scopes; each scope commits its own part, as if the user had changed
the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from twospeed.text.document import Splice
from twospeed.text.edits import LineEdit

from .batches import ScopeBatch
from .live_scope import LiveScope

if TYPE_CHECKING:
    from .edit_scopes import EditScopes, JoinedBatch

Part = tuple[LiveScope, ScopeBatch | None]
"""A scope and its part of a batch; ``None`` where nothing changes."""


def in_order(scopes: Iterable[LiveScope]) -> list[LiveScope]:
    """Return scopes in the order of the document; an empty one is above a scope that starts at its line."""
    return sorted(scopes, key=lambda scope: (scope.start, scope.end))


def joined_edits(parts: Iterable[Part]) -> tuple[LineEdit, ...]:
    """Return the edits of all parts, which are in the order of the document; edits at one place are merged."""
    edits: list[LineEdit] = []
    for _, batch in parts:
        below = batch.edits if batch else ()
        if edits and below and edits[-1].start + edits[-1].count == below[0].start:
            last, first = edits.pop(), below[0]
            edits.append(LineEdit(last.start, last.count + first.count, (*last.lines, *first.lines)))
            below = below[1:]
        edits += below
    return tuple(edits)


def commit_parts(parts: Iterable[Part]) -> None:
    """Apply a batch to its scopes, which are in the order of the document; the document now contains it."""
    growth = 0
    for scope, batch in parts:
        scope.start += growth
        if batch:
            growth += sum(len(edit.lines) - edit.count for edit in batch.edits)
            scope.commit(batch)


def joined_spans(scopes: Sequence[LiveScope]) -> tuple[tuple[int, int], ...]:
    """Return the lines of scopes in the order of the document; adjacent ones are one span."""
    spans: list[tuple[int, int]] = []
    for scope in scopes:
        if spans and spans[-1][1] == scope.start:
            spans[-1] = (spans[-1][0], scope.end)
        else:
            spans.append((scope.start, scope.end))
    return tuple(spans)


class GroupBatch(NamedTuple):
    """The edits of several edits' scopes, sorted and disjoint, and the batch of each."""

    edits: tuple[LineEdit, ...]
    batches: tuple[JoinedBatch | None, ...]


class GroupScopes:
    """The scopes of several edits of one document that one batch changes; a `delivery.client.Owner`.

    Args:
        members: The scopes of each edit; the members follow the document, not the group.

    Attributes:
        parts: The members, which commit a batch.
    """

    def __init__(self, members: Sequence[EditScopes]) -> None:
        self.parts = members

    @property
    def spans(self) -> tuple[tuple[int, int], ...]:
        """The lines that a batch may change."""
        return joined_spans(in_order(scope for member in self.parts for scope in member.scopes))

    def next_batch(self) -> GroupBatch | None:
        """Build the edits for all waiting ops; ``None`` if nothing changes."""
        batches = [None if each.has_crossed_edge else each.next_batch() for each in self.parts]
        return self._joined(batches) if any(batches) else None

    @property
    def n_rows(self) -> int:
        """Number of all rows."""
        return sum(each.n_rows for each in self.parts)

    def copy(self) -> GroupScopes:
        """Return a copy for another thread."""
        return GroupScopes([each.copy() for each in self.parts])

    def revert_hunks(self) -> GroupBatch:
        """Build the edits that restore the old lines of all hunks."""
        return self._joined([each.revert_hunks() for each in self.parts])

    def commit(self, batch: GroupBatch) -> None:
        """Apply a batch to all scopes; the document now contains it."""
        commit_parts(self._parts_of(batch.batches))
        for member, part in zip(self.parts, batch.batches, strict=True):
            if part:
                member.note_written(part)

    def follow(self, splice: Splice) -> None:
        """Apply a change of the document that is not ours."""
        for member in self.parts:
            member.follow(splice)

    def _joined(self, batches: Sequence[JoinedBatch | None]) -> GroupBatch:
        return GroupBatch(joined_edits(self._parts_of(batches)), tuple(batches))

    def _parts_of(self, batches: Sequence[JoinedBatch | None]) -> Iterator[Part]:
        found = {
            id(scope): part
            for member, batch in zip(self.parts, batches, strict=True)
            if batch
            for scope, part in member.parts_of(batch)
        }
        for scope in in_order(scope for member in self.parts for scope in member.scopes):
            yield scope, found.get(id(scope))

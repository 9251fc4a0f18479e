"""Build batches: a short one on the event loop, a long one in a thread, from a copy of the scope."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeAlias, TypeVar

from twospeed.aio import in_thread
from twospeed.text.document import Document

from .client import BatchSource, CopiedRows, EditBatch

MAX_ROWS = 4_000
"""Rows or ops that are processed on the event loop; each takes at most 4 µs."""

BatchT = TypeVar("BatchT", bound=EditBatch)
ScopeT = TypeVar("ScopeT", bound=CopiedRows)
MaybeAwaitable: TypeAlias = BatchT | Awaitable[BatchT | None] | None
"""A batch, ``None`` if nothing changes, or an awaitable of either for a long batch."""


def next_batch(scope: BatchSource[BatchT]) -> MaybeAwaitable[BatchT]:
    """Build the edits for the waiting ops."""
    if scope.n_waiting <= MAX_ROWS:
        return scope.next_batch()
    return _build_in_thread(scope, lambda each: each.next_batch())


def revert_all(scope: BatchSource[BatchT]) -> MaybeAwaitable[BatchT]:
    """Drop the waiting ops, and build the edits that restore all old lines."""
    scope.forget_waiting()
    return _build(scope, lambda each: each.revert_hunks(), scope.n_written_rows)


def keep_part(scope: BatchSource[BatchT]) -> MaybeAwaitable[BatchT]:
    """Build the edits that keep the text up to the last kept old line, and restore the rest."""
    return _build(scope, lambda each: each.keep_part(), scope.n_waiting + scope.n_written_rows)


def build_of_all(scope: ScopeT, build: Callable[[ScopeT], BatchT | None]) -> MaybeAwaitable[BatchT]:
    """Build a batch that reads all rows of the scope."""
    return _build(scope, build, scope.n_rows)


def _build(scope: ScopeT, build: Callable[[ScopeT], BatchT | None], n_rows: int) -> MaybeAwaitable[BatchT]:
    return build(scope) if n_rows <= MAX_ROWS else _build_in_thread(scope, build)


def _build_in_thread(scope: ScopeT, build: Callable[[ScopeT], BatchT | None]) -> Awaitable[BatchT | None]:
    copied = scope.copy()
    return in_thread(lambda: build(copied))


async def build_for_current(
    build: Callable[[], MaybeAwaitable[BatchT]], current: Callable[[], Document]
) -> BatchT | None:
    """Build a batch against the current document; build it again if the document changes meanwhile."""
    while True:
        document, batch = current(), build()
        if not isinstance(batch, Awaitable):
            return batch
        result = await batch
        if current() is document:
            return result

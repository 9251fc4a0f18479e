"""Build the batches of a scope: a short one at once, a long one in a thread on a copy, while the user types."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias, TypeVar

from twospeed.aio import in_thread
from twospeed.text.document import Document

from .client import EditBatch, WritableScope

MAX_ROWS = 4_000
"""Rows that are read, or ops that are performed, on the event loop; each takes at most 4 µs."""

BatchT = TypeVar("BatchT", bound=EditBatch)
ScopeT = TypeVar("ScopeT", bound=WritableScope[Any])
Built: TypeAlias = BatchT | Awaitable[BatchT | None] | None
"""A batch, ``None`` if nothing changes, or an awaitable of either if building takes long."""


def next_batch(scope: WritableScope[BatchT]) -> Built[BatchT]:
    """Build the edits for the waiting ops."""
    if scope.n_waiting <= MAX_ROWS:
        return scope.next_batch()
    return _built_in_thread(scope, lambda each: each.next_batch())


def revert_all(scope: WritableScope[BatchT]) -> Built[BatchT]:
    """Build the edits that restore all old lines; waiting ops are dropped."""
    scope.forget_waiting()
    return _build(scope, lambda each: each.put_back(), scope.n_decided)


def keep_part(scope: WritableScope[BatchT]) -> Built[BatchT]:
    """Build the edits that leave the text written up to the last kept old line."""
    return _build(scope, lambda each: each.keep_part(), scope.n_waiting + scope.n_decided)


def build_of_all(scope: ScopeT, build: Callable[[ScopeT], BatchT | None]) -> Built[BatchT]:
    """Build a batch that needs all rows of the scope."""
    return _build(scope, build, scope.n_rows)


def _build(scope: ScopeT, build: Callable[[ScopeT], BatchT | None], n_rows: int) -> Built[BatchT]:
    return build(scope) if n_rows <= MAX_ROWS else _built_in_thread(scope, build)


def _built_in_thread(scope: ScopeT, build: Callable[[ScopeT], BatchT | None]) -> Awaitable[BatchT | None]:
    copied = scope.copy()
    return in_thread(lambda: build(copied))


async def built(build: Callable[[], Built[BatchT]], seen: Callable[[], Document]) -> BatchT | None:
    """Build a batch against the current document; build it again if the document changes meanwhile."""
    while True:
        document, batch = seen(), build()
        if not isinstance(batch, Awaitable):
            return batch
        result = await batch
        if seen() is document:
            return result

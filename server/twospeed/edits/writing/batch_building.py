"""Build batches of a scope: at once where that is quick, else in a thread and on a copy, while the user types on."""

from __future__ import annotations

from collections.abc import Callable

from twospeed.aio import in_thread
from twospeed.delivery import Built
from twospeed.stream import LiveScope, ScopeBatch

MAX_ROWS = 4_000
"""Rows of a scope that are read at once, or ops that are carried out; either takes some 4 µs at most."""


def next_batch(live: LiveScope) -> Built[ScopeBatch]:
    """Build the edits for everything that waits; see `LiveScope.next_batch`."""
    return _built(live, LiveScope.next_batch, live.n_waiting)


def revert_all(live: LiveScope) -> Built[ScopeBatch]:
    """Build the edits that restore all old lines; see `LiveScope.revert_all`."""
    live.forget_waiting()
    return _built(live, LiveScope.put_back, live.n_decided)


def keep_part(live: LiveScope) -> Built[ScopeBatch]:
    """Build the edits that leave what was written up to the last kept old line; see `LiveScope.keep_part`."""
    return _built(live, LiveScope.keep_part, live.n_waiting + live.n_decided)


def built_of_all(live: LiveScope, build: Callable[[LiveScope], ScopeBatch | None]) -> Built[ScopeBatch]:
    """Build what reads all rows of a scope."""
    return _built(live, build, live.n_rows)


def _built(
    live: LiveScope, build: Callable[[LiveScope], ScopeBatch | None], n_rows: int
) -> Built[ScopeBatch]:
    if n_rows <= MAX_ROWS:
        return build(live)
    twin = live.copy()
    return in_thread(lambda: build(twin))

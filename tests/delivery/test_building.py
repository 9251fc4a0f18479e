"""Long batches are built in a thread from a copy of the scope, which then adopts the result."""

from __future__ import annotations

from collections.abc import Awaitable

import pytest

from twospeed.delivery import MaybeAwaitable, building
from twospeed.stream import LiveScope, ScopeBatch
from twospeed.stream.ops import Delete, Insert, Keep


@pytest.fixture(autouse=True)
def _long_from_three_rows_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "MAX_ROWS", 2)


def scope() -> LiveScope:
    live = LiveScope(["a\n", "b\n", "c\n", "d\n"], 10)
    live.receive_ops([Keep(1), Insert("new"), Keep(2), Delete(3), Keep(4), Insert("last")])
    return live


async def batch_in(built: MaybeAwaitable[ScopeBatch]) -> ScopeBatch:
    assert isinstance(built, Awaitable), "it was built at once"
    batch = await built
    assert batch
    return batch


async def test_a_long_batch_equals_one_built_at_once() -> None:
    live, twin = scope(), scope()
    batch = await batch_in(building.next_batch(live))
    assert batch == twin.next_batch()
    live.commit(batch)
    assert len(live.hunks()) == 3
    assert live.n_waiting == 0


async def test_building_in_a_thread_does_not_change_the_scope() -> None:
    live = scope()
    await batch_in(building.next_batch(live))
    await batch_in(building.keep_part(live))
    assert live.n_waiting == 6
    assert not live.hunks()


async def test_a_revert_restores_the_old_text_and_drops_waiting_ops() -> None:
    live = scope()
    live.commit(await batch_in(building.next_batch(live)))
    live.receive_ops([Insert("more")])
    live.commit(await batch_in(building.revert_all(live)))
    assert live.n_waiting == 0
    assert not live.hunks()
    assert (live.start, live.end) == (10, 14)


async def test_another_answer_replaces_a_long_one() -> None:
    live = scope()
    live.commit(await batch_in(building.next_batch(live)))
    batch = await batch_in(
        building.build_of_all(live, lambda twin: twin.other_answer([Keep(4), Insert("other")]))
    )
    live.commit(batch)
    assert [hunk.removed for hunk in live.hunks()] == [()]


def test_a_short_batch_is_built_at_once() -> None:
    live = LiveScope(["a\n"], 10)
    live.receive_ops([Insert("new")])
    assert isinstance(building.next_batch(live), ScopeBatch)

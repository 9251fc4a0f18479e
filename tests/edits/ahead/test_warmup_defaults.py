"""Preconnect and cache warm-up are on by default."""

from __future__ import annotations

from tests.edits.ahead.test_preconnect import World, likely

from twospeed.edits.ahead.preconnect import Preconnect


async def test_preconnect_and_cache_warm_up_are_on_by_default() -> None:
    world = World()
    preconnect = Preconnect(find=world.find, connect=world.connect, warm=world.warm, run=world.run)
    preconnect.expect(likely("deep"))
    await world.settle()
    assert (world.connected, world.warmed) == (["lab"], ["deep"])

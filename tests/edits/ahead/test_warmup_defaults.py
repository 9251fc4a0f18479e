"""Preconnect and cache warm-up are on by default."""

from __future__ import annotations

from tests.edits.ahead.test_preconnect import World, likely

from twospeed.edits.ahead.preconnect import Preconnect


async def test_without_further_settings_an_edit_is_connected_for_and_read_ahead() -> None:
    world = World()
    preconnect = Preconnect(find=world.find, connect=world.connect, warm=world.warm, run=world.run)
    preconnect.expect(likely("deep"))
    await world.settle()
    assert (world.connected, world.warmed) == (["lab"], ["deep"])

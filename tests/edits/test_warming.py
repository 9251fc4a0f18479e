"""Whoever would serve the next edit is connected to ahead of it: once, quietly, and only while edits are made."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine

import pytest

from twospeed.edits.warming import AGAIN_S, TYPING_S, WHILE_S, Warming
from twospeed.errors import ModelUnavailable, UnsafeEndpoint
from twospeed.models.base import ProviderSettings
from twospeed.routing import Mode

LAB = ProviderSettings("lab", "chat", "https://lab.example/v1", "LAB_API_KEY")


class World:
    """Who serves, what is connected to, and the time."""

    def __init__(self) -> None:
        self.serves: ProviderSettings | None = LAB
        self.looked: list[Mode] = []
        self.connected: list[str] = []
        self.error: Exception | None = None
        self.holds: asyncio.Event | None = None
        self.now = 1000.0
        self._tasks: list[asyncio.Task[None]] = []

    def warming(self, *, is_on: bool = True) -> Warming:
        return Warming(
            find=self.find, connect=self.connect, run=self.run, is_on=is_on, clock=lambda: self.now
        )

    async def find(self, mode: Mode) -> ProviderSettings | None:
        self.looked.append(mode)
        return self.serves

    async def connect(self, provider: ProviderSettings) -> None:
        if self.holds:
            await self.holds.wait()
        if self.error:
            raise self.error
        self.connected.append(provider.name)

    def run(self, work: Coroutine[None, None, None]) -> None:
        self._tasks.append(asyncio.create_task(work))

    async def settle(self) -> int:
        """Wait for every task; gives how many there were."""
        await asyncio.gather(*self._tasks)
        return len(self._tasks)


@pytest.fixture
def world() -> World:
    return World()


async def test_an_edit_that_is_likely_opens_a_connection(world: World) -> None:
    world.warming().expect("deep")
    await world.settle()
    assert (world.looked, world.connected) == (["deep"], ["lab"])


async def test_a_flood_makes_one_connection_for_each_mode_by_one_task(world: World) -> None:
    warming = world.warming()
    for _ in range(500):
        warming.expect("lightning")
        warming.expect("deep")
    assert await world.settle() == 1
    assert sorted(world.looked) == ["deep", "lightning"]


async def test_while_one_hangs_no_other_is_begun(world: World) -> None:
    world.holds = asyncio.Event()
    warming = world.warming()
    for _ in range(50):
        warming.expect("lightning")
        world.now += AGAIN_S
        await asyncio.sleep(0)
    assert world.looked == ["lightning"]
    world.holds.set()
    assert await world.settle() == 1
    assert world.looked == ["lightning", "lightning"]


async def test_later_it_looks_again_for_a_server_may_have_hung_up(world: World) -> None:
    warming = world.warming()
    warming.expect("lightning")
    await world.settle()
    world.now += AGAIN_S
    warming.expect("lightning")
    await world.settle()
    assert world.connected == ["lab", "lab"]


async def test_nobody_to_connect_to_is_nothing_done(world: World) -> None:
    world.serves = None
    world.warming().expect("lightning")
    await world.settle()
    assert world.connected == []


@pytest.mark.parametrize(
    "error", [ModelUnavailable("gone", provider="lab", model=""), UnsafeEndpoint("odd"), ValueError("a bug")]
)
async def test_what_goes_wrong_is_told_to_nobody_and_ends_nothing(world: World, error: Exception) -> None:
    warming = world.warming()
    world.error = error
    warming.expect("lightning")
    await world.settle()
    world.error = None
    world.now += AGAIN_S
    warming.expect("lightning")
    await world.settle()
    assert world.connected == ["lab"]


async def test_typing_keeps_the_connection_while_edits_are_made_and_no_longer(world: World) -> None:
    warming = world.warming()
    warming.note_typing("lightning")
    assert await world.settle() == 0, "typing alone connects to nobody"
    warming.note_edit()
    for _ in range(1000):
        world.now += WHILE_S / 1000
        warming.note_typing("lightning")
        await world.settle()
    assert WHILE_S / TYPING_S - 2 <= len(world.connected) <= WHILE_S / TYPING_S + 1
    n_connected = len(world.connected)
    world.now += WHILE_S
    warming.note_typing("lightning")
    await world.settle()
    assert len(world.connected) == n_connected


async def test_switched_off_nothing_is_looked_for(world: World) -> None:
    warming = world.warming(is_on=False)
    warming.expect("lightning")
    warming.note_edit()
    warming.note_typing("lightning")
    assert await world.settle() == 0
    assert world.looked == []

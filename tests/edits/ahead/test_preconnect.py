"""The server connects to the likely model before an edit: once, silently, and only while the user makes edits."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine

import pytest

from twospeed.edits.ahead.preconnect import INTERVAL_S, TYPING_S, WHILE_S, Preconnect
from twospeed.edits.values import EditRequest
from twospeed.errors import ModelUnavailable, UnsafeEndpoint
from twospeed.models.base import ProviderSettings
from twospeed.routing import Mode
from twospeed.text.document import Document

LAB = ProviderSettings("lab", "chat", "https://lab.example/v1", "LAB_API_KEY")


def likely(mode: Mode = "lightning") -> EditRequest:
    """Return the request of a likely edit."""
    document = Document.opened("file:///a.py", 1, "python", "x = 1\n", "utf-16")
    return EditRequest(document, ((0, 0), (0, 0)), "", mode)


class World:
    """The provider of each mode, the connections made, and the clock."""

    def __init__(self) -> None:
        self.serves: ProviderSettings | None = LAB
        self.looked: list[Mode] = []
        self.connected: list[str] = []
        self.warmed: list[Mode] = []
        self.reads_for_ever = False
        self.error: Exception | None = None
        self.holds: asyncio.Event | None = None
        self.now = 1000.0
        self._tasks: list[asyncio.Task[None]] = []

    def preconnect(self, *, is_on: bool = True, warms: bool = True) -> Preconnect:
        return Preconnect(
            find=self.find,
            connect=self.connect,
            warm=self.warm if warms else None,
            run=self.run,
            is_on=is_on,
            clock=lambda: self.now,
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

    async def warm(self, request: EditRequest) -> None:
        self.warmed.append(request.mode)
        if self.reads_for_ever:
            await asyncio.get_running_loop().create_future()

    def run(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        self._tasks.append(asyncio.create_task(work))
        return self._tasks[-1]

    async def settle(self) -> int:
        """Wait for every task that connects; return their number."""
        n_read = len(self.warmed)
        while not all(task.done() for task in self._tasks) and not self.reads_for_ever:
            await asyncio.gather(*self._tasks, return_exceptions=True)
        for _ in range(9):
            await asyncio.sleep(0)
        return len(self._tasks) - (len(self.warmed) - n_read)


@pytest.fixture
def world() -> World:
    return World()


async def test_a_likely_edit_opens_a_connection(world: World) -> None:
    world.preconnect().expect(likely("deep"))
    await world.settle()
    assert (world.looked, world.connected) == (["deep"], ["lab"])


async def test_many_announcements_make_one_connection_for_each_mode_in_one_task(world: World) -> None:
    preconnect = world.preconnect()
    for _ in range(500):
        preconnect.expect(likely())
        preconnect.expect(likely("deep"))
    assert await world.settle() == 1
    assert sorted(world.looked) == ["deep", "lightning"]


async def test_no_second_connection_begins_while_one_hangs(world: World) -> None:
    world.holds = asyncio.Event()
    preconnect = world.preconnect()
    for _ in range(50):
        preconnect.expect(likely())
        world.now += INTERVAL_S
        await asyncio.sleep(0)
    assert world.looked == ["lightning"]
    world.holds.set()
    assert await world.settle() == 1
    assert world.looked == ["lightning", "lightning"]


async def test_an_announcement_connects_again_after_the_interval(world: World) -> None:
    preconnect = world.preconnect()
    preconnect.expect(likely())
    await world.settle()
    world.now += INTERVAL_S
    preconnect.expect(likely())
    await world.settle()
    assert world.connected == ["lab", "lab"]


async def test_an_edit_that_begins_first_cancels_the_warm_up(world: World) -> None:
    preconnect = world.preconnect()
    preconnect.expect(likely())
    preconnect.note_edit()
    await world.settle()
    assert (world.connected, world.warmed) == (["lab"], [])
    world.now += INTERVAL_S
    preconnect.expect(likely())
    await world.settle()
    assert world.warmed == ["lightning"]


async def test_without_a_model_no_connection_is_made(world: World) -> None:
    world.serves = None
    world.preconnect().expect(likely())
    await world.settle()
    assert world.connected == []


@pytest.mark.parametrize(
    "error", [ModelUnavailable("gone", provider="lab", model=""), UnsafeEndpoint("odd"), ValueError("a bug")]
)
async def test_a_failed_preconnect_is_not_reported_and_ends_nothing(world: World, error: Exception) -> None:
    preconnect = world.preconnect()
    world.error = error
    preconnect.expect(likely())
    await world.settle()
    world.error = None
    world.now += INTERVAL_S
    preconnect.expect(likely())
    await world.settle()
    assert world.connected == ["lab"]


async def test_typing_keeps_the_connection_only_while_edits_are_made(world: World) -> None:
    preconnect = world.preconnect()
    preconnect.note_typing("lightning")
    assert await world.settle() == 0, "typing alone makes no connection"
    preconnect.note_edit()
    for _ in range(1000):
        world.now += WHILE_S / 1000
        preconnect.note_typing("lightning")
        await world.settle()
    assert WHILE_S / TYPING_S - 2 <= len(world.connected) <= WHILE_S / TYPING_S + 1
    n_connected = len(world.connected)
    world.now += WHILE_S
    preconnect.note_typing("lightning")
    await world.settle()
    assert len(world.connected) == n_connected


async def test_disabled_preconnect_looks_for_no_model(world: World) -> None:
    preconnect = world.preconnect(is_on=False)
    preconnect.expect(likely())
    preconnect.note_edit()
    preconnect.note_typing("lightning")
    assert await world.settle() == 0
    assert world.looked == []


# Cache warm-up


async def test_a_likely_edit_is_warmed_after_the_connection(world: World) -> None:
    world.holds = asyncio.Event()
    world.preconnect().expect(likely("deep"))
    await asyncio.sleep(0)
    assert world.warmed == []
    world.holds.set()
    await world.settle()
    assert (world.connected, world.warmed) == (["lab"], ["deep"])


async def test_a_likely_edit_is_warmed_right_after_typing_kept_the_connection(world: World) -> None:
    preconnect = world.preconnect()
    preconnect.note_edit()
    preconnect.note_typing("lightning")
    preconnect.expect(likely())
    await world.settle()
    assert world.warmed == ["lightning"]


async def test_typing_alone_warms_no_cache(world: World) -> None:
    preconnect = world.preconnect()
    preconnect.note_edit()
    preconnect.note_typing("lightning")
    await world.settle()
    assert (world.connected, world.warmed) == (["lab"], [])


async def test_an_edit_cancels_a_running_warm_up(world: World) -> None:
    world.reads_for_ever = True
    preconnect = world.preconnect()
    preconnect.expect(likely())
    await world.settle()
    assert world.warmed == ["lightning"]
    preconnect.note_edit()
    await asyncio.gather(*world._tasks, return_exceptions=True)
    assert world._tasks[-1].cancelled()


async def test_an_edit_during_the_connection_prevents_the_warm_up(
    world: World,
) -> None:
    world.holds = asyncio.Event()
    preconnect = world.preconnect()
    preconnect.expect(likely())
    await asyncio.sleep(0)
    preconnect.note_edit()
    world.holds.set()
    await world.settle()
    assert (world.connected, world.warmed) == (["lab"], [])


async def test_one_warm_up_runs_at_a_time(world: World) -> None:
    world.reads_for_ever = True
    preconnect = world.preconnect()
    preconnect.expect(likely())
    preconnect.expect(likely("deep"))
    await world.settle()
    assert len(world.warmed) == 1
    preconnect.note_edit()


async def test_without_cache_warm_up_only_a_connection_is_made(world: World) -> None:
    world.preconnect(warms=False).expect(likely())
    await world.settle()
    assert (world.connected, world.warmed) == (["lab"], [])


class HastyWorld(World):
    """An edit begins right before the first step of the warm-up."""

    warmer: Preconnect

    def run(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        if self._tasks:
            asyncio.get_running_loop().call_soon(self.warmer.note_edit)
        return super().run(work)


async def test_a_warm_up_cancelled_before_it_begins_leaves_no_task() -> None:
    world = HastyWorld()
    world.warmer = world.preconnect()
    world.warmer.expect(likely())
    assert await world.settle() == 2
    assert world.warmed == []


async def test_preconnect_and_cache_warm_up_are_on_by_default() -> None:
    world = World()
    preconnect = Preconnect(find=world.find, connect=world.connect, warm=world.warm, run=world.run)
    preconnect.expect(likely("deep"))
    await world.settle()
    assert (world.connected, world.warmed) == (["lab"], ["deep"])

"""The likely start of an edit is sent once to the model that would answer it, and its cost is counted."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from twospeed.edits.ahead.cache_warmup import INTERVAL_S, LIFETIME_S, PAUSE_S, CacheWarmup
from twospeed.edits.prompting.prompt_context import PromptDelimiters
from twospeed.edits.values import EditRequest
from twospeed.errors import BudgetSpent, ModelUnavailable
from twospeed.models.base import Limits, ModelRequest, ProviderSettings, Usage
from twospeed.routing import LaneEntry, Mode
from twospeed.testing.scripted_model import ScriptedModel
from twospeed.text.document import Document

CODE = "import math\n\n\ndef area(r):\n    return r\n\n\n" + "x = 1\n" * 2000
ENTRY = LaneEntry("lab", "m", limits=Limits(), is_cloud=True, origin="config")
LAB = ProviderSettings("lab", "messages", "https://lab.example/v1", "LAB_API_KEY")


USED = Usage(5000)


class Reader(ScriptedModel):
    """A model that records its cache warm-ups."""

    def __init__(self, usage: Usage | None, error: Exception | None, *, hangs: bool) -> None:
        super().__init__()
        self.warmed: list[ModelRequest] = []
        self.begun: list[ModelRequest] = []
        self.is_asked = asyncio.Event()
        self._usage, self._error, self._hangs = usage, error, hangs

    async def warm(self, request: ModelRequest) -> Usage | None:  # type: ignore[override]
        self.warmed.append(request)
        self.is_asked.set()
        if self._hangs:
            await asyncio.get_running_loop().create_future()
        if self._error:
            raise self._error
        return self._usage

    def send_ahead(self, request: ModelRequest) -> None:
        self.begun.append(request)


class World:
    """The source of the model, the spending, and the clock."""

    def __init__(
        self,
        usage: Usage | None = USED,
        *,
        entry: LaneEntry = ENTRY,
        error: Exception | None = None,
        hangs: bool = False,
        ignore: tuple[str, ...] = (),
    ) -> None:
        self.spending = self
        self.own_key_in = lambda _text: None
        self.entry = entry
        self.provider = LAB
        self.model = Reader(usage, error, hangs=hangs)
        self.is_spent = self.is_nobody = False
        self.tokens: list[int] = []
        self.spared: list[str] = []
        self.now = 1000.0
        self.cache_warmup = CacheWarmup(
            self,  # type: ignore[arg-type]  # it only counts tokens
            PromptDelimiters(),
            ignore=lambda: ignore,
            connect_spare=self.spare,
            clock=lambda: self.now,
        )

    async def read(self, text: str = CODE, *, line: int = 4, **more: Any) -> None:
        document = Document.opened("file:///a.py", more.pop("version", 1), "python", text, "utf-16")
        request = EditRequest(document, ((line, 0), (line, 0)), "", "lightning", path="a.py")
        await self.cache_warmup.warm(replace(request, **more))

    async def model_ahead(self, _mode: Mode) -> tuple[LaneEntry, ProviderSettings, Reader] | None:
        return None if self.is_nobody else (self.entry, self.provider, self.model)

    async def spare(self, provider: ProviderSettings) -> None:
        self.spared.append(provider.name)

    def check(self) -> None:
        if self.is_spent:
            raise BudgetSpent("spent")

    def note_tokens(self, n_tokens: int) -> None:
        if n_tokens:
            self.tokens.append(n_tokens)

    @property
    def n_warmed(self) -> int:
        return len(self.model.warmed)


async def test_the_beginning_of_the_prompt_is_warmed_and_counted() -> None:
    world = World(Usage(input_tokens=5000, output_tokens=1))
    await world.read()
    [asked] = world.model.warmed
    opening = asked.opening.messages[-1].content
    assert "import math" in opening
    assert "x = 1" in opening
    assert "def area" not in opening
    assert world.tokens == [5001]


async def test_a_document_version_is_warmed_once_at_any_cursor() -> None:
    world = World()
    for line in (4, 4, 9, 1):
        await world.read(line=line)
        world.now += INTERVAL_S
    assert world.n_warmed == 1


async def test_typing_in_the_scope_needs_no_other_warm_up() -> None:
    world = World()
    await world.read()
    world.now += INTERVAL_S
    await world.read(CODE.replace("return r", "return r * r"), version=2)
    assert world.n_warmed == 1


async def test_typing_around_the_scope_warms_again_after_the_interval() -> None:
    world = World()
    for version in range(1, 101):
        await world.read(f"import os{version}\n{CODE}", version=version)
        world.now += INTERVAL_S / 10
    assert world.n_warmed == 10


def test_another_document_version_is_due_after_the_interval() -> None:
    world = World()
    document = Document.opened("file:///a.py", 2, "python", CODE, "utf-16")
    request = EditRequest(document, ((4, 0), (4, 0)), "", "lightning", path="a.py")
    assert world.cache_warmup._is_due(request)
    for version, uri, n_seconds, expected in (
        (1, "file:///a.py", INTERVAL_S - 1, False),
        (1, "file:///a.py", INTERVAL_S, True),
        (2, "file:///b.py", INTERVAL_S, True),
        (2, "file:///b.py", INTERVAL_S - 1, False),
        (2, "file:///a.py", INTERVAL_S, False),
        (2, "file:///a.py", LIFETIME_S - 1, False),
        (2, "file:///a.py", LIFETIME_S, True),
    ):
        world.cache_warmup._sent["lightning"] = (world.now - n_seconds, uri, version)
        assert world.cache_warmup._is_due(request) is expected
    assert world.cache_warmup._is_due(replace(request, mode="deep"))


async def test_a_prompt_is_warmed_again_after_the_cache_lifetime() -> None:
    world = World()
    await world.read()
    world.now += LIFETIME_S
    await world.read()
    assert world.n_warmed == 2


async def test_a_prompt_below_the_least_cached_size_is_not_warmed() -> None:
    world = World()
    await world.read(CODE[:200])
    assert world.n_warmed == 0


@pytest.mark.security("R4")
@pytest.mark.parametrize("more", [{"path": ".env"}, {"path": "secret/a.py"}], ids=["never", "ignored"])
async def test_a_file_that_is_never_sent_is_not_warmed(more: dict[str, Any]) -> None:
    world = World(ignore=("secret/",))
    await world.read(**more)
    assert world.n_warmed == 0
    world.now += INTERVAL_S
    await world.read()
    assert world.n_warmed == 1


async def test_no_warm_up_is_sent_if_no_model_is_allowed() -> None:
    world = World()
    world.is_nobody = True
    await world.read()
    assert world.n_warmed == 0


async def test_a_document_with_a_too_long_line_is_not_warmed() -> None:
    world = World()
    await world.read("x" * 200_000 + "\n")
    await world.read(choice="class")
    assert world.n_warmed == 0


# What it costs


async def test_a_spent_budget_allows_no_warm_up() -> None:
    world = World()
    world.is_spent = True
    await world.read()
    assert (world.n_warmed, world.tokens) == (0, [])


async def test_a_model_on_this_machine_costs_nothing_and_needs_no_other_connection() -> None:
    local = LaneEntry("ollama", "m", limits=Limits(), is_cloud=False, origin="local")
    world = World(entry=local)
    world.is_spent = True
    await world.read()
    assert (world.n_warmed, world.tokens, world.spared) == (1, [], [])


async def test_a_model_without_a_cache_costs_nothing() -> None:
    world = World(None)
    await world.read()
    assert (world.n_warmed, world.tokens) == (1, [])


async def test_uncounted_tokens_are_estimated_at_four_characters() -> None:
    world = World(Usage())
    await world.read()
    assert 3_000 < world.tokens[0] < 8_000


async def test_a_cancelled_warm_up_counts_its_tokens() -> None:
    world = World(hangs=True)
    reading = asyncio.create_task(world.read())
    await world.model.is_asked.wait()
    reading.cancel()
    await asyncio.gather(reading, return_exceptions=True)
    assert 3_000 < world.tokens[0] < 8_000


async def test_a_refused_warm_up_costs_nothing_and_pauses_warm_ups() -> None:
    world = World(error=ModelUnavailable("gone", provider="lab", model="m"))
    for version in range(1, 4):
        await world.read(version=version)
        world.now += LIFETIME_S
    assert (world.n_warmed, world.tokens) == (1, [])
    world.now += PAUSE_S
    await world.read(version=4)
    assert world.n_warmed == 2


async def test_a_warm_up_opens_a_spare_connection_for_the_edit() -> None:
    world = World()
    await world.read()
    assert world.spared == ["lab"]


async def test_a_websocket_warm_up_opens_no_spare_connection() -> None:
    world = World()
    world.provider = replace(LAB, api="responses", websocket=True)
    await world.read()
    assert (world.n_warmed, world.spared) == (1, [])


# The start of the edit's own request


async def test_a_streamed_body_is_started_each_time_and_costs_nothing() -> None:
    world = World(None)
    world.provider = replace(LAB, early_body=True)
    for _ in range(3):
        await world.read()
    [warmed] = world.model.warmed
    assert [begun.opening.messages for begun in world.model.begun] == [warmed.opening.messages] * 3
    assert world.tokens == []
    assert world.spared[0] == "lab"


async def test_a_model_without_streamed_bodies_is_sent_no_start() -> None:
    world = World()
    await world.read()
    assert world.model.begun == []


@pytest.mark.security("R4")
async def test_no_request_start_is_sent_if_nothing_may_be_sent() -> None:
    world = World(ignore=("secret/",))
    world.provider = replace(LAB, early_body=True)
    for path in (".env", "secret/a.py"):
        await world.read(path=path)
    world.is_spent = True
    await world.read()
    world.is_spent, world.is_nobody = False, True
    await world.read()
    assert world.model.begun == []

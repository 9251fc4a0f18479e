"""The choice of a model over time: failures, cooldowns, fallbacks and discovery, on a scripted clock."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, cast

import pytest

from twospeed.errors import (
    InvalidKey,
    ModelUnavailable,
    RateLimited,
    SettingsError,
    UnknownModel,
)
from twospeed.lanes.source import REDISCOVER_S, Consents, LaneSource
from twospeed.models.base import Limits, Price, ProviderSettings
from twospeed.routing import FoundProvider, LaneEntry, Route
from twospeed.routing.lanes import DEFAULT_LIMITS, builtin_entry
from twospeed.routing.retries import SHOWN_FROM_S

ONE = ProviderSettings("one", "chat", "https://one.example/v1", "ONE_API_KEY")
TWO = ProviderSettings("two", "chat", "https://two.example/v1", "TWO_API_KEY")
HERE = ProviderSettings("here", "chat", "http://127.0.0.1:8000/v1")


def entry(provider: str, model: str = "m", *, is_cloud: bool = True) -> LaneEntry:
    return LaneEntry(provider, model, limits=Limits(), is_cloud=is_cloud, origin="config")


class Keys:
    """Has every key except those that a test removes."""

    def __init__(self) -> None:
        self.missing: set[str] = set()
        self.unasked: set[str] = set()
        self.looked_up: list[list[str]] = []
        self.searched: list[str] = []

    def needs_query(self, provider: ProviderSettings) -> bool:
        return provider.name in self.unasked

    async def look_up(self, providers: Sequence[ProviderSettings]) -> None:
        self.looked_up.append([provider.name for provider in providers])
        self.unasked.clear()

    def obstacle(self, provider: ProviderSettings) -> str | None:
        return "no key" if provider.name in self.missing else None

    def name_of_key_in(self, text: str, providers: Sequence[ProviderSettings]) -> str | None:
        self.searched = [provider.name for provider in providers]
        return "ONE_API_KEY" if text == "key" else None


class World:
    """A source of models with all that it depends on."""

    def __init__(self, *entries: LaneEntry, found: Sequence[ProviderSettings] = ()) -> None:
        self.now = 1000.0
        self.keys = Keys()
        self.notifications: list[str] = []
        self.slept: list[float] = []
        self.opened: list[tuple[str, str, Limits]] = []
        self.found = list(found)
        self.n_looks = 0
        self.consent_dialog: set[str] = set()
        self.asked: list[str] = []
        self.answer: bool | None = True
        self.source = LaneSource(
            configured={"lightning": entries, "deep": entries} if entries else {},
            providers={"one": ONE, "two": TWO, "here": HERE},
            limits=DEFAULT_LIMITS,
            keys=cast("Any", self.keys),
            find=cast("Any", self.find),
            open=cast("Any", self.open),
            consents=Consents(has=lambda provider: provider.name in self.consent_dialog, ask=self.ask),
            spending=cast("Any", None),
            notify=self.notifications.append,
            clock=lambda: self.now,
            sleep=self.sleep,
        )

    async def find(self) -> list[tuple[FoundProvider, ProviderSettings]]:
        self.n_looks += 1
        return [
            (FoundProvider(each.name, "environment", {"lightning": "fast", "deep": "slow"}), each)
            for each in self.found
        ]

    async def ask(self, provider: ProviderSettings) -> bool | None:
        self.asked.append(provider.name)
        if self.answer:
            self.consent_dialog.add(provider.name)
        return self.answer

    def open(self, provider: ProviderSettings, model: str, limits: Limits) -> str:
        self.opened.append((provider.name, model, limits))
        return f"{provider.name}/{model}"

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)

    async def choose(self, mode: Any = "lightning", **more: Any) -> tuple[str, str]:
        route, model = await self.source.choose(mode, **more)
        assert cast("Any", model) == f"{route.entry.provider}/{route.entry.model}"
        return route.entry.label, route.reason

    def fail(self, which: LaneEntry, error: Any, *, n: int = 1, waited_s: float = 0.0) -> float | None:
        route = Route("lightning", which, "mode")
        return self.source.failed(route, error, n_requests=n, waited_s=waited_s)


def failure(kind: Any = ModelUnavailable, **more: Any) -> Any:
    return kind("no luck", provider="one", model="m", **more)


# Failures


async def test_a_failed_entry_cools_down() -> None:
    world = World(entry("one"), entry("two"))
    assert await world.choose() == ("one/m", "mode")
    assert world.fail(entry("one"), failure(RateLimited, retry_after_s=42.0)) == 0.0
    assert await world.choose() == ("two/m", "mode; skipped one/m: rate limited, again in 42 s")
    world.now += 42.0
    assert await world.choose() == ("one/m", "mode")
    assert world.opened[-1] == ("one", "m", Limits())


async def test_a_retry_of_the_only_model_has_jitter_from_the_clock() -> None:
    for now, expected in ((1000.0, 0.5), (1000.0005, 0.5 * (1 + 0.25 * 0.5))):
        world = World(entry("one"))
        world.now = now
        assert world.fail(entry("one"), failure()) == pytest.approx(expected)
    world = World(entry("one"))
    assert world.fail(entry("one"), failure(), n=2) == 1.0
    assert world.fail(entry("one"), failure(), waited_s=2.9) is None, "it may be asked all the same"
    assert world.fail(entry("one"), failure(RateLimited, retry_after_s=42.0)) == 0.0, "the engine is left"
    assert world.fail(entry("one"), failure(), n=3) is None
    assert world.fail(entry("one"), failure(InvalidKey)) is None


async def test_another_ready_model_is_used_at_once() -> None:
    world = World(entry("one"), entry("two"))
    assert world.fail(entry("one"), failure()) == 0.0
    world.keys.missing.add("two")
    alone = World(entry("one"), entry("two"))
    alone.keys.missing.add("two")
    assert alone.fail(entry("one"), failure()) == 0.5
    assert alone.fail(entry("one"), failure(), waited_s=9) is None


async def test_a_failure_of_the_built_in_engine_is_final() -> None:
    world = World(entry("one"))
    assert world.fail(builtin_entry("lightning"), failure()) is None
    assert await world.choose() == ("one/m", "mode")


async def test_the_fallback_engine_reports_why_the_model_was_skipped() -> None:
    world = World(entry("one"), entry("two"))
    route = Route("lightning", builtin_entry("lightning"), "mode", (entry("two"), entry("one")))
    assert world.source.error_replaced_by_builtin(route) is None
    world.fail(entry("one"), failure(RateLimited, retry_after_s=42.0))
    error = world.source.error_replaced_by_builtin(route)
    assert isinstance(error, RateLimited)
    assert str(error) == "one/m is rate limited, again in 42 s"
    world.source.served(Route("lightning", entry("one"), "mode"))
    assert world.source.error_replaced_by_builtin(route) is None


# Notifications of the user


async def test_a_fallback_is_reported_once_until_the_first_model_answers_again() -> None:
    world = World(entry("one"), entry("two"))
    route = Route("lightning", entry("two"), "mode", (entry("one"),))
    world.source.notify_substitute(route)
    assert world.notifications == []
    world.fail(entry("one"), failure(RateLimited, retry_after_s=42.0))
    for _ in range(2):
        world.source.notify_substitute(route)
        assert world.notifications == ["⚡ one/m is rate limited, again in 42 s. two/m is used instead"]
    world.source.served(Route("lightning", entry("one"), "mode"))
    world.fail(entry("one"), failure(RateLimited, retry_after_s=42.0))
    world.source.notify_substitute(Route("deep", entry("two"), "mode", (entry("one"),)))
    assert world.notifications[1:] == ["🧠 one/m is rate limited, again in 42 s. two/m is used instead"]


async def test_an_obstacle_is_reported_once_if_only_the_built_in_engine_is_left() -> None:
    world = World(entry("one"), entry("two"))
    route = Route("lightning", builtin_entry("lightning"), "mode", needs_user="one/m is not ready: no key")
    for _ in range(2):
        world.source.notify_substitute(route)
        assert world.notifications == ["⚡ one/m is not ready: no key. builtin/rules is used instead"]
    other = Route("lightning", entry("two"), "mode", needs_user="one/m is not ready: another reason")
    world.source.notify_substitute(other)
    assert len(world.notifications) == 1, "another model of the lane is no surprise"


async def test_several_skipped_models_are_reported_in_one_line() -> None:
    world = World(entry("one"), entry("one", "n"), entry("two"))
    for each in (entry("one"), entry("one", "n")):
        world.fail(each, failure(RateLimited, retry_after_s=42.0))
    world.source.notify_substitute(
        Route("lightning", entry("two"), "mode", (entry("one"), entry("one", "n")))
    )
    assert world.notifications == [
        "⚡ one/m is rate limited, again in 42 s; one/n is rate limited, again in 42 s. two/m is used instead"
    ]


async def test_a_long_wait_is_reported_and_a_zero_wait_does_not_sleep() -> None:
    world = World(entry("one"))
    route = Route("lightning", entry("one"), "mode")
    for seconds in (0.0, 0.5, SHOWN_FROM_S, SHOWN_FROM_S + 1):
        await world.source.wait(route, seconds)
    assert world.slept == [0.5, SHOWN_FROM_S, SHOWN_FROM_S + 1]
    assert world.notifications == ["⚡ one/m is retried in 4 s"]


# Looking around


async def test_discovery_is_repeated_until_a_provider_is_found() -> None:
    world = World()
    for passed_s, n_looks in ((0.0, 1), (REDISCOVER_S - 1, 1), (1.0, 2)):
        world.now += passed_s
        assert (await world.choose())[0] == "builtin/rules"
        assert world.n_looks == n_looks
    world.now += REDISCOVER_S
    world.found, world.consent_dialog = [ONE], {"one"}
    assert (await world.choose())[0] == "one/fast"
    assert (await world.choose("deep"))[0] == "one/slow"
    world.now += 10 * REDISCOVER_S
    await world.choose()
    assert world.n_looks == 3, "what was found is known"


async def test_discovery_does_not_run_for_a_configured_mode() -> None:
    world = World(entry("one"))
    await world.choose()
    await world.source.lanes()
    assert world.n_looks == 0
    world.source.configured = {"lightning": (entry("one"),)}
    await world.choose()
    assert world.n_looks == 0
    await world.source.lanes()
    assert world.n_looks == 1


async def test_only_a_discovered_unknown_model_causes_rediscovery() -> None:
    world = World(found=[ONE])
    world.consent_dialog = {"one"}
    route, _ = await world.source.choose("lightning")
    assert world.fail(route.entry, failure(UnknownModel)) is None
    await world.choose()
    assert world.n_looks == 1, "not at once"
    world.now += REDISCOVER_S
    await world.choose()
    assert world.n_looks == 2
    configured = World(entry("one"))
    configured.fail(entry("one"), failure(UnknownModel))
    assert not configured.source._is_outdated


async def test_an_unreadable_config_raises_its_error() -> None:
    world = World(entry("one"))
    world.source.error = SettingsError("line 3: no", source="config")
    with pytest.raises(SettingsError, match="line 3"):
        await world.choose()
    empty = World()
    empty.source.error = SettingsError("line 3: no", source="config")
    await empty.source.serving("lightning")
    assert empty.n_looks == 0


# A yes


async def test_consent_is_requested_once_and_only_if_allowed() -> None:
    world = World(found=[ONE])
    assert (await world.choose(may_ask_user=False))[0] == "builtin/rules"
    assert world.asked == []
    assert (await world.choose())[0] == "one/fast"
    assert (world.asked, world.n_looks) == (["one"], 2)
    await world.choose()
    assert world.asked == ["one"]


async def test_refused_consent_lasts_for_the_session_and_is_the_reason() -> None:
    world = World(found=[ONE])
    world.answer = False
    for _ in range(2):
        assert await world.choose() == (
            "builtin/rules",
            "mode; skipped one/fast: you refused to send code there",
        )
    assert world.asked == ["one"]
    assert world.source.consents.refused == {"one"}


async def test_if_no_consent_can_be_requested_the_reason_says_what_to_do() -> None:
    world = World(found=[ONE])
    world.source.consents.can_ask = lambda: False
    why = (
        "mode; skipped one/fast: needs your consent, and this editor cannot ask for it; name the provider in your "
        "config, or run twospeed edit in a terminal once"
    )
    assert await world.choose() == ("builtin/rules", why)
    assert world.asked == []


async def test_an_unanswered_question_is_repeated() -> None:
    world = World(found=[ONE, TWO])
    world.answer = None
    why = "needs your consent, and the question was not answered; answer it and start the edit again"
    assert await world.choose() == (
        "builtin/rules",
        f"mode; skipped one/fast: {why}; skipped two/fast: {why}",
    )
    world.answer = True
    assert (await world.choose())[0] == "one/fast"
    assert world.asked == ["one", "two", "one"]


async def test_a_late_consent_counts_and_the_models_are_read_again() -> None:
    world = World(found=[ONE])
    world.answer = None
    await world.choose()
    n_looks = world.n_looks
    world.consent_dialog = {"one"}
    assert (await world.source.serving("lightning")).label == "one/fast"
    assert world.n_looks == n_looks + 1
    await world.choose()
    assert world.n_looks == n_looks + 1


async def test_edits_that_wait_for_consent_share_the_question() -> None:
    world = World(found=[ONE])
    gate = asyncio.Event()

    async def ask(provider: ProviderSettings) -> bool:
        world.asked.append(provider.name)
        await gate.wait()
        world.consent_dialog.add(provider.name)
        return True

    world.source.consents.ask = ask
    edits = [asyncio.create_task(world.choose()) for _ in range(2)]
    for _ in range(9):
        await asyncio.sleep(0)
    edits[0].cancel()
    gate.set()
    assert (await edits[1])[0] == "one/fast"
    assert world.asked == ["one"]
    await asyncio.sleep(0)
    assert world.source._questions == {}


# Who would serve


@pytest.mark.parametrize("mode", ["lightning", "deep"])
async def test_the_endpoint_that_would_serve_is_reported_ahead(mode: Any) -> None:
    world = World(entry("one"))
    assert await world.source.endpoint_ahead(mode) == ONE
    ahead = await world.source.model_ahead(mode)
    assert ahead
    assert (ahead[0], ahead[1], cast("Any", ahead[2])) == (entry("one"), ONE, "one/m")
    assert world.opened == [("one", "m", Limits())]
    assert (await world.source.serving(mode)) == entry("one")


async def test_no_model_is_used_ahead_if_it_is_not_ready() -> None:
    cooling, keyless, broken = (World(entry("one")) for _ in range(3))
    cooling.fail(entry("one"), failure())
    keyless.keys.missing.add("one")
    broken.source.error = SettingsError("line 3: no", source="config")
    for world in (cooling, keyless, broken):
        assert await world.source.endpoint_ahead("lightning") is None
        assert await world.source.model_ahead("lightning") is None
        assert world.opened == []


async def test_a_model_is_possible_if_it_is_ready_cooling_down_or_awaits_consent() -> None:
    assert await World(entry("one")).source.has_model("lightning")
    cooling = World(entry("one"))
    cooling.fail(entry("one"), failure(RateLimited, retry_after_s=42.0))
    assert await cooling.source.has_model("lightning")
    keyless = World(entry("one"))
    keyless.keys.missing.add("one")
    assert not await keyless.source.has_model("lightning")
    assert await World(found=[ONE]).source.has_model("lightning")
    assert not await World().source.has_model("lightning")


# Keys and prices


async def test_only_keys_that_decide_the_model_are_looked_up() -> None:
    world = World(entry("one"), entry("here", is_cloud=False), entry("two"))
    world.keys.unasked = {"one", "two"}
    await world.choose()
    assert world.keys.looked_up == [["one"]]
    world.keys.looked_up.clear()
    await world.source.lanes()
    assert world.keys.looked_up == [["one", "here", "two", "builtin"] * 2]


async def test_a_key_of_any_provider_is_found_in_a_text() -> None:
    found = ProviderSettings("found", "chat", "https://found.example/v1", "FOUND_API_KEY")
    world = World(found=[found])
    assert world.source.own_key_in("text") is None
    assert world.keys.searched == ["one", "two", "here"]
    await world.choose()
    assert world.source.own_key_in("key") == "ONE_API_KEY"
    assert world.keys.searched == ["one", "two", "here", "found"]


def test_a_price_belongs_to_provider_and_model() -> None:
    world = World(entry("one"))
    price = Price(1.0, 2.0)
    world.source.prices = {("one", "m"): price}
    assert world.source.price_of(entry("one")) is price
    assert world.source.price_of(entry("one", "n")) is world.source.price_of(entry("two")) is None


async def test_the_obstacle_of_a_model_file_makes_its_entry_unavailable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = World(entry("here", is_cloud=False))
    llama = ProviderSettings("here", "llama", "http://127.0.0.1:1", gguf="m.gguf")
    world.source.providers = {"here": llama}
    asked: list[str] = []

    def obstacle(provider: ProviderSettings) -> str:
        asked.append(provider.name)
        return "no such file"

    monkeypatch.setattr("twospeed.models.llama.llama_model.obstacle", obstacle)
    assert world.source.obstacle(entry("here", is_cloud=False)) == "no such file"
    assert asked == ["here"]

"""The state of an entry: whether it may cost money, its obstacle, and its cooldown."""

from __future__ import annotations

import pytest

from twospeed import errors
from twospeed.models.base import DEEP_LIMITS, Limits, ProviderSettings
from twospeed.routing.assemble import FoundProvider, assemble_lanes, pick_models
from twospeed.routing.cooldowns import Cause, Cooldown, Cooldowns
from twospeed.routing.lanes import (
    DEFAULT_LIMITS,
    ICONS,
    LABELS,
    MODES,
    LaneEntry,
    Origin,
    builtin_entry,
    other_mode,
)
from twospeed.routing.route import Availability, availability_of

NOW = 1000.0
ENTRY = LaneEntry("lab", "m", limits=Limits(), is_cloud=True, origin="config")


def failure(
    kind: type[errors.ModelError] = errors.RateLimited, wait_s: float | None = None
) -> errors.ModelError:
    return kind("words", provider="lab", model="m", retry_after_s=wait_s)


def test_modes_have_icons_and_labels() -> None:
    assert MODES == ("lightning", "deep")
    assert (other_mode("lightning"), other_mode("deep")) == ("deep", "lightning")
    assert (ICONS, LABELS) == (
        {"lightning": "⚡", "deep": "🧠", "both": "⚡🧠"},
        {"lightning": "Lightning", "deep": "Deep", "both": "Both"},
    )
    assert dict(DEFAULT_LIMITS) == {"lightning": Limits(), "deep": DEEP_LIMITS}
    assert builtin_entry("deep") == LaneEntry(
        "builtin", "rules", None, limits=DEEP_LIMITS, is_cloud=False, origin="builtin"
    )


@pytest.mark.parametrize(
    ("provider", "origin", "may_cost"),
    [
        ("lab", "config", True),
        ("lab", "environment", True),
        ("ollama", "local", False),
        ("builtin", "builtin", False),
        ("builtin", "config", False),
    ],
)
def test_configured_entries_and_entries_with_a_key_may_cost(
    provider: str, origin: Origin, may_cost: bool
) -> None:
    entry = LaneEntry(provider, "m", limits=Limits(), is_cloud=True, origin=origin)
    assert (entry.may_cost, entry.label) == (may_cost, f"{provider}/m")
    assert (entry.effort, entry.window_tokens, entry.hides_secrets) == (None, None, True)


def test_a_discovered_entry_has_the_window_of_its_mode() -> None:
    models = {"lightning": "fast", "deep": "slow"}
    found = FoundProvider("lab", "environment", models, {"deep": "high"}, windows={"deep": 8192})  # type: ignore[arg-type]  # modes
    lanes = assemble_lanes({}, [found])
    assert lanes["lightning"][0] == LaneEntry(
        "lab", "fast", limits=Limits(), is_cloud=True, origin="environment"
    )
    assert lanes["deep"][0] == LaneEntry(
        "lab", "slow", "high", limits=DEEP_LIMITS, is_cloud=True, origin="environment", window_tokens=8192
    )


def test_sizes_are_billions_or_millions_in_any_case() -> None:
    for small, large in (("a:900m", "b:1b"), ("a:900M", "b:1B"), ("a:3b", "b:2x2b"), ("a:1500m", "b:1.6b")):
        assert pick_models([large, small]) == {"lightning": small, "deep": large}


@pytest.mark.parametrize("is_from_provider", [True, False])
def test_a_cooling_entry_is_the_last_resort_if_its_time_is_a_guess(is_from_provider: bool) -> None:
    found = availability_of(
        ENTRY,
        providers={"lab": ProviderSettings("lab", "chat", "https://lab.example/v1")},
        key_obstacle=lambda _: None,
        apis={"chat"},
        has_consent=lambda _: False,
        cooldown=Cooldown(Cause.OVERLOAD, NOW + 42, is_from_provider=is_from_provider, n_failures=1),
        now=NOW,
    )
    assert found == Availability(
        "overloaded, again in 42 s", is_cooling=True, is_last_resort=not is_from_provider
    )


@pytest.mark.parametrize(
    ("cause", "kind", "words"),
    [
        (Cause.RATE, errors.RateLimited, "rate limited"),
        (Cause.QUOTA, errors.QuotaExhausted, "out of quota"),
        (Cause.OVERLOAD, errors.ModelOverloaded, "overloaded"),
        (Cause.DOWN, errors.ModelUnavailable, "down"),
    ],
)
def test_the_error_of_a_cooling_entry_names_the_cause(
    cause: Cause, kind: type[errors.ModelError], words: str
) -> None:
    error = Cooldown(cause, NOW + 42, is_from_provider=True, n_failures=1).error(ENTRY, NOW)
    assert type(error) is kind
    assert (str(error), error.provider, error.model) == (
        f"lab/m is {words}, again in 42 s",
        "lab",
        "m",
    )


def test_a_cooldown_ends_slightly_before_its_time() -> None:
    cooldowns = Cooldowns().failed(ENTRY, failure(wait_s=42.0), NOW)
    assert cooldowns.of(ENTRY, NOW) == Cooldown(Cause.RATE, NOW + 42.0, is_from_provider=True, n_failures=1)
    end = NOW + 42.0 - 0.001
    assert cooldowns.of(ENTRY, end - 0.0001)
    assert cooldowns.of(ENTRY, end) is None


@pytest.mark.parametrize(
    ("failures", "expected"),
    [
        # (seconds since the last one, what the provider said), then: until, is_said, n_failures
        ([(0, None)], (10, False, 1)),
        ([(0, None), (9, None)], (10, False, 1)),
        ([(0, None), (10, None)], (20, False, 2)),
        ([(0, 5)], (5, True, 1)),
        ([(0, 5), (5, 5)], (20, False, 2)),
        ([(0, 5), (5, 10)], (10, True, 2)),
        ([(0, 5), (5, 9.9)], (20, False, 2)),
        ([(0, 5), (4, 5)], (5, True, 1)),
        ([(0, 50), (4, None)], (46, True, 1)),
        ([(0, 99_999)], (3600, True, 1)),
        ([(0, None), *[(400, None)] * 9], (300, False, 10)),
    ],
)
def test_the_cooldown_follows_provider_time_and_failures(
    failures: list[tuple[float, float | None]], expected: tuple[float, bool, int]
) -> None:
    cooldowns, now = Cooldowns(), NOW
    for later_s, said_s in failures:
        now += later_s
        cooldowns = cooldowns.failed(ENTRY, failure(wait_s=said_s), now)
    for_s, is_from_provider, n_failures = expected
    assert cooldowns.of(ENTRY, now) == Cooldown(Cause.RATE, now + for_s, is_from_provider, n_failures)

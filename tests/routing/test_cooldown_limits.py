"""Cooldowns and model sizes at their limits: the end of a time, one expert, and the messages."""

from __future__ import annotations

import pytest

from twospeed import errors
from twospeed.errors import ModelError
from twospeed.models.base import Limits
from twospeed.routing.assemble import pick_models
from twospeed.routing.cooldowns import Cause, Cooldowns
from twospeed.routing.lanes import LaneEntry, Mode, builtin_entry

NOW = 1000.0
ENTRY = LaneEntry("lab", "m", limits=Limits(), is_cloud=True, origin="config")


def error(kind: type[ModelError] = errors.RateLimited, **more: object) -> ModelError:
    return kind("words", provider="lab", model="m", **more)  # type: ignore[arg-type]  # by keyword


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (errors.RateLimited, "rate limited"),
        (errors.QuotaExhausted, "out of quota"),
        (errors.ModelOverloaded, "overloaded"),
        (errors.ModelUnavailable, "down"),
    ],
)
def test_the_description_of_a_cooldown_names_the_cause(kind: type[ModelError], words: str) -> None:
    cooldown = Cooldowns().failed(ENTRY, error(kind, retry_after_s=90), NOW).of(ENTRY, NOW)
    assert cooldown
    assert cooldown.description(NOW).startswith(f"{words}, again in ")


def test_a_failure_at_the_end_of_a_cooldown_counts_as_new() -> None:
    once = Cooldowns().failed(ENTRY, error(), NOW)
    first = once.of(ENTRY, NOW)
    assert first
    assert first.n_failures == 1
    during = once.failed(ENTRY, error(), first.until - 0.5).of(ENTRY, first.until - 0.5)
    assert during
    assert during.n_failures == 1
    second = once.failed(ENTRY, error(), first.until).of(ENTRY, first.until)
    assert second
    assert second.n_failures == 2
    assert second.until - first.until == pytest.approx(2 * (first.until - NOW))


def test_a_success_clears_only_the_cooldown_of_its_entry() -> None:
    other = LaneEntry("lab", "other", limits=Limits(), is_cloud=True, origin="config")
    known = Cooldowns().failed(ENTRY, error(), NOW).failed(other, error(), NOW)
    served = known.served(ENTRY)
    assert served.of(ENTRY, NOW) is None
    assert served.of(other, NOW) == known.of(other, NOW)
    assert served.served(ENTRY) is served


def test_the_longer_of_two_cooldowns_applies() -> None:
    quota = error(errors.QuotaExhausted, retry_after_s=600)
    for failures in ([error(retry_after_s=60), quota], [quota, error(retry_after_s=60)]):
        known = Cooldowns()
        for each in failures:
            known = known.failed(ENTRY, each, NOW)
        cooldown = known.of(ENTRY, NOW)
        assert cooldown
        assert (cooldown.cause, cooldown.until) == (Cause.QUOTA, NOW + 600)


@pytest.mark.parametrize(
    ("names", "fast", "deep"),
    [
        (["a:3b", "b-1x5b"], "a:3b", "b-1x5b"),
        (["a:9b", "b-2x5b"], "a:9b", "b-2x5b"),
        (["a:900m", "b:1b"], "a:900m", "b:1b"),
        (["a:1B", "b:1100M"], "a:1B", "b:1100M"),
        (["plain", "b:7b"], "b:7b", "b:7b"),
        (["nomic-embed:1b", "x-rerank:9b", "b:7b"], "b:7b", "b:7b"),
        (["one", "two"], "one", "one"),
    ],
)
def test_the_number_of_parameters_decides_fast_and_deep_model(names: list[str], fast: str, deep: str) -> None:
    assert pick_models(names) == {"lightning": fast, "deep": deep}
    assert pick_models(names[::-1])["deep"] in {deep, names[-1]}


@pytest.mark.parametrize("mode", ["lightning", "deep"])
def test_the_built_in_engine_is_local_and_needs_no_consent(mode: Mode) -> None:
    entry = builtin_entry(mode)
    assert (entry.provider, entry.is_cloud, entry.origin) == ("builtin", False, "builtin")

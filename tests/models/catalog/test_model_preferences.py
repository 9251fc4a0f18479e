"""Of a provider's list, the newest model of the family for a mode is chosen, and nothing else."""

from __future__ import annotations

import pytest

from twospeed.models.catalog.model_lists import ListedModel, Preferred, Speed, prefer
from twospeed.models.catalog.providers import PROVIDERS, Provider

CLOUD = [provider for provider in PROVIDERS.values() if not provider.is_local]

OPENAI = [
    ListedModel("gpt-6-luna", 1790000000),
    ListedModel("gpt-5.6-luna", 1783000000),
    ListedModel("gpt-5.6-sol", 1783000000),
    ListedModel("gpt-6.1-sol", 1792000000),
    ListedModel("gpt-6.1-sol-2026-10-20", 1792500000),
    ListedModel("gpt-7-sol-realtime", 1799000000),
    ListedModel("gpt-4.1-mini", 1744000000),
    ListedModel("text-embedding-4", 1799000000),
    ListedModel("ft:gpt-6-luna:acme::1", 1799000000),
]
ANTHROPIC = [
    ListedModel("claude-opus-5-5", 1790000000),
    ListedModel("claude-haiku-5-5", 1789000000),
    ListedModel("claude-opus-4-6", 1770000000),
    ListedModel("claude-haiku-4-5-20251001", 1759000000),
]


@pytest.mark.parametrize(
    ("provider", "speed", "listed", "chosen"),
    [
        ("openai", "fast", OPENAI, Preferred("gpt-6-luna", "none")),
        ("openai", "deep", OPENAI, Preferred("gpt-6.1-sol", "high")),
        ("anthropic", "fast", ANTHROPIC, Preferred("claude-haiku-5-5", "none")),
        ("anthropic", "deep", ANTHROPIC, Preferred("claude-opus-5-5", "high")),
        ("anthropic", "fast", ANTHROPIC[3:], Preferred("claude-haiku-4-5-20251001", "none")),
    ],
)
def test_the_newest_of_the_family_is_chosen(
    provider: str, speed: Speed, listed: list[ListedModel], chosen: Preferred
) -> None:
    assert prefer(provider, speed, listed) == chosen
    assert prefer(provider, speed, listed[::-1]) == chosen


def test_a_newer_model_of_a_known_family_is_chosen() -> None:
    assert prefer("openai", "deep", [*OPENAI, ListedModel("gpt-8-sol", 1900000000)]) == Preferred(
        "gpt-8-sol", "high"
    )


def test_without_dates_the_first_listed_model_is_the_newest() -> None:
    listed = [ListedModel("qwen-4-30b"), ListedModel("qwen-3.8-27b"), ListedModel("gpt-oss-120b")]
    assert prefer("cerebras", "deep", listed) == Preferred("qwen-4-30b")


def test_without_the_first_family_the_next_one_is_chosen() -> None:
    listed = [ListedModel("gpt-6-luna", 1), ListedModel("gpt-7-terra", 2)]
    assert prefer("openai", "deep", listed) == Preferred("gpt-7-terra", "high")


def test_a_model_without_reasoning_gets_no_effort() -> None:
    listed = [ListedModel("gpt-4.1"), ListedModel("gpt-4.1-mini")]
    assert prefer("openai", "fast", listed) == Preferred("gpt-4.1-mini")
    assert prefer("openai", "deep", listed) == Preferred("gpt-4.1")
    assert prefer("openai", "deep", [ListedModel("gpt-4o-audio"), ListedModel("gpt-4o")]) == Preferred(
        "gpt-4o"
    )
    assert prefer("xai", "fast", [ListedModel("grok-4-1-fast-non-reasoning")]) == Preferred(
        "grok-4-1-fast-non-reasoning"
    )


@pytest.mark.parametrize("speed", ["fast", "deep"])
@pytest.mark.parametrize("provider", CLOUD, ids=lambda provider: provider.name)
def test_unknown_models_and_models_without_text_are_never_chosen(provider: Provider, speed: Speed) -> None:
    names = [
        "text-embedding-3",
        "whisper-1",
        "tts-1",
        "gpt-image-2",
        "grok-imagine",
        "openai/gpt-oss-safeguard-20b",
    ]
    assert prefer(provider.name, speed, [ListedModel(name) for name in names]) is None
    assert prefer(provider.name, speed, []) is None


@pytest.mark.parametrize("provider", CLOUD, ids=lambda provider: provider.name)
def test_the_model_list_of_each_provider_leads_to_the_names_of_the_table(provider: Provider) -> None:
    listed = [ListedModel(name.removesuffix(":nitro")) for name in (provider.fast_model, provider.deep_model)]
    fast, deep = prefer(provider.name, "fast", listed), prefer(provider.name, "deep", listed)
    assert fast == Preferred(provider.fast_model, provider.fast_effort)
    assert deep == Preferred(provider.deep_model, provider.deep_effort)

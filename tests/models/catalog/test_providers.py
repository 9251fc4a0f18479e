"""The table of providers is complete and safe, and its protocols exist."""

from __future__ import annotations

import pytest

from twospeed.models.catalog.providers import BUILT_APIS, PROVIDERS, Provider, key_origins, token_limit_field
from twospeed.models.codecs.table import CODECS
from twospeed.models.http.endpoints import parse_endpoint

ALL = list(PROVIDERS.values())


def test_the_table_has_every_provider_of_the_contract() -> None:
    cloud = ["openai", "anthropic", "cerebras", "groq", "xai", "openrouter"]
    assert list(PROVIDERS) == [*cloud, "ollama", "lmstudio", "llamacpp", "vllm"]


@pytest.mark.parametrize("provider", ALL, ids=lambda provider: provider.name)
def test_a_cloud_provider_has_a_key_and_models_and_a_local_one_neither(provider: Provider) -> None:
    origin = parse_endpoint(provider.settings.base_url).origin
    assert provider.is_local == origin.is_loopback
    assert bool(provider.settings.api_key_env) is not provider.is_local
    assert bool(provider.fast_model and provider.deep_model) is not provider.is_local
    assert provider.label


def test_every_provider_uses_a_supported_api_and_every_api_has_a_codec() -> None:
    assert {provider.settings.api for provider in ALL} <= BUILT_APIS
    assert {*CODECS, "llama", "builtin"} == BUILT_APIS


def test_no_two_providers_share_an_address_or_a_key() -> None:
    assert len({parse_endpoint(provider.settings.base_url).origin for provider in ALL}) == len(ALL)
    keys = [provider.settings.api_key_env for provider in ALL if provider.settings.api_key_env]
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize(
    ("base_url", "field"),
    [
        ("https://api.openai.com/v1", "max_completion_tokens"),
        ("https://API.openai.com:443", "max_completion_tokens"),
        ("https://openrouter.ai/api/v1", "max_tokens"),
        ("http://127.0.0.1:11434/v1", "max_tokens"),
        ("https://lab.example/v1", "max_tokens"),
    ],
)
def test_the_token_limit_field_depends_on_the_origin(base_url: str, field: str) -> None:
    assert token_limit_field(parse_endpoint(base_url).origin) == field


@pytest.mark.security("R2.1")
@pytest.mark.parametrize(
    ("api_key_env", "base_url", "is_sent"),
    [
        ("OPENAI_API_KEY", "https://api.openai.com", True),
        ("OPENAI_API_KEY", "https://gateway.example", True),
        ("OPENAI_API_KEY", "http://127.0.0.1:4000", True),
        ("LAB_API_KEY", "https://api.openai.com", True),
        ("OPENAI_API_KEY", "https://api.groq.com", False),
        ("CEREBRAS_API_KEY", "https://api.openai.com", False),
    ],
)
def test_a_known_key_is_never_bound_to_another_known_provider(
    api_key_env: str, base_url: str, is_sent: bool
) -> None:
    origin = parse_endpoint(base_url).origin
    assert (origin in key_origins(api_key_env, origin)) is is_sent

"""Table of known providers: address, variable of the key, fast and deep model.

The model names, from the providers' own pages in November 2026, are used if a provider's list cannot be read
(`model_lists`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from twospeed.models.base import ProviderSettings
from twospeed.models.http.endpoints import Origin


@dataclass(frozen=True, slots=True)
class Provider:
    """Built-in knowledge about a provider."""

    label: str
    settings: ProviderSettings
    fast_model: str = ""  # for the lightning lane; empty if unknown
    deep_model: str = ""  # for the deep lane; empty if unknown
    fast_effort: str | None = None  # None sends none
    deep_effort: str | None = None
    # name of the limit on output tokens in its Chat Completions
    limit_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    base_url_env: str | None = None  # environment variable with which its own tools set another endpoint
    base_url_env_path: str = ""  # path that they append to that address

    @property
    def name(self) -> str:
        """Its name in lanes."""
        return self.settings.name

    @property
    def is_local(self) -> bool:
        """Whether it runs on this machine."""
        return self.settings.endpoint.origin.is_loopback


# Values of ``api`` that `lanes.open_model` supports: `codecs.table.CODECS`, a model file, the built-in
# engine.
BUILT_APIS = frozenset({"chat", "responses", "messages", "completions", "llama", "builtin"})

_ALL = (
    Provider(
        "OpenAI",
        ProviderSettings("openai", "chat", "https://api.openai.com/v1", "OPENAI_API_KEY"),
        fast_model="gpt-6-luna",
        deep_model="gpt-6.1-sol",
        fast_effort="none",
        deep_effort="high",
        limit_field="max_completion_tokens",
        base_url_env="OPENAI_BASE_URL",
    ),
    Provider(
        "Anthropic",
        ProviderSettings("anthropic", "messages", "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY"),
        fast_model="claude-haiku-5-5",
        deep_model="claude-opus-5-5",
        fast_effort="none",
        deep_effort="high",
        base_url_env="ANTHROPIC_BASE_URL",
        base_url_env_path="/v1",
    ),
    Provider(
        "Cerebras",
        ProviderSettings(
            "cerebras", "chat", "https://api.cerebras.ai/v1", "CEREBRAS_API_KEY", prediction=True
        ),
        fast_model="gpt-oss-120b",
        deep_model="qwen-3.8-27b",
        limit_field="max_completion_tokens",
    ),
    Provider(
        "Groq",
        ProviderSettings("groq", "chat", "https://api.groq.com/openai/v1", "GROQ_API_KEY"),
        fast_model="openai/gpt-oss-20b",
        deep_model="openai/gpt-oss-120b",
        limit_field="max_completion_tokens",
    ),
    Provider(
        "xAI",
        ProviderSettings("xai", "chat", "https://api.x.ai/v1", "XAI_API_KEY"),
        fast_model="grok-4.3",
        deep_model="grok-4.3",
        fast_effort="none",
        limit_field="max_completion_tokens",
    ),
    Provider(
        "OpenRouter",
        ProviderSettings("openrouter", "chat", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
        fast_model="openai/gpt-oss-120b:nitro",  # :nitro sorts the hosts by tokens per second
        deep_model="openai/gpt-6.1-sol",
    ),
    Provider("Ollama", ProviderSettings("ollama", "chat", "http://127.0.0.1:11434/v1")),
    Provider("LM Studio", ProviderSettings("lmstudio", "chat", "http://127.0.0.1:1234/v1")),
    # Any program may listen on these two ports, so a key goes there only if the user's config names port and key.
    Provider("llama.cpp", ProviderSettings("llamacpp", "chat", "http://127.0.0.1:8080/v1")),
    Provider("vLLM", ProviderSettings("vllm", "chat", "http://127.0.0.1:8000/v1")),
)

# By the name that lanes use.
PROVIDERS: dict[str, Provider] = {provider.name: provider for provider in _ALL}

_BY_ORIGIN = {provider.settings.endpoint.origin: provider for provider in _ALL}


def token_limit_field(origin: Origin) -> Literal["max_tokens", "max_completion_tokens"]:
    """Return the name of the limit on output tokens in Chat Completions at ``origin``."""
    # OpenAI's reasoning models refuse the old name; many local servers know only the old one.
    known = _BY_ORIGIN.get(origin)
    return known.limit_field if known else "max_tokens"


def key_origins(api_key_env: str, origin: Origin) -> frozenset[Origin]:
    """Return the origins that may receive the key of an environment variable.

    A known provider's variable is never bound to another known provider, or to an address without encryption: such
    a mistake in the config would disclose the key.
    """
    own = {home for home, provider in _BY_ORIGIN.items() if provider.settings.api_key_env == api_key_env}
    return _bound(own, origin)


def entry_origins(settings: ProviderSettings, origin: Origin) -> frozenset[Origin]:
    """Return the origins that may receive the keyring's key for a provider."""
    # As `key_origins`, but only `api_key_env` shows that the settings want a key at another address.
    known = PROVIDERS.get(settings.name)
    own = {known.settings.endpoint.origin} if known and not known.is_local else set()
    return frozenset(own) if own and settings.api_key_env is None else _bound(own, origin)


def _bound(own: set[Origin], origin: Origin) -> frozenset[Origin]:
    is_unsafe = origin.is_unencrypted or (origin in _BY_ORIGIN and not origin.is_loopback)
    return frozenset(own if own and is_unsafe else own | {origin})

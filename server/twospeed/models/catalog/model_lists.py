"""Request the model lists of cloud providers, and choose the fast and the deep model from them.

Providers retire model names within months but keep family names for years, so the newest model of a family is
chosen.
Sources: the providers' API references ("List models"); for families and efforts their own pages, November
2026.
"""

from __future__ import annotations

import asyncio
import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final, Literal

from twospeed.errors import TwospeedError
from twospeed.models.keys.secret import key_header

if TYPE_CHECKING:
    from twospeed.models.base import ProviderSettings
    from twospeed.models.http.connections import Connections
    from twospeed.models.keys.key_store import KeyStore
    from twospeed.models.keys.secret import Secret

Speed = Literal["fast", "deep"]

# Limit for all lists together; a first edit may wait for them. It uses the same connections.
LIST_S = 2.0

# OpenRouter describes each of its hundreds of models at length.
_MAX_LIST_BYTES = 8 * 1024 * 1024

_MAX_MODELS = 5000
_MAX_NAME_CHARS = 200

# Names of the context window: OpenRouter, Groq, Mistral, vLLM, Anthropic (there for the prompt only).
_WINDOWS = ("context_length", "context_window", "max_context_length", "max_model_len", "max_input_tokens")

_MAX_WINDOW = 10**8

# By ``api``. Anthropic lists twenty models by default.
_PATHS = {"messages": "/models?limit=1000"}


@dataclass(frozen=True, slots=True)
class ListedModel:
    """A model as its provider lists it."""

    name: str
    created: float = 0.0  # seconds since 1970; 0 if the list does not say
    window_tokens: int | None = None  # limit of prompt and answer together


@dataclass(frozen=True, slots=True)
class Preferred:
    """The chosen model; the effort None leaves it to the provider."""

    name: str
    effort: str | None = None
    window_tokens: int | None = None


async def list_models(
    providers: Iterable[ProviderSettings],
    *,
    keys: KeyStore,
    connections: Connections,
    timeout_s: float = LIST_S,
) -> Mapping[str, tuple[ListedModel, ...]]:
    """Request the models of all providers concurrently; return each non-empty list by the provider's name."""
    requests = {
        provider.name: asyncio.create_task(_list(provider, keys, connections, timeout_s))
        for provider in providers
    }
    if not requests:
        return {}
    try:
        await asyncio.wait(requests.values(), timeout=timeout_s)
        return {name: models for name, task in requests.items() if task.done() and (models := task.result())}
    finally:
        for task in requests.values():
            task.cancel()
        await asyncio.gather(*requests.values(), return_exceptions=True)


async def names_like(
    name: str, provider: ProviderSettings, *, key: Secret | None, connections: Connections
) -> list[str]:
    """Request the models of a provider; return up to three whose names are like ``name``, the most similar first."""
    try:
        async with asyncio.timeout(LIST_S):
            models = await _request(provider, key, connections, LIST_S)
    except TimeoutError:
        return []
    return difflib.get_close_matches(name, [model.name for model in models or ()])


async def _list(
    provider: ProviderSettings, keys: KeyStore, connections: Connections, timeout_s: float
) -> tuple[ListedModel, ...] | None:
    try:
        return await _request(provider, keys.key_of(provider), connections, timeout_s)
    except TwospeedError:  # the next edit meets the same error and reports it
        return None


async def _request(
    provider: ProviderSettings, key: Secret | None, connections: Connections, timeout_s: float
) -> tuple[ListedModel, ...] | None:
    from twospeed.models.codecs.table import CODECS  # noqa: PLC0415  # the codecs are needed by the first request

    codec, endpoint = CODECS[provider.api], provider.endpoint
    headers = {
        **provider.headers,
        **codec.headers,
        **key_header(key, endpoint.origin, name=codec.key_header),
    }
    page = await connections.http().get_json(
        endpoint,
        _PATHS.get(provider.api, "/models"),
        headers=headers,
        connect_s=timeout_s,
        max_bytes=_MAX_LIST_BYTES,
    )
    items = page.value.get("data") if page and isinstance(page.value, dict) else None
    return _read(items[:_MAX_MODELS]) if isinstance(items, list) else None


def _read(items: list[object]) -> tuple[ListedModel, ...]:
    return tuple(
        ListedModel(name, _seconds(item.get("created") or item.get("created_at")), _window(item))
        for item in items
        if isinstance(item, dict)
        and isinstance(name := item.get("id"), str)
        and 0 < len(name) <= _MAX_NAME_CHARS
        and name.isprintable()
    )


def _seconds(when: object) -> float:
    if isinstance(when, (int, float)):
        return float(when)
    try:
        return datetime.fromisoformat(when).timestamp() if isinstance(when, str) else 0.0
    except (ValueError, OverflowError):
        return 0.0


def _window(item: Mapping[str, object]) -> int | None:
    sizes = (item.get(name) for name in _WINDOWS)
    return next((size for size in sizes if type(size) is int and 0 < size <= _MAX_WINDOW), None)


@dataclass(frozen=True, slots=True)
class _Family:
    pattern: str  # it matches the whole name, which excludes variants for sound, search and dated snapshots
    effort: str | None = None
    suffix: str = ""


_N = r"\d+(?:[.-]\d{1,2})?"
# Earlier models do not reason and refuse an effort.
_REASONING_GPT = r"gpt-(?:[5-9]|\d\d)(?:\.\d+)?"
_CLAUDE_DATE = r"(?:-\d{8})?"

_FAMILIES: Final[Mapping[str, Mapping[Speed, Sequence[_Family]]]] = {
    "openai": {
        "fast": [
            _Family(rf"{_REASONING_GPT}-luna", "none"),
            _Family(rf"{_REASONING_GPT}-(?:mini|nano)"),
            _Family(r"gpt-\d[\do.]*-mini"),
        ],
        "deep": [
            _Family(rf"{_REASONING_GPT}-sol", "high"),
            _Family(rf"{_REASONING_GPT}(?:-terra)?", "high"),
            _Family(r"gpt-\d[\do.]*"),
        ],
    },
    "anthropic": {
        "fast": [
            _Family(rf"claude-haiku-{_N}{_CLAUDE_DATE}", "none"),
            _Family(rf"claude-sonnet-{_N}{_CLAUDE_DATE}", "none"),
        ],
        "deep": [
            _Family(rf"claude-opus-{_N}{_CLAUDE_DATE}", "high"),
            _Family(rf"claude-sonnet-{_N}{_CLAUDE_DATE}", "high"),
        ],
    },
    "cerebras": {
        "fast": [_Family(r"gpt-oss-\d+b"), _Family(r"llama.*\d+b.*"), _Family(r"qwen-.*")],
        "deep": [_Family(r"qwen-.*"), _Family(r"(?:zai-)?glm-.*"), _Family(r"gpt-oss-\d+b")],
    },
    "groq": {
        "fast": [_Family(r"openai/gpt-oss-20b"), _Family(r".*-instant"), _Family(r"openai/gpt-oss-\d+b")],
        "deep": [
            _Family(r"openai/gpt-oss-\d{3,}b"),
            _Family(r"moonshotai/kimi-.*"),
            _Family(r"qwen/.*"),
            _Family(r".*-versatile"),
        ],
    },
    "xai": {
        "fast": [
            # 4.3 is the first that accepts an effort.
            _Family(r"grok-(?:4\.[3-9]|(?:[5-9]|\d\d)(?:\.\d+)?)", "none"),
            _Family(r"grok-.*-non-reasoning"),
            _Family(r"grok-code-.*"),
        ],
        "deep": [_Family(rf"grok-{_N}"), _Family(r"grok-.*(?<!non)-reasoning")],
    },
    "openrouter": {  # :nitro sorts the hosts by tokens per second
        "fast": [
            _Family(r"openai/gpt-oss-\d{3,}b", suffix=":nitro"),
            _Family(rf"openai/{_REASONING_GPT}-luna", "none", suffix=":nitro"),
            _Family(rf"anthropic/claude-haiku-{_N}", "none"),
        ],
        "deep": [
            _Family(rf"openai/{_REASONING_GPT}-sol"),
            _Family(rf"anthropic/claude-opus-{_N}"),
            _Family(rf"openai/{_REASONING_GPT}"),
        ],
    },
}


def prefer(provider: str, speed: Speed, listed: Sequence[ListedModel]) -> Preferred | None:
    """Return the newest model, by date and then list position, of the first family that is listed."""
    for family in _FAMILIES.get(provider, {}).get(speed, ()):
        fitting = [model for model in listed if re.fullmatch(family.pattern, model.name)]
        if fitting:
            newest = max(fitting, key=lambda model: model.created)
            return Preferred(newest.name + family.suffix, family.effort, newest.window_tokens)
    return None

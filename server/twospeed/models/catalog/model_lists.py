"""Request the model lists of cloud providers: ``GET <base>/models``, with the provider's key.

The caller passes only providers that the user agreed to. A list that is late, refused or in an unknown form is
omitted.
Sources: the providers' API references ("List models").
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from twospeed.errors import TwospeedError
from twospeed.models.codecs.table import CODECS
from twospeed.models.http.endpoints import parse_endpoint
from twospeed.models.keys.secret import key_header

from .model_preferences import ListedModel

if TYPE_CHECKING:
    from twospeed.models.base import ProviderSettings
    from twospeed.models.http.connections import Connections
    from twospeed.models.keys.key_store import KeyStore

LIST_S = 2.0
"""Limit for all lists together; a first edit may wait for them. It uses the same connections."""

_MAX_LIST_BYTES = 8 * 1024 * 1024
"""OpenRouter describes each of its hundreds of models at length."""

_MAX_MODELS = 5000
_MAX_NAME_CHARS = 200

_WINDOWS = ("context_length", "context_window", "max_context_length", "max_model_len", "max_input_tokens")
"""Names of the context window: OpenRouter, Groq, Mistral, vLLM, Anthropic (there for the prompt only)."""

_MAX_WINDOW = 10**8

_PATHS = {"messages": "/models?limit=1000"}
"""By ``api``. Anthropic lists twenty models by default."""


async def list_models(
    providers: Iterable[ProviderSettings],
    *,
    keys: KeyStore,
    connections: Connections,
    timeout_s: float = LIST_S,
) -> Mapping[str, tuple[ListedModel, ...]]:
    """Request the models of all providers concurrently.

    Returns:
        Each non-empty list in the provider's order, by the provider's name.
    """
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


async def _list(
    provider: ProviderSettings, keys: KeyStore, connections: Connections, timeout_s: float
) -> tuple[ListedModel, ...] | None:
    codec = CODECS[provider.api]
    try:
        endpoint = parse_endpoint(provider.base_url)
        headers = {
            **provider.headers,
            **codec.headers,
            **key_header(keys.key_of(provider), endpoint.origin, name=codec.key_header),
        }
        page = await connections.http().get_json(
            endpoint,
            _PATHS.get(provider.api, "/models"),
            headers=headers,
            connect_s=timeout_s,
            max_bytes=_MAX_LIST_BYTES,
        )
    except TwospeedError:  # the next edit meets the same error and reports it
        return None
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
    """Parse a date in seconds or, for Anthropic, ISO 8601; 0 if there is none."""
    if isinstance(when, (int, float)):
        return float(when)
    try:
        return datetime.fromisoformat(when).timestamp() if isinstance(when, str) else 0.0
    except (ValueError, OverflowError):
        return 0.0


def _window(item: Mapping[str, object]) -> int | None:
    sizes = (item.get(name) for name in _WINDOWS)
    return next((size for size in sizes if type(size) is int and 0 < size <= _MAX_WINDOW), None)

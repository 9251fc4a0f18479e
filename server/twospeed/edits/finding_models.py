"""What discovery found, in the words of routing."""

from __future__ import annotations

from twospeed.models.base import ProviderSettings
from twospeed.models.connections import Connections
from twospeed.models.discovery import Found, discover
from twospeed.models.key_store import KeyStore
from twospeed.models.providers import PROVIDERS
from twospeed.routing import FoundProvider, Mode, pick_models


async def find_models(
    keys: KeyStore, connections: Connections
) -> list[tuple[FoundProvider, ProviderSettings]]:
    """Look for providers by key and on this machine; each with the endpoint that serves it."""
    return [
        (_found_provider(found), found.provider) for found in await discover(keys, connections=connections)
    ]


def _found_provider(found: Found) -> FoundProvider:
    if not found.cloud and found.provider.api_key_env is None:
        return FoundProvider(found.provider.name, "local", pick_models(found.models))
    known = PROVIDERS[found.provider.name]
    models: dict[Mode, str] = {"lightning": known.fast_model, "deep": known.deep_model}
    efforts: dict[Mode, str | None] = {"lightning": known.fast_effort, "deep": known.deep_effort}
    return FoundProvider(
        found.provider.name,
        "environment",
        {mode: model for mode, model in models.items() if model},
        {mode: effort for mode, effort in efforts.items() if effort},
        is_cloud=found.cloud,
    )

"""Convert discovery results to the types of `routing`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from twospeed.models.base import ProviderSettings
from twospeed.models.catalog.discovery import DiscoveredProvider, discover
from twospeed.models.catalog.model_lists import ListedModel, Preferred, Speed, prefer
from twospeed.models.catalog.providers import PROVIDERS
from twospeed.models.http.connections import Connections
from twospeed.models.keys.key_store import KeyStore
from twospeed.routing import FoundProvider, Mode, pick_models

_SPEEDS: Mapping[Mode, Speed] = {"lightning": "fast", "deep": "deep"}


async def find_models(
    keys: KeyStore, connections: Connections, is_agreed: Callable[[ProviderSettings], bool]
) -> list[tuple[FoundProvider, ProviderSettings]]:
    """Find providers by key and on this machine, each with its endpoint.

    The model list of a cloud provider is requested only if the user agreed to it.
    """
    found = await discover(keys, connections=connections)
    listable = [
        each.provider
        for each in found
        if not each.is_probed and not each.reason and (not each.cloud or is_agreed(each.provider))
    ]
    listed: Mapping[str, Sequence[ListedModel]] = {}
    if listable:
        from twospeed.models.catalog.model_lists import list_models  # noqa: PLC0415  # imports the codecs

        listed = await list_models(listable, keys=keys, connections=connections)
    return [(_found_provider(each, listed.get(each.provider.name, ())), each.provider) for each in found]


def _found_provider(found: DiscoveredProvider, listed: Sequence[ListedModel]) -> FoundProvider:
    if found.is_probed:
        return FoundProvider(found.provider.name, "local", pick_models(found.models))
    name = found.provider.name
    models = {mode: _choose(name, speed, mode, listed) for mode, speed in _SPEEDS.items()}
    return FoundProvider(
        name,
        "environment",
        {mode: model.name for mode, model in models.items()},
        {mode: model.effort for mode, model in models.items() if model.effort},
        is_cloud=found.cloud,
        windows={mode: model.window_tokens for mode, model in models.items() if model.window_tokens},
    )


def _choose(provider: str, speed: Speed, mode: Mode, listed: Sequence[ListedModel]) -> Preferred:
    known = PROVIDERS[provider]
    in_table = (
        Preferred(known.fast_model, known.fast_effort)
        if speed == "fast"
        else Preferred(known.deep_model, known.deep_effort)
    )
    if preferred := prefer(provider, speed, listed):
        return preferred
    # A gateway has names of its own, so a model is chosen by its size.
    windows = {model.name: model.window_tokens for model in listed}
    own = pick_models(list(windows)).get(mode)
    return Preferred(own, window_tokens=windows[own]) if own else in_table

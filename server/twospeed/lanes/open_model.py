"""Open a model of any kind: the built-in engine, or a model over a network."""

from __future__ import annotations

from twospeed.models.base import Limits, Model, ProviderSettings
from twospeed.models.http.connections import Connections
from twospeed.models.keys.key_store import KeyStore
from twospeed.models.registry import open_remote_model


def open_model(
    provider: ProviderSettings, model: str, *, limits: Limits, connections: Connections, keys: KeyStore
) -> Model:
    """Open a model; nothing is sent yet. Arguments and errors are those of `models.registry.open_remote_model`."""
    if provider.api == "builtin":
        from twospeed.rules import RulesModel  # noqa: PLC0415  # the rules load when they are first used

        return RulesModel()
    return open_remote_model(provider, model, limits=limits, connections=connections, keys=keys)

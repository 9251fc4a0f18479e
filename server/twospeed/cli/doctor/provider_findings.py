"""Detects model servers on this machine and keys; sends nothing to a cloud provider."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from twospeed.budget.consent import consent_path
from twospeed.budget.spending import MAX_BYTES as MAX_SPENDING_BYTES
from twospeed.budget.spending import spending_path
from twospeed.config.paths import history_path, state_folder
from twospeed.errors import ModelError, NoHomeFolder, UnsafeEndpoint
from twospeed.lsp.log import log_path
from twospeed.models.base import ProviderSettings
from twospeed.models.catalog.discovery import PROBE_S, discover, local_servers
from twospeed.models.catalog.providers import PROVIDERS
from twospeed.models.http.connections import Connections
from twospeed.models.keys.key_store import KeyStore
from twospeed.models.llama.llama_model import obstacle
from twospeed.workspace.guarded import MAX_BYTES, trouble_with

_MAX_MODELS = 20
NOT_NAMED = "a server of another kind, which is used only if your config names it"
NOT_ENCRYPTED = "not encrypted (insecure_http)"


@dataclass(frozen=True, slots=True)
class ProviderFinding:
    """A provider that was detected or that the config names."""

    provider: str
    place: str  # its origin, such as https://api.openai.com; empty if the address is invalid
    key: str  # where its key is, or that it needs none
    models: tuple[str, ...] = ()  # of a server on this machine
    trouble: str = ""  # why it cannot be used
    warning: str = ""  # what its use discloses

    @property
    def runs_without_model(self) -> bool:
        """Whether this is a local server without a model."""
        return (
            bool(self.trouble)
            and not self.models
            and self.provider in PROVIDERS
            and PROVIDERS[self.provider].is_local
        )

    def to_json(self) -> dict[str, object]:
        """Return the finding for ``--json``."""
        return {
            "provider": self.provider,
            "place": self.place,
            "key": self.key,
            "models": list(self.models),
            "trouble": self.trouble or None,
            "warning": self.warning or None,
        }


async def find_providers(
    environ: Mapping[str, str], configured: Sequence[ProviderSettings]
) -> list[ProviderFinding]:
    """Return configured providers, then those with a key, then local servers; each name once."""
    keys, connections = KeyStore(environ), Connections()
    try:
        found = await discover(keys, connections=connections)
    finally:
        await connections.aclose()
    await keys.look_up(configured)
    findings = {
        each.name: ProviderFinding(each.name, _place(each), key_state(each, keys), warning=_warning(each))
        for each in configured
    }
    for each in found:
        name = each.provider.name
        models = each.models if PROVIDERS[name].is_local else ()
        finding = ProviderFinding(
            name, _place(each.provider), key_state(each.provider, keys), models, each.reason
        )
        findings.setdefault(name, finding)
    return list(findings.values())


async def find_unknown_servers(
    environ: Mapping[str, str], findings: Sequence[ProviderFinding]
) -> list[ProviderFinding]:
    """Return a finding for each usual port of this machine at which a server answers that is none of the found ones.

    It receives a connection, and one request for its list of models.
    """
    connections = Connections()
    places = {each.place for each in findings}
    servers = [ProviderSettings("unknown", "chat", each.base_url) for each in local_servers(environ)]
    unknown = [each for each in servers if _place(each) not in places]
    try:
        found = await asyncio.gather(*(_unknown_server(each, connections) for each in unknown))
    finally:
        await connections.aclose()
    return [each for each in found if each]


async def _unknown_server(server: ProviderSettings, connections: Connections) -> ProviderFinding | None:
    try:
        await connections.connect(server)
    except ModelError:
        return None
    page = await connections.http().get_json(server.endpoint, "/models", connect_s=PROBE_S)
    listed = page.value.get("data") if page and isinstance(page.value, dict) else None
    ids = [each.get("id") for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    models = tuple(each for each in ids if isinstance(each, str) and each)[:_MAX_MODELS]
    trouble = NOT_NAMED if models else "a program that lists no models"
    return ProviderFinding(server.name, _place(server), "", models, trouble)


def _place(provider: ProviderSettings) -> str:
    if provider.api == "llama":
        return provider.gguf
    try:
        return str(provider.endpoint.origin)
    except UnsafeEndpoint:
        return ""


def _warning(provider: ProviderSettings) -> str:
    is_unencrypted = provider.api != "llama" and provider.endpoint.origin.is_unencrypted
    return NOT_ENCRYPTED if is_unencrypted else ""


def key_state(provider: ProviderSettings, keys: KeyStore) -> str:
    """Return where the key of a provider is, or why there is none."""
    if provider.api == "llama":
        return obstacle(provider) or "runs in its own process"
    if keys.has_key(provider):
        return keys.key_location(provider)
    return keys.obstacle(provider) or "needs no key"


def unusable_files() -> Iterator[str]:
    """Yield a sentence for each state file that cannot be used."""
    try:
        files = (
            (log_path(), None, "nothing is logged"),
            (spending_path(state_folder()), MAX_SPENDING_BYTES, "each server counts its own spending"),
            (consent_path(state_folder()), MAX_BYTES, "you are asked for consent again"),
            (history_path(), None, "statistics of edits are not kept"),
        )
    except NoHomeFolder:  # the server reports it
        return
    for path, max_bytes, consequence in files:
        if reason := trouble_with(path, max_bytes=max_bytes):
            yield f"{path} {reason}, so {consequence}; move the file away"

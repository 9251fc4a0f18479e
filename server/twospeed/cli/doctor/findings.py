"""What ``doctor`` finds by itself: model servers on this machine, and where keys are, never what they are.

Which of it serves is the server's business. Ports are asked without a key; nothing is sent to a cloud.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from twospeed.budget.consent import consent_path
from twospeed.budget.spending import MAX_BYTES as MAX_SPENDING_BYTES
from twospeed.budget.spending import spending_path
from twospeed.config.state import history_path, state_folder
from twospeed.errors import NoHomeFolder, UnsafeEndpoint
from twospeed.lsp.log import log_path
from twospeed.models.base import ProviderSettings
from twospeed.models.catalog.discovery import discover
from twospeed.models.catalog.providers import PROVIDERS
from twospeed.models.http.connections import Connections
from twospeed.models.http.endpoints import parse_endpoint
from twospeed.models.keys.key_store import KeyStore
from twospeed.models.llama.llama_process import obstacle
from twospeed.workspace.guarded import MAX_BYTES, trouble_with


@dataclass(frozen=True, slots=True)
class ProviderFinding:
    """A provider that is there, or that the config names.

    Attributes:
        provider: Its name.
        place: Its origin, such as ``https://api.openai.com``; empty where the address is not one that can be used.
        key: Where its key is, or that it needs none.
        models: What a server on this machine has.
        trouble: Why it cannot serve; empty where nothing is known against it.
    """

    provider: str
    place: str
    key: str
    models: tuple[str, ...] = ()
    trouble: str = ""

    @property
    def runs_without_model(self) -> bool:
        """Whether it is a server on this machine that has nothing to serve with."""
        return bool(self.trouble) and not self.models and PROVIDERS[self.provider].is_local

    def to_json(self) -> dict[str, object]:
        """Write it for ``--json``."""
        return {
            "provider": self.provider,
            "place": self.place,
            "key": self.key,
            "models": list(self.models),
            "trouble": self.trouble or None,
        }


async def look_around(
    environ: Mapping[str, str], configured: Sequence[ProviderSettings]
) -> list[ProviderFinding]:
    """Look for providers.

    Args:
        environ: The process's environment, which the server has as well.
        configured: Those that lanes of the user's config name.

    Returns:
        The configured ones, then those found by their key, then servers on this machine; each name once.
    """
    keys, connections = KeyStore(environ), Connections()
    try:
        found = await discover(keys, connections=connections)
    finally:
        await connections.aclose()
    await keys.look_up(configured)
    findings = {each.name: ProviderFinding(each.name, _place(each), _key(each, keys)) for each in configured}
    for each in found:
        name = each.provider.name
        models = each.models if PROVIDERS[name].is_local else ()
        finding = ProviderFinding(name, _place(each.provider), _key(each.provider, keys), models, each.reason)
        findings.setdefault(name, finding)
    return list(findings.values())


def _place(provider: ProviderSettings) -> str:
    if provider.api == "llama":
        return provider.gguf
    try:
        return str(parse_endpoint(provider.base_url).origin)
    except UnsafeEndpoint:
        return ""


def _key(provider: ProviderSettings, keys: KeyStore) -> str:
    if provider.api == "llama":
        return obstacle(provider) or "runs in a process of its own"
    if keys.has_key(provider):
        return keys.whereabouts(provider)
    return keys.obstacle(provider) or "needs no key"


def unusable_files() -> Iterator[str]:
    """Yield a sentence for each file that cannot be used, with what follows from it."""
    try:
        files = (
            (log_path(), None, "nothing is logged"),
            (spending_path(state_folder()), MAX_SPENDING_BYTES, "each server counts its own spending"),
            (consent_path(state_folder()), MAX_BYTES, "what was agreed to is asked again"),
            (history_path(), None, "edits are not kept for statistics"),
        )
    except NoHomeFolder:  # the server has said so
        return
    for path, max_bytes, consequence in files:
        if reason := trouble_with(path, max_bytes=max_bytes):
            yield f"{path} {reason}, so {consequence}; move it away"

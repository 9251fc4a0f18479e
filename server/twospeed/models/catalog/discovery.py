"""Find models without configuration: keys of known providers, and model servers on this machine.

Sources: the providers' API references; for llama.cpp its `Server` header.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from twospeed.errors import UnsafeEndpoint
from twospeed.models.base import ProviderSettings
from twospeed.models.http.endpoints import Endpoint, parse_endpoint
from twospeed.models.keys.key_store import KeyStore

from .providers import PROVIDERS, Provider

if TYPE_CHECKING:
    from twospeed.models.http.connections import Connections
    from twospeed.models.http.http_session import JsonPage

# Limit for all local servers together; a running one responds in a few milliseconds.
PROBE_S = 0.15

_MAX_MODELS = 100
_MAX_NAME_CHARS = 200


@dataclass(frozen=True, slots=True)
class DiscoveredProvider:
    """A provider that was found."""

    provider: ProviderSettings
    # the fast and the deep one of a cloud provider; all of a local server, loaded ones first
    models: tuple[str, ...]
    cloud: bool  # whether text would leave this machine
    reason: str = ""  # why it cannot be used; empty if it can
    is_probed: bool = False  # found by its response on a usual port of this machine


@dataclass(frozen=True, slots=True)
class LocalServer:
    """The default address of a known kind of local server."""

    provider: str
    port: int
    host: str = "127.0.0.1"

    @property
    def base_url(self) -> str:
        """The address of its API for models of any kind."""
        return f"http://{self.host}:{self.port}/v1"


# Any program may listen on ports 8000 and 8080. A key goes only to a port that the user's own config names.
_OLLAMA = LocalServer("ollama", 11434)
LOCAL_SERVERS = (
    _OLLAMA,
    LocalServer("lmstudio", 1234),
    LocalServer("llamacpp", 8080),
    LocalServer("llamacpp", 9931),  # its new default, ggml-org/llama.cpp#26508
    LocalServer("vllm", 8000),
)


async def discover(
    keys: KeyStore, *, connections: Connections, servers: Sequence[LocalServer] | None = None
) -> list[DiscoveredProvider]:
    """Find all available providers, those with a key first."""
    servers = local_servers(keys.environ) if servers is None else servers
    unset = [each.settings for each in PROVIDERS.values() if not _is_moved(each, keys)]
    keyed = [settings for settings in unset if settings.api_key_env]
    _, local = await asyncio.gather(keys.look_up(keyed), find_local(connections, servers=servers))
    return [*find_keyed(keys), *local]


def local_servers(environ: Mapping[str, str]) -> list[LocalServer]:
    """Return the addresses to probe, with Ollama's replaced by ``OLLAMA_HOST`` (Ollama's FAQ)."""
    address = environ.get("OLLAMA_HOST", "").strip().removeprefix("http://")
    address = address.replace("0.0.0.0", "127.0.0.1")  # noqa: S104  # a server at every address is at this one too
    port = "" if ":" in address else f":{_OLLAMA.port}"
    try:
        origin = parse_endpoint(f"http://{address}{port}").origin
    except UnsafeEndpoint:  # an address on another machine
        return list(LOCAL_SERVERS)
    host = f"[{origin.host}]" if ":" in origin.host else origin.host
    return [LocalServer("ollama", origin.port, host), *LOCAL_SERVERS[1:]]


def find_keyed(keys: KeyStore) -> list[DiscoveredProvider]:
    """Find the known providers that have a key, or an address in the environment; sends no request."""
    return [
        _keyed(provider, keys)
        for provider in PROVIDERS.values()
        if provider.settings.api_key_env and (_has_key(provider, keys) or _is_keyless(provider, keys))
    ]


def _has_key(provider: Provider, keys: KeyStore) -> bool:
    return keys.is_in_environment(provider.settings) or (
        not _is_moved(provider, keys) and keys.has_key(provider.settings)
    )


def _is_moved(provider: Provider, keys: KeyStore) -> bool:
    # Only the key in the environment may go to a base URL from the environment, not a stored one.
    return bool(_moved_to(provider, keys))


def _is_keyless(provider: Provider, keys: KeyStore) -> bool:
    # A server of another program, for which the environment has an address and no key.
    is_elsewhere = _moved_to(provider, keys) not in ("", provider.settings.base_url)
    return is_elsewhere and not keys.is_in_environment(provider.settings)


def _moved_to(provider: Provider, keys: KeyStore) -> str:
    """Return the base URL that the environment has for a provider; empty without one."""
    url = keys.environ.get(provider.base_url_env, "").strip() if provider.base_url_env else ""
    path = provider.base_url_env_path
    return url and url.rstrip("/").removesuffix(path) + path


async def find_local(
    connections: Connections, *, servers: Sequence[LocalServer] = LOCAL_SERVERS, timeout_s: float = PROBE_S
) -> list[DiscoveredProvider]:
    """Return the servers of this machine that respond within ``timeout_s``, in the order of ``servers``."""
    connections.http()  # before the time limit starts: the first call imports aiohttp
    probes = [asyncio.create_task(_probe(server, connections)) for server in servers]
    if not probes:
        return []
    try:
        done, _ = await asyncio.wait(probes, timeout=timeout_s)
        responding = [found for probe in probes if probe in done and (found := probe.result())]
    finally:
        for probe in probes:
            probe.cancel()
        await asyncio.gather(*probes, return_exceptions=True)
    # Of two servers with one name (llama.cpp's old and new port) the first usable one counts.
    by_name: dict[str, DiscoveredProvider] = {}
    for found in responding:
        if found.provider.name not in by_name or by_name[found.provider.name].reason:
            by_name[found.provider.name] = found
    return list(by_name.values())


def _keyed(provider: Provider, keys: KeyStore) -> DiscoveredProvider:
    settings = provider.settings
    if base_url := _moved_to(provider, keys):
        settings = replace(settings, base_url=base_url)
    if _is_keyless(provider, keys):
        settings = replace(settings, api_key_env=None)
    models = (provider.fast_model, provider.deep_model)
    try:
        origin = settings.endpoint.origin
    except UnsafeEndpoint as error:
        return DiscoveredProvider(settings, models, cloud=True, reason=f"{provider.base_url_env}: {error}")
    return DiscoveredProvider(settings, models, cloud=not origin.is_loopback)


async def _probe(server: LocalServer, connections: Connections) -> DiscoveredProvider | None:
    root = parse_endpoint(f"http://{server.host}:{server.port}")
    # A server counts only after a response that no other server gives, and it gets no key.
    models = await _PROBES[server.provider](_Prober(connections, root))
    if models is None:
        return None
    settings = replace(PROVIDERS[server.provider].settings, base_url=root.url("/v1"), api_key_env=None)
    usable = tuple(name for name in models if name.isprintable() and len(name) <= _MAX_NAME_CHARS)[
        :_MAX_MODELS
    ]
    reason = "" if usable else "it has no model"
    return DiscoveredProvider(settings, usable, cloud=False, reason=reason, is_probed=True)


@dataclass(frozen=True, slots=True)
class _Prober:
    connections: Connections
    root: Endpoint

    async def page(self, path: str) -> JsonPage | None:
        return await self.connections.http().get_json(self.root, path, connect_s=PROBE_S)

    async def items(self, path: str, name: str) -> list[dict[str, object]] | None:
        """Return the objects of the list ``name`` on a page; None without such a list."""
        page = await self.page(path)
        value = page.value if page else None
        items = value.get(name) if isinstance(value, dict) else None
        return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else None


async def _ollama(server: _Prober) -> list[str] | None:
    version = await server.page("/api/version")
    models = await server.items("/api/tags", "models")
    if version is None or models is None or not _has_version(version):
        return None
    return _names(models, "name", is_wanted=_completes)


async def _lm_studio(server: _Prober) -> list[str] | None:
    # LM Studio 0.4 and later, then 0.3.6 and later. The response to an unknown path is 200 with other JSON.
    models = await server.items("/api/v1/models", "models")
    if models and all("loaded_instances" in model for model in models):
        models.sort(key=lambda model: not model["loaded_instances"])
        return _names(models, "key", is_wanted=lambda model: model.get("type") == "llm")
    models = await server.items("/api/v0/models", "data")
    if models and all("state" in model for model in models):
        models.sort(key=lambda model: model["state"] != "loaded")
        return _names(models, "id", is_wanted=lambda model: model.get("type") in {"llm", "vlm"})
    return None


async def _llama_cpp(server: _Prober) -> list[str] | None:
    health = await server.page("/health")
    if health is None or health.headers.get("Server") != "llama.cpp":
        return None
    models = await server.items("/v1/models", "data")
    return None if models is None else _names(models, "id")


async def _vllm(server: _Prober) -> list[str] | None:
    version = await server.page("/version")
    models = await server.items("/v1/models", "data")
    if version is None or models is None or not _has_version(version):
        return None
    # A vLLM server always has a model, and each model names its owner.
    return _names(models, "id", is_wanted=lambda model: model.get("owned_by") == "vllm") or None


_PROBES: dict[str, Callable[[_Prober], Awaitable[list[str] | None]]] = {
    "ollama": _ollama,
    "lmstudio": _lm_studio,
    "llamacpp": _llama_cpp,
    "vllm": _vllm,
}


def _has_version(page: JsonPage) -> bool:
    return isinstance(page.value, dict) and isinstance(page.value.get("version"), str)


def _completes(model: dict[str, object]) -> bool:
    capabilities = model.get("capabilities")
    if isinstance(capabilities, list):
        return "completion" in capabilities
    details = model.get("details")
    return not (isinstance(details, dict) and "bert" in str(details.get("family")))


def _names(
    models: Sequence[dict[str, object]],
    field: str,
    *,
    is_wanted: Callable[[dict[str, object]], bool] = lambda _model: True,
) -> list[str]:
    return [
        name for model in models if is_wanted(model) and isinstance(name := model.get(field), str) and name
    ]

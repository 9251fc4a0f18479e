"""Open a model from settings: the one module that knows every kind of model.

Settings come only from `models.catalog.providers` or the user's own config, because a base URL decides where
a key is sent.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from twospeed.errors import NotBuilt, SettingsError
from twospeed.models.base import Limits, Model, ProviderSettings
from twospeed.models.catalog.infill import infill_settings
from twospeed.models.catalog.providers import BUILT_APIS
from twospeed.models.deadlines import DeadlineModel

if TYPE_CHECKING:
    from twospeed.models.http.connections import Connections
    from twospeed.models.keys.key_store import KeyStore

_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_HEADERS_OF_HTTP = frozenset(
    {"connection", "content-length", "host", "te", "trailer", "transfer-encoding", "upgrade"}
)
_HEADERS_OF_KEYS = frozenset({"api-key", "authorization", "cookie", "proxy-authorization", "x-api-key"})


def open_model(
    provider: ProviderSettings,
    model: str,
    *,
    limits: Limits,
    connections: Connections,
    keys: KeyStore,
    fills_gaps: bool = False,
) -> Model:
    """Create a model; nothing is sent yet. ``fills_gaps``: for fill-in-the-middle, if the model can do that.

    Raises NotBuilt if ``provider.api`` is not supported, SettingsError for an invalid key or header,
    UnsafeEndpoint for a forbidden base URL.
    """
    if fills_gaps:
        provider = infill_settings(provider, model)
    if provider.api == "builtin":
        from twospeed.rules import RulesModel  # noqa: PLC0415  # imported on first use

        return RulesModel()
    if provider.api not in BUILT_APIS:
        raise NotBuilt(f"the {provider.api} API, which {provider.name} needs,")
    if provider.api == "llama":
        from twospeed.models.llama.llama_model import LlamaModel  # noqa: PLC0415  # aiohttp, as below

        process = connections.process(provider)
        served = LlamaModel(
            process, provider.name, model, connections=connections, connect_s=limits.connect_s
        )
        return DeadlineModel(served, limits)
    _check_headers(provider)
    key = keys.key_of(provider)
    from twospeed.models.http.http_model import HttpModel  # noqa: PLC0415  # importing aiohttp is slow
    from twospeed.models.websocket.socket_model import SocketModel  # noqa: PLC0415  # likewise

    kind = SocketModel if provider.websocket else HttpModel
    opened = kind(provider, model, connections=connections, key=key, connect_s=limits.connect_s)
    return DeadlineModel(opened, limits)


def _check_headers(provider: ProviderSettings) -> None:
    for name, value in provider.headers.items():
        problem = ""
        if not _HEADER_NAME.fullmatch(name) or not value.isascii() or not value.isprintable():
            problem = "is not a valid header"
        elif name.lower() in _HEADERS_OF_HTTP:
            problem = "is set by the HTTP client"
        elif name.lower() in _HEADERS_OF_KEYS:
            problem = "carries a secret; name its environment variable in api_key_env"
        if problem:
            raise SettingsError(problem, source=f"provider {provider.name}", key=f"headers.{name}")

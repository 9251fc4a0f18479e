"""Open a model from settings: the one place that knows every kind of model.

What imports aiohttp is imported when the first model that needs it is opened.
Settings must come from the table of `providers` or from the user's own config: whoever may write a base URL there
decides where a key goes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from twospeed.errors import NotBuilt, SettingsError

from .base import Limits, Model, ProviderSettings
from .deadlines import DeadlineModel
from .endpoints import Origin, parse_endpoint
from .keys import Secret, read_key
from .providers import key_origins

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .connections import Connections

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
    environ: Mapping[str, str],
) -> Model:
    """Open a model; nothing is sent yet.

    Args:
        provider: Where it is; its key is looked up in ``environ`` and bound to this origin.
        model: Its name, as sent.
        limits: Kept for every answer.
        connections: Shared by all models; closed by whoever made it.
        environ: Environment variables.

    Raises:
        NotBuilt: ``provider.api`` is not spoken yet.
        SettingsError: The key is missing, or a header cannot be sent.
        UnsafeEndpoint: The base URL is not one a request may go to, or the key belongs to somebody else.
    """
    if provider.api == "builtin":
        from .builtin import RulesModel  # noqa: PLC0415  # its rules are read when it is asked for

        return RulesModel()
    if provider.api != "chat":
        raise NotBuilt(f"the {provider.api} API, which {provider.name} needs,")
    origin = parse_endpoint(provider.base_url).origin
    _check_headers(provider)
    key = _key_of(provider, origin, environ)
    from .http_model import ChatModel  # noqa: PLC0415  # aiohttp is most of our start-up time

    chat = ChatModel(provider, model, connections=connections, key=key, connect_s=limits.connect_s)
    return DeadlineModel(chat, limits)


def _key_of(provider: ProviderSettings, origin: Origin, environ: Mapping[str, str]) -> Secret | None:
    if provider.api_key_env is None:
        return None
    key = read_key(environ, provider.api_key_env, origins=key_origins(provider.api_key_env, origin))
    if key is None and not origin.is_loopback:
        raise SettingsError(
            f"is not set; {provider.name} needs its key there", source="environment", key=provider.api_key_env
        )
    return key


def _check_headers(provider: ProviderSettings) -> None:
    for name, value in provider.headers.items():
        problem = ""
        if not _HEADER_NAME.fullmatch(name) or not value.isascii() or not value.isprintable():
            problem = "is not a header that can be sent"
        elif name.lower() in _HEADERS_OF_HTTP:
            problem = "is set by HTTP itself"
        elif name.lower() in _HEADERS_OF_KEYS:
            problem = "carries a secret; name its environment variable in api_key_env"
        if problem:
            raise SettingsError(problem, source=f"provider {provider.name}", key=f"headers.{name}")

"""The connections that all models of a server share; aiohttp is imported with the first one."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterable
from importlib import import_module
from typing import TYPE_CHECKING

from twospeed.models.base import Limits, ProviderSettings

from .endpoints import HostRules
from .network import proxies_to

if TYPE_CHECKING:
    from twospeed.models.llama.llama_model import LlamaProcess
    from twospeed.models.websocket.responses_socket import Connect, ResponsesSocket

    from .http_session import HttpSession
    from .refused_fields import RefusedFields
    from .streamed_request_body import StreamedRequestBodies


_NO_HOSTS = HostRules()
_SESSION = "twospeed.models.http.http_session"


async def load_http() -> None:
    """Import aiohttp in a thread, if needed: it takes 0.25 s, most of it for two TLS contexts."""
    # Another thread may still import the module: it is complete once it defines its main class.
    if not hasattr(sys.modules.get(_SESSION), "HttpSession"):
        await asyncio.to_thread(import_module, _SESSION)


class Connections:
    """A pool of connections; its creator closes it."""

    def __init__(self, hosts: HostRules = _NO_HOSTS) -> None:
        self._hosts = hosts
        self._http: HttpSession | None = None
        self._sockets: dict[str, ResponsesSocket] = {}
        self._streamed_bodies: StreamedRequestBodies | None = None
        self._processes: dict[str, LlamaProcess] = {}
        self._refused: RefusedFields | None = None

    @classmethod
    def to(cls, providers: Iterable[ProviderSettings]) -> Connections:
        """Return a pool that may connect to the providers of the user's config, and to their proxies."""
        endpoints = [each.endpoint for each in providers]
        return cls(HostRules.of((each.origin for each in endpoints), proxies=proxies_to(endpoints)))

    def http(self) -> HttpSession:
        """Return the shared session, opened by the first call; needs a running event loop."""
        if self._http is None:
            from .http_session import HttpSession  # noqa: PLC0415  # importing aiohttp is slow

            self._http = HttpSession(self._hosts)
        return self._http

    def socket(self, name: str, connect: Connect) -> ResponsesSocket:
        """Return the shared socket of an endpoint; ``connect`` opens its connections."""
        if name not in self._sockets:
            from twospeed.models.websocket.responses_socket import ResponsesSocket  # noqa: PLC0415  # as above

            self._sockets[name] = ResponsesSocket(connect)
        return self._sockets[name]

    def refused(self) -> RefusedFields:
        """Return the known refused fields of all endpoints."""
        if self._refused is None:
            from .refused_fields import RefusedFields  # noqa: PLC0415  # as above

            self._refused = RefusedFields()
        return self._refused

    def process(self, provider: ProviderSettings) -> LlamaProcess:
        """Return the shared process that serves a GGUF file."""
        if provider.name not in self._processes:
            from twospeed.models.llama.llama_model import LlamaProcess  # noqa: PLC0415  # seldom used

            self._processes[provider.name] = LlamaProcess(provider)
        return self._processes[provider.name]

    def streamed_bodies(self) -> StreamedRequestBodies:
        """Return the requests that were started before their end is known."""
        if self._streamed_bodies is None:
            from .streamed_request_body import StreamedRequestBodies  # noqa: PLC0415  # as above

            self._streamed_bodies = StreamedRequestBodies()
        return self._streamed_bodies

    async def connect(self, provider: ProviderSettings) -> None:
        """Open a connection for a later request or socket, or start a llama.cpp process.

        Raises ModelError without a connection, UnsafeEndpoint for a forbidden address.
        """
        if provider.api == "llama":
            await self.process(provider).ready()
            return
        socket = self._sockets.get(socket_name(provider))
        if socket and socket.is_open:
            return  # the next response needs no other connection
        await self._open_connections(provider, 1)

    async def connect_spare(self, provider: ProviderSettings) -> None:
        """Open two connections, because a background request will use one. Raises as `connect`."""
        await self._open_connections(provider, 2)

    async def _open_connections(self, provider: ProviderSettings, n: int) -> None:
        from .http_errors import map_http_errors  # noqa: PLC0415  # as above

        endpoint = provider.endpoint
        with map_http_errors(endpoint.origin.place, provider=provider.name, model=""):
            await self.http().open_connections(endpoint, n, connect_s=Limits().connect_s)

    async def aclose(self) -> None:
        """Close every connection; running answers break off. May be called twice."""
        for process in self._processes.values():
            await process.aclose()
        if self._streamed_bodies is not None:
            await self._streamed_bodies.aclose()
        for socket in self._sockets.values():
            await socket.aclose()
        http, self._http = self._http, None
        if http is not None:
            await http.aclose()


def socket_name(provider: ProviderSettings) -> str:
    """Return the key of the socket that the models of an endpoint share."""
    return f"{provider.name} {provider.base_url}"

"""Hold the connections that all models of one server share, from first use to shutdown.

Nothing is opened, and aiohttp is not imported, before the first request: starting an editor costs no sockets.
"""

from __future__ import annotations

import asyncio
import sys
from importlib import import_module
from typing import TYPE_CHECKING

from twospeed.models.base import Limits, ProviderSettings

from .endpoints import parse_endpoint

if TYPE_CHECKING:
    from collections.abc import Iterable

    from twospeed.models.llama.llama_process import LlamaProcess
    from twospeed.models.websocket.responses_socket import Connect, ResponsesSocket

    from .http_session import HttpSession
    from .refused_fields import RefusedFields
    from .streamed_request_body import StreamedRequestBodies


_SESSION = "twospeed.models.http.http_session"


async def load_http() -> None:
    """Load aiohttp in a thread, where that was not done yet.

    On the event loop it takes 0.25 s, most of it for two TLS contexts; nothing else would be answered meanwhile.
    """
    if not hasattr(
        sys.modules.get(_SESSION), "HttpSession"
    ):  # the last name of the module: all it needs is there
        await asyncio.to_thread(import_module, _SESSION)


class Connections:
    """One pool of kept connections; whoever makes it closes it.

    Args:
        private_hosts: Hosts, in lower case, that the user's own config lets be in a private network.
    """

    def __init__(self, *, private_hosts: Iterable[str] = ()) -> None:
        self._private_hosts = frozenset(private_hosts)
        self._http: HttpSession | None = None
        self._sockets: dict[str, ResponsesSocket] = {}
        self._early: StreamedRequestBodies | None = None
        self._processes: dict[str, LlamaProcess] = {}
        self._refused: RefusedFields | None = None

    def http(self) -> HttpSession:
        """Give the shared session, opened by the first call; needs a running event loop."""
        if self._http is None:
            from .http_session import HttpSession  # noqa: PLC0415  # aiohttp is most of our start-up time

            self._http = HttpSession(private_hosts=self._private_hosts)
        return self._http

    def socket(self, name: str, connect: Connect) -> ResponsesSocket:
        """Give the shared socket of a provider's endpoint; ``connect`` opens its connections."""
        if name not in self._sockets:
            from twospeed.models.websocket.responses_socket import ResponsesSocket  # noqa: PLC0415  # as above

            self._sockets[name] = ResponsesSocket(connect)
        return self._sockets[name]

    def refused(self) -> RefusedFields:
        """Give what is known of the fields that endpoints do not take."""
        if self._refused is None:
            from .refused_fields import RefusedFields  # noqa: PLC0415  # as above

            self._refused = RefusedFields()
        return self._refused

    def process(self, provider: ProviderSettings) -> LlamaProcess:
        """Give the shared process that serves a GGUF."""
        if provider.name not in self._processes:
            from twospeed.models.llama.llama_process import LlamaProcess  # noqa: PLC0415  # which hardly anybody has

            self._processes[provider.name] = LlamaProcess(provider)
        return self._processes[provider.name]

    def streamed_bodies(self) -> StreamedRequestBodies:
        """Give the requests that have begun before their end is known."""
        if self._early is None:
            from .streamed_request_body import StreamedRequestBodies  # noqa: PLC0415  # as above

            self._early = StreamedRequestBodies()
        return self._early

    async def connect(self, provider: ProviderSettings) -> None:
        """Have a connection to a provider open, for a request that may come; see `HttpSession.open_connections`.

        It will do for a request and for the opening of a socket. Where a socket is open nothing is needed. A process
        that is to serve is started.

        Raises:
            ModelError: There is none to be had; see `http_errors`.
            UnsafeEndpoint: The address is one where no request may go.
        """
        if provider.api == "llama":
            await self.process(provider).ready()
            return
        socket = self._sockets.get(socket_name(provider))
        if socket and socket.is_open:
            return
        await self._open_connections(provider, 1)

    async def connect_spare(self, provider: ProviderSettings) -> None:
        """Have two connections to a provider open, because a request that nobody waits for is about to take one.

        Raises:
            ModelError, UnsafeEndpoint: As `connect`.
        """
        await self._open_connections(provider, 2)

    async def _open_connections(self, provider: ProviderSettings, n: int) -> None:
        from .http_errors import map_http_errors  # noqa: PLC0415  # as above

        endpoint = parse_endpoint(provider.base_url)
        with map_http_errors(endpoint.origin.place, provider=provider.name, model=""):
            await self.http().open_connections(endpoint, n, connect_s=Limits().connect_s)

    async def aclose(self) -> None:
        """Close every connection; running answers break off. May be called twice."""
        for process in self._processes.values():
            await process.aclose()
        if self._early is not None:
            await self._early.aclose()
        for socket in self._sockets.values():
            await socket.aclose()
        http, self._http = self._http, None
        if http is not None:
            await http.aclose()


def socket_name(provider: ProviderSettings) -> str:
    """Name the socket that the models of an endpoint share."""
    return f"{provider.name} {provider.base_url}"

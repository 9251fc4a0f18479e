"""Hold the connections that all models of one server share, from first use to shutdown.

Nothing is opened, and aiohttp is not imported, before the first request: starting an editor costs no sockets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .http_session import HttpSession


class Connections:
    """One pool of kept connections; whoever makes it closes it.

    Args:
        private_hosts: Hosts, in lower case, that the user's own config lets be in a private network.
    """

    def __init__(self, *, private_hosts: Iterable[str] = ()) -> None:
        self._private_hosts = frozenset(private_hosts)
        self._http: HttpSession | None = None

    def http(self) -> HttpSession:
        """Give the shared session, opened by the first call; needs a running event loop."""
        if self._http is None:
            from .http_session import HttpSession  # noqa: PLC0415  # aiohttp is most of our start-up time

            self._http = HttpSession(private_hosts=self._private_hosts)
        return self._http

    async def aclose(self) -> None:
        """Close every connection; running answers break off. May be called twice."""
        http, self._http = self._http, None
        if http is not None:
            await http.aclose()

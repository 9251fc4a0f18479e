"""A web page on the same port as the language server.

Its headers allow only our script, style and port, in case a browser interprets text of a model. Sources: Content Security
Policy Level 3; Fetch, "Cross-Origin-Resource-Policy"; HTML, "Cross-Origin-Opener-Policy".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from websockets.datastructures import Headers
from websockets.http11 import Response

if TYPE_CHECKING:
    from twospeed.budget.allowance import Allowance

_CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src ws://127.0.0.1:{port}; "
    "img-src 'none'; object-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
_OK, _NOT_FOUND = 200, 404


@dataclass(frozen=True, slots=True)
class Page:
    """One resource that a browser loads."""

    content_type: str  # with its charset
    body: bytes


Responder = Callable[[str], str]
"""Returns the response to a WebSocket message; runs in a thread, so it may access files."""


@dataclass(frozen=True, slots=True)
class Site:
    """The page and the WebSocket endpoints that share a port with the language server, each by its path."""

    pages: Mapping[str, Page] = field(default_factory=dict)
    # The function is called for each new WebSocket.
    endpoints: Mapping[str, Callable[[], Responder]] = field(default_factory=dict)
    # As in `ConnectionOptions`; the handshake has checked the token.
    authenticate: Callable[[object], object] | None = None
    allowance: Allowance | None = None  # of all connections together

    def respond(self, path: str, port: int) -> Response:
        """Respond to an HTTP request for a path with its query."""
        page = self.pages.get(path)
        body = page.body if page else b""
        headers = Headers(
            {
                "Content-Type": page.content_type if page else "text/plain; charset=utf-8",
                "Content-Length": str(len(body)),
                "Content-Security-Policy": _CONTENT_SECURITY_POLICY.format(port=port),
                "X-Content-Type-Options": "nosniff",
                "Referrer-Policy": "no-referrer",
                "Cross-Origin-Resource-Policy": "same-origin",
                "Cross-Origin-Opener-Policy": "same-origin",
                "Cache-Control": "no-store",
                "Connection": "close",
            }
        )
        return (
            Response(_OK, "OK", headers, body) if page else Response(_NOT_FOUND, "Not Found", headers, body)
        )

"""A web page on the same port as the language server.

Every response sets headers that let the page load only our script and style, connect only to this port, and send no form.
Text of models is shown as text; these headers limit the damage if it is ever interpreted as more.
Sources: Content Security Policy Level 3; Fetch, "Cross-Origin-Resource-Policy"; HTML, "Cross-Origin-Opener-Policy".
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
    """One resource that a browser loads.

    Attributes:
        content_type: With its charset.
        body: Its bytes.
    """

    content_type: str
    body: bytes


Answer = Callable[[str], str]
"""Answers a message of a line with one message. It may read and write files: it runs in a thread."""


@dataclass(frozen=True, slots=True)
class Site:
    """What is served on one port with the language server.

    Attributes:
        pages: By path.
        lines: WebSockets of other paths than the language server's, each made anew for a connection.
        authenticate: See `TwospeedProtocol`; the token was looked at before.
        allowance: What all connections together may spend; no limit but the day's where ``None``.
    """

    pages: Mapping[str, Page] = field(default_factory=dict)
    lines: Mapping[str, Callable[[], Answer]] = field(default_factory=dict)
    authenticate: Callable[[object], object] | None = None
    allowance: Allowance | None = None

    def respond(self, path: str, port: int) -> Response:
        """Respond to a request that opens no WebSocket.

        Args:
            path: What is asked for, with its query.
            port: Ours, which the page may speak to.
        """
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

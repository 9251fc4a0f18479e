"""Authentication of clients on a socket: a token, and the origin that a browser reports.

Every program and, through a browser, every web page can connect to a loopback port. So a client must know the token that
this process printed on stderr. A browser must also report a page of ours: an exact ``Host`` refuses rebound names (DNS
rebinding), an exact ``Origin`` foreign pages. Wrong tokens never block a client: any program could then keep the user out.
At a million guesses a second, half of the 2^256 tokens take 10^63 years.
"""

from __future__ import annotations

import hmac
import os
from collections.abc import Sequence

from twospeed.lsp.wire.error_codes import REQUEST_FAILED, RpcError

TOKEN_BYTES = 32
SUBPROTOCOL = "twospeed.token."
"""Prefix of the WebSocket subprotocol that carries the token (contract, "Command line")."""

OK, UNAUTHORIZED, FORBIDDEN = 101, 401, 403


class Authenticator:
    """Compares tokens; without one, it creates 64 random hex digits."""

    def __init__(self, token: str | None = None) -> None:
        self.token = token or os.urandom(TOKEN_BYTES).hex()

    def is_valid(self, token: object) -> bool:
        """Return whether a token is the right one, in constant time."""
        given = token if isinstance(token, str) else ""
        return hmac.compare_digest(given.encode("utf-8", "replace"), self.token.encode())

    def authenticate(self, params: object) -> object:
        """Return the params of ``initialize`` without their token; raises `RpcError` if it is wrong."""
        given = params if isinstance(params, dict) else {}
        options = given.get("initializationOptions")
        options = dict(options) if isinstance(options, dict) else {}
        if not self.is_valid(options.pop("token", None)):
            raise RpcError(
                REQUEST_FAILED, "initializationOptions.token: missing or wrong; twospeed prints it on stderr"
            )
        return given | {"initializationOptions": options or None}

    def check_handshake(
        self, *, port: int, path: str, hosts: Sequence[str], origins: Sequence[str], protocols: Sequence[str]
    ) -> int:
        """Check the request that opens a WebSocket.

        Args:
            port: Our port.
            path: The path with its query. A query is refused: a token in it would be in logs and histories.
            hosts: Every ``Host`` header.
            origins: Every ``Origin`` header; browsers always send one, programs none.
            protocols: The offered subprotocols.

        Returns:
            An HTTP status: ``OK``, ``FORBIDDEN`` for a wrong host, origin or path, ``UNAUTHORIZED`` for a wrong token.
        """
        if "?" in path or not is_own_origin(port=port, hosts=hosts, origins=origins):
            return FORBIDDEN
        tokens = [name.removeprefix(SUBPROTOCOL) for name in protocols if name.startswith(SUBPROTOCOL)]
        return OK if len(tokens) == 1 and self.is_valid(tokens[0]) else UNAUTHORIZED


def is_own_origin(*, port: int, hosts: Sequence[str], origins: Sequence[str]) -> bool:
    """Return whether a request is for our address, and from a program or one of our pages."""
    own_hosts = [f"127.0.0.1:{port}", f"localhost:{port}", f"[::1]:{port}"]
    has_own_origin = list(origins) in [[], *([f"http://{host}"] for host in own_hosts)]
    return len(hosts) == 1 and hosts[0] in own_hosts and has_own_origin

"""Who may come in over a socket: a token, and what a browser says of itself.

A port on loopback is open to every program of this machine and, through a browser, to every page a person looks at.
So a connection must know a token that only this process' stderr has told, and where a browser opens it, the page
must be one of our own: exact ``Host`` keeps rebound names out (DNS rebinding), exact ``Origin`` foreign pages.
Wrong tokens never lock the door: any program of this machine could then keep its owner out. A token has 256 random
bits, so at a million guesses a second half of them take 10^63 years. `socket_server` answers a wrong one late all the same.
"""

from __future__ import annotations

import hmac
import os
from collections.abc import Sequence

from twospeed.lsp.wire.error_codes import REQUEST_FAILED, RpcError

TOKEN_BYTES = 32
SUBPROTOCOL = "twospeed.token."
"""What the WebSocket subprotocol that carries the token begins with (contract, "Command line")."""

OK, UNAUTHORIZED, FORBIDDEN = 101, 401, 403


class Authenticator:
    """Compare tokens.

    Args:
        token: 64 hex digits; made here where none is given.
    """

    def __init__(self, token: str | None = None) -> None:
        self.token = token or os.urandom(TOKEN_BYTES).hex()

    def is_valid(self, token: object) -> bool:
        """Return whether a token is the right one, in constant time."""
        given = token if isinstance(token, str) else ""
        return hmac.compare_digest(given.encode("utf-8", "replace"), self.token.encode())

    def authenticate(self, params: object) -> object:
        """Look at the token in ``initialize``.

        Args:
            params: Of ``initialize``, as they came.

        Returns:
            The same without the token, which is no setting.

        Raises:
            RpcError: There is none, or it is wrong.
        """
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
        """Judge the request that opens a WebSocket.

        Args:
            port: Ours.
            path: With its query: a token there would end up in logs and histories, so there is no query.
            hosts: Every ``Host`` header.
            origins: Every ``Origin`` header; programs send none, browsers always do.
            protocols: The subprotocols offered.

        Returns:
            An HTTP status: ``OK``, ``FORBIDDEN`` for the wrong place, ``UNAUTHORIZED`` for the wrong token.
        """
        if "?" in path or not is_own_origin(port=port, hosts=hosts, origins=origins):
            return FORBIDDEN
        tokens = [name.removeprefix(SUBPROTOCOL) for name in protocols if name.startswith(SUBPROTOCOL)]
        return OK if len(tokens) == 1 and self.is_valid(tokens[0]) else UNAUTHORIZED


def is_own_origin(*, port: int, hosts: Sequence[str], origins: Sequence[str]) -> bool:
    """Tell whether a request was meant for us and comes from nowhere or from a page of ours; see `check_handshake`."""
    places = [f"127.0.0.1:{port}", f"localhost:{port}", f"[::1]:{port}"]
    is_ours = list(origins) in [[], *([f"http://{place}"] for place in places)]
    return len(hosts) == 1 and hosts[0] in places and is_ours

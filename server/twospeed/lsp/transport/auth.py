"""Authentication of clients on a socket: a token, and the origin that a browser reports.

Every program and every web page can connect to a loopback port, so a client must know the token that this process printed on
stderr. An HTTP request must also contain our exact ``Host`` (against DNS rebinding), and from a browser our exact ``Origin``
(against foreign pages).
"""

from __future__ import annotations

import hmac
import os
from collections.abc import Sequence

from twospeed.lsp.wire.error_codes import REQUEST_FAILED, RpcError

# Wrong tokens block no client: otherwise any program could keep the user out. At a million guesses a second, half of the
# 2^256 tokens take 10^63 years.
TOKEN_BYTES = 32
SUBPROTOCOL_PREFIX = "twospeed.token."
"""The token follows it in the name of a subprotocol (`protocol/README.md`, "Command line")."""

SWITCHING_PROTOCOLS, UNAUTHORIZED, FORBIDDEN = 101, 401, 403  # HTTP statuses


class Authenticator:
    """Compares tokens with ``token``, by default 64 random hex digits."""

    def __init__(self, token: str | None = None) -> None:
        self.token = token or os.urandom(TOKEN_BYTES).hex()

    def is_valid(self, token: object) -> bool:
        """Compare a token in constant time."""
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
        return given | {"initializationOptions": options or None}  # None: the token was the only option

    def check_handshake(
        self, *, port: int, path: str, hosts: Sequence[str], origins: Sequence[str], protocols: Sequence[str]
    ) -> int:
        """Return the status of a WebSocket handshake: 101, 403 (host, origin or query) or 401 (token)."""
        # A token in a query would be in logs and histories.
        if "?" in path or not is_own_origin(port=port, hosts=hosts, origins=origins):
            return FORBIDDEN
        tokens = [
            name.removeprefix(SUBPROTOCOL_PREFIX) for name in protocols if name.startswith(SUBPROTOCOL_PREFIX)
        ]
        return SWITCHING_PROTOCOLS if len(tokens) == 1 and self.is_valid(tokens[0]) else UNAUTHORIZED


def is_own_origin(*, port: int, hosts: Sequence[str], origins: Sequence[str]) -> bool:
    """Return whether ``Host`` and ``Origin`` are ours. Only a browser sends an origin, so there may be none."""
    own_hosts = [f"127.0.0.1:{port}", f"localhost:{port}", f"[::1]:{port}"]
    if len(hosts) != 1 or hosts[0] not in own_hosts:
        return False
    return not origins or (len(origins) == 1 and origins[0] in [f"http://{host}" for host in own_hosts])

"""How a provider is reached: through a proxy, with a private certificate authority, with a client certificate.

Only the user's own config names these. A proxy receives ``CONNECT`` with the name of the host (RFC 9110, 9.3.6), and then
encrypted bytes: the request and its key are readable for the provider alone.
"""

from __future__ import annotations

import ssl
from base64 import b64encode
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import unquote

from twospeed.errors import SettingsError, UnsafeEndpoint
from twospeed.secrets.scrub import remember_key

from .endpoints import ENV, Endpoint, Network, Origin, parse_proxy


@dataclass(frozen=True, slots=True)
class Proxy:
    """A proxy. ``user`` and ``password`` come from the environment alone."""

    origin: Origin
    user: str = ""
    password: str = ""

    def __repr__(self) -> str:
        return f"Proxy({self.origin})"

    @property
    def login(self) -> str:
        """The value of ``Proxy-Authorization`` (RFC 7617)."""
        return f"Basic {b64encode(f'{self.user}:{self.password}'.encode()).decode()}"


def proxy_to(network: Network, host: str) -> Proxy | None:
    """Return the proxy for connections to a host; ``None`` for a direct one.

    Raises SettingsError for an invalid value in the environment.
    """
    if network.proxy != ENV:
        return Proxy(parse_proxy(network.proxy)) if network.proxy else None
    import urllib.request as system  # noqa: PLC0415  # seldom used

    proxies = system.getproxies_environment()
    address = proxies.get("https", "")
    is_exempt = system.proxy_bypass_environment(host, proxies)  # type: ignore[attr-defined]  # typeshed lacks it
    if not address or is_exempt:
        return None
    scheme, separator, rest = address.rpartition("://")
    login, _, place = rest.rpartition("@")
    user, _, password = login.partition(":")
    try:
        origin = parse_proxy(f"{scheme or 'http'}://{place}" if separator or place else place)
    except UnsafeEndpoint as error:
        raise SettingsError(str(error), source="environment", key="HTTPS_PROXY") from None
    if password:
        remember_key(unquote(password))
    return Proxy(origin, unquote(user), unquote(password))


def proxies_to(endpoints: Iterable[Endpoint]) -> Iterator[Origin]:
    """Yield the proxies on the way to some endpoints; an invalid one is reported when it is used."""
    for endpoint in endpoints:
        with suppress(SettingsError):
            if proxy := proxy_to(endpoint.network, endpoint.origin.host):
                yield proxy.origin


def tls_context(network: Network, *, place: str) -> ssl.SSLContext:
    """Return the TLS context of a provider; reads files, so it is called in a thread.

    Certificates are always verified. Raises SettingsError for a file that cannot be used.
    """
    context = ssl.create_default_context()
    for key, path in (("ca_file", network.ca_file), ("client_cert", network.client_cert)):
        if not path:
            continue
        try:
            if key == "ca_file":
                context.load_verify_locations(path)
            else:
                context.load_cert_chain(path, password=_no_password)
        except (OSError, ValueError) as error:  # an SSLError is an OSError
            reason = error.strerror if type(error) is not ssl.SSLError and isinstance(error, OSError) else ""
            needed = (
                "certificates" if key == "ca_file" else "a certificate and its private key without a password"
            )
            message = f"{path}: {reason or f'it must hold {needed} in PEM form'}"
            raise SettingsError(message, source=f"provider at {place}", key=key) from None
    return context


def _no_password() -> str:
    # Without it OpenSSL would ask for the password at the terminal.
    raise ValueError

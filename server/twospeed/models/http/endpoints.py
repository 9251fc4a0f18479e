"""Where a request may go: origins are compared for equality, forbidden networks are refused. No I/O.

Requests use the URL that is rebuilt from its checked parts.
Sources: RFC 6454 (origins), the IANA special-purpose address registries, metadata addresses of cloud vendors.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final

from twospeed.errors import UnsafeEndpoint

# Not supported: user names, queries, fragments, zone ids, numeric forms such as `0x7f.1`.
_URL = re.compile(
    r"(?P<scheme>https?)://(?P<host>\[[0-9a-f:.]+\]|[^\[\]@:/?#\\%]+)(?::(?P<port>[0-9]{1,5}))?"
    r"(?P<path>(?:/[a-z0-9._~!$&'()*+,;=:@%/-]*)?)",
    re.IGNORECASE,
)
_LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")
_NUMERIC_LABEL = re.compile(r"[0-9]+|0x[0-9a-f]*")
# Letters that IDNA 2003 (Python) and IDNA 2008 (browsers) map to different names (UTS 46).
_AMBIGUOUS_LETTERS = frozenset("ßς")
_EXPECTED_FORM = "must be a plain address, such as https://api.example.com/v1"
_EXPECTED_PROXY = (
    'must be "env", or a plain address such as http://proxy.example.com:3128; a user name and a password belong in '
    "HTTPS_PROXY"
)
_NEEDS_HTTPS = (
    "must start with https://; http:// is only for this machine, or with insecure_http = true in your own config "
    "for a host in a private network"
)
_MAX_HOST_CHARS = 253
_MAX_PORT = 65535
_DEFAULT_PORTS = {"http": 80, "https": 443}

_NAT64 = IPv6Network("64:ff9b::/96")
_FORBIDDEN = tuple(
    (ip_network(network), name)
    for network, name in (
        ("0.0.0.0/8", "unspecified"),
        ("100.64.0.0/10", "carrier-grade NAT"),  # holds 100.100.100.200, a metadata service
        ("168.63.129.16/32", "cloud metadata"),
        ("169.254.0.0/16", "link-local"),  # holds 169.254.169.254, the usual metadata service
        ("192.0.0.192/32", "cloud metadata"),
        ("224.0.0.0/4", "multicast"),
        ("240.0.0.0/4", "reserved"),
        ("::/128", "unspecified"),
        ("fd00:ec2::/32", "cloud metadata"),
        ("fd20:ce::254/128", "cloud metadata"),
        ("fe80::/10", "link-local"),
        ("fec0::/10", "link-local"),
        ("ff00::/8", "multicast"),
    )
)


@dataclass(frozen=True, slots=True)
class Origin:
    """Scheme, host and port; the host is lower-case ASCII or an IP address without brackets."""

    scheme: str
    host: str
    port: int

    @property
    def is_loopback(self) -> bool:
        """Whether the host is ``localhost`` or a loopback address."""
        return _is_this_machine(self.host)

    @property
    def is_unencrypted(self) -> bool:
        """Whether requests to it cross a network in plain text."""
        return self.scheme == "http" and not self.is_loopback

    @property
    def place(self) -> str:
        """The host, and the port unless it is the scheme's default."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    def __str__(self) -> str:
        return f"{self.scheme}://{self.place}"


ENV: Final = "env"
"""The value of ``proxy`` that takes the proxy from ``HTTPS_PROXY`` and its exceptions from ``NO_PROXY``."""


@dataclass(frozen=True, slots=True)
class Network:
    """The way to a provider.

    Attributes:
        proxy: Its address, or `ENV`; empty for a direct connection.
        ca_file: Certificates in PEM form that are trusted in addition to those of the system.
        client_cert: A PEM file with a certificate and its private key.
    """

    proxy: str = ""
    ca_file: str = ""
    client_cert: str = ""


DIRECT: Final = Network()


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An origin, the base path of a provider's API without a final slash, and the way to it."""

    origin: Origin
    path: str = ""
    network: Network = DIRECT

    def url(self, path: str) -> str:
        """Return the full address of ``path`` (with its leading slash) below this endpoint."""
        return f"{self.origin}{self.path}{path}"


@lru_cache(maxsize=256)
def parse_endpoint(base_url: str, *, insecure_http: bool = False) -> Endpoint:
    """Parse a base URL: `https` anywhere, `http` only to this machine. Raises UnsafeEndpoint.

    ``insecure_http`` also allows `http` to a host in a private network; `HostRules` checks the address of its name.
    """
    match = _URL.fullmatch(base_url)
    if match is None or not base_url.isprintable() or " " in base_url:
        raise UnsafeEndpoint(_form_error(base_url))  # the URL is never quoted: it may contain a key
    origin = _origin_in(match, _EXPECTED_FORM)
    if origin.is_unencrypted:
        if not insecure_http:
            raise UnsafeEndpoint(_NEEDS_HTTPS)
        HostRules.of([origin]).check(origin)
    return Endpoint(origin, match["path"].rstrip("/"))


@lru_cache(maxsize=64)
def parse_proxy(url: str) -> Origin:
    """Parse the address of a proxy; `http` is allowed, because what passes through it is encrypted. Raises UnsafeEndpoint."""
    match = _URL.fullmatch(url)
    if match is None or not url.isprintable() or match["path"].strip("/"):
        raise UnsafeEndpoint(_EXPECTED_PROXY)  # never quoted: it may contain a password
    return _origin_in(match, _EXPECTED_PROXY)


def _origin_in(match: re.Match[str], expected: str) -> Origin:
    scheme = match["scheme"].lower()
    port = int(match["port"]) if match["port"] else _DEFAULT_PORTS[scheme]
    if not 0 < port <= _MAX_PORT:
        raise UnsafeEndpoint(expected)
    return Origin(scheme, _normalized_host(match["host"]), port)


@dataclass(frozen=True, slots=True)
class HostRules:
    """What the user's own config allows for the hosts that it names."""

    private: frozenset[str] = frozenset()  # they may be in a private network
    unencrypted: frozenset[str] = (
        frozenset()
    )  # they must be in one, because requests to them are not encrypted

    @classmethod
    def of(cls, origins: Iterable[Origin], *, proxies: Iterable[Origin] = ()) -> HostRules:
        """Return the rules for the endpoints of a config, and for its proxies."""
        origins = frozenset(origins)
        return cls(
            frozenset(origin.host for origin in (*origins, *proxies)),
            frozenset(origin.host for origin in origins if origin.is_unencrypted),
        )

    def check(self, origin: Origin) -> None:
        """Check an origin before its name is resolved. Raises UnsafeEndpoint."""
        if origin.is_unencrypted and origin.host not in self.unencrypted:
            raise UnsafeEndpoint(f"the address of {origin.place} {_NEEDS_HTTPS}")
        self.check_host(origin.host)

    def check_host(self, host: str) -> None:
        """Check a host that is an address; the address of a name is checked after its resolution. Raises UnsafeEndpoint."""
        if _literal(host) is not None:
            self.check_address(host, host=host)

    def check_address(self, address: str, *, host: str) -> None:
        """Check an address after name resolution; see the function `check_address`."""
        check_address(
            address,
            host=host,
            private_allowed=host in self.private,
            public_allowed=host not in self.unencrypted,
        )


def check_address(address: str, *, host: str, private_allowed: bool, public_allowed: bool = True) -> None:
    """Check an address after name resolution, before a connection to it is made.

    Raises UnsafeEndpoint for a forbidden network, or if only one of host and address is this machine.
    """
    resolved = _unwrapped(ip_address(address.partition("%")[0]))
    if _is_this_machine(host):
        if not resolved.is_loopback:
            raise UnsafeEndpoint(f"{host} should be this machine, but its address is {resolved}")
        return
    for network, name in _FORBIDDEN:
        if resolved in network:
            raise UnsafeEndpoint(f"{host} is at {resolved}, a {name} address, which is forbidden")
    if not resolved.is_global and not private_allowed:
        raise UnsafeEndpoint(
            f"{host} is at {resolved}, in a private network that your own config does not allow"
        )
    if resolved.is_global and not public_allowed:
        raise UnsafeEndpoint(f"{host} is at {resolved}, a public address, where only https:// is allowed")


@lru_cache(maxsize=256)  # each request compares the origins of all providers
def _is_this_machine(host: str) -> bool:
    address = _literal(host)
    return host == "localhost" or (address is not None and address.is_loopback)


def _literal(host: str) -> IPv4Address | IPv6Address | None:
    try:
        return _unwrapped(ip_address(host))
    except ValueError:
        return None


def _unwrapped(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    # An IPv6 address may contain an IPv4 address: NAT64, IPv4-mapped or 6to4.
    if isinstance(address, IPv4Address):
        return address
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or address


def _form_error(base_url: str) -> str:
    if "@" in base_url.partition("://")[2].partition("/")[0] and "\\" not in base_url:
        return "must not carry a user name or password; name the key's variable in api_key_env"
    if "?" in base_url or "#" in base_url:
        return "must not have a query or fragment"
    return _EXPECTED_FORM


def _normalized_host(host: str) -> str:
    if not _AMBIGUOUS_LETTERS.isdisjoint(host.lower()):
        raise UnsafeEndpoint(f'{_EXPECTED_FORM}; write the host in its "xn--" form')
    try:
        if host.startswith("["):
            return str(IPv6Address(host[1:-1]))
        name = host.lower() if host.isascii() else host.encode("idna").decode("ascii").lower()
        labels = name.split(".")
        if _NUMERIC_LABEL.fullmatch(labels[-1]):
            # Resolvers accept 2130706433, 0x7f.1 and 0177.0.0.1 as addresses; only the dotted form is allowed here.
            return str(IPv4Address(name))
    except ValueError:
        raise UnsafeEndpoint(_EXPECTED_FORM) from None
    if len(name) > _MAX_HOST_CHARS or not all(_LABEL.fullmatch(label) for label in labels):
        raise UnsafeEndpoint(_EXPECTED_FORM)
    return name

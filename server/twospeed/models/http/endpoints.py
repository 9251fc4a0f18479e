"""Say where a request may go: origins compared for equality, networks refused by what they are. No I/O.

A base URL is taken apart by one strict pattern and put together again from its checked parts, so that what was
compared is what is connected to. `https` anywhere, `http` to this machine alone. An address is judged twice: when
it stands in the URL, and when a name has been resolved and the connection is about to be made (`http_session`).
Sources: RFC 6454 (origins), the IANA special-purpose address registries, the metadata addresses that cloud
vendors document. Deliberately absent: user names, queries, fragments, zone ids, numeric forms such as `0x7f.1`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network

from twospeed.errors import UnsafeEndpoint

_URL = re.compile(
    r"(?P<scheme>https?)://(?P<host>\[[0-9a-f:.]+\]|[^\[\]@:/?#\\%]+)(?::(?P<port>[0-9]{1,5}))?"
    r"(?P<path>(?:/[a-z0-9._~!$&'()*+,;=:@%/-]*)?)",
    re.IGNORECASE,
)
_LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")
_NUMERIC_LABEL = re.compile(r"[0-9]+|0x[0-9a-f]*")
_TWO_NAMES = frozenset("ßς")
"""Letters that IDNA 2003, as Python has it, and IDNA 2008, as browsers have it, make different names of (UTS 46)."""
_PLAIN = "must be a plain address, such as https://api.example.com/v1"
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
    """Scheme, host and port, in the one spelling that is compared.

    Attributes:
        scheme: ``http`` or ``https``.
        host: Lower-case ASCII name, or a plain IP address without brackets.
        port: Never left out.
    """

    scheme: str
    host: str
    port: int

    @property
    def is_loopback(self) -> bool:
        """Whether the host is this machine by its spelling: ``localhost`` or a loopback address."""
        return _is_this_machine(self.host)

    @property
    def place(self) -> str:
        """The host, and the port where it is not the scheme's own: on one machine the port tells servers apart."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    def __str__(self) -> str:
        return f"{self.scheme}://{self.place}"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An origin and the path below which a provider's API lives, without a slash at its end."""

    origin: Origin
    path: str = ""

    def url(self, path: str) -> str:
        """Give the full address of ``path`` (with its leading slash) below this endpoint."""
        return f"{self.origin}{self.path}{path}"


@lru_cache(maxsize=256)
def parse_endpoint(base_url: str) -> Endpoint:
    """Take a base URL apart.

    Raises:
        UnsafeEndpoint: It is not ``https``, or ``http`` to this machine, or not plainly spelled. The message says
            what it must be, to stand behind whatever names the URL, and never quotes it: it may hold a key.
    """
    match = _URL.fullmatch(base_url)
    if match is None or not base_url.isprintable() or " " in base_url:
        raise UnsafeEndpoint(_what_is_odd(base_url))
    scheme = match["scheme"].lower()
    port = int(match["port"]) if match["port"] else _DEFAULT_PORTS[scheme]
    if not 0 < port <= _MAX_PORT:
        raise UnsafeEndpoint(_PLAIN)
    origin = Origin(scheme, _normalized_host(match["host"]), port)
    if scheme == "http" and not origin.is_loopback:
        raise UnsafeEndpoint("must start with https://; http:// is for this machine alone")
    return Endpoint(origin, match["path"].rstrip("/"))


def check_address(address: str, *, host: str, private_allowed: bool) -> None:
    """Judge an address that is about to be connected to.

    Args:
        address: IP address, as resolved or as it stands in the URL.
        host: Host of the origin: what the user knows the address by.
        private_allowed: Whether the user's own config lets this host be in a private network.

    Raises:
        UnsafeEndpoint: The address is this machine though the host is not, or the other way round, or it is in
            a network nobody serves a model from, or in a private one.
    """
    resolved = _unwrapped(ip_address(address.partition("%")[0]))
    if _is_this_machine(host):
        if not resolved.is_loopback:
            raise UnsafeEndpoint(f"{host} should be this machine, its address is {resolved}")
        return
    for network, name in _FORBIDDEN:
        if resolved in network:
            raise UnsafeEndpoint(f"{host} is at {resolved}, a {name} address, where no request may go")
    if not resolved.is_global and not private_allowed:
        raise UnsafeEndpoint(f"{host} is at {resolved}, in a private network your own config does not allow")


def check_literal(origin: Origin, *, private_allowed: bool) -> None:
    """Judge the address in an origin's own spelling, where it is one; `check_address` says how."""
    if _literal(origin.host) is not None:
        check_address(origin.host, host=origin.host, private_allowed=private_allowed)


def _is_this_machine(host: str) -> bool:
    address = _literal(host)
    return host == "localhost" or (address is not None and address.is_loopback)


def _literal(host: str) -> IPv4Address | IPv6Address | None:
    try:
        return _unwrapped(ip_address(host))
    except ValueError:
        return None


def _unwrapped(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """Give the IPv4 address that an IPv6 address carries, by whichever of the mappings."""
    if isinstance(address, IPv4Address):
        return address
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or address


def _what_is_odd(base_url: str) -> str:
    """Say what a URL that was not understood must be; a guess at what its writer meant."""
    if "@" in base_url.partition("://")[2].partition("/")[0] and "\\" not in base_url:
        return "must not carry a user name or password; name the key's variable in api_key_env"
    if "?" in base_url or "#" in base_url:
        return "must not have a query or fragment"
    return _PLAIN


def _normalized_host(host: str) -> str:
    if not _TWO_NAMES.isdisjoint(host.lower()):
        raise UnsafeEndpoint(f'{_PLAIN}; write its host as "xn--" has it')
    try:
        if host.startswith("["):
            return str(IPv6Address(host[1:-1]))
        name = host.lower() if host.isascii() else host.encode("idna").decode("ascii").lower()
        labels = name.split(".")
        if _NUMERIC_LABEL.fullmatch(labels[-1]):
            # Resolvers read 2130706433, 0x7f.1 and 0177.0.0.1 as addresses; one spelling is enough.
            return str(IPv4Address(name))
    except ValueError:
        raise UnsafeEndpoint(_PLAIN) from None
    if len(name) > _MAX_HOST_CHARS or not all(_LABEL.fullmatch(label) for label in labels):
        raise UnsafeEndpoint(_PLAIN)
    return name

"""Judge and compare the addresses of endpoints. No I/O: names are not resolved here."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

_DEFAULT_PORTS = {"https": 443, "http": 80}


def check_base_url(url: str) -> str:
    """Accept the address of an endpoint as it is.

    Raises:
        ValueError: It is not https (http is for this machine alone), carries a user name, password, query or
            fragment, or is no plain address. The message never quotes it, since it may hold a key.
    """
    parts = _split(url)
    if "@" in parts.netloc:
        raise ValueError("must not carry a user name or password; name the key's variable in api_key_env")
    if "?" in url or "#" in url:
        raise ValueError("must not have a query or fragment")
    if parts.scheme == "http" and not is_loopback(url):
        raise ValueError("must start with https://; http:// is for this machine alone")
    return url


def is_loopback(url: str) -> bool:
    """Tell whether an address means this machine by its spelling."""
    host = _split(url).hostname or ""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def origin_of(url: str) -> str:
    """Return scheme, host and port in the one spelling that is compared: ``https://api.example.com:443``."""
    parts = _split(url)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    return f"{parts.scheme}://{host}:{parts.port or _DEFAULT_PORTS[parts.scheme]}"


def _split(url: str) -> SplitResult:
    """Take an address apart; what `urlsplit` would quietly clean up is refused."""
    plain = "must be a plain address, such as https://api.example.com/v1"
    if not url.isascii() or not url.isprintable() or any(character in url for character in ' \\%"<>'):
        raise ValueError(plain)
    try:
        parts = urlsplit(url)
        has_port = parts.port is None or parts.port > 0
    except ValueError:
        raise ValueError(plain) from None
    if parts.scheme not in _DEFAULT_PORTS or not parts.hostname or not has_port:
        raise ValueError(plain)
    return parts

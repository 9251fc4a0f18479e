"""API keys: never printed, and sent to their own origins only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from twospeed.errors import SettingsError, UnsafeEndpoint
from twospeed.secrets.scrub import MASK, remember_key, without_keys

if TYPE_CHECKING:
    from collections.abc import Iterable

    from twospeed.models.http.endpoints import Origin

# Header of the key: RFC 6750, or Anthropic's.
KeyHeader = Literal["Authorization", "x-api-key"]

_BEFORE_KEY: Final[dict[KeyHeader, str]] = {"Authorization": "Bearer ", "x-api-key": ""}


# There are no keys in URLs, files or flags, and no `.env` files.
class Secret:
    """A key that shows as ``***`` if it is printed, formatted, copied, pickled or put into JSON."""

    __slots__ = ("_value", "name", "origins")

    def __init__(self, value: str, *, name: str, origins: Iterable[Origin]) -> None:
        self._value = value
        remember_key(value)
        self.name = name  # its environment variable or keyring entry, for messages
        self.origins = frozenset(origins)  # exact scheme, host and port that may receive it

    def __repr__(self) -> str:
        return MASK

    def __format__(self, format_spec: str) -> str:
        return format(MASK, format_spec)

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        return (str, (MASK,))

    def reveal(self) -> str:
        """Return the key itself; only for the line that sets the header."""
        return self._value

    def hide_in(self, text: str) -> str:
        """Replace this key and parts of it in ``text`` with ``***``."""
        return without_keys(text, {self._value})


def secret_from(value: str, *, name: str, source: str, origins: Iterable[Origin]) -> Secret | None:
    """Return a `Secret` from a value that was found; None if it is only white space.

    Raises SettingsError if it is no key.
    """
    value = value.strip()
    if not value:
        return None
    if not value.isascii() or not value.isprintable() or " " in value:
        raise SettingsError("holds a character that no key has", source=source, key=name)
    return Secret(value, name=name, origins=origins)


def key_header(key: Secret | None, origin: Origin, *, name: KeyHeader = "Authorization") -> dict[str, str]:
    """Return the header with the key, or no header.

    Raises UnsafeEndpoint if the key is bound to another origin.
    """
    if key is None:
        return {}
    if origin in key.origins:
        return {name: _BEFORE_KEY[name] + key.reveal()}
    if origin.is_loopback:
        return {}  # elsewhere a request without the key is refused, because its user expected the key to be sent
    bound = ", ".join(sorted(str(own) for own in key.origins)) or "no address"
    raise UnsafeEndpoint(f"{key.name} belongs to {bound} and is not sent to {origin}")

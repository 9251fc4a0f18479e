"""Keep API keys: never printed, sent to their own origins alone.

A key is bound to exact origins (scheme, host, port) the moment it is read (`key_store`).
`key_header` is the only place that reads the key itself; `secrets.scrub` keeps keys out of what is shown.
Deliberately absent: keys in URLs, files or flags, and `.env` files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from twospeed.errors import SettingsError, UnsafeEndpoint
from twospeed.secrets.masking import MASK
from twospeed.secrets.scrub import remember_key, without_keys

if TYPE_CHECKING:
    from collections.abc import Iterable

    from twospeed.models.http.endpoints import Origin

KeyHeader = Literal["Authorization", "x-api-key"]
"""What carries a key: as RFC 6750 has it, or Anthropic."""

_BEFORE_KEY: Final[dict[KeyHeader, str]] = {"Authorization": "Bearer ", "x-api-key": ""}


class Secret:
    """A key that shows as ``***`` however it is printed, formatted, copied, pickled or put into JSON.

    Args:
        value: The key itself.
        name: What to call it in messages: its environment variable, or its entry in the keyring.
        origins: Where it may be sent.
    """

    __slots__ = ("_value", "name", "origins")

    def __init__(self, value: str, *, name: str, origins: Iterable[Origin]) -> None:
        self._value = value
        remember_key(value)
        self.name = name
        self.origins = frozenset(origins)

    def __repr__(self) -> str:
        return MASK

    def __format__(self, format_spec: str) -> str:
        return format(MASK, format_spec)

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        return (str, (MASK,))

    def reveal(self) -> str:
        """Give the key itself; for the line that sets the header alone."""
        return self._value

    def hide_in(self, text: str) -> str:
        """Put ``***`` where ``text`` quotes this key, or a piece of it."""
        return without_keys(text, {self._value})


def wrapped(value: str, *, name: str, source: str, origins: Iterable[Origin]) -> Secret | None:
    """Wrap what was found where a key should be.

    Args:
        value: As it was found; white space around it is not part of it.
        name: See `Secret`.
        source: Where it was found, for the error.
        origins: See `Secret`.

    Returns:
        The key, ``None`` where there was only white space.

    Raises:
        SettingsError: The value has a space, a line break or another character no key has.
    """
    value = value.strip()
    if not value:
        return None
    if not value.isascii() or not value.isprintable() or " " in value:
        raise SettingsError("holds a character that no key has", source=source, key=name)
    return Secret(value, name=name, origins=origins)


def key_header(key: Secret | None, origin: Origin, *, name: KeyHeader = "Authorization") -> dict[str, str]:
    """Give the header that carries the key, or none.

    A key goes to its own origins. To another one on this machine the request goes without it; to another one
    anywhere else it does not go at all, because someone there was meant to see the key.

    Raises:
        UnsafeEndpoint: The key is bound elsewhere; names both hosts.
    """
    if key is None:
        return {}
    if origin in key.origins:
        return {name: _BEFORE_KEY[name] + key.reveal()}
    if origin.is_loopback:
        return {}
    bound = ", ".join(sorted(str(own) for own in key.origins)) or "no address"
    raise UnsafeEndpoint(f"{key.name} belongs to {bound} and is not sent to {origin}")

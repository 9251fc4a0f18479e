"""Read, store and remove keys in the system's keyring. These calls may block, for example for a password of the keyring."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType

from twospeed.errors import KeyringUnusable

SERVICE = "twospeed"  # of each entry; its user is the provider's name

# keyring chooses its back-end in the first call, and two concurrent first calls are not safe.
_backend_lock = threading.Lock()

_TROUBLES = {"NoKeyringError": "the system has no keyring", "KeyringLocked": "the keyring is locked"}


@dataclass(frozen=True, slots=True)
class KeyringEntry:
    """The result for one entry."""

    password: str | None = None
    trouble: str = ""  # why the keyring could not be read, as a phrase

    def __repr__(self) -> str:
        return f"Entry(trouble={self.trouble!r})"


def read_entry(name: str) -> KeyringEntry:
    """Return the key of a provider, or why the keyring could not be read."""
    try:
        with _opened_keyring() as keyring:
            password: object = keyring.get_password(SERVICE, name)
    except KeyringUnusable as error:
        return KeyringEntry(trouble=str(error))
    return KeyringEntry(password if isinstance(password, str) else None)


def write_entry(name: str, password: str) -> str:
    """Store the key of a provider; return the name of the keyring. Raises KeyringUnusable."""
    with _opened_keyring() as keyring:
        backend = str(keyring.get_keyring().name)
        keyring.set_password(SERVICE, name, password)
        is_kept = keyring.get_password(SERVICE, name) == password
    if not is_kept:  # the back-end "null" drops what it is given
        raise KeyringUnusable(f"the keyring ({backend}) does not keep keys")
    return backend


def delete_entry(name: str) -> bool:
    """Remove the key of a provider; return False without one. Raises KeyringUnusable."""
    with _opened_keyring() as keyring:
        if keyring.get_password(SERVICE, name) is None:
            return False
        keyring.delete_password(SERVICE, name)
    return True


@contextlib.contextmanager
def _opened_keyring() -> Iterator[ModuleType]:
    try:
        # The back-end comes from this Python environment and the user's keyring config, never from a workspace.
        import keyring  # noqa: PLC0415  # takes 0.3 s, and most sessions need no keyring

        with _backend_lock:
            keyring.get_keyring()
        yield keyring
    except Exception as error:  # noqa: BLE001  # foreign code
        # An exception of a back-end is never quoted: its text may contain a secret.
        name = type(error).__name__
        raise KeyringUnusable(_TROUBLES.get(name, f"the keyring failed with {name}")) from None

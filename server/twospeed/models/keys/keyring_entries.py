"""Read keys from the system's keyring: service ``twospeed``, user the provider's name.

A keyring may be missing, locked, slow, or waiting for a password. So it is imported on first use, called in
daemon threads, and queried for each entry once a session: a slow keyring delays at most one edit. Its back-end
comes from this Python environment and the user's keyring config, never from a workspace.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Iterable
from dataclasses import dataclass

SERVICE = "twospeed"

LIMIT_S = 2.0
"""Limit for all entries requested together."""

_backend_lock = threading.Lock()
"""keyring chooses its back-end in the first call, and two concurrent first calls are not safe."""


@dataclass(frozen=True, slots=True)
class KeyringEntry:
    """The result for one entry.

    Attributes:
        password: The key; ``None`` without one.
        trouble: Why the keyring could not be read, as a phrase; empty if it could.
    """

    password: str | None = None
    trouble: str = ""

    def __repr__(self) -> str:
        return f"Entry(trouble={self.trouble!r})"


@dataclass(frozen=True, slots=True)
class _Query:
    answer: asyncio.Future[KeyringEntry]
    until: float


class KeyringEntries:
    """The entries of one session.

    Args:
        limit_s: Limit for all entries requested together.
    """

    def __init__(self, *, limit_s: float = LIMIT_S) -> None:
        self._limit_s = limit_s
        self._queries: dict[str, _Query] = {}

    async def look_up(self, names: Iterable[str]) -> None:
        """Query entries concurrently; returns when all have responded or the limit has passed."""
        loop = asyncio.get_running_loop()
        names = set(names)
        for name in sorted(names - set(self._queries)):
            self._queries[name] = _Query(_query(name, loop), loop.time() + self._limit_s)
        queries = [self._queries[name] for name in names]
        open_answers = [each.answer for each in queries if not each.answer.done()]
        left_s = max((each.until for each in queries), default=0.0) - loop.time()
        if open_answers and left_s > 0:
            await asyncio.wait(open_answers, timeout=left_s)

    def was_queried(self, name: str) -> bool:
        """Whether the entry was queried in this session."""
        return name in self._queries

    def get(self, name: str) -> KeyringEntry:
        """Return the result known now; a late response counts from its arrival."""
        query = self._queries.get(name)
        if query is None:
            return KeyringEntry()
        if not query.answer.done():
            return KeyringEntry(trouble=f"the keyring did not answer within {self._limit_s:g} s")
        return query.answer.result()


def _query(name: str, loop: asyncio.AbstractEventLoop) -> asyncio.Future[KeyringEntry]:
    """Query in a daemon thread, so that a hanging keyring blocks neither the loop nor the exit."""
    answer: asyncio.Future[KeyringEntry] = loop.create_future()

    def settle(entry: KeyringEntry) -> None:
        if not answer.done():
            answer.set_result(entry)

    def ask() -> None:
        entry = _read_entry(name)
        with contextlib.suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(settle, entry)

    threading.Thread(target=ask, name=f"keyring {name}", daemon=True).start()
    return answer


def _read_entry(name: str) -> KeyringEntry:
    # An exception of a back-end is never quoted: its text may contain a secret.
    try:
        import keyring  # noqa: PLC0415  # takes 0.3 s, and most sessions need no keyring
        from keyring.errors import KeyringLocked, NoKeyringError  # noqa: PLC0415

        try:
            with _backend_lock:
                keyring.get_keyring()
            password: object = keyring.get_password(SERVICE, name)
            return KeyringEntry(password if isinstance(password, str) else None)
        except NoKeyringError:
            return KeyringEntry(trouble="the system has no keyring")
        except KeyringLocked:
            return KeyringEntry(trouble="the keyring is locked")
    except Exception as error:  # noqa: BLE001  # foreign code
        return KeyringEntry(trouble=f"the keyring failed with {type(error).__name__}")

"""Limits the connections of a listening process.

Clients without the token cannot keep out one that has it: if too many connections are unauthenticated, the oldest is
dropped, because a client sends its token as soon as it is connected. Authenticated ones are limited separately.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable

MAX_CONNECTIONS = 8
"""Authenticated connections of each kind; a page has one for the language server and one for its files."""

MAX_UNAUTHENTICATED = 64
"""Several times ``ACCEPTED_AT_ONCE``, the connections accepted before the first bytes are read."""

ACCEPTED_AT_ONCE = 8
"""Connections accepted in one iteration of the event loop: the ``backlog`` of asyncio's servers."""


class ConnectionLimit:
    """Counts the connections of a listening process; each is added once and removed at its end."""

    def __init__(self) -> None:
        self._unauthenticated: dict[Hashable, Callable[[], object]] = {}
        self._authenticated: dict[Hashable, str] = {}

    def add(self, connection: Hashable, drop: Callable[[], object]) -> None:
        """Add an unauthenticated connection. If there are too many, call ``drop`` of the oldest, which closes it."""
        self._unauthenticated[connection] = drop
        if len(self._unauthenticated) > MAX_UNAUTHENTICATED:
            oldest = next(iter(self._unauthenticated))
            self._unauthenticated.pop(oldest)()

    def admit(self, connection: Hashable, kind: str = "editor") -> bool:
        """Count an authenticated connection; return False if there are too many of its kind."""
        if Counter(self._authenticated.values())[kind] >= MAX_CONNECTIONS:
            return False
        self._unauthenticated.pop(connection, None)
        self._authenticated[connection] = kind
        return True

    def remove(self, connection: Hashable) -> None:
        """Remove a connection; a second call does nothing."""
        self._unauthenticated.pop(connection, None)
        self._authenticated.pop(connection, None)

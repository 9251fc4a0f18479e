"""Limits the connections of a listening process.

If too many are unauthenticated, the oldest is dropped: clients send their token at once, so this keeps no real client out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable

MAX_CONNECTIONS = 8
"""Authenticated connections of each kind: the language server, or the files of a page."""

MAX_UNAUTHENTICATED = 64
"""Several times the connections that are accepted before their first bytes are read."""

ACCEPTED_AT_ONCE = 8
"""Connections accepted in one iteration of the event loop: the ``backlog`` of asyncio's servers."""


class ConnectionLimit:
    """Counts unauthenticated and authenticated connections."""

    def __init__(self) -> None:
        self._unauthenticated: dict[Hashable, Callable[[], object]] = {}
        self._authenticated: dict[Hashable, str] = {}

    def add(self, connection: Hashable, drop: Callable[[], object]) -> None:
        """Add an unauthenticated connection; call ``drop`` of the oldest if there are too many."""
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

"""Bound the connections of a listening process, so that nothing without the token keeps out a client that has it.

A connection is unauthenticated until its token was seen (on a Unix socket, which only its owner can open, until
``initialize``). Those have places of their own: for one too many, the oldest is dropped, because a client shows its
token as soon as it is connected. Authenticated ones have ``MAX_CONNECTIONS`` places, taken before the session opens.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable

MAX_CONNECTIONS = 8
"""Of each kind: an editor is one, and a page has a line for its files beside it."""

MAX_UNAUTHENTICATED = 64
"""Several times what is accepted between a connection and the reading of its first bytes (``ACCEPTED_AT_ONCE``)."""

ACCEPTED_AT_ONCE = 8
"""Connections accepted in one step of the event loop; asyncio calls it the backlog."""


class ConnectionLimit:
    """Counts the connections of a listening process. A connection is any object, added once and removed at its end."""

    def __init__(self) -> None:
        self._unauthenticated: dict[Hashable, Callable[[], object]] = {}
        self._authenticated: dict[Hashable, str] = {}

    def add(self, connection: Hashable, drop: Callable[[], object]) -> None:
        """Add an unauthenticated connection, and drop the oldest one if there are too many.

        Args:
            connection: The connection.
            drop: Closes it at once.
        """
        self._unauthenticated[connection] = drop
        if len(self._unauthenticated) > MAX_UNAUTHENTICATED:
            oldest = next(iter(self._unauthenticated))
            self._unauthenticated.pop(oldest)()

    def authenticate(self, connection: Hashable, kind: str = "editor") -> bool:
        """Take a place for a connection that may come in; return whether there was one.

        Args:
            connection: The connection.
            kind: What it is; each kind has places of its own.
        """
        if Counter(self._authenticated.values())[kind] >= MAX_CONNECTIONS:
            return False
        self._unauthenticated.pop(connection, None)
        self._authenticated[connection] = kind
        return True

    def remove(self, connection: Hashable) -> None:
        """Remove a connection; a second call does nothing."""
        self._unauthenticated.pop(connection, None)
        self._authenticated.pop(connection, None)

"""Cache recent results about documents: a query before an edit is repeated by the edit."""

from __future__ import annotations

from collections import deque
from typing import Generic, TypeVar

from twospeed.text.line_blocks import Lines

FoundT = TypeVar("FoundT")


class RecentResults(Generic[FoundT]):
    """The last ``n`` results, shared by threads."""

    def __init__(self, n: int) -> None:
        self._found: deque[tuple[Lines, tuple[int, ...], FoundT]] = deque(maxlen=n)

    def get(self, lines: Lines, *place: int) -> FoundT | None:
        """Return the result for a document, or a place in it. Lines are compared by identity."""
        return next((found for known, at, found in list(self._found) if known is lines and at == place), None)

    def keep(self, found: FoundT, lines: Lines, *place: int) -> FoundT:
        """Store a result and return it."""
        self._found.append((lines, place, found))
        return found

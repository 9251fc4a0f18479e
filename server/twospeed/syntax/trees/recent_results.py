"""Remember what was found out about documents lately: what is asked before an edit is asked for it again."""

from __future__ import annotations

from collections import deque
from typing import Generic, TypeVar

from twospeed.text.line_blocks import Lines

FoundT = TypeVar("FoundT")


class RecentResults(Generic[FoundT]):
    """The last few finds; shared by threads.

    Args:
        n: How many.
    """

    def __init__(self, n: int) -> None:
        self._found: deque[tuple[Lines, tuple[int, ...], FoundT]] = deque(maxlen=n)

    def get(self, lines: Lines, *place: int) -> FoundT | None:
        """Return what was found in a document, or in a place of it; known by these very lines, not by equal ones."""
        return next((found for known, at, found in list(self._found) if known is lines and at == place), None)

    def keep(self, found: FoundT, lines: Lines, *place: int) -> FoundT:
        """Remember a find, and return it."""
        self._found.append((lines, place, found))
        return found

"""The daily limits, and the interface for counting against them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of one day on this machine; an edit beyond a limit is refused."""

    edits_per_day: int = 2000
    tokens_per_day: int = 5_000_000


class Spending(Protocol):
    """Counts usage against the limits, and the lines added."""

    def check(self) -> None:
        """Raise BudgetSpent if a limit is reached."""

    def note_edit(self) -> None:
        """Count an instruction that is sent to a model."""

    def note_tokens(self, n_tokens: int) -> None:
        """Add the tokens of a request."""

    def note_lines(self, n_lines: int) -> None:
        """Add the lines that an applied edit added."""

"""The daily limits, and the interface of what counts against them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits of one day, counted on this machine; an edit that would begin past one is refused."""

    edits_per_day: int = 2000
    tokens_per_day: int = 5_000_000


class Spending(Protocol):
    """Counts what counts against the limits, and the lines that came of it."""

    def check(self) -> None:
        """Allow an edit to begin.

        Raises:
            BudgetSpent: A limit is reached.
        """

    def note_edit(self) -> None:
        """Count an instruction that is sent to a model."""

    def note_tokens(self, n_tokens: int) -> None:
        """Add the tokens of a request."""

    def note_lines(self, n_lines: int) -> None:
        """Add the lines of an edit that was applied."""

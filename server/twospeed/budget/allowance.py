"""What one run of a program may spend, whoever connects to it; the day's budget holds besides.

For a page in a browser: whoever gets at it must not be able to spend what the user allows for a whole day.
"""

from __future__ import annotations

from twospeed.errors import BudgetSpent

from .values import Spending


class Allowance:
    """Count edits and tokens of models that may cost something, and stop what would begin past a limit.

    Args:
        n_edits: How many edits may begin.
        n_tokens: How many tokens they may come to; the edit that goes past is carried out.
        remedy: What a person can do when it is used up, as the end of a sentence.
    """

    def __init__(self, *, n_edits: int, n_tokens: int, remedy: str) -> None:
        self._n_edits, self._n_tokens = n_edits, n_tokens
        self._edits_left, self._tokens_left = n_edits, n_tokens
        self._remedy = remedy

    def within(self, spending: Spending) -> WithinAllowance:
        """Return what counts for both: this allowance, and a connection's own spending."""
        return WithinAllowance(self, spending)

    def check(self) -> None:
        """Let an edit pass.

        Raises:
            BudgetSpent: Nothing is left.
        """
        for allowed, left, what in (
            (self._n_edits, self._edits_left, "edits"),
            (self._n_tokens, self._tokens_left, "tokens"),
        ):
            if left <= 0:
                raise BudgetSpent(f"the allowance of {allowed} {what} is used up; {self._remedy}")

    def note_edit(self) -> None:
        """A model is asked to carry out an instruction."""
        self._edits_left -= 1

    def note_tokens(self, n_tokens: int) -> None:
        """A request has cost so many tokens."""
        self._tokens_left -= max(0, n_tokens)


class WithinAllowance:
    """Spending within an allowance; implements `Spending`."""

    def __init__(self, allowance: Allowance, spending: Spending) -> None:
        self._both: tuple[Allowance, Spending] = (allowance, spending)
        self._spending = spending

    def check(self) -> None:
        """Let an edit pass.

        Raises:
            BudgetSpent: The allowance or today's budget is used up.
        """
        for each in self._both:
            each.check()

    def note_edit(self) -> None:
        """A model is asked to carry out an instruction."""
        for each in self._both:
            each.note_edit()

    def note_tokens(self, n_tokens: int) -> None:
        """A request has cost so many tokens."""
        for each in self._both:
            each.note_tokens(n_tokens)

    def note_lines(self, n_lines: int) -> None:
        """An edit has landed that adds so many lines."""
        self._spending.note_lines(n_lines)

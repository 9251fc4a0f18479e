"""The allowance of one run of a program, in addition to the budget of the day.

A stranger who gains access to a web page's server must not spend the user's whole day.
"""

from __future__ import annotations

from twospeed.errors import BudgetSpent

from .spending import Spending


class Allowance:
    """Counts edits and tokens of models that may cost money, and refuses edits beyond a limit."""

    def __init__(self, *, n_edits: int, n_tokens: int, remedy: str) -> None:
        self._n_edits, self._n_tokens = n_edits, n_tokens
        self._edits_left, self._tokens_left = n_edits, n_tokens
        self._remedy = remedy  # what the user can do at the limit, as the end of a sentence

    def within(self, spending: Spending) -> WithinAllowance:
        """Return a `Spending` that counts for this allowance and for ``spending``."""
        return WithinAllowance(self, spending)

    def check(self) -> None:
        """Raise BudgetSpent if nothing is left."""
        for allowed, left, what in (
            (self._n_edits, self._edits_left, "edits"),
            (self._n_tokens, self._tokens_left, "tokens"),
        ):
            if left <= 0:
                raise BudgetSpent(f"the allowance of {allowed} {what} is used up; {self._remedy}")

    def note_edit(self) -> None:
        """Count an instruction that is sent to a model."""
        self._edits_left -= 1

    def note_tokens(self, n_tokens: int) -> None:
        """Add the tokens of a request."""
        self._tokens_left -= max(0, n_tokens)


class WithinAllowance:
    """Spending within an allowance; implements `Spending`."""

    def __init__(self, allowance: Allowance, spending: Spending) -> None:
        self._both: tuple[Allowance, Spending] = (allowance, spending)
        self._spending = spending

    def check(self) -> None:
        """Raise BudgetSpent if the allowance or today's budget is used up."""
        for each in self._both:
            each.check()

    def note_edit(self) -> None:
        """See `Spending`."""
        for each in self._both:
            each.note_edit()

    def note_tokens(self, n_tokens: int) -> None:
        """See `Spending`."""
        for each in self._both:
            each.note_tokens(n_tokens)

    def note_lines(self, n_lines: int) -> None:
        """See `Spending`."""
        self._spending.note_lines(n_lines)

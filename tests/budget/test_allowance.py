"""The allowance of one run of a program, in addition to the day's budget."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from twospeed.budget.allowance import Allowance
from twospeed.budget.spending import Budget, DaysSpending, SpentToday
from twospeed.errors import BudgetSpent


class Ledger:
    """A day's spending that records its calls."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, int]] = []
        self.is_spent = False

    def check(self) -> None:
        self.calls.append(("check", 0))
        if self.is_spent:
            raise BudgetSpent("the day's")

    def note_edit(self) -> None:
        self.calls.append(("edit", 1))

    def note_tokens(self, n_tokens: int) -> None:
        self.calls.append(("tokens", n_tokens))

    def note_lines(self, n_lines: int) -> None:
        self.calls.append(("lines", n_lines))


def refusal(allowance: Allowance) -> str | None:
    try:
        allowance.check()
    except BudgetSpent as error:
        return str(error)
    return None


def test_an_allowance_limits_the_number_of_edits() -> None:
    allowance = Allowance(n_edits=2, n_tokens=100, remedy="start it again")
    for _ in range(2):
        assert refusal(allowance) is None
        allowance.note_edit()
    assert refusal(allowance) == "the allowance of 2 edits is used up; start it again"


@pytest.mark.parametrize(
    ("spent", "is_refused"),
    [
        ((99,), False),
        ((100,), True),
        ((101,), True),
        ((60, 40), True),
        ((99, -50, 0), False),
        ((99, 1), True),
    ],
)
def test_the_edit_that_exceeds_the_tokens_is_the_last(spent: tuple[int, ...], is_refused: bool) -> None:
    allowance = Allowance(n_edits=5, n_tokens=100, remedy="start it again")
    for n_tokens in spent:
        allowance.note_tokens(n_tokens)
    expected = "the allowance of 100 tokens is used up; start it again"
    assert refusal(allowance) == (expected if is_refused else None)


def test_connections_share_an_allowance_and_have_their_own_spending() -> None:
    allowance = Allowance(n_edits=2, n_tokens=100, remedy="start it again")
    ledgers = [Ledger(), Ledger()]
    one, other = (allowance.within(ledger) for ledger in ledgers)
    one.check()
    one.note_edit()
    one.note_tokens(30)
    one.note_lines(7)
    other.note_edit()
    assert [ledger.calls for ledger in ledgers] == [
        [("check", 0), ("edit", 1), ("tokens", 30), ("lines", 7)],
        [("edit", 1)],
    ]
    with pytest.raises(BudgetSpent, match="2 edits"):
        one.check()


def test_the_budget_of_the_day_is_checked_too() -> None:
    ledger = Ledger()
    ledger.is_spent = True
    with pytest.raises(BudgetSpent, match="the day's"):
        Allowance(n_edits=2, n_tokens=100, remedy="x").within(ledger).check()


def test_lines_within_an_allowance_are_counted_for_the_day(tmp_path: Path) -> None:
    day = DaysSpending(
        Budget(100, 10_000),
        config_path=Path("/config.toml"),
        folder=tmp_path / "state",
        today=lambda: date(2026, 11, 22),
    )
    within = Allowance(n_edits=9, n_tokens=100, remedy="start again").within(day)
    within.note_lines(7)
    within.note_edit()
    within.note_tokens(30)
    assert day.today() == SpentToday(1, 30, 7)

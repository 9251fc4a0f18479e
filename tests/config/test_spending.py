"""A day's budget: counted for all processes together, stopped at once when it is used up, gone at midnight."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest

from twospeed.config.settings import Budget
from twospeed.config.spending import DaysSpending, SpentToday
from twospeed.errors import BudgetSpent

CONFIG = Path("/home/me/.config/twospeed/config.toml")


class Calendar:
    def __init__(self) -> None:
        self.day = date(2026, 11, 22)

    def __call__(self) -> date:
        return self.day


@pytest.fixture
def calendar() -> Calendar:
    return Calendar()


def process(folder: Path, calendar: Calendar, *, edits: int = 2, tokens: int = 1000) -> DaysSpending:
    return DaysSpending(Budget(edits, tokens), config_path=CONFIG, folder=folder / "state", today=calendar)


@pytest.mark.security("R13")
def test_the_last_edit_of_a_budget_passes_and_the_next_is_told_why_not(
    tmp_path: Path, calendar: Calendar
) -> None:
    spending = process(tmp_path, calendar)
    for _ in range(2):
        spending.check()
        spending.note_edit()
    with pytest.raises(BudgetSpent) as caught:
        spending.check()
    assert str(caught.value) == (
        "today's budget of 2 edits is used up; it begins anew at midnight, or raise edits_per_day under [budget] in "
        f"{CONFIG}"
    )


@pytest.mark.security("R13")
def test_tokens_are_counted_too(tmp_path: Path, calendar: Calendar) -> None:
    spending = process(tmp_path, calendar)
    spending.note_tokens(999)
    spending.check()
    spending.note_tokens(1)
    with pytest.raises(BudgetSpent, match="1000 tokens"):
        spending.check()


def test_all_processes_of_a_user_share_a_budget(tmp_path: Path, calendar: Calendar) -> None:
    one, other = process(tmp_path, calendar), process(tmp_path, calendar)
    other.check()
    one.note_edit()
    other.note_edit()
    for each in (one, other, process(tmp_path, calendar)):
        with pytest.raises(BudgetSpent):
            each.check()


def test_a_new_day_begins_anew_and_leaves_nothing_of_the_old_one(tmp_path: Path, calendar: Calendar) -> None:
    spending = process(tmp_path, calendar)
    spending.note_edit()
    spending.note_edit()
    calendar.day += timedelta(days=1)
    spending.check()
    spending.note_edit()
    assert [path.name for path in (tmp_path / "state").iterdir()] == ["spent-2026-11-23.log"]


def test_the_file_is_for_its_owner_alone_and_holds_numbers_alone(tmp_path: Path, calendar: Calendar) -> None:
    spending = process(tmp_path, calendar)
    spending.note_edit()
    spending.note_tokens(17)
    (path,) = (tmp_path / "state").iterdir()
    assert path.read_bytes() == b"1 0\n0 17\n"
    assert path.stat().st_mode & 0o777 == 0o600


def test_lines_of_a_day_are_counted_for_all_processes_and_stop_nothing(
    tmp_path: Path, calendar: Calendar
) -> None:
    one, other = process(tmp_path, calendar), process(tmp_path, calendar)
    one.note_lines(40)
    one.note_lines(0)
    one.note_edit()
    other.note_lines(2)
    other.note_tokens(17)
    assert one.today() == other.today() == SpentToday(edits=1, tokens=17, lines_added=42)
    one.check()
    calendar.day += timedelta(days=1)
    assert one.today() == SpentToday(0, 0, 0)


@pytest.mark.parametrize("junk", [b"nonsense\n", b"\xff\x00", b"-5 1\n", b"9" * 99 + b" 1\n", b"1 0"])
def test_what_is_no_count_counts_nothing(tmp_path: Path, calendar: Calendar, junk: bytes) -> None:
    spending = process(tmp_path, calendar)
    spending.note_edit()
    (path,) = (tmp_path / "state").iterdir()
    path.write_bytes(junk)
    process(tmp_path, calendar).check()


def test_where_nothing_can_be_written_a_process_counts_for_itself(tmp_path: Path, calendar: Calendar) -> None:
    (tmp_path / "state").write_text("a file where the folder should be")
    spending = process(tmp_path, calendar)
    spending.note_edit()
    spending.note_lines(3)
    spending.check()
    assert spending.today() == SpentToday(1, 0, 3)
    spending.note_edit()
    with pytest.raises(BudgetSpent):
        spending.check()

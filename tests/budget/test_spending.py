"""A day's budget is counted for all processes together, stops edits when it is used up, and ends at midnight."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

import pytest

from twospeed.budget.spending import MAX_BYTES, Budget, DaysSpending, SpentToday, spending_path
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
def test_an_edit_beyond_the_budget_is_refused_with_the_config_key(tmp_path: Path, calendar: Calendar) -> None:
    spending = process(tmp_path, calendar)
    for _ in range(2):
        spending.check()
        spending.note_edit()
    with pytest.raises(BudgetSpent) as caught:
        spending.check()
    assert str(caught.value) == (
        "today's budget of 2 edits is used up; it resets at midnight, or raise edits_per_day under [budget] in "
        f"{CONFIG}"
    )


@pytest.mark.security("R13")
def test_tokens_count_against_the_budget(tmp_path: Path, calendar: Calendar) -> None:
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


def test_a_new_day_starts_at_zero_and_removes_the_old_records(tmp_path: Path, calendar: Calendar) -> None:
    spending = process(tmp_path, calendar)
    spending.note_edit()
    spending.note_edit()
    calendar.day += timedelta(days=1)
    spending.check()
    spending.note_edit()
    assert [path.name for path in (tmp_path / "state").iterdir()] == ["spent-2026-11-23.log"]


def test_the_file_is_private_and_contains_only_numbers(tmp_path: Path, calendar: Calendar) -> None:
    spending = process(tmp_path, calendar)
    spending.note_edit()
    spending.note_tokens(17)
    (path,) = (tmp_path / "state").iterdir()
    assert re.fullmatch(rb"1 0 [0-9a-f]{16}\n0 17 [0-9a-f]{16}\n", path.read_bytes())
    assert path.stat().st_mode & 0o777 == 0o600


def test_added_lines_are_counted_for_all_processes_without_a_limit(
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


def days_file(folder: Path) -> Path:
    (path,) = (folder / "state").iterdir()
    return path


def vanish(path: Path) -> None:
    path.unlink()


def be_emptied(path: Path) -> None:
    path.write_bytes(b"")


def be_replaced_by_an_empty_one(path: Path) -> None:
    (new := path.with_suffix(".new")).touch()
    new.replace(path)


def be_replaced_by_a_copy(path: Path) -> None:
    (new := path.with_suffix(".new")).write_bytes(path.read_bytes())
    new.replace(path)


def lose_its_last_line(path: Path) -> None:
    os.truncate(path, path.read_bytes()[:-1].rfind(b"\n") + 1)


def lose_half_a_line(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 5)


def be_another_of_the_same_size(path: Path) -> None:
    (new := path.with_suffix(".new")).write_bytes(b"#" * path.stat().st_size)
    new.replace(path)


@pytest.mark.security("R13")
@pytest.mark.parametrize(
    "happen",
    [
        vanish,
        be_emptied,
        be_replaced_by_an_empty_one,
        be_replaced_by_a_copy,
        lose_its_last_line,
        lose_half_a_line,
        be_another_of_the_same_size,
    ],
)
def test_damage_to_the_file_neither_loses_nor_doubles_spending(
    tmp_path: Path, calendar: Calendar, happen: Callable[[Path], None]
) -> None:
    one, other = (process(tmp_path, calendar, edits=100, tokens=10**6) for _ in range(2))
    one.note_edit()
    other.note_tokens(17)
    one.note_lines(3)
    assert one.today() == other.today() == SpentToday(1, 17, 3)
    for n in (1, 2):
        happen(days_file(tmp_path))
        assert one.today() == SpentToday(n, 17 * n, 3 * n)
        other.note_edit()
        one.note_tokens(17)
        other.note_lines(3)
        later = process(tmp_path, calendar)
        expected = SpentToday(n + 1, 17 * (n + 1), 3 * (n + 1))
        assert one.today() == other.today() == later.today() == expected


def test_reading_the_spending_writes_nothing(tmp_path: Path, calendar: Calendar) -> None:
    one, other = (process(tmp_path, calendar, edits=100) for _ in range(2))
    for spending in (one, other, one):
        spending.note_edit()
        other.check()
        one.today()
    assert len(days_file(tmp_path).read_bytes().splitlines()) == 3


@pytest.mark.security("R13")
def test_a_server_in_another_time_zone_deletes_no_spending(tmp_path: Path, calendar: Calendar) -> None:
    here, there = process(tmp_path, calendar), process(tmp_path, tomorrow := Calendar())
    here.note_edit()
    there.check()
    tomorrow.day += timedelta(days=1)
    there.check()  # which deletes the files of other days
    here.note_edit()
    with pytest.raises(BudgetSpent):
        here.check()
    with pytest.raises(BudgetSpent):
        process(tmp_path, calendar).check()


def test_a_failed_write_is_repeated_with_the_next(tmp_path: Path, calendar: Calendar) -> None:
    in_the_way = tmp_path / "state"
    in_the_way.write_text("a file where the folder should be")
    spending = process(tmp_path, calendar)
    spending.note_edit()
    in_the_way.unlink()
    spending.note_tokens(5)
    assert process(tmp_path, calendar).today() == spending.today() == SpentToday(1, 5, 0)


def test_lines_of_an_earlier_release_count(tmp_path: Path, calendar: Calendar) -> None:
    (tmp_path / "state").mkdir()
    path = tmp_path / "state" / "spent-2026-11-22.log"
    path.write_bytes(b"1 0\n0 17\n+4\n")
    spending = process(tmp_path, calendar)
    assert spending.today() == SpentToday(1, 17, 4)
    with path.open("ab") as file:
        file.write(b"1 0\n")
    be_replaced_by_a_copy(path)
    assert spending.today() == SpentToday(2, 17, 4)


@pytest.mark.parametrize("junk", [b"nonsense\n", b"\xff\x00", b"-5 1\n", b"9" * 99 + b" 1\n", b"1 0"])
def test_an_invalid_line_counts_nothing(tmp_path: Path, calendar: Calendar, junk: bytes) -> None:
    spending = process(tmp_path, calendar)
    spending.note_edit()
    (path,) = (tmp_path / "state").iterdir()
    path.write_bytes(junk)
    process(tmp_path, calendar).check()


def test_a_process_counts_alone_if_the_file_is_unusable(tmp_path: Path, calendar: Calendar) -> None:
    (tmp_path / "state").write_text("a file where the folder should be")
    spending = process(tmp_path, calendar)
    spending.note_edit()
    spending.note_lines(3)
    spending.check()
    assert spending.today() == SpentToday(1, 0, 3)
    spending.note_edit()
    with pytest.raises(BudgetSpent):
        spending.check()


def test_old_files_are_deleted_even_if_another_process_deletes_one_first(
    tmp_path: Path, calendar: Calendar, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "state"
    folder.mkdir()
    old = [folder / f"spent-2020-01-0{day}.log" for day in (1, 2)]
    old[1].write_bytes(b"1 0\n")
    monkeypatch.setattr(Path, "glob", lambda *_: iter(old))
    assert process(tmp_path, calendar).today() == SpentToday(0, 0, 0)
    assert not old[1].exists()


def test_a_file_of_the_largest_size_is_read_and_a_larger_one_is_not(
    tmp_path: Path, calendar: Calendar, caplog: pytest.LogCaptureFixture
) -> None:
    path = spending_path(tmp_path / "state", calendar.day)
    path.parent.mkdir()
    line = b"2 30 0123456789abcdef\n"
    path.write_bytes(line + b"x" * (MAX_BYTES - len(line) - 1) + b"\n")
    assert process(tmp_path, calendar).today() == SpentToday(edits=2, tokens=30, lines_added=0)
    assert caplog.messages == []
    path.write_bytes(path.read_bytes() + b"\n")
    assert process(tmp_path, calendar).today() == SpentToday(0, 0, 0)
    assert [message.rpartition(": ")[2] for message in caplog.messages] == ["is larger than 1024 kb"]


def test_each_process_counts_the_spending_of_all_processes_once(tmp_path: Path, calendar: Calendar) -> None:
    one, other = (
        process(tmp_path, calendar, edits=100, tokens=10_000),
        process(tmp_path, calendar, edits=100, tokens=10_000),
    )
    for n in range(1, 4):
        one.note_edit()
        one.note_tokens(10)
        other.note_lines(5)
        assert one.today() == other.today() == SpentToday(n, 10 * n, 5 * n)
        assert one.today() == process(tmp_path, calendar, edits=100, tokens=10_000).today()


def test_the_folder_and_the_file_are_for_their_owner_alone(tmp_path: Path, calendar: Calendar) -> None:
    process(tmp_path, calendar, edits=100, tokens=10_000).note_edit()
    folder = tmp_path / "state"
    [file] = folder.iterdir()
    assert (stat.S_IMODE(folder.stat().st_mode), stat.S_IMODE(file.stat().st_mode)) == (0o700, 0o600)


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="open files are not listed here")
def test_no_file_stays_open(tmp_path: Path, calendar: Calendar) -> None:
    spending = process(tmp_path, calendar, edits=100, tokens=10_000)
    spending.note_edit()
    before = len(list(Path("/dev/fd").iterdir()))
    for _ in range(20):
        spending.note_edit()
    assert len(list(Path("/dev/fd").iterdir())) == before

"""A path and a range on the command line are parsed as a target."""

from pathlib import Path

import pytest

from twospeed.cli.edit.target import Target, parse_target
from twospeed.cli.exits import BadInput
from twospeed.text.lines import split_lines
from twospeed.text.positions import Position, Range

TEXT = "first\n    second 😀 end\n\n\tfourth\nlast"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a.py", "odd:12", "odd", "C:\\b.py", "two words.py"):
        (tmp_path / name).write_text(TEXT)
    return tmp_path


@pytest.mark.parametrize(
    ("written", "target"),
    [
        ("a.py", Target(Path("a.py"))),
        ("a.py:2", Target(Path("a.py"), first=2)),
        ("a.py:2:7", Target(Path("a.py"), first=2, column=7)),
        ("a.py:2-4", Target(Path("a.py"), first=2, last=4)),
        ("two words.py:3", Target(Path("two words.py"), first=3)),
        ("odd:12", Target(Path("odd:12"))),
        ("odd:12:3", Target(Path("odd:12"), first=3)),
        ("odd:1", Target(Path("odd"), first=1)),
        ("C:\\b.py", Target(Path("C:\\b.py"))),
        ("C:\\b.py:4:1", Target(Path("C:\\b.py"), first=4, column=1)),
    ],
)
def test_a_name_that_exists_wins_over_a_position(folder, written, target) -> None:
    assert parse_target(written) == target


@pytest.mark.parametrize(
    ("written", "complaint"),
    [
        ("missing.py", "missing.py: no such file"),
        ("missing.py:3:1", "missing.py: no such file"),
        ("a.py:", "a.py:: '' is not a position"),
        ("a.py:three", "'three' is not a position; write FILE, FILE:LINE"),
        ("a.py:3-", "'3-' is not a position"),
        ("a.py:-3", "'-3' is not a position"),
        ("a.py:1:2:3", "'1:2:3' is not a position"),
        ("a.py:0", "count from 1"),
        ("a.py:2:0", "count from 1"),
        ("a.py:0-2", "count from 1"),
        ("a.py:4-2", "the last line of the range is before the first"),
        ("a.py:٣", "is not a position"),
        ("", "no file was named"),
    ],
)
def test_an_invalid_target_is_reported(folder, written, complaint) -> None:
    with pytest.raises(BadInput) as caught:
        parse_target(written)
    assert complaint in str(caught.value)


def check_range(written: str, start: tuple[int, int], end: tuple[int, int]) -> None:
    assert parse_target(written).range_in(split_lines(TEXT)) == Range(Position(*start), Position(*end))


def test_a_line_alone_means_its_first_visible_character(folder) -> None:
    check_range("a.py:1", (0, 0), (0, 0))
    check_range("a.py:2", (1, 4), (1, 4))
    check_range("a.py:3", (2, 0), (2, 0))
    check_range("a.py:4", (3, 1), (3, 1))


def test_columns_count_characters_and_become_utf_16(folder) -> None:
    check_range("a.py:2:12", (1, 11), (1, 11))
    check_range("a.py:2:13", (1, 13), (1, 13))


def test_a_column_past_the_end_means_the_end(folder) -> None:
    check_range("a.py:1:99", (0, 5), (0, 5))


def test_a_line_range_covers_its_lines_whole(folder) -> None:
    check_range("a.py:1-2", (0, 0), (2, 0))
    check_range("a.py:3-3", (2, 0), (3, 0))
    check_range("a.py:5-5", (4, 0), (4, 4))


def test_file_alone_means_the_whole_file(folder) -> None:
    check_range("a.py", (0, 0), (4, 4))
    assert parse_target("a.py").scope == "file"
    assert parse_target("a.py:1").scope == "auto"
    assert parse_target("a.py:1-2").scope == "selection"


@pytest.mark.parametrize("written", ["a.py:6", "a.py:6:1", "a.py:2-6"])
def test_a_line_past_the_end_is_an_error_that_names_the_last(folder, written) -> None:
    with pytest.raises(BadInput, match="there is no line 6; the last line is 5"):
        parse_target(written).range_in(split_lines(TEXT))

"""The prompt contains the position of the cursor and the exact selection."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twospeed.prompt.texts import describe_selection

LINES = ["def total(items):", "    result = 0", "    return result"]


def test_a_cursor_is_described_by_line_and_column() -> None:
    assert describe_selection(LINES, (1, 4), (1, 4)) == (
        "the cursor is on line 2 of the scope, column 5: result = 0",
    )


def test_a_selected_part_is_described_with_its_line() -> None:
    assert describe_selection(LINES, (2, 11), (2, 17)) == (
        "selected on line 3 of the scope: result",
        "all of that line: return result",
    )


@pytest.mark.parametrize(("end"), [(2, 17), (2, 5), (3, 0)])
def test_selected_lines_are_described_by_number_and_first_line(end: tuple[int, int]) -> None:
    assert describe_selection(LINES, (1, 0), end) == (
        "selected are the lines 2 to 3 of the scope, from this one on: result = 0",
    )


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ((0, 0), (2, 17)),
        ((0, 0), (3, 0)),
        ((0, 4), (2, 3)),
        ((5, 0), (5, 0)),
        ((-5, 0), (-3, 0)),
        ((-1, 0), (1, 0)),
    ],
)
def test_a_selection_of_the_scope_or_outside_has_no_description(
    start: tuple[int, int], end: tuple[int, int]
) -> None:
    assert describe_selection(LINES, start, end) == ()


def test_a_whole_line_is_one_line_of_several() -> None:
    assert describe_selection(LINES, (1, 4), (1, 14)) == (
        "selected are the lines 2 to 2 of the scope, from this one on: result = 0",
    )


@given(
    st.lists(st.text(max_size=4), max_size=4),
    st.tuples(st.integers(-1, 5), st.integers(0, 6)),
    st.tuples(st.integers(-1, 5), st.integers(0, 6)),
)
def test_any_selection_can_be_described(
    lines: list[str], start: tuple[int, int], end: tuple[int, int]
) -> None:
    described = describe_selection(lines, start, end)
    assert len(described) <= 2
    assert all(isinstance(each, str) for each in described)

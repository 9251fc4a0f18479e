"""A text is split into lines in linear time."""

from __future__ import annotations

import pytest
from tests.timing import check_linear

from twospeed.text.lines import split_lines


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a\r\nb", ["a\r\n", "b"]),
        ("a\r\nb\n", ["a\r\n", "b\n", ""]),
        ("\r", ["\r", ""]),
        ("a\rb\r\r\nc\n\rd", ["a\r", "b\r", "\r\n", "c\n", "\r", "d"]),
        ("\r\n\x85", ["\r\n", "\x85"]),
    ],
)
def test_split_lines_keep_every_line_end_with_carriage_returns(text: str, lines: list[str]) -> None:
    assert split_lines(text) == lines


def test_a_long_last_line_after_a_carriage_return_splits_in_linear_time() -> None:
    def split(n: int) -> None:
        assert len(split_lines("a\r\n" + "b" * n)) == 2

    check_linear(split, 75_000)

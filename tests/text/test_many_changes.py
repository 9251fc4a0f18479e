"""The cost of many changes in one message, and changes that cannot be combined."""

from __future__ import annotations

import pytest
from tests.text.documents import opened

from twospeed.text.document import ContentChange
from twospeed.text.many_changes import cost_of_changes, joined_change
from twospeed.text.positions import Position, Range


def change(start: tuple[int, int], end: tuple[int, int], text: str) -> ContentChange:
    return ContentChange(Range(Position(*start), Position(*end)), text)


def costs(text: str, *changes: ContentChange) -> int:
    return cost_of_changes(opened(text), changes)


A_LINE = "x" * 100 + "\n"
LETTER = change((0, 1), (0, 2), "a")
JOINING = change((0, 1), (1, 0), "a")


def test_a_single_change_or_none_has_no_cost() -> None:
    assert costs(A_LINE) == costs(A_LINE, LETTER) == 0
    assert costs(A_LINE, LETTER, LETTER) > 0


def test_each_change_costs_the_longest_possible_line() -> None:
    base = costs(A_LINE * 9, LETTER, LETTER)
    assert costs("x" * 7 + A_LINE + A_LINE * 8, LETTER, LETTER) == base + 2 * 7, "a longer line"
    longer = change((0, 1), (0, 2), "a" * 6)
    assert costs(A_LINE * 9, LETTER, longer) == base + 2 * 5, "more text"
    three = costs(A_LINE * 9, JOINING, LETTER, LETTER)
    assert costs(A_LINE * 9, JOINING, JOINING, LETTER) == three + 3 * len(A_LINE), "one more joined line"
    most = costs(A_LINE * 2, *[JOINING] * 4)
    assert costs(A_LINE * 2, *[JOINING] * 8) == 2 * most + 8 * 4, "no line is longer than the document"
    assert costs("x\n" + A_LINE * 2, *[JOINING] * 4) == most + 4 * len("x\n"), "a longer document"


def test_a_change_costs_more_with_more_blocks_and_joined_lines() -> None:
    few, many = A_LINE * 10, A_LINE * 100_000
    n_more = len(opened(many).lines.blocks) - len(opened(few).lines.blocks)
    line_for_line, joining = (
        costs(many, each, LETTER) - costs(few, each, LETTER)
        for each in (LETTER, change((0, 1), (0, 2), "\n"))
    )
    assert n_more > 0
    assert 0 < line_for_line < joining
    assert line_for_line % (2 * n_more) == joining % (2 * n_more) == 0


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ("abcdef\n", [change((0, 0), (0, 3), "xyz"), change((0, 1), (0, 5), "v")]),
        ("abc\ndef\n", [change((0, 0), (0, 1), "x"), change((0, 9), (1, 1), "v")]),
        ("abc\ndef\n", [change((0, 0), (0, 1), "x"), change((0, 2), (1, 9), "v")]),
        ("abc\ndef\n", [change((1, 0), (1, 1), "x"), change((0, 9), (1, 0), "v")]),
        ("😀bc\ndef\n", [change((0, 1), (1, 0), "x"), change((1, 1), (1, 2), "v")]),
    ],
    ids=["overlapping", "past a line's end", "up to past a line's end", "from below", "inside a character"],
)
def test_overlapping_or_invalid_changes_are_not_joined(text: str, changes: list[ContentChange]) -> None:
    assert joined_change(opened(text), changes) is None

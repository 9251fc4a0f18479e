"""A model's answer to a review is parsed leniently and validated."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twospeed.prompt.answer_form import MAX_FINDINGS, ReviewFinding, read_findings


def read(answer: str) -> list[tuple[int, str, str]] | None:
    found = read_findings(answer, n_lines=9)
    return None if found is None else [(each.line, each.kind, each.message) for each in found]


def test_a_line_each_is_read() -> None:
    assert read("3: bug: it fails\n7: note: look\n") == [(3, "bug", "it fails"), (7, "note", "look")]


@pytest.mark.parametrize(
    "line",
    [
        "- 3: bug: it fails",
        "Line 3: it fails",
        "**3**: bug: it fails",
        "3| bug: it fails",
        "L3: error: it fails",
        "3-5: it fails",
    ],
)
def test_other_ways_to_write_it_are_understood(line: str) -> None:
    assert read(f"Here is what I found:\n\n{line}\n") == [(3, "bug", "it fails")]


def test_a_word_that_is_no_kind_belongs_to_the_message() -> None:
    assert read("3: result: it is never set") == [(3, "bug", "result: it is never set")]


@pytest.mark.parametrize("answer", ["NONE", " NONE.\n", "`NONE`"])
def test_nothing_found_is_an_answer(answer: str) -> None:
    assert read(answer) == []


@pytest.mark.parametrize(
    "answer", ["", "All good.", "```\nx = 1\n```", "12: bug: there is no such line", "0: bug: nor this"]
)
def test_what_is_no_finding_is_no_answer(answer: str) -> None:
    assert read(answer) is None


def test_invisible_characters_are_shown_and_messages_are_short() -> None:
    found = read_findings(f"1: bug: a\u202eb{'x' * 900}", n_lines=1)
    assert found
    assert "\u202e" not in found[0].message
    assert len(found[0].message) <= 500


def test_the_number_of_findings_is_limited() -> None:
    answer = "\n".join(f"{n % 9 + 1}: bug: it fails" for n in range(100))
    assert len(read_findings(answer, n_lines=9) or ()) == MAX_FINDINGS


@given(st.text(max_size=300), st.integers(0, 20))
def test_whatever_comes_is_findings_on_lines_that_are_there_or_none(answer: str, n_lines: int) -> None:
    for each in read_findings(answer, n_lines=n_lines) or ():
        assert isinstance(each, ReviewFinding)
        assert 1 <= each.line <= n_lines
        assert "\n" not in each.message

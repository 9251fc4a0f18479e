"""A model's answer to a review is parsed leniently and validated."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twospeed.prompt.answer_form import MAX_FINDINGS, ReviewFinding, read_findings


def read(answer: str) -> list[tuple[int, str, str]] | None:
    found = read_findings(answer, n_lines=9)
    return None if found is None else [(each.line, each.kind, each.message) for each in found]


def test_each_line_is_parsed_as_a_finding() -> None:
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
def test_other_notations_of_a_finding_are_accepted(line: str) -> None:
    assert read(f"Here is what I found:\n\n{line}\n") == [(3, "bug", "it fails")]


def test_an_unknown_kind_is_part_of_the_message() -> None:
    assert read("3: result: it is never set") == [(3, "bug", "result: it is never set")]


@pytest.mark.parametrize("answer", ["NONE", " NONE.\n", "`NONE`"])
def test_an_answer_without_findings_is_accepted(answer: str) -> None:
    assert read(answer) == []


@pytest.mark.parametrize(
    "answer", ["", "All good.", "```\nx = 1\n```", "12: bug: there is no such line", "0: bug: nor this"]
)
def test_an_answer_without_the_form_is_none(answer: str) -> None:
    assert read(answer) is None


def test_messages_are_escaped_and_shortened() -> None:
    found = read_findings(f"1: bug: a\u202eb{'x' * 900}", n_lines=1)
    assert found
    assert "\u202e" not in found[0].message
    assert len(found[0].message) <= 500


def test_the_number_of_findings_is_limited() -> None:
    answer = "\n".join(f"{n % 9 + 1}: bug: it fails" for n in range(100))
    assert len(read_findings(answer, n_lines=9) or ()) == MAX_FINDINGS


@given(st.text(max_size=300), st.integers(0, 20))
def test_any_answer_gives_findings_on_existing_lines_or_none(answer: str, n_lines: int) -> None:
    for each in read_findings(answer, n_lines=n_lines) or ():
        assert isinstance(each, ReviewFinding)
        assert 1 <= each.line <= n_lines
        assert "\n" not in each.message

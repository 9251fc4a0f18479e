"""A diagnostic that was there before an edit is not new, wherever its line has moved."""

from __future__ import annotations

from itertools import count, pairwise
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.edits.inline_edits import edit_in, replace_lines
from tests.syntax.work import n_calls

from twospeed.edits.after.changed_regions import MAX_REGIONS, ChangedRegions
from twospeed.edits.after.new_problems import (
    MAX_CHARS,
    MAX_PROBLEMS,
    MAX_SHOWN,
    KnownProblems,
    NewProblems,
    Problem,
    ProblemsBefore,
)
from twospeed.text.code.scope import Scope
from twospeed.text.document import Splice

TEXT = "".join(f"line{number} = {number}\n" for number in range(12))
SCOPE = Scope("selection", None, 4, 8)


def problem(line: int, message: str = "bad", *, severity: Any = 1, last: int | None = None) -> Problem:
    return Problem(message, "E1", "lint", severity, line, line if last is None else last)


def places(found: NewProblems) -> list[tuple[int, str]]:
    return [(each.first_line, each.message) for each in found.errors]


class Checked:
    """An edit in review, and the problems before it."""

    def __init__(self, *before: Problem, scope: Scope = SCOPE) -> None:
        self.edit = edit_in(TEXT, scope)
        self.before = ProblemsBefore(self.edit, KnownProblems(before))
        self.edit.channel.add(self.before)

    def type(self, start: int, end: int, text: str) -> None:
        replace_lines(self.edit, start, end, text)

    def new(self, *now: Problem) -> list[tuple[int, str]]:
        return places(self.before.new(now))


# Positions


@given(st.data())
def test_an_unchanged_line_is_found_at_its_old_number(data: st.DataObject) -> None:
    numbers = count(1000)
    old = list(range(20))
    lines, regions = list(old), ChangedRegions()
    for _ in range(data.draw(st.integers(0, 8))):
        start = data.draw(st.integers(0, len(lines)))
        n_removed = data.draw(st.integers(0, min(4, len(lines) - start)))
        n_added = data.draw(st.integers(0, 4))
        added = tuple(str(next(numbers)) for _ in range(n_added))
        regions.follow(Splice(start, n_removed, added), is_ours=data.draw(st.booleans()))
        lines[start : start + n_removed] = map(int, added)
    for line, text in enumerate(lines):
        if (region := regions.at(line)) is None:
            assert regions.old_line(line) == text
            assert regions.at_old(text) is None
        else:
            assert region.start <= line < region.end
            if text in old and regions.at_old(text):  # an unchanged line between two changes that were joined
                assert region.old_start <= text < region.old_end
    for line in set(old) - set(lines):
        assert regions.at_old(line)
    found = regions._regions
    assert all(each.end < other.start for each, other in pairwise(found))


@given(st.data())
def test_problems_that_moved_with_their_lines_are_never_new(data: st.DataObject) -> None:
    at = data.draw(st.lists(st.integers(0, 11), max_size=6))
    messages = st.sampled_from(["bad", "worse"])
    known = [problem(line, data.draw(messages)) for line in at]
    spans = (data.draw(st.sampled_from([(4, 8), (0, 0), (0, 12)])),)
    place = SimpleNamespace(scopes=SimpleNamespace(spans=spans))
    before = ProblemsBefore(cast("Any", SimpleNamespace(place=place)), KnownProblems(known))
    lines = list(range(12))
    for _ in range(data.draw(st.integers(0, 5))):
        start = data.draw(st.integers(0, len(lines)))
        n_removed = data.draw(st.integers(0, min(3, len(lines) - start)))
        added = [-1] * data.draw(st.integers(0, 3))
        splice = Splice(start, n_removed, tuple("x" for _ in added))
        if splice:
            before.follow(splice)
            lines[start : start + n_removed] = added
    now = [problem(lines.index(each.first_line), each.message) for each in known if each.first_line in lines]
    assert before.new(now).errors == []


def test_very_many_changes_become_one_region() -> None:
    regions = ChangedRegions()
    for line in range(0, 2 * (MAX_REGIONS + 2), 2):
        regions.follow(Splice(line, 1, ("x",)), is_ours=False)
    assert len(regions._regions) < 5
    assert regions.at(1)


# What is new


async def test_an_error_that_was_not_there_is_new() -> None:
    assert Checked().new(problem(5)) == [(5, "bad")]


async def test_another_message_code_or_source_on_the_same_line_is_new() -> None:
    checked = Checked(problem(5))
    assert checked.new(problem(5)) == []
    assert checked.new(problem(5, "worse")) == [(5, "worse")]
    assert checked.new(Problem("bad", "E2", "lint", 1, 5, 5)) == [(5, "bad")]
    assert checked.new(Problem("bad", "E1", "types", 1, 5, 5)) == [(5, "bad")]


async def test_the_same_error_on_another_unchanged_line_is_new() -> None:
    assert Checked(problem(5)).new(problem(6)) == [(6, "bad")]


async def test_one_more_of_the_same_error_is_new_once() -> None:
    checked = Checked(problem(5))
    assert checked.new(problem(5), problem(5)) == [(5, "bad")]


async def test_an_error_on_a_line_that_the_edit_changed_is_not_new_if_it_was_there_before() -> None:
    checked = Checked(problem(5))
    checked.type(5, 6, "a = 1\nb = 2\n")
    assert checked.new(problem(6)) == []


async def test_an_error_that_moved_within_the_edit_is_not_new() -> None:
    checked = Checked(problem(4))
    checked.type(7, 8, "line7 = 7\nline4 = 4\n")
    checked.type(4, 5, "")
    assert checked.new(problem(7)) == []
    assert checked.new(problem(7), problem(7)) == [(7, "bad")]


async def test_a_line_number_in_a_message_may_change() -> None:
    checked = Checked(problem(5, 'Name "x" already defined on line 2'))
    checked.type(0, 0, "import json\n")
    assert checked.new(problem(6, 'Name "x" already defined on line 3')) == []


async def test_errors_in_lines_that_only_the_user_changed_are_not_new() -> None:
    checked = Checked()
    checked.type(10, 11, "half typed(\n")
    assert checked.new(problem(10), problem(9)) == [(9, "bad")]


async def test_only_errors_are_reported_and_warnings_are_counted() -> None:
    checked = Checked(problem(2, "old", severity=2))
    now = [problem(2, "old", severity=2), problem(5, severity=2), problem(6, severity=3), problem(7, "worse")]
    found = checked.before.new(now)
    assert (places(found), found.n_warnings) == ([(7, "worse")], 1)
    summary = found.summary(checked.edit)
    assert summary.endswith("has 1 new error and 1 new warning since the edit; line 8: lint: worse")
    assert checked.before.new(now[:3]).summary(checked.edit) == ""


async def test_an_old_warning_that_is_an_error_now_is_not_new() -> None:
    assert Checked(problem(5, severity=2)).new(problem(5)) == []


@pytest.mark.parametrize(("severity", "n_errors"), [(1, 0), (2, 1)])
async def test_a_list_that_was_cut_off_proves_nothing_about_what_it_lacks(
    severity: Any, n_errors: int
) -> None:
    before = [problem(0, f"{number}", severity=severity) for number in range(MAX_PROBLEMS)]
    found = Checked(*before).before.new([problem(5), problem(6, severity=2)])
    assert (len(found.errors), found.n_warnings) == (n_errors, 0)


async def test_a_finding_has_the_lines_and_severity_of_the_diagnostic_and_names_its_source() -> None:
    long = problem(4, "x" * 900, last=30)
    [issue] = NewProblems([long]).found(12)
    assert (issue.start, issue.end, issue.finding.code, issue.finding.severity) == (4, 12, "new-problem", 1)
    assert issue.finding.message == ("lint: " + "x" * 900)[:MAX_CHARS]
    assert len(NewProblems([problem(1)] * 100).found(12)) == MAX_SHOWN


@pytest.mark.parametrize("is_same", [True, False])
async def test_five_hundred_diagnostics_are_compared_with_a_few_calls_each(is_same: bool) -> None:
    before = [problem(line % 12, "same" if is_same else f"{line}") for line in range(MAX_PROBLEMS - 1)]
    checked = Checked(*before)
    for line in (0, 4, 6, 10):
        checked.type(line, line + 1, "x = 1\n")
    now = [problem(line % 12, "same" if is_same else f"new {line}") for line in range(MAX_PROBLEMS)]
    assert n_calls(lambda: checked.before.new(now)) < 20 * MAX_PROBLEMS

"""The laws of what another answer would change: taken whole or hunk by hunk, while the user types and decides."""

from __future__ import annotations

import operator
from functools import partial
from unittest.mock import patch

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.stream.laws.test_other_answer_laws import answers, applied
from tests.stream.texts import Case
from tests.stream.typed_edit import MARK, TypedEdit, without_marked_lines

from twospeed.stream.scope import batches, differences
from twospeed.text.document import Document

typing = st.lists(st.tuples(st.integers(0, 60), st.sampled_from(["in", "above", "below"])), max_size=3)
orders = st.lists(st.integers(0, 20), max_size=12)
decisions = st.lists(st.tuples(st.integers(0, 5), st.booleans()), max_size=3)


def typed(edit: TypedEdit, steps: list[tuple[int, str]]) -> None:
    for at, where in steps:
        line = at % len(edit.client.lines)
        if where == "in":
            edit.type_mark(edit.span(line)[1])
        else:
            edit.type_line(line, is_below=where == "below")


def decide(edit: TypedEdit, steps: list[tuple[int, bool]]) -> None:
    for choice, is_accept in steps:
        if hunks := edit.scope.hunks():
            is_chosen = partial(operator.eq, hunks[choice % len(hunks)].number)
            if is_accept:
                edit.scope.accept(is_chosen)
            else:
                edit.send(edit.scope.revert_hunks(is_chosen))


def take_one_by_one(edit: TypedEdit, new: tuple[str, ...], order: list[int]) -> None:
    for choice in [*order, *[0] * 40]:
        if not (offered := edit.scope.differences(new)):
            return
        number = offered[choice % len(offered)].number
        edit.send(edit.scope.taken(new, partial(operator.eq, number)))
    raise AssertionError("there is always another difference")


@given(answers(), decisions, st.booleans())
def test_taking_all_gives_exactly_the_other_answer(
    cases: list[Case], decided: list[tuple[int, bool]], is_long: bool
) -> None:
    edit = applied(cases[0])
    decide(edit, decided)
    with patch.object(differences, "MAX_COMPARED", 0 if is_long else batches.MAX_COMPARED):
        edit.send(edit.scope.taken(cases[1].new))
    assert edit.client.lines == cases[1].lines_with(cases[1].new)
    assert edit.scope.differences(cases[1].new) == []


@given(answers(), decisions, orders)
def test_taking_hunks_in_any_order_gives_the_other_answer(
    cases: list[Case], decided: list[tuple[int, bool]], order: list[int]
) -> None:
    edit = applied(cases[0])
    decide(edit, decided)
    take_one_by_one(edit, cases[1].new, order)
    assert edit.client.lines == cases[1].lines_with(cases[1].new)


@given(answers(), st.integers(0, 20))
def test_a_listed_hunk_is_the_change_that_taking_it_makes(cases: list[Case], choice: int) -> None:
    edit = applied(cases[0])
    offered = edit.scope.differences(cases[1].new)
    assume(offered)
    chosen = offered[choice % len(offered)]
    wanted: Document = edit.document.with_edits([chosen.edit])
    edit.send(edit.scope.taken(cases[1].new, partial(operator.eq, chosen.number)))
    assert edit.client.text == wanted.text


@given(answers(), typing, orders, typing)
def test_lines_with_typing_stay_as_they_are(
    cases: list[Case], first: list, order: list, second: list
) -> None:
    edit = applied(cases[0])
    typed(edit, first)
    before = [line for line in edit.client.lines if MARK.search(line)]
    for choice in order:
        if offered := edit.scope.differences(cases[1].new):
            number = offered[choice % len(offered)].number
            edit.send(edit.scope.taken(cases[1].new, partial(operator.eq, number)))
    assert [line for line in edit.client.lines if MARK.search(line)] == before
    typed(edit, second)
    before = [line for line in edit.client.lines if MARK.search(line)]
    edit.send(edit.scope.taken(cases[1].new))
    edit.send(edit.scope.revert_all())
    assert [line for line in edit.client.lines if MARK.search(line)] == before


@given(answers(), st.integers(0, 20))
def test_accepted_lines_with_typing_stay_as_they_are(cases: list[Case], at: int) -> None:
    edit = applied(cases[0])
    assume(cases[0].new)
    edit.type_mark(edit.span(edit.scope.start + at % len(cases[0].new))[1])
    before = [line for line in edit.client.lines if MARK.search(line)]
    edit.scope.accept()
    edit.send(edit.scope.taken(cases[1].new))
    assert [line for line in edit.client.lines if MARK.search(line)] == before


@given(answers(), st.lists(st.tuples(st.integers(0, 60), st.booleans()), max_size=3), orders)
def test_inserted_lines_do_not_change_what_is_taken(cases: list[Case], lines: list, order: list) -> None:
    edit = applied(cases[0])
    for line, is_below in lines:
        edit.type_line(line % len(edit.client.lines), is_below=is_below)
    take_one_by_one(edit, cases[1].new, order)
    assert without_marked_lines(edit.client.lines) == cases[1].lines_with(cases[1].new)
    edit.send(edit.scope.revert_all())
    assert without_marked_lines(edit.client.lines) == list(cases[0].lines)


@given(answers(), orders, st.booleans())
def test_rejecting_what_was_taken_restores_the_old_lines(
    cases: list[Case], order: list[int], is_whole: bool
) -> None:
    edit = applied(cases[0])
    for choice in order:
        if offered := edit.scope.differences(cases[1].new):
            number = offered[choice % len(offered)].number
            edit.send(edit.scope.taken(cases[1].new, partial(operator.eq, number)))
    if is_whole:
        edit.send(edit.scope.revert_all())
    else:
        while hunks := edit.scope.hunks():
            edit.send(edit.scope.revert_hunks(partial(operator.eq, hunks[-1].number)))
    assert edit.client.lines == list(cases[0].lines)


@given(answers(), orders)
def test_the_hunks_after_a_take_are_the_change_of_the_old_lines(cases: list[Case], order: list[int]) -> None:
    edit = applied(cases[0])
    for choice in order:
        if offered := edit.scope.differences(cases[1].new):
            number = offered[choice % len(offered)].number
            edit.send(edit.scope.taken(cases[1].new, partial(operator.eq, number)))
        check_hunks(edit)


def check_hunks(edit: TypedEdit) -> None:
    """Check that the text without the hunks is the old one."""
    lines = [*edit.client.lines]
    hunks = edit.scope.hunks()
    assert len({hunk.number for hunk in hunks}) == len(hunks)
    for hunk in sorted(hunks, key=operator.attrgetter("start", "end"), reverse=True):
        lines[hunk.start : hunk.end] = [line.rstrip("\r\n") for line in hunk.removed]
    assert lines in (list(edit.case.lines), [*edit.case.lines, ""], [*edit.case.lines][:-1])


@given(answers(), st.booleans(), st.integers(0, 20))
def test_an_undo_of_what_was_taken_restores_the_text(cases: list[Case], is_one: bool, choice: int) -> None:
    edit, new = applied(cases[0]), cases[1].new
    edit.scope.end_writing()
    offered = edit.scope.differences(new)
    assume(offered)
    before = edit.client.text
    number = offered[choice % len(offered)].number
    edit.send(edit.scope.taken(new, partial(operator.eq, number) if is_one else lambda _: True))
    edit.undo(as_whole=True)
    assert edit.client.text == before


OLD = ("def f(a):", "    x = a", "    return x")
DRAFT = ("def f(a):", "    y = a", "    log(y)", "    return y")


@pytest.mark.parametrize(
    "deep",
    [
        ("def f(a):", "    z = a + 1", "    return z"),
        ("def f(a: int):", "    y = a", "    log(y)", "    return y"),
        ("def f(a):", "    y = a", "    check(y)", "    log(y)", "    return y"),
        ("def f(a):", "    return a"),
    ],
)
@pytest.mark.parametrize("is_redone", [False, True])
def test_a_reject_after_an_undo_of_what_was_taken_restores_the_old_lines(
    deep: tuple[str, ...], is_redone: bool
) -> None:
    edit = applied(Case(("# above",), OLD, ("# below",), DRAFT, ("\n",) * 4))
    edit.scope.end_writing()
    edit.send(edit.scope.taken(deep))
    edit.undo(as_whole=True)
    if is_redone:
        edit.redo(as_whole=True)
    check_hunks(edit)
    edit.send(edit.scope.revert_all())
    assert edit.client.lines == ["# above", *OLD, "# below"]

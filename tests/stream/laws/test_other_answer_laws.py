"""The laws of answers that replace each other while the user types."""

from __future__ import annotations

from dataclasses import replace
from unittest.mock import patch

from hypothesis import assume, given
from hypothesis import strategies as st
from tests.stream.live_edit import Answer
from tests.stream.texts import Case, alphabets, edited
from tests.stream.typed_edit import MARK, TypedEdit, ordinary_cases, without_marked_lines

from twospeed.stream.ops import Op
from twospeed.stream.scope import batches


@st.composite
def answers(draw: st.DrawFn) -> list[Case]:
    """Draw a case, and the same one with other answers."""
    case = draw(ordinary_cases())
    alphabet = draw(alphabets)
    others = [tuple(draw(edited(list(case.old), alphabet))) for _ in range(2)]
    assume(all(case.lines_with(new) != [""] for new in others))
    return [case, *(replace(case, new=new) for new in others)]


def ops_of(case: Case) -> list[Op]:
    answer = Answer(case)
    return [*answer.receive_text("".join(f"{line}\n" for line in case.new)), *answer.finish()]


def applied(case: Case) -> TypedEdit:
    edit = TypedEdit(case)
    edit.receive_ops(ops_of(case))
    edit.show()
    return edit


@given(answers(), st.lists(st.tuples(st.integers(0, 2), st.booleans()), max_size=4))
def test_the_scope_contains_the_answer_chosen_last(
    cases: list[Case], choices: list[tuple[int, bool]]
) -> None:
    edit = applied(cases[0])
    for choice, is_long in choices:
        with patch.object(batches, "MAX_COMPARED", 0 if is_long else batches.MAX_COMPARED):
            edit.send(edit.scope.other_answer(ops_of(cases[choice])))
        assert edit.client.lines == cases[choice].lines_with(cases[choice].new)
    edit.send(edit.scope.revert_all())
    assert edit.client.lines == list(cases[0].lines)


@given(answers(), st.lists(st.integers(0, 2), max_size=4))
def test_choosing_the_current_answer_changes_nothing(cases: list[Case], choices: list[int]) -> None:
    edit = applied(cases[0])
    for choice in (*choices, *choices[-1:]):
        edit.send(edit.scope.other_answer(ops_of(cases[choice])))
    if choices:
        assert len(edit.client.batches) <= 1 + len(choices)


typing = st.lists(st.tuples(st.integers(0, 60), st.booleans()), max_size=3)


@given(answers(), st.lists(st.tuples(st.integers(0, 2), typing), max_size=4))
def test_lines_that_the_user_inserts_stay_with_every_chosen_answer(cases: list[Case], steps: list) -> None:
    edit = applied(cases[0])
    for choice, lines in steps:
        for line, is_below in lines:
            edit.type_line(line % len(edit.client.lines), is_below=is_below)
        edit.send(edit.scope.other_answer(ops_of(cases[choice])))
        assert without_marked_lines(edit.client.lines) == cases[choice].lines_with(cases[choice].new)
    assert len(MARK.findall(edit.client.text)) == edit.n_marks


@given(
    answers(), st.lists(st.tuples(st.integers(0, 2), st.lists(st.integers(0, 60), max_size=3)), max_size=4)
)
def test_text_typed_into_lines_stays_with_every_chosen_answer(cases: list[Case], steps: list) -> None:
    edit = applied(cases[0])
    for choice, lines in steps:
        for line in lines:
            edit.type_mark(edit.span(line % len(edit.client.lines))[1])
        edit.send(edit.scope.other_answer(ops_of(cases[choice])))
    assert len(MARK.findall(edit.client.text)) == edit.n_marks

"""The laws of review: each change is accepted or rejected, in any order, while the user types."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from hypothesis import assume, given
from hypothesis import strategies as st
from tests.stream.live_edit import Answer
from tests.stream.texts import Case, Pace, paces
from tests.stream.typed_edit import MARK, TypedEdit, ordinary_cases, without_marked_lines

from twospeed.stream.ops import Delete, Insert, Keep, Op, without_corrected_changes
from twospeed.text.lines import body_of


@dataclass
class Part:
    """A stretch of the scope: old lines that were kept, or a change and its number."""

    number: int = 0
    old: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)


def parts_of(case: Case, ops: list[Op]) -> list[Part]:
    """Derive the reviewable parts from the ops alone."""
    parts, at = [Part()], 0
    for op in without_corrected_changes(ops):
        if isinstance(op, Keep):
            parts.append(Part(0, list(case.old[at : op.until]), list(case.old[at : op.until])))
            at = op.until
            continue
        if not parts[-1].number:
            parts.append(Part(1 + max(part.number for part in parts)))
        until = at if isinstance(op, Insert) else op.until if isinstance(op, Delete) else op.index + 1
        parts[-1].old += case.old[at:until]
        parts[-1].new += [] if isinstance(op, Delete) else [op.line]
        at = until
    return parts


@dataclass
class Review:
    """An edit that was applied, and its parts."""

    edit: TypedEdit
    parts: list[Part]

    @classmethod
    def of(cls, case: Case, pace: Pace) -> Review:
        edit, answer, ops = TypedEdit(case), Answer(case), []
        for piece, is_shown in pace.pieces(pace.text(case.new)):
            ops += (new := answer.receive_text(piece))
            edit.receive_ops(new)
            if is_shown:
                edit.show()
        ops += (new := answer.finish())
        edit.receive_ops(new)
        edit.show()
        return cls(edit, parts_of(case, ops))

    @property
    def numbers(self) -> list[int]:
        return [part.number for part in self.parts if part.number]

    def lines(self, is_new: Callable[[int], bool]) -> list[str]:
        """Return the document's lines with some changes applied and the others reverted."""
        scope: list[str] = []
        for part in self.parts:
            scope += part.new if part.number and is_new(part.number) else part.old
        return self.edit.case.lines_with(scope)

    def decide(self, number: int, *, is_accept: bool) -> None:
        if is_accept:
            self.edit.scope.accept(partial(operator.eq, number))
        else:
            self.edit.send(self.edit.scope.revert_hunks(partial(operator.eq, number)))


places = st.lists(st.tuples(st.integers(0, 60), st.booleans()), max_size=3)
decisions = st.lists(st.tuples(st.integers(0, 20), st.booleans(), places), max_size=12)


@given(ordinary_cases(), paces, decisions)
def test_hunks_can_be_decided_in_any_order_while_the_user_types(case: Case, pace: Pace, steps: list) -> None:
    review = Review.of(case, pace)
    edit, open_numbers, rejected, n_marks = review.edit, review.numbers, set(), 0
    for choice, is_accept, typing in steps:
        for line, is_below in typing:
            edit.type_line(line % len(edit.client.lines), is_below=is_below)
            n_marks += 1
        assert [hunk.number for hunk in edit.scope.hunks()] == open_numbers
        if not open_numbers:
            break
        number = open_numbers.pop(choice % len(open_numbers))
        n_batches = len(edit.client.batches)
        review.decide(number, is_accept=is_accept)
        if is_accept:
            assert len(edit.client.batches) == n_batches
        else:
            rejected.add(number)
        assert without_marked_lines(edit.client.lines) == review.lines(lambda n: n not in rejected)
    assert len(MARK.findall(edit.client.text)) == n_marks


@given(ordinary_cases(), paces, st.integers(0, 20))
def test_hunks_contain_the_new_and_old_lines_with_their_place(case: Case, pace: Pace, choice: int) -> None:
    """Replacing a hunk's range by ``removed`` equals rejecting it."""
    review = Review.of(case, pace)
    edit, hunks = review.edit, review.edit.scope.hunks()
    assume(hunks)
    for before, after in itertools.pairwise(hunks):
        assert before.end <= after.start
    hunk = hunks[choice % len(hunks)]
    lines = list(edit.client.lines)
    (part,) = [part for part in review.parts if part.number == hunk.number]
    assert lines[hunk.start : hunk.end] == part.new
    assert [body_of(line) for line in hunk.removed] == part.old
    lines[hunk.start : hunk.end] = part.old
    review.decide(hunk.number, is_accept=False)
    assert edit.client.lines == lines


@given(ordinary_cases(), paces, st.sets(st.integers(0, 20)))
def test_a_reject_keeps_hunks_that_the_user_touched_and_reverts_the_others(
    case: Case, pace: Pace, touched: set[int]
) -> None:
    """Only lines that the user touched survive a reject of all, and they stay in review."""
    review = Review.of(case, pace)
    edit = review.edit
    spared: list[str] = []
    new_lines = {line for hunk in edit.scope.hunks() for line in range(hunk.start, hunk.end)}
    for line in sorted(touched & set(range(len(edit.client.lines)))):
        _, end = edit.span(line)
        edit.type_mark(end)
        if line in new_lines:
            spared.append(edit.client.lines[line])
    edit.send(edit.scope.revert_all())
    left = [line for hunk in edit.scope.hunks() for line in edit.client.lines[hunk.start : hunk.end]]
    assert [line for line in left if MARK.search(line)] == spared
    assert all(any(mark in line for line in left) for mark in spared)
    unmarked = [MARK.sub("", line) for line in edit.client.lines if line not in spared]
    kept = iter(case.lines)
    assert all(line in kept for line in unmarked)  # old lines, in their order
    n_batches = len(edit.client.batches)
    edit.send(edit.scope.revert_all())
    assert len(edit.client.batches) == n_batches
    edit.scope.accept()
    assert edit.scope.hunks() == []


@given(ordinary_cases(), paces)
def test_accepted_hunks_are_not_reverted(case: Case, pace: Pace) -> None:
    review = Review.of(case, pace)
    edit = review.edit
    shown = edit.client.text
    edit.scope.accept()
    assert edit.scope.hunks() == []
    edit.send(edit.scope.revert_all())
    assert edit.client.text == shown


@given(ordinary_cases(), paces, decisions)
def test_the_users_undo_restores_a_rejected_hunk(case: Case, pace: Pace, steps: list) -> None:
    review = Review.of(case, pace)
    edit = review.edit
    for choice, _, _ in steps:
        numbers = [hunk.number for hunk in edit.scope.hunks()]
        if not numbers:
            break
        before = edit.client.text
        review.decide(numbers[choice % len(numbers)], is_accept=False)
        if edit.client.text != before:
            edit.undo(as_whole=False)
            assert edit.client.text == before
    edit.send(edit.scope.revert_all())
    assert edit.client.lines == list(case.lines)

"""The laws of typing during an answer: typed text survives once, and undone text comes back."""

from __future__ import annotations

from dataclasses import replace
from unittest.mock import patch

from hypothesis import assume, given
from hypothesis import strategies as st
from tests.stream.live_edit import Answer
from tests.stream.texts import Case, Pace, cases, paces
from tests.stream.typed_edit import MARK, TypedEdit, ordinary_cases, with_lines, without_marked_lines

from twospeed.stream.scope import line_pairs, typed_rows


@st.composite
def histories(draw: st.DrawFn) -> tuple[Case, bool]:
    """Draw a case, and whether the client sends whole texts.

    A whole text does not tell which of equal lines were inserted or removed, so no line repeats then.
    """
    case, is_whole = draw(ordinary_cases()), draw(st.booleans())
    if is_whole:
        outside = [(f"outside {n}",) * len(lines) for n, lines in enumerate((case.above, case.below))]
        case = replace(case, old=without_repeats(case.old), new=without_repeats(case.new))
        return with_lines(case, *outside), True
    return case, False


def without_repeats(lines: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"{line} {lines[:number].count(line)}" for number, line in enumerate(lines))


class Stream:
    """An answer that arrives piece by piece in an edit."""

    def __init__(self, edit: TypedEdit, pace: Pace) -> None:
        self.edit = edit
        self._answer = Answer(edit.case)
        self._pieces = pace.pieces(pace.text(edit.case.new))
        self.is_over = False

    def advance(self) -> None:
        """Receive the next piece, or the end."""
        if self.is_over:
            return
        piece, _ = next(self._pieces, (None, True))
        self.is_over = piece is None
        self.edit.receive_ops(self._answer.finish() if piece is None else self._answer.receive_text(piece))

    def run_out(self) -> None:
        while not self.is_over:
            self.advance()
        self.show()

    def show(self) -> None:
        if not self.edit.scope.has_crossed_edge:
            self.edit.show()


def marks_in(edit: TypedEdit) -> list[str]:
    return sorted(MARK.findall(edit.client.text))


STEPS = st.lists(
    st.tuples(
        st.sampled_from(
            ["stream", "stream", "show", "type", "delete", "replace", "line", "undo", "redo", "late"]
        ),
        st.integers(0, 300),
        st.integers(1, 40),
        st.booleans(),
    ),
    max_size=25,
)


def take_step(stream: Stream, kind: str, place: int, n: int, is_so: bool) -> None:
    """Continue the answer or the user's typing."""
    edit = stream.edit
    offset = place % (len(edit.client.text) + 1)
    eol = edit.case.eols[0] if edit.case.eols else "\n"
    match kind:
        case "stream":
            stream.advance()
        case "show":
            shown_without_loss(edit, stream.show)
        case "late":
            type_before_a_batch(edit, offset)
        case "type":
            edit.type_mark(offset, before=eol if is_so else "")
        case "delete":
            edit.replace_text(offset, n, "")
        case "replace":
            edit.replace_text(offset, n, eol.join(["«", "x", "", "a()"][: n % 5]))
        case "line":
            edit.type_line(place % len(edit.client.lines), is_below=is_so)
        case "undo":
            edit.undo(as_whole=is_so)
        case _:
            edit.redo(as_whole=is_so)


def type_before_a_batch(edit: TypedEdit, offset: int) -> None:
    """Type while a batch is in flight: the batch is too late, and is dropped."""
    if not edit.scope.has_crossed_edge and (batch := edit.scope.next_batch()):
        wire, version = edit.document.text_edits(batch.edits), edit.document.version
        edit.type_mark(offset)
        assert not edit.client.apply(wire, version)


def shown_without_loss(edit: TypedEdit, show) -> None:
    before = marks_in(edit)
    show()
    assert marks_in(edit) == before


@given(cases(), paces, STEPS, st.sampled_from(["land", "reject", "partial"]), STEPS, st.booleans())
def test_inv3_typed_text_is_neither_lost_nor_doubled(
    case: Case, pace: Pace, steps: list, ending: str, later: list, are_changes_long: bool
) -> None:
    """Anything may be typed, deleted, undone and redone at any time; the server removes and writes no typed
    mark.
    """
    limits = (1, 1) if are_changes_long else (line_pairs.MAX_ALIGNED, typed_rows.MAX_MATCHED)
    with (
        patch.object(line_pairs, "MAX_ALIGNED", limits[0]),
        patch.object(typed_rows, "MAX_MATCHED", limits[1]),
    ):
        check_that_marks_last(case, pace, steps, ending, later)


def check_that_marks_last(case: Case, pace: Pace, steps: list, ending: str, later: list) -> None:
    edit = TypedEdit(case)
    stream = Stream(edit, pace)
    for step in steps:
        take_step(stream, *step)
    if ending == "land":
        shown_without_loss(edit, stream.run_out)
    stream.is_over = True
    if ending == "partial":
        shown_without_loss(edit, lambda: edit.send(edit.scope.keep_part()))
    for step in later:
        take_step(stream, *step)
    shown_without_loss(edit, lambda: edit.send(edit.scope.revert_all()))


@given(
    ordinary_cases(),
    paces,
    st.lists(st.tuples(st.integers(0, 50), st.booleans(), st.booleans()), max_size=12),
)
def test_inv3_lines_typed_between_others_leave_the_result_exact(case: Case, pace: Pace, typing: list) -> None:
    edit = TypedEdit(case)
    stream = Stream(edit, pace)
    for line, is_below, is_shown in typing:
        stream.advance()
        edit.type_line(line % len(edit.client.lines), is_below=is_below)
        if is_shown:
            stream.show()
    stream.run_out()
    assert not edit.scope.has_crossed_edge
    assert without_marked_lines(edit.client.lines) in (
        case.lines_with(case.new),
        case.lines_with(case.new)[:-1],
    )
    assert len(marks_in(edit)) == len(typing)
    assert edit.scope.clashes() == []
    edit.send(edit.scope.revert_all())
    assert without_marked_lines(edit.client.lines) == list(case.lines)
    assert len(marks_in(edit)) == len(typing)


@given(histories(), paces, st.lists(st.tuples(st.booleans(), st.integers(1, 4)), max_size=12))
def test_inv3_a_revert_restores_the_old_text_after_undo_and_redo(
    history: tuple[Case, bool], pace: Pace, steps: list[tuple[bool, int]]
) -> None:
    """Undo and redo of our batches, while they arrive and afterwards: rejecting gives the old text."""
    case, as_whole = history
    edit = TypedEdit(case)
    stream = Stream(edit, pace)
    for is_undo, n in steps:
        for _ in range(n):
            stream.advance()
            stream.show()
            (edit.undo if is_undo else edit.redo)(as_whole=as_whole)
    assume(not edit.scope.has_crossed_edge)
    stream.run_out()
    assert edit.scope.clashes() == []
    edit.send(edit.scope.revert_all())
    assert edit.client.lines == list(case.lines)


@given(histories(), paces)
def test_inv3_an_edit_can_be_undone_and_redone_step_by_step(history: tuple[Case, bool], pace: Pace) -> None:
    case, as_whole = history
    edit = TypedEdit(case)
    Stream(edit, pace).run_out()
    shown, is_changed = edit.client.lines, bool(edit.scope.hunks())
    n_undone = 0
    while edit.undo(as_whole=as_whole):
        n_undone += 1
    assert edit.client.lines == list(case.lines)
    assert edit.scope.hunks() == []
    assert not edit.scope.revert_hunks().edits
    for _ in range(n_undone):
        edit.redo(as_whole=as_whole)
    assert edit.client.lines == shown
    assert bool(edit.scope.hunks()) == is_changed
    edit.send(edit.scope.revert_all())
    assert edit.client.lines == list(case.lines)

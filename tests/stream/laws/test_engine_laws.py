"""The laws of a streamed edit, each under its name: pieces of an answer in, edits of a document out.

``NEW`` are the answer's lines, ``OLD`` the scope's. The user does not type here, and each line of the answer
is a line of the scope (`test_stream_laws` reads whole answers). The client checks every batch before a law
does.
"""

from __future__ import annotations

import itertools
from dataclasses import replace

from hypothesis import assume, given
from hypothesis import strategies as st
from tests.stream.live_edit import LiveEdit, streamed, streamed_while_shown
from tests.stream.texts import CODE, Case, Pace, cases, paces

places = st.integers(0, 1_000)


def finished(case: Case, pace: Pace) -> LiveEdit:
    *_, edit = streamed(LiveEdit(case), pace)
    return edit


def stopped(case: Case, pace: Pace, place: int) -> LiveEdit:
    """Stream a case and stop after some piece, or at the end."""
    assume(case.lines_with(case.new) != [""])  # what is put back into an emptied document gets a line end
    edit = LiveEdit(case)
    n_pieces = len(list(pace.pieces(pace.text(case.new))))
    for _ in itertools.islice(streamed(edit, pace), 1 + place % (n_pieces + 1)):
        pass
    return edit


def check_is_old(edit: LiveEdit) -> None:
    case = edit.case
    assert edit.client.lines == list(case.lines)
    if case.has_one_eol:
        assert edit.client.text == case.text


@given(cases(), paces)
def test_inv0_the_scope_is_always_the_head_of_new_and_the_tail_of_old(case: Case, pace: Pace) -> None:
    boundary = (0, 0)
    for edit in streamed(LiveEdit(case), pace):
        at = edit.shown
        scope = [*case.new[: at.n_new], *case.old[at.n_old :]]
        assert edit.client.lines == case.lines_with(scope)
        assert boundary <= (at.n_new, at.n_old)
        boundary = (at.n_new, at.n_old)
    assert boundary == (len(case.new), len(case.old))


@given(cases(), paces)
def test_inv1_the_scope_becomes_new_and_nothing_else_changes(case: Case, pace: Pace) -> None:
    assert finished(case, pace).client.lines == case.lines_with(case.new)


@given(cases(), paces)
def test_inv1_a_document_with_one_kind_of_line_end_keeps_it(case: Case, pace: Pace) -> None:
    eol = case.eols[0] if case.eols else "\n"
    case = replace(case, eols=(eol,) * len(case.eols))
    assert finished(case, pace).client.text == eol.join(case.lines_with(case.new))


@given(cases(), paces)
def test_inv1_holds_while_the_answer_runs_ahead_of_the_client(case: Case, pace: Pace) -> None:
    edit = LiveEdit(case)
    streamed_while_shown(edit, pace)
    assert edit.client.lines == case.lines_with(case.new)


@given(cases(), paces)
def test_inv2_an_applied_line_is_old_or_new_and_stays(case: Case, pace: Pace) -> None:
    edit = LiveEdit(case)
    known = {"", *case.lines, *case.new}
    written: list[str] = []
    for _ in streamed(edit, pace):
        lines = edit.client.lines
        assert known.issuperset(lines)
        top = len(case.above)
        assert lines[top : top + len(written)] == written
        written = lines[top : top + edit.shown.n_new]


@given(cases(), paces, places)
def test_inv2_one_batch_reverts_everything(case: Case, pace: Pace, place: int) -> None:
    edit = stopped(case, pace, place)
    n_shown = len(edit.client.batches)
    edit.send(edit.scope.revert_all())
    check_is_old(edit)
    assert len(edit.client.batches) <= n_shown + 1
    assert edit.scope.next_batch() is None
    assert edit.scope.hunks() == []


@given(cases(), paces)
def test_inv5_every_batch_is_in_order_and_does_something_inside_the_scope(case: Case, pace: Pace) -> None:
    edit = LiveEdit(case)
    for _ in streamed(edit, pace):
        pass  # the client has checked it
    for before, after in zip(edit.client.states, edit.client.states[1:], strict=False):
        assert before.text != after.text
        assert after.version == before.version + 1


@given(cases(), paces, places)
def test_inv6_a_kept_part_ends_at_a_kept_line(case: Case, pace: Pace, place: int) -> None:
    edit = stopped(case, pace, place)
    edit.send(edit.scope.keep_part())
    n_new, n_old = edit.received.kept
    assert edit.client.lines == case.lines_with([*case.new[:n_new], *case.old[n_old:]])
    assert n_new == 0 or case.new[n_new - 1] == case.old[n_old - 1]


@given(cases(), paces, places)
def test_inv6_a_kept_part_can_be_reverted(case: Case, pace: Pace, place: int) -> None:
    edit = stopped(case, pace, place)
    edit.send(edit.scope.keep_part())
    edit.send(edit.scope.revert_all())
    check_is_old(edit)


@given(cases(), paces)
def test_an_answer_that_equals_the_old_text_gives_no_edit(case: Case, pace: Pace) -> None:
    same = Case(case.above, case.old, case.below, case.old, case.eols, case.encoding)
    edit = finished(same, pace)
    assert edit.client.batches == []
    assert edit.scope.hunks() == []


@given(cases(), paces, paces)
def test_the_pace_makes_no_difference_to_the_result(case: Case, one: Pace, other: Pace) -> None:
    first, second = (finished(case, pace).client for pace in (one, other))
    assert first.lines == second.lines
    if case.has_one_eol:
        assert first.text == second.text


# Unchanged ends

HEADS = st.lists(st.sampled_from(CODE), max_size=4)
TAILS = st.lists(st.sampled_from(["", "    }", "done()", "again()"]), max_size=6)
MIDDLES_OLD = ["alpha = one", "beta = two", "gamma = three"]
MIDDLES_NEW = ["DELTA", "EPSILON", "beta = two"]


@given(
    HEADS,
    st.lists(st.sampled_from(MIDDLES_OLD), max_size=4),
    st.lists(st.sampled_from(MIDDLES_NEW)),
    TAILS,
    paces,
)
def test_unchanged_ends_are_in_no_edit(
    head: list[str], old: list[str], new: list[str], tail: list[str], pace: Pace
) -> None:
    """An unchanged tail is detected by its first line, if it is distinctive and follows at most four deleted
    lines.
    """
    tail = ["return something_that_tells(line)", *tail]
    lines = [*head, *old, *tail]
    case = Case((), tuple(lines), (), (*head, *new, *tail), ("\n",) * (len(lines) - 1))
    edit = LiveEdit(case)
    for _ in streamed(edit, pace):
        pass
    for before, batch in zip(edit.client.states, edit.client.batches, strict=False):
        n_lines = before.text.count("\n") + 1
        assert batch[0].start[0] >= len(head)
        assert batch[-1].end <= (n_lines - len(tail), 0)


def test_a_revert_restores_the_line_end_of_a_changed_last_line() -> None:
    case = Case((), ("a1", "b1", "c"), (), ("a2", "b2"), ("\n", "\r\n"))
    edit = finished(case, Pace())
    edit.send(edit.scope.revert_all())
    assert edit.client.text == case.text

"""If all line ends change during an answer, later and restored lines get the new line ends."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st
from tests.stream.live_edit import LiveEdit, streamed
from tests.stream.texts import Case, Pace, cases, paces

EOLS = st.sampled_from(["\n", "\r\n", "\r"])


def change_line_ends(edit: LiveEdit, eol: str) -> bool:
    """Give every line another end; return whether the text changed."""
    client, before = edit.client, edit.client.text
    edit.report(client.type((0, 0), client.place(len(client.text)), eol.join(client.lines)))
    return client.text != before


@given(cases(), paces, st.integers(0, 12), EOLS)
def test_an_answer_is_exact_and_reverts_after_a_change_of_line_ends_while_writing(
    case: Case, pace: Pace, n_pieces: int, eol: str
) -> None:
    edit = LiveEdit(case)
    is_changed = False
    for number, _ in enumerate(streamed(edit, pace)):
        if number == n_pieces:
            is_changed = change_line_ends(edit, eol)
    assume(is_changed)
    assert not edit.scope.has_crossed_edge
    assert edit.client.text == eol.join([*case.above, *case.new, *case.below])
    edit.send(edit.scope.revert_all())
    assert edit.client.text == eol.join(case.lines)


@given(cases(), paces, EOLS, EOLS)
def test_a_finished_answer_reverts_after_a_later_change_of_line_ends(
    case: Case, pace: Pace, eol: str, then: str
) -> None:
    edit = LiveEdit(case)
    for _ in streamed(edit, pace):
        pass
    is_changed = change_line_ends(edit, eol)
    assume(change_line_ends(edit, then) or is_changed)
    edit.send(edit.scope.revert_all())
    assert edit.client.text == then.join(case.lines)

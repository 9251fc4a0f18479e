"""Correct traces that the oracle must accept.

The oracle once rejected each of them. A trace names the seed and the editor where that happened, or the commit that
relaxed the oracle. Some are followed by the smallest change that makes the trace a fault.
"""

from __future__ import annotations

from contextlib import nullcontext

import pytest
from tests.simulation.harm import misplaced
from tests.simulation.legal import legal_outcomes
from tests.simulation.results import check_result
from tests.simulation.traces import ANSWER, OLD, OURS, Trace
from tests.simulation.watched import TypingInScope


def test_deleting_all_of_the_newest_batch_may_end_the_edit() -> None:
    # Seed 30541 at 1080656, VS Code, ours: an undo and this deletion read the same.
    trace = Trace(ANSWER)
    trace.write("    x = a\n", "    new_1 = a\n", is_above=True)
    trace.type("    new_1 = a\n", "")
    assert "cancelled" in legal_outcomes(trace.watched, OURS)


def test_deleting_the_newest_batch_and_restoring_it_may_end_the_edit() -> None:
    # Seed 2008008 at 7338d674, Neovim, ours: the server read the deletion before the text that restored it.
    trace = Trace(ANSWER)
    trace.write("    x = a\n", "    new_1 = a\n", is_above=True)
    trace.type("    new_1 = a\n", "")
    trace.undo()
    assert "cancelled" in legal_outcomes(trace.watched, OURS)


@pytest.mark.parametrize(("gone", "is_legal"), [("    new_1 = a\n", True), ("    new_1 =", False)])
def test_deleting_the_newest_batch_but_for_its_line_end_may_end_the_edit(gone: str, is_legal: bool) -> None:
    # Seed 2033920 at 7338d674, hidden: the person divided the line, and deleted the first part with the new line end.
    trace = Trace(ANSWER)
    trace.write("    x = a\n", "    new_1 = a\n", is_above=True)
    trace.insert("\n", before="\n    x = a")
    trace.type(gone, "")
    assert ("cancelled" in legal_outcomes(trace.watched, OURS)) is is_legal


@pytest.mark.parametrize(("indent", "is_fault"), [("    ", False), ("  ", True)])
def test_a_part_of_an_insertion_is_indented_as_its_place(indent: str, is_fault: bool) -> None:
    # Seed 2045888 at 7338d674, full text: the answer lacked the indentation, and its last batch was unconfirmed.
    trace = Trace("def g():\n    return 1\n", old="", text="def f():\n    x = 1\n\nz = 1\n")
    trace.write("\nz = 1", f"    def g():\n{indent}    return 1\n", is_above=True)
    assert bool(trace.why("unconfirmed")) is is_fault


def test_deleting_one_line_of_the_batch_may_not_end_the_edit() -> None:
    trace = Trace(ANSWER)
    trace.write("    x = a\n", "    new_1 = a\n    new_2 = a\n", is_above=True)
    trace.type("    new_1 = a\n", "")
    assert "cancelled" not in legal_outcomes(trace.watched, OURS)


def test_an_old_line_may_be_removed_with_its_new_line() -> None:
    # Seed 58 at 49b4c67, refuses at times: the person deleted the new line, and then the edit was removed.
    trace = Trace(ANSWER)
    trace.write("    x = a\n", "    new_1 = a\n")
    trace.type("    new_1 = a\n    y = a\n", "")
    assert trace.watched.touch is TypingInScope.DELETED
    assert trace.why("rejected") is None


@pytest.mark.parametrize(
    ("gone", "is_fault"),
    [("    new_1 = a\n    c = a\n    return x\n", False), ("    new_1 = a\n", True)],
)
def test_old_lines_may_be_removed_with_all_lines_in_their_place(gone: str, is_fault: bool) -> None:
    # Seed 2069170 at 7338d674, hidden: the person deleted to the end of the scope, and then the edit was removed.
    old = "def f(a):\n    a = 1\n    b = a\n    c = a\n    d = a\n    return x\n"
    trace = Trace("def f(a):\n    new_1 = a\n    c = a\n    return x\n", old=old, text=f"{old}\nz = 1\n")
    trace.write("    a = 1\n    b = a\n", "    new_1 = a\n")
    trace.write("    d = a\n", "")
    trace.type(gone, "")
    assert bool(trace.why("conflict")) is is_fault


def test_an_old_line_removed_without_its_new_line_is_a_fault() -> None:
    trace = Trace(ANSWER)
    trace.type("    y = a\n", "")
    trace.write("    x = a\n", "")
    assert "misses old lines" in (trace.why("cancelled") or "")


def test_an_edit_undone_while_it_is_written_leaves_the_old_text() -> None:
    # Up to c7f73bc the oracle did not check an edit after an undo.
    trace = Trace(ANSWER)
    trace.write("    x = a\n", "    new_1 = a\n")
    trace.undo()
    assert trace.watched.undone_at is not None
    assert trace.why("cancelled") is None


def test_a_steered_edit_continues_though_the_answer_before_was_undone() -> None:
    # Seed 1424 of "refuses at times, ours" at 22200b5: the undo came while the server reverted that answer.
    trace = Trace(ANSWER)
    trace.write("    x = a\n", "    new_1 = a\n")
    trace.undo()
    trace.watched.note_asked(trace.watched.undone_at or 0, ("do it",))
    assert trace.watched.undone_at is None


def test_a_steered_edit_continues_though_the_return_to_the_old_text_is_undone() -> None:
    # Seed 802962 of "says yes and does nothing, ours" at 779093e: restored text belongs to the person.
    trace = Trace(ANSWER)
    trace.write("    x = a\n", "    new_1 = a\n")
    trace.write("    new_1 = a\n", "    x = a\n")
    trace.watched.note_asked(2, ("do it",))
    trace.undo()
    assert not trace.watched.is_newest_undone(trace.ledger.now)


def test_an_edit_requested_again_counts_as_undone() -> None:
    trace = Trace(ANSWER)
    trace.write("    x = a\n", "    new_1 = a\n")
    trace.undo()
    trace.watched.note_asked(trace.watched.undone_at or 0, ())
    assert trace.watched.undone_at is not None


def test_a_line_of_the_answer_that_remains_after_an_undo_is_a_fault() -> None:
    trace = Trace(ANSWER)
    trace.write("    x = a\n", "    new_1 = a\n")
    trace.undo()
    trace.write("    y = a\n", "    new_2 = a\n")
    assert "has lines of the answer" in (trace.why("cancelled") or "")


def test_an_old_line_doubled_by_an_undo_is_a_fault() -> None:
    trace = Trace(ANSWER)
    trace.write("    x = a\n", "    new_1 = a\n")
    trace.undo()
    trace.write("    y = a\n", "    x = a\n    y = a\n")
    assert "twice" in (trace.why("cancelled") or "")


def test_an_unconfirmed_edit_may_leave_the_head_of_the_answer_before_the_old_lines() -> None:
    # At 5da6bbe the oracle did not check an unconfirmed edit.
    trace = Trace(ANSWER)
    trace.write("    x = a\n", "    new_1 = a\n")
    assert trace.why("unconfirmed") is None


def test_an_unconfirmed_edit_with_neither_text_is_a_fault() -> None:
    trace = Trace(ANSWER)
    trace.write("    y = a\n", "    new_2 = a\n")
    assert "no part of the answer" in (trace.why("unconfirmed") or "")


def test_an_unconfirmed_edit_may_leave_a_change_that_the_editor_applied_to_another_text() -> None:
    # Seed 7162 of "coc" at 91830b7 with the answers of that day: an unreported key had moved the lines.
    trace = Trace(ANSWER)
    trace.type("x = a", "x = 一a")
    trace.write("f(a):", "new_1 = a", is_fresh=False)
    assert trace.why("unconfirmed") is None


def test_a_change_applied_to_another_text_may_be_a_line_too_low() -> None:
    # Seed 700162 of "coc" at 00395cb: nothing was typed in the lines of the edit, but a line above them was deleted.
    trace = Trace(ANSWER)
    trace.write("    y = a\n", "    new_1 = a\n    new_2 = a\n", is_fresh=False)
    assert trace.why("unconfirmed") is None


def test_an_undo_may_restore_lines_that_another_edit_had_changed() -> None:
    # Seed 700610 of "lsp-mode" at 00395cb: the edit was cancelled and kept its certain part.
    trace = Trace(ANSWER, old="def f(a):\n    new_1 = a\n", text="def f(a):\n    new_1 = a\n")
    trace.type("    new_1 = a\n", "    x = a\n")
    trace.watched.touch, trace.watched.keeps_part = TypingInScope.TAKEN_BACK, True
    assert trace.why("cancelled") is None


def test_an_undo_may_restore_a_line_that_the_previous_answer_kept() -> None:
    # Seed 702792 of "says yes and does nothing, ours" at 00395cb: that answer was to a text without the key.
    trace = Trace(ANSWER)
    trace.type("y = a", "y一 = a")
    trace.watched.old = OLD.replace("y = a", "y一 = a")
    trace.watched.touch = TypingInScope.NOTHING  # it was steered, and asked about the text with the key
    trace.watched.written.add("    y = a")
    trace.undo()
    assert trace.watched.touch is TypingInScope.TAKEN_BACK
    assert trace.why("refused") is None


def test_deleting_a_typed_line_and_the_line_below_may_end_the_edit() -> None:
    # Seed 702375 of "VS Code" at 00395cb: the place was between the two lines.
    trace = Trace("def g():\n", old="")
    trace.insert("# 一\n", before="\nz = 1")
    trace.type("# 一\n\n", "")
    assert "conflict" in legal_outcomes(trace.watched, OURS)


def test_deleting_the_line_below_a_place_may_not_end_the_edit() -> None:
    trace = Trace("def g():\n", old="")
    trace.insert("# 一\n", before="\nz = 1")
    trace.type("\nz = 1\n", "")
    assert "conflict" not in legal_outcomes(trace.watched, OURS)


def test_a_line_restored_without_an_undo_is_a_fault() -> None:
    trace = Trace(ANSWER, old="def f(a):\n    new_1 = a\n", text="def f(a):\n    new_1 = a\n")
    trace.write("    new_1 = a\n", "    x = b\n")
    trace.watched.touch, trace.watched.keeps_part = TypingInScope.TAKEN_BACK, True
    assert "lines from nowhere" in (trace.why("cancelled") or "")


def test_an_unconfirmed_edit_with_a_line_that_no_answer_has_is_a_fault() -> None:
    trace = Trace(ANSWER)
    trace.type("x = a", "x = 一a")
    trace.write("f(a):", "new_1 = a")
    assert "lines from nowhere" in (trace.why("unconfirmed") or "")


def test_the_hunks_around_an_accepted_one_may_be_rejected() -> None:
    # Seed 4971 of "full text" at 4e94097: asked to be the head of the answer before the rest of the old lines.
    trace = Trace("def f(a):\n    new_1 = a\n    y = a\n    new_2 = x\n")
    trace.write("    return x\n", "    new_2 = x\n")
    assert trace.why("decided") is None


def test_half_a_hunk_is_a_fault() -> None:
    trace = Trace("def f(a):\n    new_1 = a\n    new_2 = a\n    y = a\n    return x\n")
    trace.write("    x = a\n", "    new_2 = a\n")
    assert "lines of no hunk" in (trace.why("decided") or "")


def test_lines_of_another_answer_may_remain_where_two_edits_met() -> None:
    # At 5da6bbe the oracle did not check lines of an edit that another one had changed.
    trace = Trace(ANSWER)
    trace.watched.touch = TypingInScope.ANYTHING
    trace.ledger.asked_lines |= {"    other = a"}
    trace.write("    y = a\n", "    other = a\n")
    assert trace.why("applied") is None


def test_half_a_line_of_another_answer_is_a_fault() -> None:
    trace = Trace(ANSWER)
    trace.watched.touch = TypingInScope.ANYTHING
    trace.ledger.asked_lines |= {"    other = a"}
    trace.write("    y = a\n", "    other\n")
    assert "lines from nowhere" in (trace.why("applied") or "")


def test_an_insertion_may_be_on_either_side_of_a_line_typed_there() -> None:
    # c09711f: a line came at the place of an edit without lines.
    for place in ("# 一\n", "z = 1"):
        trace = Trace("def g():\n", old="")
        trace.type("\nz = 1", "\n# 一\nz = 1")
        before, at = trace.ledger.now, trace.ledger.text.index(place)
        assert misplaced(trace.watched, before, at, at) is None


def test_an_insertion_three_lines_above_a_line_typed_there_is_a_fault() -> None:
    trace = Trace("def g():\n", old="")
    trace.type("\nz = 1", "\n# 一\nz = 1")
    at = trace.ledger.text.index("    y = a")
    assert misplaced(trace.watched, trace.ledger.now, at, at) == "writes above its lines"


ADDED = "def g():\n    return a\n"


@pytest.mark.parametrize(
    ("written", "is_fault"),
    [
        ("    def g():\n        return a\n", False),
        (ADDED, False),
        ("    def g():\n    return a\n", True),
        ("def g():\n        return a\n", True),
    ],
)
def test_an_insertion_is_whole_in_the_block_of_its_blank_line(written: str, is_fault: bool) -> None:
    # Seed 2258 at 050ad2a, full text: a blank line in a function, and an answer from the first column on.
    trace = Trace(ADDED, old="")
    trace.write("\nz = 1", written, is_above=True)
    assert bool(trace.why("applied")) is is_fault


@pytest.mark.parametrize(("indent", "is_fault"), [("    ", False), ("", True), ("        ", True)])
@pytest.mark.parametrize(
    ("key", "before"), [("一", "    def g"), ("一", "def g"), ("  # 一", "\n        return a")]
)
def test_an_insertion_stays_in_its_block_if_its_first_line_was_typed_in(
    indent: str, is_fault: bool, key: str, before: str
) -> None:
    # Seed 22908 of "Neovim, ours" at 6fdb51f: a key typed before the first line hid how far in it is.
    trace = Trace(ADDED, old="")
    trace.write("\nz = 1", "    def g():\n        return a\n", is_above=True)
    trace.insert(key, before=before)
    trace.write("        return", f"{indent}    return")
    assert trace.watched.touch is TypingInScope.TYPED_IN_LINES
    assert bool(trace.why("applied")) is is_fault


@pytest.mark.parametrize(("indent", "is_fault"), [("        ", False), ("    ", True)])
def test_the_preview_of_an_insertion_is_in_the_block_of_its_blank_line(indent: str, is_fault: bool) -> None:
    # Seed 27905 of "lsp-mode" at f17872e: the preview was expected to be indented as the answer.
    trace = Trace(ADDED, old="")
    trace.watched.outcome, trace.watched.edit.is_preview = "applied", True
    new = f"    def g():\n{indent}return a\n"
    place = trace.ledger.places.place(trace.ledger.text.index("\nz = 1"))
    where = {"start": place, "end": place}
    document = {"uri": trace.ledger.uri, "version": 1}
    edit = {"documentChanges": [{"textDocument": document, "edits": [{"range": where, "newText": new}]}]}
    result = {"outcome": "applied", "version": 1, "scope": {"range": where}, "newText": new, "edit": edit}
    result |= {"hunks": [], "alsoChanged": []}
    with pytest.raises(AssertionError) if is_fault else nullcontext():
        check_result(trace.watched, trace.ledger, result, 2)


INTERRUPTED = pytest.mark.parametrize("is_interrupted", [True, False])


@INTERRUPTED
def test_an_undo_of_one_line_may_be_taken_for_its_deletion_if_another_edit_wrote_before_it(
    is_interrupted: bool,
) -> None:
    # Seed 6848 of "full text" at 04d3d880: what should be one undo step was two, with another edit between them.
    trace = Trace(ANSWER)
    trace.write("    x = a\n", "    new_1 = a\n")
    if is_interrupted:
        trace.other_edit_writes("z = 1", "z = 2")
    trace.write("    y = a\n", "    new_2 = a\n", is_above=True)
    assert trace.watched.may_be_deleted_line(is_one_step=True) is is_interrupted
    assert not trace.watched.may_be_deleted_line(is_one_step=False)


def test_an_undo_of_several_lines_is_never_taken_for_a_deletion() -> None:
    trace = Trace(ANSWER)
    trace.write("    x = a\n", "    new_1 = a\n")
    trace.other_edit_writes("z = 1", "z = 2")
    trace.write("    y = a\n", "    new_2 = a\n    new_3 = a\n", is_above=True)
    assert not trace.watched.may_be_deleted_line(is_one_step=True)


BRACKETS = "from m import (\n    a,\n)\n"


@pytest.mark.parametrize(("gone", "is_fault"), [(")\n", False), ("    a,\n", True)])
def test_a_line_without_letters_that_an_undo_left_out_is_no_fault(gone: str, is_fault: bool) -> None:
    # Seed 5176 of "VS Code, ours" at 04d3d880: a bracket alone was taken for a line that the person had typed.
    trace = Trace(ANSWER, old=BRACKETS, text=f"{BRACKETS}\nz = 1\n")
    trace.watched.touch = TypingInScope.TAKEN_BACK
    trace.write(gone, "")
    assert bool(trace.why("refused")) is is_fault


@pytest.mark.parametrize("is_returned", [True, False])
def test_an_edit_goes_on_though_the_return_to_the_old_text_before_its_second_request_is_undone(
    is_returned: bool,
) -> None:
    # Seed 13860 of "VS Code" at 04d3d880: the first answer did not parse, and the person undid its removal.
    trace = Trace(ANSWER)
    trace.write("    x = a\n", "    new_1 = a\n")
    if is_returned:
        trace.write("    new_1 = a\n", "    x = a\n")
    trace.watched.note_asked(2, ())
    trace.undo()
    assert trace.watched.is_newest_undone(trace.ledger.now) is not is_returned

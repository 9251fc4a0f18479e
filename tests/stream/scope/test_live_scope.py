"""A scope while the user types in it, by example; the laws are in `tests/stream/laws`."""

from __future__ import annotations

import pytest
from tests.stream.person import TypedEdit
from tests.stream.texts import Case

from twospeed.stream.aligner import Aligner
from twospeed.stream.ops import Change, Delete, Insert, Keep
from twospeed.text.lines import body_of


class Edit(TypedEdit):
    """An edit of a few words, each a line of its own; two spaces enclose an empty line."""

    def __init__(self, old: str, *, above: str = "", below: str = "the end") -> None:
        parts = [tuple(text.split(" ")) if text else () for text in (above, old, below)]
        n_lines = sum(map(len, parts))
        super().__init__(Case(parts[0], parts[1], parts[2], (), ("\n",) * (n_lines - 1)))
        self._aligner = Aligner(self.case.old)

    def write(self, new: str) -> None:
        """Receive lines of the answer, and show what can be shown."""
        for line in new.split():
            self._aligner.receive_line(line)
            self.receive_ops(self._aligner.take_ops())
            self.show()

    def finish(self) -> None:
        self._aligner.finish()
        self.receive_ops(self._aligner.take_ops())
        self.show()

    def type(self, line: int, column: int, text: str, *, n_deleted: int = 0) -> None:
        self.replace_text(self.client.offset((line, column)), n_deleted, text)

    def reject(self) -> None:
        self.send(self.scope.revert_all())

    @property
    def words(self) -> str:
        return " ".join(self.client.lines).removesuffix(" the end")

    @property
    def clashes(self) -> list[tuple[str, str]]:
        lines = self.client.lines
        return [(" ".join(lines[each.start : each.end]), each.proposed) for each in self.scope.clashes()]


def landed(old: str, new: str, **around: str) -> Edit:
    edit = Edit(old, **around)
    edit.write(new)
    edit.finish()
    return edit


# A changed line that comes as itself


def test_a_changed_line_that_comes_as_itself_was_never_changed() -> None:
    edit = Edit("alpha beta gamma")
    edit.write("alpha betas")
    assert edit.words == "alpha betas gamma"
    edit.write("NEW beta gamma")
    edit.finish()
    assert edit.words == "alpha betas NEW beta gamma"
    assert [(hunk.start, hunk.end, hunk.removed) for hunk in edit.scope.hunks()] == [(1, 3, ())]
    edit.reject()
    assert edit.words == "alpha beta gamma"


def test_where_the_user_took_back_that_it_came_it_comes_back_with_the_rest() -> None:
    edit = Edit("alpha beta gamma")
    edit.write("alpha betas beta")
    edit.undo(as_whole=False)
    edit.finish()
    edit.reject()
    assert edit.words == "alpha beta gamma"


def test_a_part_that_is_kept_ends_with_it() -> None:
    edit = Edit("alpha beta gamma")
    edit.write("alpha betas")
    edit.receive_ops([Insert("beta", 1), Insert("more")])
    edit.send(edit.scope.keep_part())
    assert edit.words == "alpha betas beta gamma"


def test_what_the_user_typed_in_it_stays_in_it() -> None:
    edit = Edit("alpha beta gamma")
    edit.type(1, 4, "!")
    edit.write("alpha betas")
    assert edit.words == "alpha beta! gamma"
    edit.write("beta gamma")
    edit.finish()
    assert edit.words == "alpha betas beta! gamma"
    assert edit.clashes == []


def test_one_that_the_user_deleted_does_not_come_back() -> None:
    edit = Edit("alpha beta gamma")
    edit.type(1, 0, "", n_deleted=5)
    edit.write("alpha betas beta gamma")
    edit.finish()
    assert edit.words == "alpha betas gamma"
    assert edit.clashes == []


def test_where_the_user_took_the_change_back_it_is_there_once() -> None:
    edit = Edit("alpha beta gamma")
    edit.write("alpha betas")
    edit.undo(as_whole=False)
    edit.write("beta gamma")
    edit.finish()
    assert edit.words == "alpha beta gamma"


def test_what_the_user_typed_in_the_line_above_it_stays_there() -> None:
    edit = Edit("alpha beta gamma")
    edit.write("alpha betas")
    edit.type(1, 5, "!")
    edit.write("beta gamma")
    edit.finish()
    assert edit.words == "alpha betas! beta gamma"
    edit.reject()
    assert edit.words == "alpha betas! beta gamma"


def test_lines_the_user_opened_below_it_stay_above_it() -> None:
    edit = Edit("alpha beta gamma")
    edit.write("alpha betas")
    edit.type(1, 5, "\ntyped")
    edit.write("beta gamma")
    edit.finish()
    assert edit.words == "alpha betas typed beta gamma"
    edit.reject()
    assert edit.words == "alpha typed beta gamma"


# What is in review


def test_hunks_say_what_was_removed_and_where_the_new_lines_stand() -> None:
    edit = landed("alpha beta gamma delta epsilon", "alpha NEW gamma epsilon")
    hunks = [(hunk.start, hunk.end, hunk.removed) for hunk in edit.scope.hunks()]
    assert hunks == [(1, 2, ("beta\n",)), (3, 3, ("delta\n",))]


def test_line_edits_of_neighbours_are_one_edit() -> None:
    edit = Edit("one two")
    edit.receive_ops([Insert("three"), Insert("four"), Delete(2)])
    edit.show()
    (batch,) = edit.client.batches
    assert len(batch) == 1
    assert edit.words == "three four"


def test_a_new_line_the_user_changed_survives_a_reject_and_is_left_to_decide() -> None:
    edit = landed("alpha gamma", "alpha BETA gamma")
    edit.type(1, 4, "!")
    edit.reject()
    assert edit.words == "alpha BETA! gamma"
    assert [(hunk.start, hunk.end) for hunk in edit.scope.hunks()] == [(1, 2)]


def test_a_part_is_kept_up_to_the_last_kept_line_though_it_was_not_shown_yet() -> None:
    edit = Edit("alpha beta gamma")
    edit.receive_ops([Insert("NEW"), Keep(2), Insert("rest")])
    edit.send(edit.scope.keep_part())
    assert edit.words == "NEW alpha beta gamma"


# A line the user touched


def test_a_line_the_user_changed_stays_and_is_reported() -> None:
    edit = Edit("alpha beta gamma")
    edit.type(1, 4, "!")
    edit.write("alpha betas gamma")
    edit.finish()
    assert edit.words == "alpha beta! gamma"
    assert edit.clashes == [("beta!", "betas")]


def test_a_line_that_reads_as_before_again_was_not_touched() -> None:
    edit = Edit("alpha beta gamma")
    edit.type(1, 4, "!")
    edit.type(1, 4, "", n_deleted=1)
    edit.write("alpha betas gamma")
    edit.finish()
    assert edit.words == "alpha betas gamma"
    assert edit.clashes == []


def test_a_line_the_user_changed_to_what_the_answer_wants_is_no_clash() -> None:
    edit = Edit("alpha beta gamma")
    edit.type(1, 4, "s")
    edit.write("alpha betas gamma")
    edit.finish()
    assert edit.words == "alpha betas gamma"
    assert edit.clashes == []
    edit.reject()
    assert edit.words == "alpha betas gamma"


def test_a_touched_line_of_a_replaced_block_is_below_its_replacement() -> None:
    """The new lines were shown before anybody could know that the old one was to go."""
    edit = Edit("alpha beta gamma delta")
    edit.type(2, 5, "!")
    edit.write("alpha ONE TWO delta")
    edit.finish()
    assert edit.words == "alpha ONE TWO gamma! delta"
    assert edit.clashes == [("gamma!", "")]


def test_a_change_of_a_line_the_user_deleted_is_reported_where_it_was() -> None:
    edit = Edit("alpha beta gamma")
    edit.type(1, 0, "", n_deleted=5)
    edit.receive_ops([Keep(1), Change(1, "betas"), Keep(3)])
    edit.show()
    assert edit.words == "alpha gamma"
    assert edit.clashes == [("", "betas")]


def test_a_line_that_is_to_go_and_that_the_user_deletes_after_all_is_no_clash() -> None:
    edit = Edit("alpha beta gamma")
    edit.type(1, 4, "!")
    edit.write("alpha gamma")
    assert edit.clashes == [("beta!", "")]
    edit.type(1, 0, "", n_deleted=6)
    assert edit.clashes == []


# Splitting, joining, moving, rewriting


def test_the_first_half_of_a_split_line_continues_as_that_line() -> None:
    edit = Edit("alpha beta gamma")
    edit.type(1, 2, "\n")
    edit.write("alpha gamma")
    edit.finish()
    assert edit.words == "alpha be ta gamma"
    assert edit.clashes == [("be", "")]


def test_a_split_line_that_is_joined_again_is_as_it_was() -> None:
    edit = Edit("alpha beta gamma")
    edit.type(1, 2, "\n")
    edit.type(1, 2, "", n_deleted=1)
    edit.write("alpha gamma")
    edit.finish()
    assert edit.words == "alpha gamma"


def test_joined_lines_continue_as_the_first_of_them() -> None:
    edit = Edit("alpha beta gamma delta")
    edit.type(1, 4, "", n_deleted=1)
    edit.write("alpha betas delta")
    edit.finish()
    assert edit.words == "alpha betagamma delta"
    assert edit.clashes == [("betagamma", "betas")]


def test_a_moved_line_is_the_users() -> None:
    edit = Edit("alpha beta gamma delta")
    edit.type(1, 0, "", n_deleted=5)
    edit.type(2, 0, "beta\n")
    edit.write("alpha delta")
    edit.finish()
    assert edit.words == "alpha beta delta"


def test_a_line_that_was_doubled_is_the_old_one_and_one_of_the_users() -> None:
    edit = Edit("alpha beta gamma")
    edit.type(2, 0, "beta\n")
    edit.write("alpha gamma")
    edit.finish()
    assert edit.words == "alpha beta gamma"


def test_a_formatter_that_rewrites_everything_touches_only_what_it_changes() -> None:
    edit = Edit("alpha beta gamma delta", above="above")
    edit.write("alpha")
    edit.tell_whole("above\nalpha\nbeta=1\nPLUS\ngamma\ndelta=1\nthe\nend")
    edit.receive_ops([Change(1, "betas"), Delete(3), Change(3, "delta=2")])
    edit.scope.end_writing()
    edit.show()
    assert edit.words == "above alpha beta=1 PLUS delta=1"
    assert edit.clashes == [("beta=1", "betas"), ("delta=1", "delta=2")]


# The edges


def test_joining_the_scope_with_the_line_above_crosses_its_edge() -> None:
    edit = Edit("alpha", above="above", below="below")
    edit.type(0, 5, "", n_deleted=1)
    assert edit.scope.has_crossed_edge


def test_a_line_typed_right_above_or_below_the_scope_is_outside() -> None:
    edit = Edit("alpha", above="above", below="below")
    edit.type(0, 5, "\n")
    edit.type(2, 5, "\n")
    assert (edit.scope.start, edit.scope.end) == (2, 3)
    assert not edit.scope.has_crossed_edge


def test_deleting_all_of_the_scope_crosses_its_edge_and_nothing_comes_back() -> None:
    edit = Edit("alpha beta gamma", above="above", below="below")
    edit.write("alpha gamma")
    edit.type(1, 0, "", n_deleted=len("alpha\ngamma\n"))
    assert edit.scope.has_crossed_edge
    edit.reject()
    assert edit.client.text == "above\nbelow"


def test_deleting_all_of_a_scope_at_a_documents_end_crosses_its_edge_though_a_line_is_left() -> None:
    edit = Edit("alpha beta gamma", above="above", below="")
    edit.type(1, 0, "", n_deleted=len("alpha\nbeta\ngamma"))
    assert edit.client.text == "above\n"
    assert edit.scope.has_crossed_edge


def test_a_scope_that_is_undone_together_with_what_was_typed_above_it_has_nothing_to_put_back() -> None:
    edit = Edit("alpha", above="above typed")
    edit.receive_ops([Insert("NEW"), Delete(1)])
    edit.show()
    edit.tell_whole("above\n\nalpha\nthe\nend")
    assert edit.scope.hunks() == []


def test_deleting_everywhere_across_an_edge_leaves_a_scope_that_can_be_followed() -> None:
    edit = Edit("alpha beta gamma", above="above", below="below")
    edit.write("alpha NEW")
    edit.type(0, 2, "", n_deleted=len("ove\nalpha"))
    assert edit.scope.has_crossed_edge
    edit.finish()
    edit.reject()
    assert [body_of(row.text) for row in edit.scope._rows[:-1]] == ["beta", "gamma"]
    assert edit.client.text == "ab\nbeta\ngamma\nbelow"


# What was written is undone


def test_undoing_what_was_written_leaves_nothing_to_put_back() -> None:
    edit = landed("alpha beta gamma delta", "alpha NEW OTHER delta")
    edit.tell_whole("alpha\nbeta\ngamma\ndelta\nthe\nend")
    assert edit.scope.hunks() == []
    assert edit.scope.put_back().edits == ()


def test_undoing_a_deletion_brings_its_line_back_once() -> None:
    for old in ["beta alpha delta", "alpha beta delta", "alpha delta beta"]:
        edit = landed(old, "alpha delta")
        edit.undo(as_whole=False)
        assert edit.scope.hunks() == []
        edit.reject()
        assert edit.words == old


def test_lines_deleted_across_the_lower_edge_come_back_with_an_undo() -> None:
    edit = landed("alpha beta gamma", "alpha NEW", above="above", below="below end")
    edit.type(2, 0, "", n_deleted=len("NEW\nbelow\n"))
    edit.undo(as_whole=False)
    edit.reject()
    assert edit.words == "above alpha beta gamma below end"


def test_lines_deleted_across_the_upper_edge_come_back_with_an_undo() -> None:
    edit = landed("alpha beta gamma", "NEW gamma", above="top above")
    edit.type(1, 0, "", n_deleted=len("above\nNEW\n"))
    edit.undo(as_whole=False)
    assert edit.scope.start == 2
    edit.reject()
    assert edit.words == "top above alpha beta gamma"


def test_an_old_line_that_came_back_outside_is_not_put_back_a_second_time() -> None:
    edit = landed("alpha beta", "NEW beta", above="above")
    edit.replace_text(0, len("above\nNEW\n"), "above typed\nalpha\n")
    assert edit.scope.hunks() == []
    edit.reject()
    assert edit.client.text == "above typed\nalpha\nbeta\nthe\nend"


def test_what_is_undone_together_with_the_users_own_is_undone() -> None:
    edit = landed("alpha beta", "alphas beta")
    edit.type(0, len("alphas"), "\ntyp")
    edit.tell_whole("alpha\ntyped\nbeta\nthe\nend")
    assert edit.scope.hunks() == []
    edit.reject()
    assert edit.words == "alpha typed beta"


@pytest.mark.parametrize("typed", ["", "typed"])
def test_an_undo_that_is_told_together_with_a_line_typed_below_it_leaves_nothing_to_decide(
    typed: str,
) -> None:
    edit = landed("alpha beta gamma", "alpha one three two gamma")
    edit.tell_whole(f"alpha\nbeta\n{typed}\ngamma\nthe\nend")
    assert edit.scope.hunks() == []
    edit.reject()
    assert edit.words == f"alpha beta {typed} gamma"


def test_a_line_of_ours_that_was_typed_in_stays_in_review_beside_an_old_one_that_is_back() -> None:
    edit = landed("alpha beta gamma", "alpha one three gamma")
    edit.tell_whole("alpha\nbeta\nthree typed\ngamma\nthe\nend")
    assert [(hunk.start, hunk.end) for hunk in edit.scope.hunks()] == [(2, 3)]


def test_a_new_line_changed_back_to_its_old_text_counts_as_the_old_line() -> None:
    edit = landed("alpha beta gamma", "one two three gamma")
    edit.type(0, 0, "alpha", n_deleted=len("one"))
    edit.reject()
    assert edit.words == "alpha beta gamma"


def test_a_line_that_is_typed_where_it_was_removed_is_back() -> None:
    edit = landed("alpha beta gamma delta", "alpha delta")
    edit.type(1, 0, "typed\n")
    edit.type(1, 0, "gamma\n")
    edit.reject()
    assert edit.words == "alpha beta gamma typed delta"


def test_an_old_line_made_by_hand_out_of_ours_keeps_its_place_among_those_that_come_back() -> None:
    edit = landed("alpha beta gamma", "one two three gamma")
    edit.type(0, 0, "beta", n_deleted=len("one"))
    edit.reject()
    assert edit.words == "alpha beta gamma"


def test_what_was_undone_and_done_again_is_in_review_again() -> None:
    edit = landed("alpha beta gamma", "alpha betas NEW gamma")
    shown = [(hunk.start, hunk.end, hunk.removed) for hunk in edit.scope.hunks()]
    while edit.undo(as_whole=False):
        pass
    assert edit.scope.hunks() == []
    while edit.redo(as_whole=False):
        pass
    assert [(hunk.start, hunk.end, hunk.removed) for hunk in edit.scope.hunks()] == shown


def test_a_line_at_a_documents_end_is_undone_and_done_again_below_an_equal_one() -> None:
    edit = landed("", "same", above="same", below="")
    assert edit.undo(as_whole=False)
    assert edit.scope.hunks() == []
    edit.redo(as_whole=False)
    assert [hunk.start for hunk in edit.scope.hunks()] == [1]
    edit.reject()
    assert edit.words == "same"


def test_a_line_removed_at_a_documents_end_comes_and_goes_below_an_equal_one() -> None:
    edit = Edit("same", above="same", below="")
    edit.finish()
    edit.reject()
    edit.undo(as_whole=False)
    edit.reject()
    assert edit.words == "same same"


def test_what_was_undone_after_the_last_op_does_not_come_back() -> None:
    edit = landed("alpha", "alpha NEW")
    edit.scope.end_writing()
    while edit.undo(as_whole=False):
        pass
    edit.type(1, 0, "NEW\n")  # by another edit, or by hand
    assert edit.scope.hunks() == []
    edit.reject()
    assert edit.words == "alpha NEW"


def test_an_old_line_that_goes_once_all_was_undone_was_not_removed_by_us() -> None:
    edit = landed("alpha beta", "alphas beta")
    edit.scope.end_writing()
    while edit.undo(as_whole=False):
        pass
    edit.type(0, 0, "", n_deleted=len("alpha\n"))
    assert edit.scope.hunks() == []
    edit.type(0, 0, "alpha\n")
    edit.reject()
    assert edit.words == "alpha beta"


def test_an_old_line_the_user_deleted_and_brought_back_is_an_old_line() -> None:
    edit = Edit("alpha beta gamma")
    edit.type(1, 0, "", n_deleted=5)
    edit.undo(as_whole=False)
    edit.write("alpha gamma")
    edit.finish()
    assert edit.words == "alpha gamma"


def test_an_empty_line_opened_where_one_was_removed_is_the_users_once_it_is_typed_in() -> None:
    edit = Edit("alpha  beta")
    edit.receive_ops([Keep(1), Delete(2), Keep(3)])
    edit.show()
    edit.type(1, 0, "\n")
    assert edit.scope.hunks() == []
    edit.type(1, 0, "typed")
    edit.reject()
    assert edit.words == "alpha  typed beta"

"""Changes of thousands of lines: an undo is recognized by its complete text, and too long ones are not tracked."""

from __future__ import annotations

from collections.abc import Sequence

from twospeed.stream import LiveScope
from twospeed.stream.ops import Change, Delete, Insert, Keep, Op
from twospeed.stream.scope.line_pairs import MAX_ALIGNED
from twospeed.stream.scope.live_scope import MAX_FOLLOWED
from twospeed.stream.scope.typed_rows import MAX_MATCHED
from twospeed.text.document import Splice

MANY = MAX_MATCHED + 500
LINES = [f"line_{k}()\n" for k in range(MANY)]


def applied(ops: Sequence[Op], lines: Sequence[str] = LINES) -> LiveScope:
    live = LiveScope(lines, 10)
    live.receive_ops(ops)
    batch = live.next_batch()
    assert batch
    live.commit(batch)
    live.end_writing()
    return live


def test_the_undo_of_a_long_removal_is_matched() -> None:
    live = applied([Keep(1), Delete(MANY - 1), Keep(MANY)])
    live.follow(Splice(11, 0, tuple(LINES[1:-1])))
    assert live.was_undone
    assert not live.has_hunks
    assert (live.start, live.end) == (10, 10 + MANY)


def test_the_undo_of_a_long_insertion_is_matched() -> None:
    live = applied([Keep(1), *(Insert(f"new_{k}()") for k in range(MANY))])
    live.follow(Splice(11, MANY, ()))
    assert live.was_undone
    assert not live.has_hunks


def test_the_undo_of_many_changed_lines_is_matched() -> None:
    live = applied([Change(k, f"new_{k}()") for k in range(MANY)])
    live.follow(Splice(10, MANY, tuple(LINES)))
    assert live.was_undone
    assert not live.has_hunks


def test_a_part_of_a_long_removal_restored_below_the_scope_is_outside() -> None:
    live = applied([Keep(1), Delete(MANY)])
    live.follow(Splice(11, 0, tuple(LINES[1:9])))
    assert (live.start, live.end) == (10, 11)
    assert [edit.lines for edit in live.revert_hunks().edits] == [tuple(LINES[1:])]


def test_lines_of_a_long_change_are_paired_by_position() -> None:
    n = MAX_ALIGNED // 2 + 1
    live = LiveScope(LINES[: n + 1], 10)
    live.follow(Splice(10, n, tuple(f"typed_{k}()\n" for k in range(n))))
    live.receive_ops([Change(0, "new()"), Change(n, "last()")])
    batch = live.next_batch()
    assert batch
    assert [(edit.start, edit.lines) for edit in batch.edits] == [(10 + n, ("last()",))]
    live.commit(batch)
    assert [(clash.start, clash.proposed) for clash in live.clashes()] == [(10, "new()")]


def test_a_change_of_more_than_max_followed_lines_ends_the_edit() -> None:
    lines = [f"line_{k}()\n" for k in range(MAX_FOLLOWED)]
    live = applied([Change(0, "new()")], lines)
    live.follow(Splice(11, MAX_FOLLOWED - 2, ("a\n", "b\n", "c\n")))
    assert live.has_crossed_edge
    assert live.has_lost_track
    assert (live.start, live.end) == (10, 10)
    assert not live.hunks()
    assert not live.revert_all().edits

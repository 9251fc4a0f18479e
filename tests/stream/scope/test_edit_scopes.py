"""A scope and an import block as one: what an undo and a merged edit mean for both."""

from __future__ import annotations

from collections.abc import Sequence

from twospeed.stream import EditScopes, LiveScope
from twospeed.stream.aligner import aligned
from twospeed.text.document import Splice

OLD_BLOCK, NEW_BLOCK = ("import os",), ("import os", "import re")
OLD, NEW = ("def f():", "    old"), ("def f(a):", "    old", "    new")


class Written:
    """A document with an import block and a scope; both may touch."""

    def __init__(self, between: Sequence[str] = ("",)) -> None:
        self.lines = with_ends((*OLD_BLOCK, *between, *OLD))
        self.main = LiveScope(with_ends(OLD), 1 + len(between))
        self.scopes = EditScopes(self.main)

    def write_scope(self) -> None:
        self.main.receive_ops([*aligned(OLD, NEW)])
        self.main.end_writing()
        self.show()

    def write_block(self) -> None:
        block = LiveScope(with_ends(OLD_BLOCK), 0)
        block.receive_ops([*aligned(OLD_BLOCK, NEW_BLOCK)])
        block.end_writing()
        self.scopes.set_imports(block)
        self.show()

    def show(self) -> None:
        if batch := self.scopes.next_batch():
            for edit in reversed(batch.edits):
                self.lines[edit.start : edit.start + edit.count] = with_ends(edit.lines)
            self.scopes.commit(batch)

    def change(self, start: int, count: int, *new: str) -> None:
        splice = Splice(start, count, tuple(with_ends(new)))
        self.lines[start : start + count] = splice.lines
        self.scopes.follow(splice)


def with_ends(lines: Sequence[str]) -> list[str]:
    return [line.rstrip("\n") + "\n" for line in lines]


def test_deleting_the_last_new_line_of_the_scope_is_no_undo_while_its_import_is_there() -> None:
    written = Written()
    written.main.receive_ops([*aligned(OLD, (*OLD, "    new"))])
    written.main.end_writing()
    written.show()
    written.write_block()
    written.change(5, 1)
    assert written.main.was_undone
    assert not written.scopes.was_undone


def test_an_undo_of_the_batch_with_the_imports_is_an_undo() -> None:
    written = Written()
    written.write_scope()
    written.write_block()
    written.change(1, 1)
    assert written.scopes.was_undone


def test_an_undo_of_a_batch_of_both_scopes_is_one_once_both_are_undone() -> None:
    written = Written()
    written.main.receive_ops([*aligned(OLD, NEW)])
    written.main.end_writing()
    written.write_block()
    written.change(3, 3, *OLD)
    assert not written.scopes.was_undone
    written.change(1, 1)
    assert written.scopes.was_undone


def test_an_undo_of_a_merged_edit_leaves_no_hunk_in_scopes_that_touch() -> None:
    written = Written(between=())
    written.main.receive_ops([*aligned(OLD, ("def f(a):", "    old"))])
    written.main.end_writing()
    written.write_block()
    assert written.lines == with_ends((*NEW_BLOCK, "def f(a):", "    old"))
    written.change(1, 2, "def f():")
    assert not written.scopes.has_hunks
    assert not written.scopes.has_lost_track
    assert not written.scopes.has_crossed_edge
    assert written.scopes.was_undone


def test_scopes_that_touch_keep_their_order_when_both_become_empty() -> None:
    scopes = EditScopes(main := LiveScope(["a\n"], 0))
    block = LiveScope(["b\n"], 1)
    scopes.set_imports(block)
    for scope, old in ((main, "a"), (block, "b")):
        scope.receive_ops([*aligned((old,), ())])
        scope.end_writing()
    batch = scopes.next_batch()
    assert batch
    scopes.commit(batch)
    assert [edit.lines for edit in scopes.revert_hunks().edits] == [("a\n", "b\n")]

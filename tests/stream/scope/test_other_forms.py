"""The form of a written answer is replaced: the difference is one batch, and what the user typed stays."""

from __future__ import annotations

import random

import pytest

from twospeed.stream import LiveScope, ScopeBatch
from twospeed.stream.aligner import aligned
from twospeed.text.document import Splice
from twospeed.text.edits import apply_line_edits

WORDS = ["a", "b", "c", "d", "e", ""]


class Written:
    """A scope whose answer is written in several batches."""

    def __init__(self, old: list[str], new: list[str], seed: int = 0) -> None:
        self.old = [f"{line}\n" for line in old]
        self.lines = list(self.old)
        self.scope = LiveScope(self.old, 0)
        choose = random.Random(seed)
        for op in aligned(old, new):
            self.scope.receive_ops([op])
            if choose.random() < 0.5:
                self.show()
        self.scope.end_writing()
        self.show()

    def show(self) -> ScopeBatch | None:
        """Apply the next batch."""
        batch = self.scope.next_batch()
        return self.apply(batch) if batch else None

    def apply(self, batch: ScopeBatch) -> ScopeBatch:
        self.lines = apply_line_edits([*self.lines, ""], batch.edits, "\n")[:-1]
        self.scope.commit(batch)
        assert len(self.lines) == self.scope.end
        return batch

    def replace(self, old: list[str], form: list[str]) -> bool:
        return self.scope.replace_answer(aligned(old, form))

    def type(self, start: int, count: int, *lines: str) -> None:
        new = tuple(f"{line}\n" for line in lines)
        self.lines[start : start + count] = new
        self.scope.follow(Splice(start, count, new))

    @property
    def text(self) -> list[str]:
        return [line.rstrip("\n") for line in self.lines]


def some_lines(choose: random.Random) -> list[str]:
    return [choose.choice(WORDS) for _ in range(choose.randrange(8))]


@pytest.mark.parametrize("seed", range(300))
def test_the_scope_takes_the_other_form_and_can_be_reverted(seed: int) -> None:
    choose = random.Random(seed)
    old, new, form = (some_lines(choose) for _ in range(3))
    written = Written(old, new, seed)
    assert written.text == new
    assert written.replace(old, form)
    written.show()
    assert written.text == form
    assert written.scope.n_waiting == 0
    assert not written.scope.was_undone
    written.apply(written.scope.revert_all())
    assert written.text == old


def test_only_the_difference_is_sent() -> None:
    written = Written(["a", "b", "c"], ["a=1", "b", "c=3"])
    written.replace(["a", "b", "c"], ["a=1", "b", "c = 3"])
    batch = written.show()
    assert batch
    assert [(edit.start, edit.lines) for edit in batch.edits] == [(2, ("c = 3",))]


def test_a_line_that_equals_its_old_line_again_is_no_hunk() -> None:
    written = Written(["a = 1", "b"], ["a=1", "c"])
    written.replace(["a = 1", "b"], ["a = 1", "c"])
    written.show()
    assert [hunk.removed for hunk in written.scope.hunks()] == [("b\n",)]


def test_an_old_line_that_the_user_changed_stays() -> None:
    written = Written(["one", "two", "b"], ["one", "two", "b=2"])
    written.type(0, 1, "one  # mine")
    assert written.replace(["one", "two", "b"], ["one", "two", "b = 2"])
    written.show()
    assert written.text == ["one  # mine", "two", "b = 2"]
    written.apply(written.scope.revert_all())
    assert written.text == ["one  # mine", "two", "b"]


@pytest.mark.parametrize("typed", [("a=1  # mine",), (), ("mine", "a=1")])
def test_after_typing_among_the_written_lines_the_form_stays(typed: tuple[str, ...]) -> None:
    written = Written(["a", "b"], ["a=1", "b=2"])
    written.type(0, 1, *typed)
    assert not written.replace(["a", "b"], ["a = 1", "b = 2"])
    assert written.show() is None
    assert written.text == [*typed, "b=2"]


def test_a_line_that_is_changed_before_the_batch_is_built_keeps_the_form() -> None:
    written = Written(["a", "b"], ["a=1", "b=2"])
    assert written.replace(["a", "b"], ["a = 1", "b = 2"])
    written.type(0, 1, "a=1  # mine")
    assert written.show() is None
    assert (written.text, written.scope.n_waiting) == (["a=1  # mine", "b=2"], 0)


def test_an_answer_of_which_nothing_is_written_takes_the_form_at_once() -> None:
    scope = LiveScope(["count = 0\n", "b\n"], 0)
    scope.receive_ops(aligned(["count = 0", "b"], ["count=1", "b"]))
    assert scope.replace_answer(aligned(["count = 0", "b"], ["count = 1", "b"]))
    assert scope.n_waiting == 1
    batch = scope.next_batch()
    assert batch
    assert [edit.lines for edit in batch.edits] == [("count = 1",)]


def test_an_answer_that_is_partly_written_is_completed_in_the_other_form() -> None:
    written = Written(["a", "b"], ["a", "b"])
    written.scope = LiveScope(written.old, 0)
    written.scope.receive_ops(aligned(["a", "b"], ["a=1", "b=2"])[:1])
    written.scope.receive_ops(aligned(["a", "b"], ["a=1", "b=2"])[1:])
    written.show()
    written.scope.receive_ops([])
    assert written.replace(["a", "b"], ["a = 1", "b = 2"])
    written.show()
    assert written.text == ["a = 1", "b = 2"]


def test_keeping_a_part_keeps_what_is_written() -> None:
    written = Written(["a", "b", "c"], ["a=1", "b", "c=3"])
    written.replace(["a", "b", "c"], ["a = 1", "b", "c = 3"])
    written.apply(written.scope.keep_part())
    assert written.text == ["a=1", "b", "c"]


def test_a_copy_builds_the_same_batch() -> None:
    written = Written(["a", "b"], ["a=1", "b"])
    written.replace(["a", "b"], ["a = 1", "b"])
    copied = written.scope.copy()
    written.scope.forget_waiting()
    batch = copied.next_batch()
    assert batch
    assert [edit.lines for edit in batch.edits] == [("a = 1",)]
    assert written.show() is None

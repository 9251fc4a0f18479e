"""The laws of an edit with two scopes: a scope and an import block, in any order, apart or touching, perhaps empty."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from twospeed.stream import EditScopes, LiveScope
from twospeed.stream.aligner import aligned
from twospeed.stream.ops import Op
from twospeed.text.document import Splice


@dataclass(frozen=True)
class Place:
    """The lines of a scope before and after the edit, and with another answer."""

    old: tuple[str, ...]
    new: tuple[str, ...]
    other: tuple[str, ...]

    def ops(self) -> list[Op]:
        return [*aligned(self.old, self.new)]

    def other_ops(self) -> list[Op]:
        return [*aligned(self.old, self.other)]


@dataclass(frozen=True)
class Pair:
    """A document with two places."""

    above: tuple[str, ...]
    first: Place
    between: tuple[str, ...]
    last: Place
    below: tuple[str, ...]
    is_block_first: bool

    def lines(self, which: str) -> list[str]:
        parts = (
            self.above,
            getattr(self.first, which),
            self.between,
            getattr(self.last, which),
            self.below,
        )
        return [line for part in parts for line in part]

    @property
    def main(self) -> Place:
        return self.last if self.is_block_first else self.first

    @property
    def block(self) -> Place:
        return self.first if self.is_block_first else self.last


@st.composite
def places(draw: st.DrawFn, name: str) -> Place:
    old = tuple(f"{name}{n}" for n in range(draw(st.integers(0, 5))))
    return Place(old, draw(answers(name, "new", old)), draw(answers(name, "other", old)))


@st.composite
def answers(draw: st.DrawFn, name: str, kind: str, old: tuple[str, ...]) -> tuple[str, ...]:
    """Draw an answer: some old lines in their order, with other lines among them."""
    lines: list[str] = []
    for number in range(len(old) + 1):
        lines += [f"{name}.{kind}{number}.{n}" for n in range(draw(st.sampled_from([0, 0, 0, 1, 2])))]
        lines += old[number : number + draw(st.sampled_from([1, 1, 0]))]
    return tuple(lines)


@st.composite
def pairs(draw: st.DrawFn) -> Pair:
    def others(name: str) -> tuple[str, ...]:
        return tuple(f"{name}{n}" for n in range(draw(st.sampled_from([0, 0, 1, 3]))))

    main, block, between = draw(places("main")), draw(places("block")), others("between")
    # An answer with imports has code too, and keeps the imports that it adds: neither place becomes empty.
    main = Place(main.old, main.new or ("main.new",), main.other or ("main.other",))
    block = Place(block.old, block.new or ("block.new",), block.other or block.old)
    # A file without imports gets them at its head: an empty block is never directly below the scope.
    is_block_first = draw(st.booleans()) or not (between or (block.old and block.other))
    first, last = (block, main) if is_block_first else (main, block)
    return Pair(others("above"), first, between, last, others("below"), is_block_first)


@dataclass
class Edited:
    """An edit of both places in a document that the user changes too."""

    pair: Pair
    lines: list[str] = field(init=False)
    scopes: EditScopes = field(init=False)
    done: list[list[Splice]] = field(default_factory=list)
    n_typed: int = 0

    def __post_init__(self) -> None:
        pair = self.pair
        self.lines = [f"{line}\n" for line in pair.lines("old")]
        first = len(pair.above)
        last = first + len(pair.first.old) + len(pair.between)
        main, block = (last, first) if pair.is_block_first else (first, last)
        self.main = self._scope(pair.main, main)
        self.block = self._scope(pair.block, block)
        self.waiting = pair.main.ops()
        self.scopes = EditScopes(self.main)

    def _scope(self, place: Place, start: int) -> LiveScope:
        return LiveScope([f"{line}\n" for line in place.old], start)

    @property
    def bodies(self) -> list[str]:
        return [line.rstrip("\n") for line in self.lines]

    @property
    def untyped(self) -> list[str]:
        return [line for line in self.bodies if "«" not in line]

    def receive(self, n: int) -> None:
        """Receive some ops of the scope."""
        ops, self.waiting = self.waiting[:n], self.waiting[n:]
        self.scopes.main.receive_ops(ops)

    def place_block(self) -> None:
        self.block.receive_ops(self.pair.block.ops())
        self.block.end_writing()
        self.scopes.set_imports(self.block)

    def show(self, batch: Any) -> None:
        """Apply a batch to the document, if it is sorted, disjoint and inside its scopes."""
        if batch is None:
            return
        ends = [(edit.start, edit.start + edit.count) for edit in batch.edits]
        assert all(end <= start for (_, end), (start, _) in pairwise(ends))
        for start, end in ends:
            assert any(low <= start <= end <= high for low, high in self.scopes.spans), (
                ends,
                self.scopes.spans,
            )
        undo, growth = [], 0
        for edit in batch.edits:
            removed = self.lines[edit.start + growth : edit.start + growth + edit.count]
            undo.append(Splice(edit.start + growth, len(edit.lines), tuple(removed)))
            new = tuple(line if line.endswith("\n") else f"{line}\n" for line in edit.lines)
            written = Splice(edit.start + growth, edit.count, new)
            self.lines[written.start : written.end] = new
            if self.scopes.imports is None and not self.pair.is_block_first:
                self.block.follow(written)
            growth += len(edit.lines) - edit.count
        if undo:
            self.done.append(undo[::-1])
        self.scopes.commit(batch)

    def change(self, splice: Splice) -> None:
        """Apply a change of the user."""
        self.lines[splice.start : splice.end] = splice.lines
        self.scopes.follow(splice)
        if self.scopes.imports is None:
            self.block.follow(splice)

    def type_line(self, place: int) -> None:
        self.n_typed += 1
        self.change(Splice(place % (len(self.lines) + 1), 0, (f"«{self.n_typed}»\n",)))

    def replace_lines(self, place: int, count: int, n_new: int) -> None:
        start = place % (len(self.lines) + 1)
        count = min(count, len(self.lines) - start)
        self.n_typed += 1
        new = tuple(f"«{self.n_typed}.{n}»\n" for n in range(n_new))
        self.change(Splice(start, count, new))

    def undo(self) -> None:
        """Undo the newest batch as an editor does."""
        for splice in self.done.pop():
            self.change(splice)

    def check_rows(self) -> None:
        """Check that both scopes know their lines, and do not overlap."""
        scopes = self.scopes.scopes
        for scope in scopes:
            rows = [row.text.rstrip("\n") for row in scope._rows[:-1]]
            assert rows == self.bodies[scope.start : scope.end]
        if len(scopes) > 1:
            assert scopes[0].end <= scopes[1].start


STEPS = st.lists(st.tuples(st.sampled_from(["ops", "show", "type"]), st.integers(0, 60)), max_size=12)


def written(pair: Pair, steps: list[tuple[str, int]], later: list[int]) -> Edited:
    """Write both places while the user types lines anywhere, and then type more."""
    edit = Edited(pair)
    for kind, number in steps:
        if kind == "ops":
            edit.receive(number % 4)
        elif kind == "show":
            edit.show(edit.scopes.next_batch())
        else:
            edit.type_line(number)
        edit.check_rows()
    edit.receive(len(edit.waiting))
    edit.main.end_writing()
    edit.place_block()
    edit.show(edit.scopes.next_batch())
    for place in later:
        edit.type_line(place)
        edit.check_rows()
    return edit


LATER = st.lists(st.integers(0, 60), max_size=6)


@given(pairs(), STEPS, LATER)
def test_the_document_becomes_both_answers_and_what_was_typed(
    pair: Pair, steps: list[Any], later: list[int]
) -> None:
    edit = written(pair, steps, later)
    assert edit.untyped == pair.lines("new")
    assert len(edit.bodies) == len(edit.untyped) + edit.n_typed
    assert edit.scopes.clashes() == []


@given(pairs(), STEPS, LATER)
def test_a_revert_restores_both_old_texts_and_keeps_what_was_typed(
    pair: Pair, steps: list[Any], later: list[int]
) -> None:
    edit = written(pair, steps, later)
    edit.show(edit.scopes.revert_hunks())
    assert edit.untyped == pair.lines("old")
    assert len(edit.bodies) == len(edit.untyped) + edit.n_typed
    assert not edit.scopes.has_hunks


@given(pairs(), STEPS, LATER, st.booleans())
def test_one_place_is_reverted_without_the_other(
    pair: Pair, steps: list[Any], later: list[int], of_imports: bool
) -> None:
    edit = written(pair, steps, later)
    edit.show(edit.scopes.revert_hunks(lambda number: (number < 0) is of_imports))
    edit.check_rows()
    first = "old" if of_imports is pair.is_block_first else "new"
    last = "new" if of_imports is pair.is_block_first else "old"
    parts = (pair.above, getattr(pair.first, first), pair.between, getattr(pair.last, last), pair.below)
    assert edit.untyped == [line for part in parts for line in part]


@given(pairs(), STEPS, LATER)
def test_hunks_are_where_their_lines_are(pair: Pair, steps: list[Any], later: list[int]) -> None:
    edit = written(pair, steps, later)
    hunks = edit.scopes.hunks()
    assert [hunk.start for hunk in hunks] == sorted(hunk.start for hunk in hunks)
    for hunk in reversed(hunks):
        new = [line for line in hunk.removed if line]
        kept = [line for line in edit.lines[hunk.start : hunk.end] if "«" in line]
        edit.lines[hunk.start : hunk.end] = [*new, *kept]
    assert edit.untyped == pair.lines("old")


@given(pairs(), STEPS, LATER)
def test_another_answer_replaces_both_places(pair: Pair, steps: list[Any], later: list[int]) -> None:
    edit = written(pair, steps, later)
    edit.show(edit.scopes.other_answer(pair.main.other_ops(), pair.block.other_ops()))
    edit.check_rows()
    is_block_written = edit.block.has_written
    block = pair.block.other if is_block_written else pair.block.new
    first, last = (block, pair.main.other) if pair.is_block_first else (pair.main.other, block)
    parts = (pair.above, first, pair.between, last, pair.below)
    assert edit.untyped == [line for part in parts for line in part]


@given(pairs(), STEPS)
def test_an_undo_of_all_batches_leaves_nothing_to_decide(pair: Pair, steps: list[Any]) -> None:
    edit = written(pair, [step for step in steps if step[0] != "type"], [])
    while edit.done:
        edit.undo()
    assert edit.untyped == pair.lines("old")
    assert not edit.scopes.has_hunks


CHANGES = st.lists(
    st.tuples(st.integers(0, 60), st.integers(0, 4), st.integers(0, 3), st.booleans()), max_size=8
)


@given(pairs(), CHANGES, CHANGES)
def test_no_change_of_the_user_is_lost_whatever_they_delete(
    pair: Pair, during: list[Any], later: list[Any]
) -> None:
    edit = Edited(pair)

    def change(steps: list[Any]) -> None:
        for place, count, n_new, is_shown in steps:
            edit.replace_lines(place, count, n_new)
            typed = [line for line in edit.bodies if "«" in line]
            if is_shown and not edit.scopes.has_crossed_edge:
                edit.receive(2)
                edit.show(edit.scopes.next_batch())
            assert [line for line in edit.bodies if "«" in line] == typed
            edit.check_rows()

    change(during)
    edit.place_block()
    change(later)
    typed = [line for line in edit.bodies if "«" in line]
    edit.scopes.forget_waiting()
    edit.show(edit.scopes.revert_hunks())
    assert [line for line in edit.bodies if "«" in line] == typed
    assert not [line for line in edit.bodies if ".new" in line]

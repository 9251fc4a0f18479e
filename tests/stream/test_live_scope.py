"""The laws of a streamed edit, checked by a client that knows nothing of the engine."""

from __future__ import annotations

import itertools
import operator
from dataclasses import dataclass, field, replace
from functools import partial

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from twospeed.stream.aligner import Aligner
from twospeed.stream.live_scope import LiveScope
from twospeed.text.document import ContentChange, Document
from twospeed.text.edits import LineEdit
from twospeed.text.line_blocks import Lines
from twospeed.text.lines import split_lines
from twospeed.text.positions import Position, Range

old_line = st.sampled_from(["a()", "b()", "    c = 1", "    c = 2", "}", "", "é😋 = c", "return a"])
new_line = st.sampled_from(["a()", "b()", "    c = 1", "    c = 3", "}", "", "é😋 = d", "x = 1", "return a"])
old_lines = st.lists(old_line, max_size=10)
new_lines = st.lists(new_line, min_size=1, max_size=10)
eols = st.sampled_from(["\n", "\r\n", "\r"])


@dataclass
class Client:
    """A document somewhere else: it takes versioned LSP edits and types."""

    text: str
    version: int = 1

    def offset(self, position: Position) -> int:
        lines = split_lines(self.text)
        assert 0 <= position.line < len(lines)
        body = lines[position.line].rstrip("\r\n")
        raw = body.encode("utf-16-le")
        assert 0 <= position.character * 2 <= len(raw), "a column beyond the line"
        column = len(raw[: position.character * 2].decode("utf-16-le"))
        return sum(map(len, lines[: position.line])) + column

    def apply(self, edits: list, version: int) -> None:
        assert version == self.version
        assert edits, "an empty batch was sent"
        spans = [(self.offset(e.range.start), self.offset(e.range.end), e.new_text) for e in edits]
        for (_, end, _), (start, _, _) in itertools.pairwise(spans):
            assert end <= start, "edits overlap or are not sorted"
        for start, end, new in reversed(spans):
            assert start != end or new, "an edit that does nothing"
            assert self.text[start:end] != new, "an edit that changes nothing"
            self.text = self.text[:start] + new + self.text[end:]
        self.version += 1


@dataclass
class Session:
    """The wiring the server does: one scope in one document, shown to one client."""

    before: list[str]
    old: list[str]
    after: list[str]
    eol: str
    final_eol: bool = True
    document: Document = field(init=False)

    def __post_init__(self) -> None:
        lines = [*self.before, *self.old, *self.after]
        text = self.eol.join(lines) + (self.eol if self.final_eol and lines else "")
        self.client = Client(text)
        self.document = Document.opened("file:///a", 1, "", text, "utf-16")
        start = len(self.before)
        scope_lines = self.document.lines[start : start + len(self.old)]
        self.scope = LiveScope(scope_lines, start)
        self.aligner = Aligner(self.old)
        self.n_batches = 0

    def write(self, line: str) -> None:
        self.aligner.receive_line(line)
        self.scope.receive_ops(self.aligner.take_ops())

    def end(self) -> None:
        self.aligner.finish()
        self.scope.receive_ops(self.aligner.take_ops())

    def flush(self) -> None:
        if batch := self.scope.next_batch():
            self.show(batch)

    def show(self, batch) -> None:
        if wire := self.document.text_edits(batch.edits):
            for edit in batch.edits:
                assert self.scope.start <= edit.start <= edit.start + edit.count <= self.scope.end
            self.client.apply(wire, self.document.version)
            self.document = self.reopened()
            self.n_batches += 1
        self.scope.commit(batch)

    def reopened(self) -> Document:
        lines = Lines.of(split_lines(self.client.text))
        return replace(self.document, version=self.client.version, lines=lines)

    def type(self, change: ContentChange) -> None:
        document, splice = self.document.changed(change)
        self.client.text, self.client.version = document.text, self.client.version + 1
        self.document = self.reopened()
        if splice:
            self.scope.follow(splice)

    @property
    def scope_lines(self) -> list[str]:
        lines = self.document.lines[self.scope.start : self.scope.end]
        return [line.rstrip("\r\n") for line in lines]


@st.composite
def sessions(draw: st.DrawFn) -> Session:
    before, old, after = (
        draw(st.lists(old_line, max_size=3)),
        draw(old_lines),
        draw(st.lists(old_line, max_size=3)),
    )
    return Session(before, old, after, draw(eols), draw(st.booleans()))


def document_text(session: Session, scope: list[str]) -> str:
    lines = [*session.before, *scope, *session.after]
    return session.eol.join(lines) + (session.eol if session.final_eol and (lines or scope) else "")


def expected_text(session: Session, new: list[str]) -> str:
    """What stands in the document when the whole scope is replaced, worked out on lists of lines."""
    lines = [*session.before, *session.old, *session.after]
    ends_with_eol = session.final_eol and bool(lines)
    if not lines:  # an empty document has one empty line, behind which nothing stands
        return session.eol.join([*new, ""]) if session.eol == "\n" else "\n".join([*new, ""])
    replaced = [*session.before, *new, *session.after]
    return session.eol.join(replaced) + (session.eol if ends_with_eol else "")


@given(sessions(), new_lines, st.data())
@settings(max_examples=300)
def test_the_result_is_exactly_the_new_text(session: Session, new: list[str], data: st.DataObject) -> None:
    if not session.before and not session.old and not session.after:
        return
    if (
        len(session.before + session.old + session.after) == 1
        and not session.final_eol
        and session.eol != "\n"
    ):
        return  # a document without any line end takes a plain newline
    for line in new:
        session.write(line)
        if data.draw(st.booleans()):
            session.flush()
            shown = session.scope_lines
            assert any(
                shown == [*new[:j], *session.old[i:]]
                for j in range(len(new) + 1)
                for i in range(len(session.old) + 1)
            )
    session.end()
    session.flush()
    assert session.client.text == expected_text(session, new)


@given(sessions())
def test_an_answer_equal_to_the_old_text_sends_nothing(session: Session) -> None:
    for line in session.old:
        session.write(line)
        session.flush()
    session.end()
    session.flush()
    assert session.n_batches == 0


@given(sessions(), new_lines, st.integers(0, 10), st.data())
@settings(max_examples=300)
def test_putting_back_gives_the_old_document_at_any_moment(
    session: Session, new: list[str], stop: int, data: st.DataObject
) -> None:
    original = session.client.text
    for line in new[:stop]:
        session.write(line)
        if data.draw(st.booleans()):
            session.flush()
    if stop >= len(new):
        session.end()
        session.flush()
    session.show(session.scope.put_back_all())
    if original or session.n_batches == 0:
        assert session.client.text == original
    assert session.scope.hunks() == []


@given(sessions(), new_lines, st.data())
@settings(max_examples=300)
def test_hunks_can_be_put_back_one_by_one_in_any_order(
    session: Session, new: list[str], data: st.DataObject
) -> None:
    original = session.client.text
    for line in new:
        session.write(line)
        if data.draw(st.booleans()):
            session.flush()
    session.end()
    session.flush()
    numbers = [hunk.number for hunk in session.scope.hunks()]
    assert numbers == sorted(set(numbers))
    for number in data.draw(st.permutations(numbers)):
        session.show(session.scope.put_back(partial(operator.eq, number)))
        assert number not in [hunk.number for hunk in session.scope.hunks()]
    if original:
        assert session.client.text == original


@given(sessions(), new_lines, st.data())
@settings(max_examples=300)
def test_typing_anywhere_survives_exactly_once(session: Session, new: list[str], data: st.DataObject) -> None:
    """Marks typed in at any time are in the document once, whatever the stream does and however it ends."""
    marks = 0
    queue = list(new)
    while queue or data.draw(st.integers(0, 2)) == 2:
        step = data.draw(st.sampled_from(["write", "flush", "type"]))
        if step == "write" and queue:
            session.write(queue.pop(0))
        elif step == "flush":
            session.flush()
        elif step == "type":
            line = data.draw(st.integers(0, len(session.document.lines) - 1))
            column = data.draw(st.sampled_from([0, 99]))  # never inside an earlier mark
            mark = f"«{marks}»"
            marks += 1
            text = data.draw(st.sampled_from([mark, mark + session.eol, session.eol + mark]))
            at = Position(line, column)
            session.type(ContentChange(Range(at, at), text))
    session.end()
    session.flush()
    ending = data.draw(st.sampled_from(["accept", "reject"]))
    if ending == "reject":
        session.show(session.scope.put_back_all())
    else:
        session.scope.accept()
        assert session.scope.hunks() == []
    for number in range(marks):
        assert session.client.text.count(f"«{number}»") == 1
    assert session.document.lines[: len(session.before)] or not session.before


@given(sessions(), new_lines, st.data())
@settings(max_examples=300, suppress_health_check=[HealthCheck.large_base_example])
def test_deleting_anything_while_it_streams_never_breaks_the_tracking(
    session: Session, new: list[str], data: st.DataObject
) -> None:
    queue = list(new)
    while queue:
        if data.draw(st.booleans()):
            session.write(queue.pop(0))
        session.flush()
        if data.draw(st.integers(0, 3)) == 0:
            places = st.builds(Position, st.integers(0, 12), st.integers(0, 9))
            session.type(ContentChange(Range(data.draw(places), data.draw(places)), ""))
        assert 0 <= session.scope.start <= session.scope.end <= len(session.document.lines)
    session.end()
    session.flush()
    session.show(session.scope.put_back_all())


def streamed(old: str, new: str) -> Session:
    session = Session([], old.split(), [], "\n")
    for line in new.split():
        session.write(line)
        session.flush()
    session.end()
    session.flush()
    return session


def test_hunks_say_what_was_removed_and_where_the_new_lines_stand() -> None:
    session = streamed("alpha beta gamma delta epsilon", "alpha NEW gamma epsilon")
    hunks = [(hunk.start, hunk.end, hunk.removed) for hunk in session.scope.hunks()]
    assert hunks == [(1, 2, ("beta\n",)), (3, 3, ("delta\n",))]


def test_a_line_the_user_changed_stays_and_is_reported() -> None:
    session = Session([], ["alpha", "beta", "gamma"], [], "\n")
    session.type(ContentChange(Range(Position(1, 4), Position(1, 4)), "!"))
    for line in ["alpha", "betas", "gamma"]:
        session.write(line)
    session.end()
    session.flush()
    assert session.client.text == "alpha\nbeta!\ngamma\n"
    (clash,) = session.scope.clashes()
    assert (clash.start, clash.end, clash.proposed) == (1, 2, "betas")


def test_a_new_line_the_user_changed_survives_a_reject() -> None:
    session = streamed("alpha gamma", "alpha BETA gamma")
    session.type(ContentChange(Range(Position(1, 4), Position(1, 4)), "!"))
    session.show(session.scope.put_back_all())
    assert session.client.text == "alpha\nBETA!\ngamma\n"


def test_joining_the_scope_with_the_line_above_crosses_its_edge() -> None:
    session = Session(["above"], ["alpha"], ["below"], "\n")
    session.type(ContentChange(Range(Position(0, 5), Position(1, 0)), ""))
    assert session.scope.has_crossed_edge


def test_a_line_typed_right_above_or_below_the_scope_is_outside() -> None:
    session = Session(["above"], ["alpha"], ["below"], "\n")
    session.type(ContentChange(Range(Position(0, 5), Position(0, 5)), "\n"))
    session.type(ContentChange(Range(Position(2, 5), Position(2, 5)), "\n"))
    assert session.scope_lines == ["alpha"]
    assert not session.scope.has_crossed_edge


def test_line_edits_of_neighbours_are_one_edit() -> None:
    session = streamed("one two", "three four five")
    assert session.client.text == "three\nfour\nfive\n"
    assert LineEdit(0, 2, ("x",)) == LineEdit(0, 2, ("x",))


def test_undoing_what_was_written_leaves_nothing_to_put_back() -> None:
    session = streamed("alpha beta gamma delta", "alpha NEW OTHER delta")
    session.type(ContentChange(None, "alpha\nbeta\ngamma\ndelta\n"))
    assert session.scope.hunks() == []
    assert session.scope.put_back().edits == ()


def test_undoing_a_deletion_brings_its_line_back_once() -> None:
    session = streamed("alpha beta gamma delta", "alpha delta")
    session.type(ContentChange(Range(Position(1, 0), Position(1, 0)), "beta\n"))
    session.show(session.scope.put_back())
    assert session.client.text == "alpha\nbeta\ngamma\ndelta\n"


def test_deleting_all_of_the_scope_crosses_its_edge_and_nothing_comes_back() -> None:
    session = Session(["above"], ["alpha", "beta", "gamma"], ["below"], "\n")
    for line in ["alpha", "gamma"]:
        session.write(line)
        session.flush()
    session.type(ContentChange(Range(Position(1, 0), Position(3, 0)), ""))
    assert session.scope.has_crossed_edge
    session.show(session.scope.put_back_all())
    assert session.client.text == "above\nbelow\n"


def test_a_part_is_kept_up_to_the_last_kept_line_though_it_was_not_shown_yet() -> None:
    session = Session([], ["alpha", "beta", "gamma"], [], "\n")
    for line in ["NEW", "alpha", "beta", "rest", "of", "it"]:
        session.write(line)
    session.show(session.scope.keep_part())
    assert session.client.text == "NEW\nalpha\nbeta\ngamma\n"

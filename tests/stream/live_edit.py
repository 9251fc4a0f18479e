"""The engine as the server uses it, from the pieces of an answer to the edits of an independent client.

A ``LiveEdit`` is one scope of one document. The client checks each batch, and the server's view of the
document is then compared with the client's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from tests.stream.client import Client, Edit
from tests.stream.texts import Case, Pace

from twospeed.stream import LiveScope, ScopeBatch
from twospeed.stream.aligner import Aligner
from twospeed.stream.answer_lines import LineSplitter
from twospeed.stream.hidden_output import HiddenOutput
from twospeed.stream.ops import Change, Delete, Insert, Keep, Op
from twospeed.text.document import ContentChange, Document
from twospeed.text.positions import Position, Range


class Zipper:
    """The boundary after some ops: ``n_new`` new lines above it, the old ones from ``n_old`` on below."""

    def __init__(self) -> None:
        self.n_new = self.n_old = 0
        self.kept = (0, 0)

    def follow(self, op: Op) -> None:
        match op:
            case Keep(until):
                self.n_new, self.n_old = self.n_new + until - self.n_old, until
                self.kept = (self.n_new, self.n_old)
            case Delete(until):
                self.n_old = until
            case Insert(_, old):
                self.n_new += 1
                if old >= 0:
                    self.kept = (self.n_new, self.n_old)
            case Change(index):
                assert index == self.n_old
                self.n_new, self.n_old = self.n_new + 1, index + 1


class LiveEdit:
    """One edit of a document that is open in a client."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.client = Client(case.text, case.encoding)
        self.document = Document.opened("file:///a", 1, "", case.text, case.encoding)  # type: ignore[arg-type]
        start, end = len(case.above), len(case.above) + len(case.old)
        assert [line.rstrip("\r\n") for line in self.document.lines] == list(case.lines)
        self.client.allow_lines(start, end)
        self.scope = LiveScope(self.document.lines[start:end], start)
        self.received, self.shown = Zipper(), Zipper()
        self._waiting: list[Op] = []
        self._kept: list[Op] = []  # after the waiting ops

    # Edits of the server

    def receive_ops(self, ops: Sequence[Op]) -> None:
        self.scope.receive_ops(ops)
        for op in ops:
            self.received.follow(op)
            if isinstance(op, Keep):
                self._kept = [op]
            else:
                self._waiting += [*self._kept, op]
                self._kept = []
        self._follow_kept()

    def show(self) -> None:
        """Send the waiting ops to the client."""
        if batch := self.scope.next_batch():
            self.send(batch)

    def send(self, batch: ScopeBatch) -> None:
        """Apply a batch in the client, and commit it."""
        at = self.scope.start
        for edit in batch.edits:
            assert at <= edit.start <= edit.start + edit.count <= self.scope.end
            at = edit.start + edit.count
        if wire := self.document.text_edits(batch.edits):
            assert self.client.apply(wire, self.document.version)
        self.document = replace(self.document.with_edits(batch.edits), version=self.client.version)
        self.scope.commit(batch)
        for op in self._waiting[: batch.n_ops]:
            self.shown.follow(op)
        del self._waiting[: batch.n_ops]
        self._follow_kept()
        assert self.document.text == self.client.text

    def _follow_kept(self) -> None:
        """Count kept lines after the last sent change as applied."""
        if not self._waiting:
            for op in self._kept:
                self.shown.follow(op)

    # Edits of the user

    def type_at(self, offset: int, n_deleted: int, text: str) -> None:
        """Replace text as the user, and report the change to the server."""
        self.report(self.client.type_at(offset, n_deleted, text))

    def report(self, edit: Edit) -> None:
        where = Range(Position(*edit.start), Position(*edit.end))
        document, splice = self.document.changed(ContentChange(where, edit.new_text))
        self.document = replace(document, version=self.client.version)
        assert self.document.text == self.client.text
        if splice:
            self.scope.follow(splice)


class Answer:
    """An answer without stages: every line of it is a new line."""

    def __init__(self, case: Case) -> None:
        self._splitter = LineSplitter()
        self._hidden = HiddenOutput([*case.old, *case.new])
        self._aligner = Aligner(case.old)

    def receive_text(self, text: str) -> list[Op]:
        self._read(self._splitter.receive_text(text))
        return self._aligner.take_ops()

    def finish(self) -> list[Op]:
        self._read(self._splitter.finish())
        self._aligner.finish()
        return self._aligner.take_ops()

    def _read(self, lines: Sequence[str]) -> None:
        for line in lines:
            self._aligner.receive_line(self._hidden.clean_line(line))


def streamed_while_shown(edit: LiveEdit, pace: Pace) -> None:
    """Stream the case's new lines; each batch is still in flight when the next piece arrives."""
    answer = Answer(edit.case)
    for piece, is_shown in pace.pieces(pace.text(edit.case.new)):
        batch = edit.scope.next_batch() if is_shown else None
        edit.receive_ops(answer.receive_text(piece))
        if batch:
            edit.send(batch)
    edit.receive_ops(answer.finish())
    edit.show()


def streamed(edit: LiveEdit, pace: Pace) -> Iterable[LiveEdit]:
    """Stream the case's new lines into the document; yield the edit after every piece, and at the end."""
    answer = Answer(edit.case)
    for piece, is_shown in pace.pieces(pace.text(edit.case.new)):
        edit.receive_ops(answer.receive_text(piece))
        if is_shown:
            edit.show()
        yield edit
    edit.receive_ops(answer.finish())
    edit.show()
    yield edit

"""A user at the client's keyboard: types anywhere, undoes and redoes changes of the server and of the user."""

from __future__ import annotations

import re
from dataclasses import replace

from hypothesis import assume
from hypothesis import strategies as st
from tests.stream.client import Client, Edit
from tests.stream.live_edit import LiveEdit
from tests.stream.texts import Case, cases

from twospeed.stream import ScopeBatch
from twospeed.text.document import ContentChange
from twospeed.text.lines import body_of

Changes = list[tuple[int, str, str]]
"""Consecutive steps: index of the text, old text, new text."""


MARK = re.compile("«[0-9]+»")


@st.composite
def ordinary_cases(draw: st.DrawFn) -> Case:
    """Draw a case whose lines have one line end, without two ambiguities.

    Text inserted into an empty document gets a line end, so no scope is empty there. A scope does not begin
    at a document's end below an empty line: no client can report whether a line was inserted above or below
    it.
    """
    case = draw(cases())
    assume(case.lines_with(case.new) != [""] and case.lines_with(()) != [""])
    is_open = case.below or case.above[-1:] != ("",)
    return with_lines(case, case.above, case.below if is_open else ("the end",))


def with_lines(case: Case, above: tuple[str, ...], below: tuple[str, ...]) -> Case:
    case = replace(case, above=above, below=below)
    return replace(case, eols=(case.eols[:1] or ("\n",)) * (len(case.lines) - 1))


def without_marked_lines(lines: list[str]) -> list[str]:
    return [line for line in lines if not MARK.search(line)]


class TypedEdit(LiveEdit):
    """A live edit in a document that a user goes on editing."""

    def __init__(self, case: Case) -> None:
        super().__init__(case)
        self._done: list[Changes] = []
        self._undone: list[Changes] = []
        self.n_marks = 0

    # Edits of the server

    def send(self, batch: ScopeBatch) -> None:
        before = Client(self.client.text, self.client.encoding)
        super().send(batch)
        if self.client.text != before.text:
            steps = [
                (
                    start := before.offset(edit.start),
                    before.text[start : before.offset(edit.end)],
                    edit.new_text,
                )
                for edit in reversed(self.client.states[-1].edits)
            ]
            self._remember(steps)
        self.check_rows()

    def check_rows(self) -> None:
        """Check that the scope's rows equal the lines of the document."""
        lines = self.document.lines[self.scope.start : self.scope.end]
        rows = self.scope._rows[:-1]
        assert [body_of(row.text) for row in rows] == [body_of(line) for line in lines]
        for hunk in self.scope.hunks():
            assert self.scope.start <= hunk.start <= hunk.end <= self.scope.end

    # Edits of the user

    def type_mark(self, offset: int, before: str = "", after: str = "") -> str:
        """Type a unique text; return it."""
        mark = f"«{self.n_marks}»"
        self.n_marks += 1
        self.replace_text(offset, 0, before + mark + after)
        return mark

    def type_line(self, line: int, *, is_below: bool) -> str:
        """Insert a line above or below another, and type in it."""
        start, _ = self.span(line)
        eol = self.case.eols[0] if self.case.eols else "\n"
        if is_below or line == len(self.client.lines) - 1:
            return self.type_mark(start + len(self.client.lines[line]), before=eol)
        return self.type_mark(start, after=eol)

    def span(self, line: int) -> tuple[int, int]:
        """Return the indices of a line's first character and after its last."""
        start = self.client.offset((line, 0))
        return start, start + len(self.client.lines[line])

    def replace_text(self, offset: int, n_deleted: int, text: str) -> None:
        change = self.client.type_at(offset, n_deleted, text)
        before = Client(self.client.states[-2].text, self.client.encoding)
        start, end = before.offset(change.start), before.offset(change.end)
        self._remember([(start, before.text[start:end], text)])
        self.report(change)
        self.check_rows()

    def report_whole_text(self, text: str) -> None:
        """Replace the whole text in one change."""
        self.client.type_at(0, len(self.client.text), text)
        document, splice = self.document.changed(ContentChange(None, text))
        self.document = replace(document, version=self.client.version)
        if splice:
            self.scope.follow(splice)
        self.check_rows()

    def undo(self, *, as_whole: bool) -> bool:
        """Undo the last step, the server's or the user's; return whether there was one."""
        if not self._done:
            return False
        steps = self._done.pop()
        self._undone.append(steps)
        self._perform([(at, new, old) for at, old, new in reversed(steps)], as_whole=as_whole)
        return True

    def redo(self, *, as_whole: bool) -> bool:
        """Redo the step that was undone last."""
        if not self._undone:
            return False
        steps = self._undone.pop()
        self._done.append(steps)
        self._perform(steps, as_whole=as_whole)
        return True

    def _remember(self, steps: Changes) -> None:
        self._done.append(steps)
        self._undone.clear()

    def _perform(self, steps: Changes, *, as_whole: bool) -> None:
        if as_whole or not self.case.has_one_eol:  # no position is between CR and LF
            text = self.client.text
            for at, old, new in steps:
                assert text[at : at + len(old)] == old
                text = text[:at] + new + text[at + len(old) :]
            self.report_whole_text(text)
        else:
            for at, old, new in steps:
                assert self.client.text[at : at + len(old)] == old
                self.report(self._exactly(at, old, new))
        self.check_rows()

    def _exactly(self, at: int, old: str, new: str) -> Edit:
        return self.client.type(self.client.place(at), self.client.place(at + len(old)), new)

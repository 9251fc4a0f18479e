"""One edit in one document, with events recorded as in the simulation."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from twospeed.edits.edit_state import Decision

from .answers import Answer
from .ledger import Change, Ledger
from .profiles import PROFILES
from .verdicts import judge_text
from .watch import Watch
from .watched import Watched

ANSWER = "def f(a):\n    new_1 = a\n    new_2 = a\n    return x\n"
TEXT = "import os\n\ndef f(a):\n    x = a\n    y = a\n    return x\n\nz = 1\n"
OLD = "def f(a):\n    x = a\n    y = a\n    return x\n"
OURS = next(profile for profile in PROFILES if profile.name == "VS Code, ours")


class Trace:
    """One edit in one document, with events recorded as in the simulation."""

    def __init__(self, answer: str, old: str = OLD, text: str = TEXT) -> None:
        self.ledger = Ledger("file:///project/shop.py", text, 1)
        edit: Any = SimpleNamespace(
            id="e1",
            is_preview=False,
            ending=SimpleNamespace(outcome="applied", reason=None),
            report=lambda: SimpleNamespace(clashes=()),
            decision=Decision(),
        )
        self.watched = Watched("c1", self.ledger, edit)
        start = text.index(old) if old else text.index("\nz = 1")
        lines = tuple(answer.splitlines())
        self.watched.old, self.watched.answer = old, Answer(lines, "good", 0.0, 0.0, False, False)
        self.watched.written |= {*lines}
        self.watched.note_scope(self.ledger.now, start, start + len(old), blank_lines_differ=True)
        self.watch = Watch(OURS)
        self.watch.edits["e1"] = self.watched

    def write(self, old: str, new: str, *, is_above: bool = False, is_fresh: bool = True) -> None:
        """Apply a change of the server; with ``is_above`` the old line stays below the new one.

        Without ``is_fresh`` the editor applies it to a text of another version.
        """
        before, at = self.ledger.now, self.ledger.text.index(old)
        spans = [(at, at if is_above else at + len(old), new)]
        changes = self.ledger.replace(spans)
        self.watch.note_applied(self.watched, before, spans, changes, is_fresh=is_fresh)

    def type(self, old: str, new: str) -> None:
        """Apply a change of the person."""
        before, at = self.ledger.now, self.ledger.text.index(old)
        self._note(before, self.ledger.replace([(at, at + len(old), new)]), is_undo=False)

    def insert(self, new: str, *, before: str) -> None:
        """Apply an insertion of the person before a text."""
        text, at = self.ledger.now, self.ledger.text.index(before)
        self._note(text, self.ledger.replace([(at, at, new)]), is_undo=False)

    def other_edit_writes(self, old: str, new: str) -> None:
        """Apply a change of another edit."""
        other = Watched("c2", self.ledger, self.watched.edit, outcome="applied")
        before, at = self.ledger.now, self.ledger.text.index(old)
        other.own |= {*before.ids[at : at + len(old)]}
        self.watch.edits["e2"] = other
        spans = [(at, at + len(old), new)]
        self.watch.note_applied(other, before, spans, self.ledger.replace(spans), is_fresh=True)

    def undo(self) -> None:
        before = self.ledger.now
        self._note(before, self.ledger.undo(), is_undo=True)

    def _note(self, before: Any, changes: list[Change], *, is_undo: bool) -> None:
        self.ledger.end_step()
        for change in changes:
            self.watch.note_typing(self.ledger, before, change, is_undo=is_undo)
            before = before.with_span(change.start, change.end, change.new)

    def why(self, outcome: str) -> str | None:
        return judge_text(self.watched, self.ledger.now, outcome).why

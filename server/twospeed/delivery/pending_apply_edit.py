"""What is between us and the document: a shipment that is on its way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from twospeed.text.document import ContentChange, Document, Splice
from twospeed.text.edits import LineEdit, TextEdit
from twospeed.text.line_blocks import Lines

from .client import Follower
from .reconcile import is_misplaced, typed_elsewhere

MAX_SEARCHED = 64
"""After how many changes of a message, besides its last one, a shipment is searched for beside what was typed. Each search
compares two documents, and replacing a word everywhere may be thousands of changes."""


@dataclass(slots=True)
class PendingApplyEdit:
    """A shipment the client has not shown yet.

    ``splices`` are the changes that arrived meanwhile and may be the echo of it; ``newcomers`` follow since then, and
    are told everything as it comes; ``is_guarded`` is whether the client would turn it down if it were stale. Once it is
    found, ``typed`` is what was typed beside it, against ``landed``.
    """

    base: Document
    edits: Sequence[LineEdit]
    owner: Follower
    commit: Callable[[], None]
    splices: list[Splice] = field(default_factory=list)
    newcomers: list[Follower] = field(default_factory=list)
    typed: Sequence[Splice] = ()
    is_guarded: bool = True
    is_answered: bool = False
    is_shown: bool = False
    text_edits: Sequence[TextEdit] = ()
    _expected: Lines | None = None

    @property
    def expected(self) -> Lines:
        """The document with it and nothing else; worked out while it is on its way."""
        if self._expected is None:
            self._expected = self.base.with_edits(self.edits).lines
        return self._expected

    @property
    def landed(self) -> Document:
        """The document with the shipment in it and nothing else."""
        return replace(self.base, lines=self.expected)

    @property
    def seems_dropped(self) -> bool:
        """Whether the client took it, or said no and has its lines all the same, and no document showed it."""
        was_taken = self.is_answered or any(is_misplaced(self.edits, splice) for splice in self.splices)
        return was_taken and not self.is_shown

    def is_echoed_by(self, changes: Sequence[ContentChange]) -> bool:
        """Whether a message says what was sent and nothing else: the usual one, so that nothing need be worked out."""
        return not self.splices and [(each.range, each.text) for each in changes] == [
            (each.range, each.new_text) for each in reversed(self.text_edits)
        ]

    def receive(self, events: Sequence[Splice], lines: Lines, number: int, n_changes: int) -> bool:
        """Take note of a change while it is on its way; return whether the document shows it.

        Args:
            events: What the change did.
            lines: The document's, with it.
            number: Which one of its message it is, from 1.
            n_changes: How many the message has.
        """
        self.splices += events
        return self.look_for(lines, is_searched=number <= MAX_SEARCHED or number == n_changes)

    def look_for(self, lines: Lines, *, is_searched: bool = True) -> bool:
        """See whether a document shows it, perhaps beside something typed; that is believed once there is a yes.

        Line ends do not matter: an editor may give what it inserts its own.

        Args:
            lines: The document's.
            is_searched: Whether it is searched for beside something typed, which compares two documents.
        """
        if lines.equals_but_for_ends(self.expected):
            return True
        if not (self.is_answered and self.splices and is_searched):
            return False
        typed = typed_elsewhere(self.edits, self.base.lines, self.expected, lines)
        self.typed = typed or ()
        return typed is not None

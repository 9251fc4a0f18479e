"""A batch in flight: sent to the client, not yet in the document."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from twospeed.text.document import ContentChange, Document, Splice
from twospeed.text.edits import LineEdit, TextEdit
from twospeed.text.line_blocks import Lines

from .client import Follower
from .reconcile import is_misplaced, typed_elsewhere

MAX_SEARCHED = 64
"""Changes of one message, besides its last, after which the batch is searched for beside typing. Each search compares two
documents, and replacing a word everywhere may be thousands of changes.
"""


@dataclass(slots=True)
class PendingApplyEdit:
    """A batch that the client has not shown yet.

    Attributes:
        splices: The changes that arrived meanwhile; they may be its echo.
        newcomers: Followers added since then; they receive every change at once.
        is_guarded: Whether the client refuses the batch if it is outdated.
        typed: Once the batch is found, the typing beside it, against ``landed``.
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
        """The document with the batch and nothing else, computed while the batch is in flight."""
        if self._expected is None:
            self._expected = self.base.with_edits(self.edits).lines
        return self._expected

    @property
    def landed(self) -> Document:
        """The document with the batch and nothing else."""
        return replace(self.base, lines=self.expected)

    @property
    def seems_dropped(self) -> bool:
        """Whether the client said yes, or said no but inserted the lines, and no document contained the batch."""
        was_taken = self.is_answered or any(is_misplaced(self.edits, splice) for splice in self.splices)
        return was_taken and not self.is_shown

    def is_echoed_by(self, changes: Sequence[ContentChange]) -> bool:
        """Whether a message contains exactly the batch: the usual case, in which nothing must be computed."""
        return not self.splices and [(each.range, each.text) for each in changes] == [
            (each.range, each.new_text) for each in reversed(self.text_edits)
        ]

    def receive(self, events: Sequence[Splice], lines: Lines, number: int, n_changes: int) -> bool:
        """Record a change; return whether the document now contains the batch.

        Args:
            events: The splices of the change.
            lines: The document's lines after it.
            number: The number of the change in its message, from 1.
            n_changes: The number of changes in the message.
        """
        self.splices += events
        return self.look_for(lines, is_searched=number <= MAX_SEARCHED or number == n_changes)

    def look_for(self, lines: Lines, *, is_searched: bool = True) -> bool:
        """Return whether a document contains the batch. Beside typing, this needs the client's yes.

        Line ends are not compared: an editor may insert its own.

        Args:
            lines: The document's lines.
            is_searched: Whether to search beside typing, which compares two documents.
        """
        if lines.equals_but_for_ends(self.expected):
            return True
        if not (self.is_answered and self.splices and is_searched):
            return False
        typed = typed_elsewhere(self.edits, self.base.lines, self.expected, lines)
        self.typed = typed or ()
        return typed is not None

"""A batch that is in flight or offered, and its recognition in the document."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from twospeed.text.document import ContentChange, Document, Splice
from twospeed.text.edits import LineEdit, TextEdit
from twospeed.text.line_blocks import Lines

from .client import Follower, Owner
from .reconcile import is_misplaced, typed_elsewhere

MAX_SEARCHED = 64
"""Within one ``didChange``, the batch is searched for among typing only after each of the first 64 changes and after the
last. Each search compares two documents, and replacing a word everywhere may be thousands of changes.
"""


@dataclass(slots=True)
class PendingApplyEdit:
    """A batch that the document is compared with."""

    base: Document
    edits: Sequence[LineEdit]  # of ``base``: they give the expected text
    owner: Owner[Any]
    commit: Callable[[], None]
    # changes since the batch was sent; they may be the batch
    splices: list[Splice] = field(default_factory=list)
    # followers added since then; they receive every change immediately
    late_followers: list[Follower] = field(default_factory=list)
    typed: Sequence[Splice] = ()  # the other changes once the batch is found, against ``expected_document``
    is_guarded: bool = True
    was_accepted: bool = False
    is_applied: bool = False
    text_edits: Sequence[TextEdit] = ()  # the same edits as sent: most clients report exactly these
    _expected: Lines | None = None

    @property
    def expected(self) -> Lines:
        """The lines of the document with the batch and nothing else."""
        if self._expected is None:
            self._expected = self.base.with_edits(self.edits).lines
        return self._expected

    @property
    def expected_document(self) -> Document:
        """The document with the batch and nothing else."""
        return replace(self.base, lines=self.expected)

    @property
    def seems_dropped(self) -> bool:
        """Whether no document contained the batch, although the client accepted it or inserted its lines elsewhere."""
        if self.is_applied:
            return False
        return self.was_accepted or any(is_misplaced(self.edits, splice) for splice in self.splices)

    def is_echoed_by(self, changes: Sequence[ContentChange]) -> bool:
        """Return whether a message contains exactly the batch: the usual case, which needs no comparison."""
        return not self.splices and [(each.range, each.text) for each in changes] == [
            (each.range, each.new_text) for each in reversed(self.text_edits)
        ]

    def receive(self, events: Sequence[Splice], lines: Lines, number: int, n_changes: int) -> bool:
        """Record change ``number`` (from 1) of a message; return whether ``lines``, the result, contain the batch."""
        self.splices += events
        return self.is_in(lines, is_searched=number <= MAX_SEARCHED or number == n_changes)

    def is_in(self, lines: Lines, *, is_searched: bool = True) -> bool:
        """Return whether a document contains the batch, or with ``is_searched`` the accepted batch and typing elsewhere.

        Line ends are not compared: an editor may insert its own.
        """
        if lines.equals_but_for_ends(self.expected):
            return True
        if not (self.was_accepted and self.splices and is_searched):
            return False
        typed = typed_elsewhere(self.edits, self.base.lines, self.expected, lines)
        self.typed = typed or ()
        return typed is not None

"""One open document as its client reports it: distinguish our edits from typing, and report both to the followers.

A client's response proves nothing: some clients accept an edit and drop it, others apply it long before or after
they respond. So the document is compared with the expected text while a batch is in flight (`pending_apply_edit`).
What cannot be explained is reported, never repaired by a guess.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from twospeed.text.document import ContentChange, Document, Splice
from twospeed.text.landmarks import cut_at_landmarks

from .client import Follower
from .client_table import ClientBehavior, is_guarded
from .document_events import DocumentEvents
from .offers import Offers
from .pending_apply_edit import PendingApplyEdit


class FollowedDocument:
    """Receives the changes of one open document, and reports them to its followers.

    Args:
        document: The document as opened.
        behavior: How the client treats edits.
        on_doubt: Called if the document has the expected text, but its version counts changes that were not reported: an
            edit that the client did not refuse may have overwritten typing.

    Attributes:
        document: The document as the client last reported it.
        has_changed: Whether it was changed since it was opened, by the user or by us.
        on_followed: Called after changes were reported to followers, when the document has their version. While a batch is
            in flight, only the followers that were added since it was sent are up to date.
    """

    def __init__(self, document: Document, behavior: ClientBehavior, on_doubt: Callable[[], None]) -> None:
        self.document = document
        self.behavior = behavior
        self.has_changed = False
        self.on_followed: Callable[[], None] = lambda: None
        self._on_doubt = on_doubt
        self._followers: list[Follower] = []
        self._pending: PendingApplyEdit | None = None
        self._offers = Offers()
        self._events = DocumentEvents()

    # Followers

    def add(self, follower: Follower, *, same_document_as: Follower | None = None) -> None:
        """Report every change to ``follower``.

        Its line numbers refer to the current document, or to the document that ``same_document_as`` has seen.
        """
        self._followers.append(follower)
        if self._pending and (same_document_as is None or same_document_as in self._pending.late_followers):
            self._pending.late_followers.append(follower)

    def remove(self, follower: Follower) -> None:
        """Report no more changes to ``follower``."""
        if follower in self._followers:
            self._followers.remove(follower)

    def replace(self, old: Follower, new: Follower) -> None:
        """Report changes to ``new`` instead of ``old``; its line numbers refer to the document that ``old`` has seen."""
        for followers in (self._followers, self._pending.late_followers if self._pending else []):
            followers[:] = [new if each is old else each for each in followers]

    def seen_by(self, follower: Follower) -> Document:
        """Return the document that a follower's line numbers refer to: while a batch is in flight, the one before it."""
        pending = self._in_flight
        return self.document if pending is None or follower in pending.late_followers else pending.base

    @property
    def is_followed(self) -> bool:
        """Whether an edit follows each change, or a batch is in flight."""
        return bool(self._pending or self._followers)

    @property
    def is_guarded(self) -> bool:
        """Whether the client refuses outdated edits of this document."""
        return is_guarded(self.behavior, has_changed=self.has_changed)

    # Changes

    def receive_changes(self, changes: Sequence[ContentChange], version: int) -> None:
        """Handle a ``didChange``: changes in order, each against the text after the one before."""
        pending = self._in_flight
        if pending and pending.is_echoed_by(changes):
            self.document, changes = pending.expected_document, ()
            pending.late_followers.clear()  # no change arrived since they were added
            self._note_applied(pending, version)
        before, splices = self.document, list[Splice]()
        for number, change in enumerate(changes, 1):
            new_splices = self._apply_change(change)
            # Only followers read the splices. Each holds a copy of its line, and one line may receive 10,000 keys.
            if self.is_followed:
                splices += new_splices
            pending = self._in_flight
            if pending and pending.receive(new_splices, self.document.lines, number, len(changes)):
                self._report_typing(pending.late_followers, before, splices)
                self._note_applied(pending, version)
                before, splices = self.document, []
        pending = self._in_flight
        self._report_typing(pending.late_followers if pending else self._followers, before, splices)
        self.document = replace(self.document, version=version)
        self.has_changed = True
        self.on_followed()
        # The message that contains our batch does not count as typing, nor do later ones until `_send` resumes.
        self._events.notify(is_typed=not (self._pending and self._pending.is_applied))

    def _apply_change(self, change: ContentChange) -> list[Splice]:
        old = self.document
        self.document, splice = old.changed(change)
        if change.range:
            return [splice]
        return cut_at_landmarks(old.lines, splice)  # the whole text: smaller splices between unchanged lines

    # Our edits among the changes

    @property
    def _in_flight(self) -> PendingApplyEdit | None:
        return self._pending if self._pending and not self._pending.is_applied else None

    def _note_applied(self, pending: PendingApplyEdit, version: int) -> None:
        earlier = self._earlier_followers(pending)
        self._commit(pending, earlier)
        self._report_typing(earlier, pending.expected_document, pending.typed)
        may_overwrite = not pending.is_guarded or self.behavior.may_accept_unreported_typing
        # A client may count a version for each edit; more are changes that it did not report.
        if may_overwrite and version - pending.base.version > len(pending.edits):
            self._on_doubt()

    def _commit(self, pending: PendingApplyEdit, followers: Sequence[Follower]) -> None:
        pending.is_applied = True
        others = [follower for follower in followers if follower not in pending.owner.parts]
        for edit in reversed(pending.edits):
            self._report(others, Splice(edit.start, edit.count, edit.lines))
        pending.commit()

    def _earlier_followers(self, pending: PendingApplyEdit) -> list[Follower]:
        return [follower for follower in self._followers if follower not in pending.late_followers]

    def _report_typing(
        self, followers: Sequence[Follower], before: Document, splices: Sequence[Splice]
    ) -> None:
        """Report changes since ``before`` other than the batch in flight: typing, or an offer that was applied."""
        if offer := self._offers.find_applied(followers, before, self.document.lines, splices):
            self._commit(offer, followers)
            splices = offer.typed
        for splice in splices:
            self._report(followers, splice)

    @staticmethod
    def _report(followers: Sequence[Follower], splice: Splice) -> None:
        if splice:
            for follower in followers:
                follower.follow(splice)

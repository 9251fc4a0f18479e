"""Edits that the user applies in the editor as code actions, and their recognition in the document."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar, cast

from twospeed.errors import EditUnconfirmed
from twospeed.text.document import Document, Splice
from twospeed.text.edits import LineEdit, TextEdit
from twospeed.text.line_blocks import Lines

from .bounds_check import check_edits
from .client import EditBatch, Follower, Owner
from .pending_apply_edit import PendingApplyEdit
from .reconcile import (
    is_closer_to_expected,
    is_late_deletion,
    is_misplaced,
    is_partly_applied,
    typed_elsewhere,
)

BatchT = TypeVar("BatchT", bound=EditBatch)


@dataclass(slots=True, eq=False)
class Offer:
    """One edit's batch, built again for each document that it is compared with; `prepare` precedes its return."""

    owner: Owner[Any]
    build: Callable[[], EditBatch | None]
    commit: Callable[[EditBatch], None]
    prepare: Callable[[], None] = lambda: None
    applied: asyncio.Future[None] = field(default_factory=asyncio.Future)
    sent: Sequence[LineEdit] = ()  # the edits as last returned to the client

    def find_in(self, before: Document, lines: Lines) -> PendingApplyEdit | None:
        """Return the batch if ``lines`` contain it, perhaps with typing elsewhere.

        ``before`` is the document that the owner has seen.
        """
        pending = self._pending(before)
        if pending is None:
            return None
        typed = typed_elsewhere(pending.edits, pending.base.lines, pending.expected, lines)
        if typed is None:
            return None
        pending.typed = typed
        return pending

    def fail_if_misapplied(self, before: Document, lines: Lines, splices: Sequence[Splice]) -> None:
        """Fail if the batch is elsewhere or has typing inside: the text cannot be known.

        ``splices`` are the changes from ``before``.
        """
        pending = self._pending(before)
        if pending and (
            # Its lines were inserted at another place.
            any(is_misplaced(pending.edits, splice) for splice in splices)
            # Lines were deleted where the edits deleted lines as they were last returned.
            or is_late_deletion(self.sent, pending.edits, splices)
            # Some of its lines were inserted at its place.
            or is_partly_applied(pending.edits, before.lines, lines)
            # The document is nearly the expected one, so the rest was typed in the edit.
            or is_closer_to_expected(lines, pending.expected, before.lines)
        ):
            self.fail(
                EditUnconfirmed(
                    "the editor applied the edit elsewhere, or text was typed in it; the text is left as it is"
                )
            )

    def _pending(self, before: Document) -> PendingApplyEdit | None:
        batch = None if self.applied.done() else self.build()
        if batch is None:
            return None
        if not batch.edits:
            # The user deleted all lines that it changes. Nothing is left to apply, and any document would match.
            self.applied.set_result(None)
            return None
        return PendingApplyEdit(before, batch.edits, self.owner, partial(self.commit, batch))

    def fail(self, error: Exception) -> None:
        """Raise ``error`` in the task that waits for the offer, unless it was applied."""
        if not self.applied.done():
            self.applied.set_exception(error)


class Offers:
    """The offers of one document."""

    def __init__(self) -> None:
        self._offers: list[Offer] = []

    async def offer(
        self, owner: Owner[BatchT], build: Callable[[], BatchT | None], prepare: Callable[[], None]
    ) -> None:
        """Offer a batch until the user has applied it; see `DocumentChannel.offer`."""
        offer = self._added(owner, build, prepare)
        try:
            # Shielded: a change between the cancellation and the next step of the event loop is still compared.
            await asyncio.shield(offer.applied)
        except asyncio.CancelledError:
            if offer.applied.done():
                offer.applied.result()  # raises if the text is unknown, which must be reported
            raise
        finally:
            self._offers.remove(offer)

    def watch_withdrawn(
        self, owner: Owner[BatchT], build: Callable[[], BatchT | None]
    ) -> asyncio.Future[None]:
        """Recognize a batch that is no longer offered: the user may apply it from an open menu.

        Returns:
            Done once the document contains the batch; `EditUnconfirmed` if the text is unknown. Cancel it to stop.
        """
        offer = self._added(owner, build)
        offer.applied.add_done_callback(lambda _: self._offers.remove(offer))
        return offer.applied

    def _added(
        self,
        owner: Owner[BatchT],
        build: Callable[[], BatchT | None],
        prepare: Callable[[], None] = lambda: None,
    ) -> Offer:
        offer = Offer(owner, build, cast("Callable[[EditBatch], None]", owner.commit), prepare)
        self._offers.append(offer)
        return offer

    def edits_of(self, owner: Owner[Any], document: Document) -> list[TextEdit]:
        """Return an owner's edits against the document that it has seen; empty if it offers none."""
        for offer in self._offers:
            if offer.owner is not owner:
                continue
            offer.prepare()
            if batch := offer.build():
                # These edits carry no version, so the client may apply them in the wrong place. Only whole lines can be
                # recognized there.
                edits = document.text_edits(batch.edits, in_whole_lines=True)
                check_edits(edits, [document.editable_range(*span) for span in owner.spans])
                offer.sent = batch.edits
                return edits
            if not offer.applied.done():
                offer.applied.set_result(None)  # the document has all of it by now
        return []

    def find_applied(
        self, owners: Sequence[Follower], before: Document, lines: Lines, splices: Sequence[Splice]
    ) -> PendingApplyEdit | None:
        """Return the offer of these owners that the document contains, or fail those that were misapplied.

        Of several, the one that explains most is returned: a part of one may equal another that is no longer offered.
        """
        offers = [offer for offer in self._offers if offer.owner in owners]
        found = [(applied, offer) for offer in offers if (applied := offer.find_in(before, lines))]
        if found:
            applied, offer = min(found, key=lambda each: len(each[0].typed))
            offer.applied.set_result(None)
            return applied
        for offer in offers:
            offer.fail_if_misapplied(before, lines, splices)
        return None

    def fail(self, error: Exception) -> None:
        """Raise ``error`` in all tasks that wait for an offer."""
        for offer in self._offers:
            offer.fail(error)

"""Edits that wait until the user has the editor apply them, and how a document shows that this has happened."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
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
    is_deleted_late,
    is_misplaced,
    is_nearer,
    is_shown_in_part,
    typed_elsewhere,
)

BatchT = TypeVar("BatchT", bound=EditBatch)


@dataclass(slots=True, eq=False)
class Offer:
    """One edit's batch, built anew against each document it is asked about.

    Attributes:
        handed: Its edits as they were handed out last.
    """

    owner: Follower
    build: Callable[[], EditBatch | None]
    commit: Callable[[EditBatch], None]
    taken: asyncio.Future[None]
    handed: Sequence[LineEdit] = ()

    def look_for(self, before: Document, lines: Lines, splices: Sequence[Splice]) -> PendingApplyEdit | None:
        """See whether a document shows the batch, perhaps beside something typed.

        Where it shows it elsewhere, or with something typed in it, nobody can say what stands there: then it fails.

        Args:
            before: The document that the owner's place is in.
            lines: What it has become.
            splices: By what.
        """
        batch = None if self.taken.done() else self.build()
        if batch is None:
            return None
        if not batch.edits:  # the user has taken all its lines away: any document would show that
            self.taken.set_result(None)
            return None
        pending = PendingApplyEdit(before, batch.edits, self.owner, partial(self.commit, batch))
        typed = typed_elsewhere(pending.edits, pending.base.lines, pending.expected, lines)
        if typed is not None:
            pending.typed = typed
            self.taken.set_result(None)
            return pending
        is_elsewhere = any(is_misplaced(pending.edits, splice) for splice in splices)
        if (
            is_elsewhere
            or is_deleted_late(self.handed, pending.edits, splices)
            or is_shown_in_part(pending.edits, before.lines, lines)
            or is_nearer(lines, pending.expected, before.lines)
        ):
            self.fail(
                EditUnconfirmed("the editor put the edit elsewhere, or it was typed in; the text is left")
            )
        return None

    def fail(self, error: Exception) -> None:
        """Tell who waits for it that it will not be taken; without effect once it was."""
        if not self.taken.done():
            self.taken.set_exception(error)


class Offers:
    """All that wait in one document."""

    def __init__(self) -> None:
        self._offers: list[Offer] = []

    async def hold(self, owner: Owner[BatchT], build: Callable[[], BatchT | None]) -> None:
        """Hold a batch until it was taken; see `DocumentChannel.offer`."""
        offer = Offer(owner, build, cast("Callable[[EditBatch], None]", owner.commit), asyncio.Future())
        self._offers.append(offer)
        try:
            # Shielded, so that what is told between the cancel and the next round of the loop is still looked at.
            await asyncio.shield(offer.taken)
        except asyncio.CancelledError:
            if offer.taken.done():
                offer.taken.result()  # nobody knows what stands there, and that must not go unsaid
            raise
        finally:
            self._offers.remove(offer)

    def keep(self, owner: Owner[BatchT], build: Callable[[], BatchT | None]) -> asyncio.Future[None]:
        """Look for a batch that is no longer offered: the user may take it from a menu that is open already.

        Returns:
            Done once the document shows the batch; an `EditUnconfirmed` where nobody can tell. Cancel it to stop.
        """
        offer = Offer(owner, build, cast("Callable[[EditBatch], None]", owner.commit), asyncio.Future())
        self._offers.append(offer)
        offer.taken.add_done_callback(lambda _: self._offers.remove(offer))
        return offer.taken

    def edits_of(self, owner: Owner[Any], document: Document) -> list[TextEdit]:
        """Return an owner's edits against the document that its place is in; empty where it offers none.

        In whole lines: no version guards them, and half a line that was put elsewhere nobody would know again.
        """
        for offer in self._offers:
            if offer.owner is owner and (batch := offer.build()):
                edits = document.text_edits(batch.edits, in_whole_lines=True)
                check_edits(edits, document, document, owner.start, owner.end)
                offer.handed = batch.edits
                return edits
        return []

    def look_for(
        self, owners: Sequence[Follower], before: Document, lines: Lines, splices: Sequence[Splice]
    ) -> PendingApplyEdit | None:
        """Find the one of some owners' that a document shows, if it shows one; see `Offer.look_for`."""
        for offer in self._offers:
            if offer.owner in owners and (taken := offer.look_for(before, lines, splices)):
                return taken
        return None

    def fail(self, error: Exception) -> None:
        """Tell all who wait that nothing will be taken any more."""
        for offer in self._offers:
            offer.fail(error)

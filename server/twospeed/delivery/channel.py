"""One open document: receive the client's changes, send our edits, and distinguish the two.

A client's response proves nothing: some clients accept an edit and drop it, others apply it long before or after
they respond. So the document is compared with the expected text while a batch is in flight (`pending_apply_edit`).
What cannot be explained is reported, never repaired by a guess.

One batch is in flight, for one exact version; nothing is sent again on a timer. A rejected batch is built again once
the client has reported its newer version; one that seems dropped, at most `MAX_REBUILT` times.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias, TypeVar

from twospeed.aio import begin
from twospeed.errors import ClientRefused, DocumentHidden, EditUnconfirmed
from twospeed.text.document import ContentChange, Document, Splice
from twospeed.text.edits import TextEdit
from twospeed.text.landmarks import cut_at_landmarks

from .bounds_check import check_document, check_edits
from .building import Built, built
from .client import ApplyEditRequest, EditClient, Follower, Owner
from .client_table import UNKNOWN, ClientBehavior, is_guarded
from .document_events import DocumentEvents
from .offers import BatchT, Offers
from .pending_apply_edit import PendingApplyEdit

CONFIRM_S = 5.0
"""Seconds from the client's yes until the document must contain the edit; the slowest client measured took 0.5 s."""

HELD_BACK_S = 60.0
"""Seconds for a client with a newer document to report it: some hold changes back until the user pauses."""

MAX_REBUILT = 2
"""How often a batch that seems dropped is built again.

After three drops the client may have applied it in a shape that is not recognized; a further one may insert it twice.
"""

ResultT = TypeVar("ResultT")
RequestFor: TypeAlias = Callable[[Document, Sequence[TextEdit]], ApplyEditRequest]
"""Returns the request for edits of a document."""


class DocumentChannel:
    """Reads and edits one open document.

    Args:
        document: The document as opened.
        client: Receives the edits.
        behavior: How the client treats edits.
        on_doubt: Called if the document has the expected text, but its version counts changes that were not reported: an
            edit that the client did not refuse may have overwritten typing.
        confirm_s: Seconds from the client's yes until the document must contain the edit.

    Attributes:
        document: The document as the client last reported it.
        has_changed: Whether it was changed since it was opened, by the user or by us.
        on_followed: Called when the followers have received all changes; while a batch is in flight, that is later.
    """

    def __init__(
        self,
        document: Document,
        client: EditClient,
        *,
        behavior: ClientBehavior = UNKNOWN,
        on_doubt: Callable[[], None] = lambda: None,
        confirm_s: float = CONFIRM_S,
    ) -> None:
        self.document = document
        self.behavior = behavior
        self.has_changed = False
        self.on_followed: Callable[[], None] = lambda: None
        self.is_closed = False
        self._offers = Offers()
        self._client = client
        self._on_doubt = on_doubt
        self._confirm_s = confirm_s
        self._followers: list[Follower] = []
        self._lock = asyncio.Lock()
        self._pending: PendingApplyEdit | None = None
        self._is_idle = asyncio.Event()
        self._sends: set[asyncio.Task[Any]] = set()
        self._events = DocumentEvents()

    # Followers

    def add(self, follower: Follower, *, beside: Follower | None = None) -> None:
        """Report every change to ``follower``, whose place is in the current document or that of ``beside``."""
        self._followers.append(follower)
        if self._pending and (beside is None or beside in self._pending.late_followers):
            self._pending.late_followers.append(follower)

    def remove(self, follower: Follower) -> None:
        """Report no more changes to ``follower``."""
        if follower in self._followers:
            self._followers.remove(follower)

    def replace(self, old: Follower, new: Follower) -> None:
        """Report changes to ``new`` instead of ``old``; its place is in the document that ``old`` has seen."""
        for followers in (self._followers, self._pending.late_followers if self._pending else []):
            followers[:] = [new if each is old else each for each in followers]

    def seen_by(self, follower: Follower) -> Document:
        """Return the document that a follower's place is in: while a batch is in flight, the one before it."""
        pending = self._in_flight
        return self.document if pending is None or follower in pending.late_followers else pending.base

    async def settled(self) -> None:
        """Wait until no batch is in flight, so that every follower's place is in the current document."""
        while self._pending:
            await self._is_idle.wait()

    # The client's changes

    def receive_changes(self, changes: Sequence[ContentChange], version: int) -> None:
        """Handle a ``didChange``: changes in order, each against the text after the one before."""
        pending = self._in_flight
        if pending and pending.is_echoed_by(changes):
            self.document, changes = pending.expected_document, ()
            pending.late_followers.clear()  # no change arrived since they were added
            self._note_applied(pending, version)
        before, splices = self.document, list[Splice]()
        for number, change in enumerate(changes, 1):
            events = self._changed(change)
            if self.is_followed:  # each splice holds its line, and one line may receive 10,000 keys
                splices += events
            pending = self._in_flight
            if pending and pending.receive(events, self.document.lines, number, len(changes)):
                self._report_typing(pending.late_followers, before, splices)
                self._note_applied(pending, version)
                before, splices = self.document, []
        pending = self._in_flight
        self._report_typing(pending.late_followers if pending else self._followers, before, splices)
        self.document = replace(self.document, version=version)
        self.has_changed = True
        self._events.notify(is_typed=not (self._pending and self._pending.is_applied))

    def close(self) -> None:
        """Handle a ``didClose``: every caller that waits for the client raises `ClientRefused`."""
        self.is_closed = True
        for task in self._sends:
            task.cancel()
        self._offers.fail(ClientRefused(_FINAL["closed"]))

    def _changed(self, change: ContentChange) -> list[Splice]:
        old = self.document
        self.document, splice = old.changed(change)
        return [splice] if change.range else cut_at_landmarks(old.lines, splice)

    @property
    def is_followed(self) -> bool:
        """Whether an edit follows each change, or a batch is in flight."""
        return bool(self._pending or self._followers)

    @property
    def _in_flight(self) -> PendingApplyEdit | None:
        return self._pending if self._pending and not self._pending.is_applied else None

    def _note_applied(self, pending: PendingApplyEdit, version: int) -> None:
        earlier = self._earlier_followers(pending)
        self._commit(pending, earlier)
        self._report_typing(earlier, pending.expected_document, pending.typed)
        passes_stale = not pending.is_guarded or self.behavior.passes_untold
        if passes_stale and version - pending.base.version > len(pending.edits):
            self._on_doubt()

    def _commit(self, pending: PendingApplyEdit, followers: Sequence[Follower]) -> None:
        pending.is_applied = True
        others = [follower for follower in followers if follower is not pending.owner]
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
        self.on_followed()

    @staticmethod
    def _report(followers: Sequence[Follower], splice: Splice) -> None:
        if splice:
            for follower in followers:
                follower.follow(splice)

    # Edits that the user applies

    @property
    def is_guarded(self) -> bool:
        """Whether the client refuses outdated edits of this document."""
        return is_guarded(self.behavior, has_changed=self.has_changed)

    async def offer(self, owner: Owner[BatchT], build: Callable[[], BatchT | None]) -> None:
        """Hold a batch for the user to apply; return once the document contains it.

        Args:
            owner: The owner of the batch; its ``commit`` is then called.
            build: Builds the batch against the current document.

        Raises:
            EditUnconfirmed: The client applied it elsewhere.
            ClientRefused: The document was closed.
        """
        await self._offers.hold(owner, build)

    def keep_looking(self, owner: Owner[BatchT], build: Callable[[], BatchT | None]) -> asyncio.Future[None]:
        """Recognize a batch that is no longer offered; see `Offers.keep`."""
        return self._offers.keep(owner, build)

    def offered(self, owner: Owner[Any]) -> list[TextEdit]:
        """Return an offer's edits against the current document; empty if there is no offer, or a batch is in flight."""
        return self._offers.edits_of(owner, self.document) if self.seen_by(owner) is self.document else []

    # Our edits

    async def apply(
        self,
        owner: Owner[BatchT],
        build: Callable[[], Built[BatchT]],
        request: RequestFor,
        *,
        in_whole_lines: bool = False,
    ) -> ApplyEditRequest | None:
        """Apply one batch to the document.

        If the caller is cancelled, the batch in flight still completes before the next one starts.

        Args:
            owner: The owner of the batch; its ``commit`` is called when the document contains the batch.
            build: Builds the batch against the current document, again if the client was ahead of us;
                ``None`` if nothing changes.
            request: Returns the request for the edits of a batch.
            in_whole_lines: Whether the edits replace whole lines.

        Returns:
            The request that was sent, ``None`` if none was needed.

        Raises:
            EditUnconfirmed: The client accepted the edit but never reported it, dropped it too often, or never responded.
            DocumentHidden: The document is hidden, and the edit is not over; its last part is sent as a standard edit.
            ClientRefused: The client refused for a reason that does not change with time.
        """
        return await self._run_to_end(self._apply(owner, build, request, in_whole_lines=in_whole_lines))

    async def _run_to_end(self, work: Coroutine[None, None, ResultT]) -> ResultT:
        """Run work that holds the lock to its end, even if the caller is cancelled.

        Raises:
            ClientRefused: The document was closed.
        """
        task = begin(work)
        self._sends.add(task)
        task.add_done_callback(self._sends.discard)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if task.cancelled():  # only `close` cancels it
                raise ClientRefused(_FINAL["closed"]) from None
            raise

    async def end_undo_step(self, request: Callable[[Document], ApplyEditRequest]) -> None:
        """End the undo step of an edit whose last batch did not end it. The request changes no text."""
        if not self.behavior.is_ours:
            return  # only our clients group batches into an undo step
        with contextlib.suppress(ClientRefused, EditUnconfirmed):
            await self._run_to_end(self._end_undo_step(request))

    async def _end_undo_step(self, request: Callable[[Document], ApplyEditRequest]) -> None:
        async with self._lock:
            if not self.is_closed:
                await self._client.apply_edit(request(self.document))

    async def _apply(
        self,
        owner: Owner[BatchT],
        build: Callable[[], Built[BatchT]],
        request: RequestFor,
        *,
        in_whole_lines: bool,
    ) -> ApplyEditRequest | None:
        is_hidden, n_dropped = False, 0
        async with self._lock:
            while not self.is_closed:
                batch = await built(build, lambda: self.document)
                if batch is None:
                    return None
                base, start, end = self.document, owner.start, owner.end
                edits = base.text_edits(batch.edits, in_whole_lines=in_whole_lines)
                allowed = base.editable_range(start, end)
                if batch.edits and await self._wait_for_quiet():
                    continue  # the document may have changed, or the edit may have been cancelled
                apply_request = request(base, edits)
                apply_request = replace(apply_request, is_hidden=True) if is_hidden else apply_request
                if not apply_request.edits:
                    owner.commit(batch)
                    return None
                check_document(apply_request.document, self.document)
                check_edits(apply_request.edits, allowed)
                commit = partial(owner.commit, batch)
                pending = PendingApplyEdit(
                    base,
                    batch.edits,
                    owner,
                    commit,
                    is_guarded=self.is_guarded,
                    text_edits=apply_request.edits,
                )
                try:
                    if await self._send(pending, apply_request):
                        return apply_request
                except DocumentHidden:
                    if not apply_request.is_last:
                        raise
                    is_hidden = True
                n_dropped += pending.seems_dropped
                if n_dropped > MAX_REBUILT:
                    raise EditUnconfirmed(
                        "the editor did not report an edit that was sent several times; the text is left as it is"
                    )
            raise ClientRefused(_FINAL["closed"])

    async def _wait_for_quiet(self) -> bool:
        """Wait for a pause in typing and in responses if the client needs one; return whether it waited."""
        if self.behavior.is_ours:
            return False
        if await self._events.typing():
            return True
        return self.behavior.drops_after_responses and await self._client.wait_until_idle()

    async def _send(self, pending: PendingApplyEdit, apply_request: ApplyEditRequest) -> bool:
        """Send one batch; return whether the document contains it.

        If not, the batch must be built again, and the changes received meanwhile are typing.
        """
        self._pending = pending
        self._is_idle.clear()
        try:
            answer = await self._client.apply_edit(apply_request)
            if answer.applied or pending.is_applied:
                pending.is_answered = True
                await self._wait_until_applied(pending)
            elif answer.reason == "hidden" and not apply_request.is_hidden:
                raise DocumentHidden
            elif answer.reason in _FINAL:
                raise ClientRefused(_FINAL[answer.reason])
            else:
                is_behind = self.behavior.holds_back or answer.reason == "stale"
                limit_s = HELD_BACK_S if is_behind else self._confirm_s
                await self._wait_for_version_after(pending.base.version, limit_s)
        finally:
            self._pending = None
            if not pending.is_applied:
                self._report_typing(self._earlier_followers(pending), pending.base, pending.splices)
            self._is_idle.set()
        return pending.is_applied

    async def _wait_until_applied(self, pending: PendingApplyEdit) -> None:
        if not pending.is_applied and pending.is_in(self.document.lines):
            self._note_applied(pending, self.document.version)
        deadline = asyncio.get_running_loop().time() + self._confirm_s
        while not pending.is_applied:
            is_stale = pending.is_guarded and self.document.version != pending.base.version
            if self.behavior.drops_in_silence and is_stale:
                return  # a change made before its yes would have been reported by now
            if not await self._events.before(deadline):
                raise EditUnconfirmed(
                    "the editor accepted an edit and did not report the change; the text is left as it is"
                )

    async def _wait_for_version_after(self, version: int, limit_s: float) -> None:
        deadline = asyncio.get_running_loop().time() + limit_s
        while self.document.version == version:
            if not await self._events.before(deadline):
                raise ClientRefused("the editor refused the edit without a reason")


_FINAL = {
    "readOnly": "the document is read-only",
    "closed": "the document was closed",
    "hidden": "the editor does not edit documents that are not on screen",
}

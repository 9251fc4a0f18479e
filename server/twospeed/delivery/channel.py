"""One open document: send our edits to the client, one batch at a time.

One batch is in flight, for one exact version; nothing is sent again on a timer. A rejected batch is built again once
the client has reported its newer version; one that seems dropped, at most `MAX_REBUILT` times. `followed_document`
recognizes the batch in the client's changes.
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
from twospeed.text.document import Document
from twospeed.text.edits import TextEdit

from .bounds_check import check_document, check_edits
from .building import MaybeAwaitable, build_for_current
from .client import ApplyEditRequest, EditClient, Owner
from .client_table import UNKNOWN, ClientBehavior
from .followed_document import FollowedDocument
from .offers import BatchT
from .pending_apply_edit import PendingApplyEdit

CONFIRM_S = 5.0
"""Seconds from ``applied: true`` until the document must contain the edit; the slowest client measured took 0.5 s."""

NEWER_VERSION_S = 60.0
"""Seconds for a client with a newer document to report it: some hold changes back until the user pauses."""

MAX_REBUILT = 2
"""How often a batch that seems dropped is built again.

After three drops the client may have applied it in a shape that is not recognized; a further one may insert it twice.
"""

_FINAL_REFUSALS = {
    "readOnly": "the document is read-only",
    "closed": "the document was closed",
    "hidden": "the editor does not edit documents that are not on screen",
}
"""Messages of the reasons that do not change with time, by ``reason`` of the response."""

_TAKES_NO_EDITS = "the editor takes no edits from a server; its undo takes an edit back"

ResultT = TypeVar("ResultT")
RequestFor: TypeAlias = Callable[[Document, Sequence[TextEdit]], ApplyEditRequest]
"""Returns the request for edits of a document."""


class DocumentChannel(FollowedDocument):
    """Reads and edits one open document.

    Args:
        document: The document as opened.
        client: Receives the edits.
        behavior: How the client treats edits.
        on_doubt: See `FollowedDocument`.
        confirm_s: Seconds from the response ``applied: true`` until the document must contain the edit.
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
        super().__init__(document, behavior, on_doubt)
        self.is_closed = False
        self._client = client
        self._confirm_s = confirm_s
        self._lock = asyncio.Lock()
        self._idle = asyncio.Event()  # not set while a batch is in flight
        self._sends: set[asyncio.Task[Any]] = set()

    async def wait_until_idle(self) -> None:
        """Wait until no batch is in flight, so that the line numbers of all followers refer to the current document."""
        while self._pending:
            await self._idle.wait()

    def close(self) -> None:
        """Handle a ``didClose``: every caller that waits for the client raises `ClientRefused`."""
        self.is_closed = True
        for task in self._sends:
            task.cancel()
        self._offers.fail(ClientRefused(_FINAL_REFUSALS["closed"]))

    # Edits that the user applies

    async def offer(
        self,
        owner: Owner[BatchT],
        build: Callable[[], BatchT | None],
        prepare: Callable[[], None] = lambda: None,
    ) -> None:
        """Offer a batch that the user applies; return once the document contains it.

        Args:
            owner: The owner of the batch; its ``commit`` is then called.
            build: Builds the batch against the current document.
            prepare: Called before the batch is returned to the client, each time.

        Raises:
            EditUnconfirmed: The client applied it elsewhere.
            ClientRefused: The document was closed.
        """
        await self._offers.offer(owner, build, prepare)

    def watch_withdrawn_offer(
        self, owner: Owner[BatchT], build: Callable[[], BatchT | None]
    ) -> asyncio.Future[None]:
        """Recognize a batch that is no longer offered; see `Offers.watch_withdrawn`."""
        return self._offers.watch_withdrawn(owner, build)

    def offered(self, owner: Owner[Any]) -> list[TextEdit]:
        """Return an offer's edits against the current document; empty if there is no offer.

        Also empty while a batch is in flight, if the document has changed since, or if the client would apply the edits to
        the text with the batch.
        """
        may_be_outdated = self._in_flight is not None and not self.is_guarded
        is_current = self.seen_by(owner) is self.document and not may_be_outdated
        return self._offers.edits_of(owner, self.document) if is_current else []

    # Our edits

    async def apply(
        self,
        owner: Owner[BatchT],
        build: Callable[[], MaybeAwaitable[BatchT]],
        request: RequestFor,
        *,
        in_whole_lines: bool = False,
        on_applied: Callable[[], None] = lambda: None,
    ) -> ApplyEditRequest | None:
        """Apply one batch to the document.

        If the caller is cancelled, the batch in flight still completes before the next one starts.

        Args:
            owner: The owner of the batch; its ``commit`` is called when the document contains the batch.
            build: Builds the batch against the current document, again if the client was ahead of us;
                ``None`` if nothing changes.
            request: Returns the request for the edits of a batch.
            in_whole_lines: Whether the edits replace whole lines.
            on_applied: Called once the document contains the batch, before another batch is built.

        Returns:
            The request that was sent, ``None`` if none was needed.

        Raises:
            EditUnconfirmed: The client accepted the edit but never reported it, dropped it too often, or never responded.
            DocumentHidden: The document is hidden, and this is not the last batch. The last one is sent again as
                ``workspace/applyEdit``.
            ClientRefused: The client refused for a reason that does not change with time.
        """
        return await self._run_to_end(
            self._apply(owner, build, request, on_applied, in_whole_lines=in_whole_lines)
        )

    async def _run_to_end(self, work: Coroutine[None, None, ResultT]) -> ResultT:
        """Run to its end a coroutine that holds the lock, even if the caller is cancelled.

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
                raise ClientRefused(_FINAL_REFUSALS["closed"]) from None
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
        build: Callable[[], MaybeAwaitable[BatchT]],
        request: RequestFor,
        on_applied: Callable[[], None],
        *,
        in_whole_lines: bool,
    ) -> ApplyEditRequest | None:
        is_hidden, n_dropped = False, 0
        async with self._lock:
            while not self.is_closed:
                batch = await build_for_current(build, lambda: self.document)
                if batch is None:
                    return None
                base = self.document
                edits = base.text_edits(batch.edits, in_whole_lines=in_whole_lines)
                allowed = [base.editable_range(*span) for span in owner.spans]
                if batch.edits and await self._wait_for_quiet():
                    continue  # the document may have changed, or the edit may have been cancelled
                apply_request = request(base, edits)
                apply_request = replace(apply_request, is_hidden=True) if is_hidden else apply_request
                if not apply_request.edits:
                    owner.commit(batch)
                    return None
                if not self.behavior.takes_edits:
                    raise ClientRefused(_TAKES_NO_EDITS)
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
                        on_applied()
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
            raise ClientRefused(_FINAL_REFUSALS["closed"])

    async def _wait_for_quiet(self) -> bool:
        """Wait for a pause in typing and in responses if the client needs one; return whether it waited."""
        if self.behavior.is_ours:
            return False
        if await self._events.wait_for_typing_pause():
            return True
        return self.behavior.drops_messages_after_responses and await self._client.wait_until_idle()

    async def _send(self, pending: PendingApplyEdit, apply_request: ApplyEditRequest) -> bool:
        """Send one batch; return whether the document contains it.

        If not, the batch must be built again, and the changes received meanwhile are typing.
        """
        self._pending = pending
        self._idle.clear()
        try:
            response = await self._client.apply_edit(apply_request)
            if response.applied or pending.is_applied:
                pending.was_accepted = True
                await self._wait_until_applied(pending)
            elif response.reason == "hidden" and not apply_request.is_hidden:
                raise DocumentHidden
            elif response.reason in _FINAL_REFUSALS:
                raise ClientRefused(_FINAL_REFUSALS[response.reason])
            else:
                is_behind = self.behavior.reports_after_typing_pause or response.reason == "stale"
                limit_s = NEWER_VERSION_S if is_behind else self._confirm_s
                await self._wait_for_version_after(pending.base.version, limit_s)
        finally:
            self._pending = None
            if not pending.is_applied:
                self._report_typing(self._earlier_followers(pending), pending.base, pending.splices)
                self.on_followed()
            self._idle.set()
        return pending.is_applied

    async def _wait_until_applied(self, pending: PendingApplyEdit) -> None:
        if not pending.is_applied and pending.is_in(self.document.lines):
            self._note_applied(pending, self.document.version)
            self.on_followed()
        deadline = asyncio.get_running_loop().time() + self._confirm_s
        while not pending.is_applied:
            is_stale = pending.is_guarded and self.document.version != pending.base.version
            if self.behavior.confirms_dropped_edits and is_stale:
                return  # dropped: if applied before the response, it would be in this newer version
            if not await self._events.wait_for_message(deadline):
                raise EditUnconfirmed(
                    "the editor accepted an edit and did not report the change; the text is left as it is"
                )

    async def _wait_for_version_after(self, version: int, limit_s: float) -> None:
        deadline = asyncio.get_running_loop().time() + limit_s
        while self.document.version == version:
            if not await self._events.wait_for_message(deadline):
                raise ClientRefused("the editor refused the edit and reported no newer version")

"""Deliver one edit: batches while the answer arrives, then the rest or the old text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Generic

from twospeed.errors import DocumentHidden
from twospeed.text.document import Document
from twospeed.text.edits import TextEdit

from .building import BatchT, MaybeAwaitable, keep_part, next_batch, revert_all
from .channel import DocumentChannel, RequestFor
from .client import ApplyEditRequest, WritableScope
from .client_table import ClientBehavior, Style
from .flush_loop import FlushLoop


class UndoStep:
    """Numbers the requests of an edit, and marks the first and the last one of its undo step.

    Args:
        edit_id: The edit, or the group of edits that share the step.
        in_whole_lines: See the attribute.

    Attributes:
        writers: The edits that may still write in the step.
        has_written: Whether a request of the step was applied.
        in_whole_lines: Whether text edits replace whole lines, as editors without our client need while text streams.
        n_sent: Requests so far.
        n_chars: Characters sent so far.
        is_open: Whether the last request that changed text did not end the step.
    """

    def __init__(self, edit_id: str, *, in_whole_lines: bool) -> None:
        self.writers: set[object] = set()
        self.has_written = False
        self.n_sent = 0
        self.n_chars = 0
        self.is_open = False
        self.in_whole_lines = in_whole_lines
        self._edit_id = edit_id

    @classmethod
    def of(cls, edit_id: str, style: Style, behavior: ClientBehavior) -> UndoStep:
        """Return the step for edits of a style in a client.

        A standard client has no ``twospeed/applyEdit``. In its document, whole lines are recognized more reliably than parts.
        """
        return cls(edit_id, in_whole_lines=style == "stream" and not behavior.is_ours)

    def request(
        self, document: Document, edits: Sequence[TextEdit], *, begins: bool, ends: bool
    ) -> ApplyEditRequest:
        """Return the request for edits of a document; a request without edits has the number of the last one.

        Args:
            document: The document that the edits are against.
            edits: Sorted and disjoint.
            begins: Whether it begins the undo step.
            ends: Whether it ends the undo step.
        """
        if edits:
            self.n_sent += 1
            self.is_open = not ends
        request = ApplyEditRequest(self._edit_id, self.n_sent, document, edits, begins, ends)
        self.n_chars += request.n_chars
        return request

    def note_written(self) -> None:
        """Note that a request was applied."""
        self.has_written = True

    def end(self, document: Document) -> ApplyEditRequest:
        """Return the request that ends the step without changing text."""
        self.n_sent += 1
        self.is_open = False
        return ApplyEditRequest(self._edit_id, self.n_sent, document, (), is_first=False, is_last=True)


class EditDelivery(Generic[BatchT]):
    """Delivers the batches of one scope.

    Args:
        channel: The document's channel.
        scope: Builds the batches; `restart` replaces it.
        step: The undo step of the edit.

    Attributes:
        is_stopped: Whether no more of the answer may be sent; the old text may.
    """

    def __init__(self, channel: DocumentChannel, scope: WritableScope[BatchT], step: UndoStep) -> None:
        self.is_stopped = False
        self._channel = channel
        self._scope = scope
        self._step = step
        self._is_hidden = False
        self._loop = FlushLoop(self._flush)

    @property
    def error(self) -> Exception | None:
        """Why a batch was not applied; after an error nothing is sent."""
        return self._loop.error

    def restart(self, scope: WritableScope[BatchT]) -> None:
        """Deliver another scope of the same edit from now on."""
        self._scope = scope

    def flush_soon(self) -> None:
        """Send the waiting ops as soon as no request is pending.

        Raises:
            DeliveryError: An earlier batch was not applied.
        """
        self._loop.flush_soon()

    async def flush(self) -> None:
        """Send the waiting ops.

        Raises:
            DeliveryError: This batch or an earlier one was not applied.
        """
        await self._loop.finish(self._flush)

    async def finish(self, prepare: Callable[[], None] = lambda: None) -> None:
        """Send the rest, and end the undo step.

        Args:
            prepare: Called before the batch is built, each time that it is built.

        Raises:
            DeliveryError: This batch or an earlier one was not applied.
        """

        def build() -> MaybeAwaitable[BatchT]:
            prepare()
            return self._next_batch()

        await self._loop.finish(lambda: self._apply(build, self._last_request))
        await self._end_undo_step()

    async def revert(self) -> None:
        """Restore the old text; more of the edit may follow.

        Raises:
            DeliveryError: This batch or an earlier one was not applied.
        """
        await self._loop.finish(self._revert)

    async def revert_and_end(self, *, keeps_part: bool) -> None:
        """Restore the old text, all of it or only after the last kept line, and end the undo step.

        Raises:
            DeliveryError: The batch was not applied.
        """
        build = keep_part if keeps_part else revert_all
        await self._apply(partial(build, self._scope), self._last_request)
        await self._end_undo_step()

    async def stop(self) -> None:
        """Wait for the pending request, then send nothing more."""
        await self._loop.stop()

    async def _flush(self) -> None:
        if self._is_hidden or self._scope.has_crossed_edge:
            return
        try:
            await self._apply(self._next_batch, self._request)
        except DocumentHidden:
            self._is_hidden = True  # the rest is sent as one edit at the end

    async def _revert(self) -> None:
        build = partial(revert_all, self._scope)
        try:
            await self._apply(build, self._request)
        except DocumentHidden:
            await self._apply(build, self._last_request)

    async def _apply(self, build: Callable[[], MaybeAwaitable[BatchT]], request: RequestFor) -> None:
        in_whole_lines, note = self._step.in_whole_lines, self._step.note_written
        await self._channel.apply(self._scope, build, request, in_whole_lines=in_whole_lines, on_applied=note)

    async def _end_undo_step(self) -> None:
        if self._step.is_open and self._step.has_written and len(self._step.writers) <= 1:
            await self._channel.end_undo_step(self._step.end)

    def _next_batch(self) -> MaybeAwaitable[BatchT]:
        is_over = self.is_stopped or self._scope.has_crossed_edge
        return None if is_over else next_batch(self._scope)

    def _request(self, document: Document, edits: Sequence[TextEdit]) -> ApplyEditRequest:
        return self._step.request(document, edits, begins=not self._step.has_written, ends=False)

    def _last_request(self, document: Document, edits: Sequence[TextEdit]) -> ApplyEditRequest:
        is_last_writer = len(self._step.writers) <= 1
        return self._step.request(document, edits, begins=not self._step.has_written, ends=is_last_writer)

"""The interfaces of delivery: a client that applies edits, and followers of the document's changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, Self, TypeVar

from twospeed.text.document import Document, Splice
from twospeed.text.edits import LineEdit, TextEdit


class EditBatch(Protocol):
    """Line edits against the current document."""

    @property
    def edits(self) -> Sequence[LineEdit]:
        """Sorted and disjoint; may be empty."""


BatchT = TypeVar("BatchT", bound=EditBatch)
BatchT_co = TypeVar("BatchT_co", bound=EditBatch, covariant=True)
BatchT_contra = TypeVar("BatchT_contra", bound=EditBatch, contravariant=True)


class Follower(Protocol):
    """An object whose line numbers refer to the document."""

    def follow(self, splice: Splice, /) -> None:
        """Adjust its line numbers to a change that is not the follower's own."""


class Owner(Follower, Protocol[BatchT_contra]):
    """The follower whose batches are sent; it commits them instead of following them."""

    @property
    def parts(self) -> Sequence[Follower]:
        """The followers that commit a batch instead of following it."""

    @property
    def spans(self) -> Sequence[tuple[int, int]]:
        """The lines that it may change: the first one, and the line after the last, of each span in order."""

    def commit(self, batch: BatchT_contra, /) -> None:
        """Record that the document now contains the batch."""


class CopiedRows(Protocol):
    """Rows that a thread reads from a copy."""

    @property
    def n_rows(self) -> int:
        """All rows, with the removed ones."""

    def copy(self) -> Self:
        """Return a copy for another thread."""


class BatchSource(CopiedRows, Protocol[BatchT_co]):
    """Lines for which batches are built."""

    @property
    def has_crossed_edge(self) -> bool:
        """Whether the user typed across its edge: no further batch may be sent."""

    @property
    def n_waiting(self) -> int:
        """Ops that no batch contains yet."""

    @property
    def n_written_rows(self) -> int:
        """Rows that the ops so far decided."""

    def next_batch(self) -> BatchT_co | None:
        """Build the edits for the waiting ops."""

    def revert_hunks(self) -> BatchT_co:
        """Build the edits that restore the old lines."""

    def keep_part(self) -> BatchT_co:
        """Build the edits that leave the text written up to the last kept old line."""

    def forget_waiting(self) -> None:
        """Drop the waiting ops."""


class WritableScope(Owner[BatchT], BatchSource[BatchT], Protocol[BatchT]):
    """An owner that builds its own batches, implemented by `stream.EditScopes`."""


@dataclass(frozen=True, slots=True)
class ApplyEditRequest:
    """One batch for the client, guarded by the version of ``document``."""

    edit_id: str
    seq: int  # number of the request within the edit, from 1
    document: Document
    edits: Sequence[TextEdit]
    is_first: bool  # begins an undo step
    is_last: bool  # ends the undo step
    is_hidden: bool = False  # not on screen: editors then accept only ``workspace/applyEdit``

    @property
    def n_chars(self) -> int:
        """Characters of new text."""
        return sum(len(edit.new_text) for edit in self.edits)


@dataclass(frozen=True, slots=True)
class ApplyEditResult:
    """The client's response: ``applied`` is its claim, not proof; ``reason`` is as in the contract."""

    applied: bool
    reason: Literal["stale", "hidden", "readOnly", "closed"] | None = None


class EditClient(Protocol):
    """The connection to the editor."""

    async def wait_until_idle(self) -> bool:
        """Wait until a message would be sent at once; return whether there was a wait."""

    async def apply_edit(self, apply_request: ApplyEditRequest) -> ApplyEditResult:
        """Request that the client apply all edits of a batch at exactly its version, or none.

        Raises:
            EditUnconfirmed: The client did not respond in time.
        """

"""The documents that an editor has open, within limits. A document beyond them, or one whose text was lost, is not edited."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from twospeed import syntax
from twospeed.delivery import ClientBehavior, DocumentChannel, EditClient
from twospeed.errors import DocumentNotOpen, DocumentUnmanaged, StaleVersion
from twospeed.text.document import ContentChange, Document
from twospeed.text.lines import EolCounts
from twospeed.text.many_changes import cost_of_changes, joined_change
from twospeed.text.positions import Encoding

MAX_DOCUMENTS = 200
MAX_URI = 8192
"""Characters of a document's URI; paths have at most 4,096 bytes, of which each may take three characters.

A document of a longer one is not followed, and nothing is remembered of it.
"""

MAX_UNMANAGED = 1000
"""How many documents that are not followed are remembered, with the reason."""

MAX_TEXT_BYTES = 256 * 1024 * 1024
"""Of one connection (R11.3); an editor that has more open than this has gone wild, or wants memory."""

MAX_DOCUMENT_BYTES = 16 * 1024 * 1024
"""Of one document that is followed: twice what is edited. Splitting 60 MB into lines took 2 s, and a key in a line of
60 MB 0.25 s, in which no other request was answered."""

MAX_LINES = 1_000_000
"""Of one document that is followed. 30 MB of empty lines took 7 s to split, and 500 MB of memory."""

MAX_COST = 7_000_000
"""Of the changes of one message that are made one by one, as `cost_of_changes` counts: some 50 ms."""

MAX_COST_IN_STEPS = 200_000_000
"""The same where each change is followed by an edit, or no single change does what they do: some 1.4 s."""

CHANGES_AT_ONCE = 500
"""Of a step: what the rest costs is counted again in the text that a step leaves."""


class OpenDocuments:
    """What is open on one connection.

    Args:
        client: Where edits go.
        encoding: The position encoding that client and server agreed on.
        behavior: What is known of the client.
        on_doubt: Called where an edit may have overwritten keys, see `DocumentChannel`.
        on_close: Told of every document that is no longer followed.
    """

    def __init__(
        self,
        client: EditClient,
        *,
        encoding: Encoding,
        behavior: ClientBehavior,
        on_doubt: Callable[[], None],
        on_close: Callable[[str], None],
    ) -> None:
        self.encoding: Encoding = encoding
        self._client = client
        self._behavior = behavior
        self._on_doubt = on_doubt
        self._on_close = on_close
        self._channels: dict[str, DocumentChannel] = {}
        self._n_bytes: dict[str, int] = {}
        self._unmanaged: dict[str, str] = {}

    def open(self, document: Document) -> None:
        """Open a document; it replaces one with the same URI."""
        if len(document.uri) > MAX_URI:
            return
        self.close(document.uri)
        if len(self._channels) >= MAX_DOCUMENTS:
            self.mark_unmanaged(
                document.uri, f"{MAX_DOCUMENTS} documents are open already, so this one is not followed"
            )
            return
        self._channels[document.uri] = DocumentChannel(
            document, self._client, behavior=self._behavior, on_doubt=self._on_doubt
        )
        self._measure(document)

    def has_room_for(self, uri: str, text: str) -> bool:
        """Whether a text can be followed, to be asked before it is split into lines; where not, its document is left.

        Args:
            uri: The document that is opened with the text, or into which it is inserted.
            text: The whole text, or the inserted one.

        Cost: 1 ms for each MB.
        """
        return not self._leave_too_large(uri, len(text), sum(EolCounts.of([text])))

    def change(self, uri: str, changes: Sequence[ContentChange], version: int) -> None:
        """Follow a ``didChange``.

        Raises:
            DocumentNotOpen: It is not open.
            DocumentUnmanaged: It is not followed any more.
        """
        channel = self.channel(uri)
        if not all(self.has_room_for(uri, change.text) for change in changes):
            return
        if self._change_at_once(channel, changes, version) or self._change_in_steps(
            channel, changes, version
        ):
            self._measure(channel.document)
        else:
            reason = (
                f"one message changed it in {len(changes):,} places, too many for the length of its lines"
            )
            self.mark_unmanaged(uri, reason)

    def _change_at_once(
        self, channel: DocumentChannel, changes: Sequence[ContentChange], version: int
    ) -> bool:
        """Apply cheap changes one by one, or expensive ones as one if no edit is followed; return whether it did."""
        if cost_of_changes(channel.document, changes) > MAX_COST:
            joined = None if channel.is_followed else joined_change(channel.document, changes)
            if joined is None:
                return False
            changes = [joined]
        channel.receive_changes(changes, version)
        return True

    def _change_in_steps(
        self, channel: DocumentChannel, changes: Sequence[ContentChange], version: int
    ) -> bool:
        """Apply changes in steps, and the rest as one if they cost too much; return whether all are applied."""
        cost = 0
        for start in range(0, len(changes), CHANGES_AT_ONCE):
            step = changes[start : start + CHANGES_AT_ONCE]
            cost += cost_of_changes(channel.document, step)
            if cost > MAX_COST_IN_STEPS:
                joined = joined_change(channel.document, changes[start:])
                if joined:
                    channel.receive_changes([joined], version)
                return joined is not None
            channel.receive_changes(step, version)
        return True

    def close(self, uri: str) -> None:
        """Close a document, and stop its edits."""
        if channel := self._channels.pop(uri, None):
            channel.close()
            syntax.forget_closed(channel.document.lines)
            self._on_close(uri)
        self._n_bytes.pop(uri, None)
        self._unmanaged.pop(uri, None)

    def close_all(self) -> None:
        """Close the channels; the scheduler ends their edits."""
        for channel in self._channels.values():
            channel.close()
            syntax.forget_closed(channel.document.lines)

    @property
    def all(self) -> list[Document]:
        """The open documents, at their current version."""
        return [channel.document for channel in self._channels.values()]

    def mark_unmanaged(self, uri: str | None, reason: str) -> None:
        """Edit nothing in a document, or in any that is open, until it is opened again.

        Args:
            uri: The document; ``None`` for all of them.
            reason: Why; half a sentence, for whoever asks for an edit there.
        """
        for each in list(self._channels) if uri is None else [uri]:
            self.close(each)
            if len(each) <= MAX_URI:
                self._unmanaged[each] = reason
        while len(self._unmanaged) > MAX_UNMANAGED:
            del self._unmanaged[next(iter(self._unmanaged))]  # then it counts as never opened

    def channel(self, uri: str, *, version: int | None = None) -> DocumentChannel:
        """Find an open document.

        Raises:
            DocumentNotOpen: It is not open.
            DocumentUnmanaged: Its text was lost, or there was no room for it.
            StaleVersion: It is at another version than the one asked for.
        """
        if len(uri) > MAX_URI:
            raise DocumentUnmanaged(uri, f"its URI has more than {MAX_URI:,} characters")
        if uri in self._unmanaged:
            raise DocumentUnmanaged(uri, self._unmanaged[uri])
        channel = self._channels.get(uri)
        if channel is None:
            raise DocumentNotOpen(uri)
        if version is not None and version != channel.document.version:
            raise StaleVersion(uri, requested=version, current=channel.document.version)
        return channel

    def _leave_too_large(self, uri: str, n_bytes: int, n_lines: int) -> bool:
        if n_bytes > MAX_DOCUMENT_BYTES:
            limit = f"is larger than {MAX_DOCUMENT_BYTES // 1024 // 1024} MiB"
        elif n_lines > MAX_LINES:
            limit = f"has more than {MAX_LINES:,} lines"
        else:
            return False
        self.mark_unmanaged(uri, f"the document {limit}, so it is not followed")
        return True

    def _measure(self, document: Document) -> None:
        if self._leave_too_large(document.uri, document.lines.n_bytes, len(document.lines)):
            return
        self._n_bytes[document.uri] = document.lines.n_bytes
        if sum(self._n_bytes.values()) > MAX_TEXT_BYTES:
            n_mib = MAX_TEXT_BYTES // 1024 // 1024
            self.mark_unmanaged(
                document.uri, f"more than {n_mib} MiB of text are open, so this document is not followed"
            )

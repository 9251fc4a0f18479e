"""Lines of a document that are followed through its changes, and how many lines of an edit survive."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from twospeed.delivery import DocumentChannel
from twospeed.delivery.client import Follower
from twospeed.edits.inline_edit import InlineEdit
from twospeed.edits.phases import EditState
from twospeed.text.document import Splice


@dataclass(slots=True, eq=False)
class TrackedLines:
    """Lines ``start`` up to ``end`` of a document; a `delivery.client.Follower`."""

    start: int
    end: int
    is_lost: bool = False  # a change crossed the first or the last line

    def follow(self, splice: Splice) -> None:
        """Follow a change; a change that reaches into the lines belongs to them."""
        if splice.end <= self.start:
            self.start += splice.delta
            self.end += splice.delta
        elif splice.start < self.end:
            self.is_lost |= splice.start < self.start or splice.end > self.end
            self.start = min(self.start, splice.start)
            self.end = max(self.end, splice.end) + splice.delta


class TrackedScope:
    """The lines of an edit's scope, also after the edit has ended; until then its live scope has them."""

    def __init__(self, edit: InlineEdit) -> None:
        self._edit = edit
        self._since_end: TrackedLines | None = None
        edit.channel.add(self, same_document_as=edit.place.scopes)

    @property
    def lines(self) -> TrackedLines:
        """The lines, in the document that `DocumentChannel.seen_by` returns for this follower."""
        live = self._edit.live
        return self._since_end or TrackedLines(live.start, live.end, live.has_crossed_edge)

    def follow(self, splice: Splice) -> None:
        """Follow a change after the edit's end."""
        if self._edit.state is EditState.ENDED:
            self._since_end = self.lines
            self._since_end.follow(splice)

    def stop(self) -> None:
        """Stop following changes."""
        self._edit.channel.remove(self)


class Survival:
    """Counts the surviving lines of a text that was just applied; a `delivery.client.Follower`.

    Lines are compared without indentation; equal lines that were not written are subtracted.

    Args:
        channel: The document.
        place: The lines in which written ones are searched.
        spans: The first written line, and the line after the last, of each part.
        same_document_as: See `FollowedDocument.add`.
    """

    def __init__(
        self,
        channel: DocumentChannel,
        place: TrackedLines,
        spans: Iterable[tuple[int, int]],
        same_document_as: Follower | None = None,
    ) -> None:
        self._channel = channel
        self._place = place
        self._channel.add(self, same_document_as=same_document_as)
        lines = self._channel.seen_by(self).lines
        self._written = _stripped(line for start, end in spans for line in lines[start:end])
        self._others = _stripped(lines[self._place.start : self._place.end]) - self._written

    @classmethod
    def of(cls, edit: InlineEdit) -> Survival:
        """Follow the lines of an edit."""
        spans = [(hunk.start, hunk.end) for hunk in edit.live.hunks()]
        place = TrackedLines(edit.live.start, edit.live.end)
        return cls(edit.channel, place, spans, same_document_as=edit.place.scopes)

    @property
    def n_written(self) -> int:
        """Written lines, without blank ones."""
        return self._written.total()

    def follow(self, splice: Splice) -> None:
        """Follow a change."""
        self._place.follow(splice)

    def count(self) -> int:
        """Return how many of the written lines are still in the scope."""
        lines = self._channel.seen_by(self).lines
        now = _stripped(lines[self._place.start : self._place.end]) - self._others
        return (now & self._written).total()

    def stop(self) -> None:
        """Stop following changes."""
        self._channel.remove(self)


def _stripped(lines: Iterable[str]) -> Counter[str]:
    return Counter(stripped for line in lines if (stripped := line.strip()))

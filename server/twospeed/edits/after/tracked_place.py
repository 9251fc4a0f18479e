"""Lines of a document that are followed through its changes, and how many lines of an edit survive."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from twospeed.edits.inline_edit import InlineEdit
from twospeed.edits.phases import EditState
from twospeed.text.document import Splice


@dataclass(slots=True, eq=False)
class TrackedLines:
    """Some lines of a document; a `delivery.client.Follower`.

    Attributes:
        start: The first line.
        end: The line after the last.
        is_lost: Whether a change reached across an edge of the lines.
    """

    start: int
    end: int
    is_lost: bool = False

    def follow(self, splice: Splice) -> None:
        """Follow a change; what reaches into the lines belongs to them."""
        end, delta = splice.start + splice.count, len(splice.lines) - splice.count
        if end <= self.start:
            self.start += delta
            self.end += delta
        elif splice.start < self.end:
            self.is_lost |= splice.start < self.start or end > self.end
            self.start = min(self.start, splice.start)
            self.end = max(self.end, end) + delta


class TrackedScope:
    """The lines of an edit's scope, also after the edit has ended.

    Args:
        edit: Followed beside its live scope, which alone knows the edit's own changes.
    """

    def __init__(self, edit: InlineEdit) -> None:
        self._edit = edit
        self._since_end: TrackedLines | None = None
        edit.channel.add(self, beside=edit.live)

    @property
    def lines(self) -> TrackedLines:
        """Where the lines are, in the document that `DocumentChannel.seen_by` gives for this follower."""
        live = self._edit.live
        return self._since_end or TrackedLines(live.start, live.end, live.has_crossed_edge)

    def follow(self, splice: Splice) -> None:
        """Follow a change that comes after the edit's end."""
        if self._edit.state is EditState.ENDED:
            self._since_end = self.lines
            self._since_end.follow(splice)

    def stop(self) -> None:
        """Follow no more."""
        self._edit.channel.remove(self)


class Survival:
    """Counts how many lines of an edit are left; a `delivery.client.Follower` beside the edit's own.

    Args:
        edit: An edit whose answer has just been applied.
    """

    def __init__(self, edit: InlineEdit) -> None:
        self._channel = edit.channel
        self._place = TrackedLines(edit.live.start, edit.live.end)
        self._channel.add(self, beside=edit.live)
        lines = self._channel.seen_by(self).lines
        spans = [(hunk.start, hunk.end) for hunk in edit.live.hunks()]
        self._written = _words(line for start, end in spans for line in lines[start:end])
        self._others = _words(lines[self._place.start : self._place.end]) - self._written

    @property
    def n_written(self) -> int:
        """Lines that the edit wrote."""
        return self._written.total()

    def follow(self, splice: Splice) -> None:
        """Follow a change."""
        self._place.follow(splice)

    def count(self) -> int:
        """Count the lines that still stand."""
        lines = self._channel.seen_by(self).lines
        now = _words(lines[self._place.start : self._place.end]) - self._others
        return (now & self._written).total()

    def end(self) -> None:
        """Follow no more."""
        self._channel.remove(self)


def _words(lines: Iterable[str]) -> Counter[str]:
    return Counter(words for line in lines if (words := line.strip()))

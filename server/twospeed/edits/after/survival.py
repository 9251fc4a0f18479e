"""How many of the lines that an edit wrote still stand.

A line counts by its words, without the space around them: who indents it anew has kept it. It survives while the place
of the edit's scope, which goes along with what is typed, holds it besides the equal lines that the edit did not write.
So undo takes it away and redo brings it back, and a line that is moved elsewhere in the document is gone. Blank lines
are not counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from twospeed.edits.inline_edit import InlineEdit
from twospeed.text.document import Splice

from .tracked_place import FollowedLines


class Survival:
    """Count what is left of what an edit wrote; a `delivery.client.Follower` beside the edit's own.

    Args:
        edit: One whose answer has just landed.
    """

    def __init__(self, edit: InlineEdit) -> None:
        self._channel = edit.channel
        self._place = FollowedLines(edit.live.start, edit.live.end)
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

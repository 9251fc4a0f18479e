"""The changes of a document since one of its versions, as disjoint regions."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from twospeed.text.document import Splice

MAX_REGIONS = 1_000
"""Regions of a document; more are joined to one, because each later change moves those below it."""


@dataclass(slots=True)
class ChangedRegion:
    """Lines ``old_start`` up to ``old_end``, which are lines ``start`` up to ``end`` now.

    Attributes:
        is_ours: Whether one of its changes belongs to the edit, or is next to a change that does.
    """

    old_start: int
    old_end: int
    start: int
    end: int
    is_ours: bool

    @property
    def shift(self) -> int:
        """How far the lines below have moved down."""
        return self.end - self.old_end


class ChangedRegions:
    """Follows the changes of a document. Lines outside of the regions are unchanged.

    Law: a line outside of the regions has the text of its old line, and the lines keep their order.
    """

    def __init__(self) -> None:
        self._regions: list[ChangedRegion] = []

    def follow(self, splice: Splice, *, is_ours: bool) -> None:
        """Follow a change; it joins the regions that it overlaps or touches."""
        regions = self._regions
        first = bisect_left(regions, splice.start, key=lambda each: each.end)
        last = bisect_right(regions, splice.end, lo=first, key=lambda each: each.start)
        joined = regions[first:last]
        start = min([splice.start, *(each.start for each in joined[:1])])
        end = max([splice.end, *(each.end for each in joined[-1:])])
        above = regions[first - 1].shift if first else 0
        below = joined[-1].shift if joined else above
        is_ours = is_ours or any(each.is_ours for each in joined)
        for each in regions[last:]:
            each.start += splice.delta
            each.end += splice.delta
        regions[first:last] = [ChangedRegion(start - above, end - below, start, end + splice.delta, is_ours)]
        if len(regions) > MAX_REGIONS:
            self._join_all()

    def _join_all(self) -> None:
        first, last = self._regions[0], self._regions[-1]
        is_ours = any(each.is_ours for each in self._regions)
        self._regions = [ChangedRegion(first.old_start, last.old_end, first.start, last.end, is_ours)]

    def at(self, line: int) -> ChangedRegion | None:
        """Return the region with a line of the current document; ``None`` if the line is unchanged."""
        index = bisect_right(self._regions, line, key=lambda each: each.end)
        found = self._regions[index : index + 1]
        return found[0] if found and found[0].start <= line else None

    def at_old(self, line: int) -> ChangedRegion | None:
        """Return the region with a line of the old document; ``None`` if the line is unchanged."""
        index = bisect_right(self._regions, line, key=lambda each: each.old_end)
        found = self._regions[index : index + 1]
        return found[0] if found and found[0].old_start <= line else None

    def old_line(self, line: int) -> int:
        """Return the old number of an unchanged line."""
        index = bisect_right(self._regions, line, key=lambda each: each.end)
        return line - (self._regions[index - 1].shift if index else 0)

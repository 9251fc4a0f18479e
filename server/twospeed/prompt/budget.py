"""Share out a prompt's tokens: what there is room for, in the order of its worth.

The instruction and the scope are always whole. Then comes the outline of a file that does not fit, the lines near the
scope, definitions of what the scope uses, what tools report, what an earlier instruction has changed. What is worth
least is left out first; where it stands in the prompt is another question (`build`), which caches decide.
Tokens are estimated at four characters each, for every model: a better estimate for each would move the start of the
context from request to request, and so out of providers' caches. Rough for code and further off for other scripts: a
model's own limit is the model's to report.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

CHARS_PER_TOKEN = 4

OUTLINE_SHARE = 4
"""An outline takes a quarter of the room at most."""

EXTRAS_SHARE = 8
"""Definitions take an eighth at most, and so do reports of tools, and an earlier change."""

MAX_EXTRAS_CHARS = 6_144


@dataclass(frozen=True, slots=True)
class Shares:
    """What each part may take of the room that instruction and scope leave, in code points.

    Attributes:
        outline: Of the file's outline, where lines have to be left out.
        definitions: Kept free for definitions, however few they are: their number changes with every name typed, and
            the lines around the scope shall not.
        reports: Of what tools report.
        previous_edit: Of what an earlier instruction has changed.
    """

    outline: int
    definitions: int
    reports: int
    previous_edit: int

    @classmethod
    def of(cls, room: int) -> Shares:
        """Share out a room."""
        extra = max(0, min(room // EXTRAS_SHARE, MAX_EXTRAS_CHARS))
        return cls(max(0, room // OUTLINE_SHARE), extra, extra, extra)


@dataclass(frozen=True, slots=True)
class Window:
    """The lines kept around the scope, and how many were left out on either side."""

    before: tuple[str, ...]
    after: tuple[str, ...]
    n_left_out_before: int
    n_left_out_after: int


def fit(
    before: Sequence[str], after: Sequence[str], *, n_chars: int, prepare: Callable[[str], str]
) -> Window:
    """Keep the lines nearest to the scope.

    Lines are taken in turn above and below. A side ends at its first line that does not fit, so that what is
    kept of it is one piece next to the scope; what it does not use is left to the other side.

    Args:
        before: Lines above the scope, top to bottom.
        after: Lines below it, top to bottom.
        n_chars: Code points there is room for; no line is kept where negative.
        prepare: Applied to a line before it is measured and kept; makes no line shorter.

    Returns:
        The end of ``before`` and the start of ``after``, prepared, together at most ``n_chars`` long.

    Cost: O(lines kept), and a copy of ``before``.
    """
    above, below = _Side(before[::-1], prepare), _Side(after, prepare)
    while above.is_open or below.is_open:
        n_chars -= above.take(n_chars)
        n_chars -= below.take(n_chars)
    return Window(tuple(above.kept[::-1]), tuple(below.kept), above.n_left, below.n_left)


class _Side:
    """Lines on one side of the scope, nearest first, taken until one does not fit."""

    def __init__(self, lines: Sequence[str], prepare: Callable[[str], str]) -> None:
        self._lines = lines
        self._prepare = prepare
        self.kept: list[str] = []
        self.is_open = True

    @property
    def n_left(self) -> int:
        return len(self._lines) - len(self.kept)

    def take(self, n_chars: int) -> int:
        """Take the next line if it fits into ``n_chars``; return the room it needs, 0 if it was not taken."""
        if not self.is_open:
            return 0
        line = self._lines[len(self.kept)] if self.n_left else None
        # A line of a megabyte is not prepared: none becomes shorter by that.
        if line is None or len(line) > n_chars or len(line := self._prepare(line)) > n_chars:
            self.is_open = False
            return 0
        self.kept.append(line)
        return len(line)

"""Choose how much of the document goes along with the scope.

Lines near the scope come first; the scope itself is always whole. Tokens are estimated at four characters each,
rough for code and further off for other scripts: a model's own limit is the model's to report.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

CHARS_PER_TOKEN = 4

LIGHTNING_TOKENS = 8_000
DEEP_TOKENS = 32_000


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
        prepare: Applied to a line before it is measured and kept.

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
        line = self._prepare(self._lines[len(self.kept)]) if self.n_left else None
        if line is None or len(line) > n_chars:
            self.is_open = False
            return 0
        self.kept.append(line)
        return len(line)

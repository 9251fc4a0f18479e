"""Divide the tokens of a prompt between its parts, by their value.

The instruction and the scope are always complete. Then follow the outline of a file that does not fit, the
lines near the scope, definitions of names in the scope, diagnostics, and the previous edit. The least
valuable part is dropped first. The order of the parts in the prompt is different: it serves the provider's
cache (`build`).

Tokens are estimated at four characters for every model. A better estimate for each model would move the start
of the context from request to request and miss the provider's cache. The estimate is rough for code and worse
for other scripts; a model reports its own limit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

CHARS_PER_TOKEN = 4

OUTLINE_SHARE = 4
"""An outline takes at most a quarter of the space."""

EXTRAS_SHARE = 8
"""Definitions, diagnostics and the previous edit take at most an eighth each."""

MAX_EXTRAS_CHARS = 6_144


@dataclass(frozen=True, slots=True)
class Shares:
    """Limits of the parts, in code points of the space that instruction and scope leave.

    Attributes:
        outline: Limit of the outline, if lines are left out.
        definitions: Reserved for definitions even if there are few. Their number changes with every name that the user
            types, and the lines around the scope must not change with it.
        reports: Limit of diagnostics.
        previous_edit: Limit of the previous edit.
    """

    outline: int
    definitions: int
    reports: int
    previous_edit: int

    @classmethod
    def of(cls, room: int) -> Shares:
        """Divide ``room`` code points."""
        extra = max(0, min(room // EXTRAS_SHARE, MAX_EXTRAS_CHARS))
        return cls(max(0, room // OUTLINE_SHARE), extra, extra, extra)


@dataclass(frozen=True, slots=True)
class Window:
    """The context lines around the scope, and the numbers of lines left out above and below."""

    before: tuple[str, ...]
    after: tuple[str, ...]
    n_left_out_before: int
    n_left_out_after: int


def fit(
    before: Sequence[str], after: Sequence[str], *, n_chars: int, prepare: Callable[[str], str]
) -> Window:
    """Select the lines nearest to the scope.

    Lines are added above and below in turn. A side ends at its first line that does not fit, so its lines are
    contiguous. Space that one side does not use goes to the other.

    Args:
        before: Lines above the scope, top to bottom.
        after: Lines below the scope, top to bottom.
        n_chars: Limit in code points. If it is negative, no line is selected.
        prepare: Applied to a line before it is measured. It makes no line shorter.

    Returns:
        The end of ``before`` and the start of ``after``, prepared, at most ``n_chars`` long together.

    Cost: O(selected lines), and a copy of ``before``.
    """
    above, below = _Side(before[::-1], prepare), _Side(after, prepare)
    while above.is_open or below.is_open:
        n_chars -= above.add_next(n_chars)
        n_chars -= below.add_next(n_chars)
    return Window(tuple(above.kept[::-1]), tuple(below.kept), above.n_left, below.n_left)


class _Side:
    """Lines on one side of the scope, nearest first, until one does not fit."""

    def __init__(self, lines: Sequence[str], prepare: Callable[[str], str]) -> None:
        self._lines = lines
        self._prepare = prepare
        self.kept: list[str] = []
        self.is_open = True

    @property
    def n_left(self) -> int:
        return len(self._lines) - len(self.kept)

    def add_next(self, n_chars: int) -> int:
        """Add the next line if it fits into ``n_chars``. Return its length, or 0 if it was not added."""
        if not self.is_open:
            return 0
        line = self._lines[len(self.kept)] if self.n_left else None
        # Measure first: preparing a line of a megabyte is slow, and never makes it shorter.
        if line is None or len(line) > n_chars or len(line := self._prepare(line)) > n_chars:
            self.is_open = False
            return 0
        self.kept.append(line)
        return len(line)

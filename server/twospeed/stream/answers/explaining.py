"""Tell from its place a comment that explains new code, whatever it says and in which language, for `elision`.

A marker is all that came for the lines it stands for. So a comment is no marker where the answer makes up for what is
lost, and where its author also changes comments: where nothing is lost near it, or where the new code near it is as
deeply indented and uses names that the lost code used. New code beside a marker goes on with what the omitted lines
defined, so no comment is believed above code that uses a name which only lost lines defined.

Measured on 29,763 answers made from four corpora, with a comment in the place of three lines or more, half of them
right beside other changes: 33 more land by these rules, 18 of which parse. Of 2,577 whole files by models, 14 % are
refused for a comment, 21 % without these rules.
"""

from __future__ import annotations

from functools import cached_property

from .line_kinds import Kind
from .rewrites import names_defined_in, names_in
from .stretches import Stretch, Text

MADE_UP, NEAR = 1.0, 0.5
"""New lines of code for each one lost: in the whole scope, and near the comment."""

SPOKEN_OF = 0.25
"""Share of the names of lost lines that the new code has to use."""


class Explanations:
    """Which comments of a new text explain what came.

    Args:
        old: The scope's lines.
        new: Those of the answer.
    """

    def __init__(self, old: Text, new: Text) -> None:
        self._old, self._new = old, new

    def holds(self, first: int, last: int, here: Stretch, whole: Stretch) -> bool:
        """Whether a comment explains new code.

        Args:
            first: The comment's first line in the new text.
            last: Its last.
            here: What came and went around it.
            whole: What came and went in the scope.
        """
        if not self._are_comments_gone:
            return False
        if here.n_lost < 1:
            return whole.n_free >= NEAR * whole.n_lost
        is_made_up = whole.n_free >= MADE_UP * whole.n_lost and here.n_free >= NEAR * here.n_lost
        return (
            is_made_up
            and self._is_beside_code(first, last)
            and self._speaks_of(here)
            and not self.needs_lost(last, here)
        )

    @cached_property
    def _are_comments_gone(self) -> bool:
        """Whether a comment is gone: models that explain what they write replace comments as well."""
        old, new = self._old, self._new
        return any(
            kind is Kind.COMMENT and line not in new.counts
            for line, kind in zip(old.lines, old.kinds, strict=True)
        )

    def _is_beside_code(self, first: int, last: int) -> bool:
        """Whether the next line is as deeply indented as the comment, and not the end of its block."""
        new = self._new
        below = next((at for at in range(last + 1, len(new.lines)) if new.lines[at]), first)
        return below > first and new.indents[below] == new.indents[first]

    def _speaks_of(self, here: Stretch) -> bool:
        """Whether what came uses names of what is lost, as code does that does the same work otherwise."""
        names = names_in(here.lost) - self._old.openers
        return len(names & names_in(here.came)) >= SPOKEN_OF * len(names)

    def needs_lost(self, last: int, here: Stretch) -> bool:
        """Whether code below the line ``last`` uses a name that lost lines defined, and that no code defines first."""
        first_with = self._first_with
        return any(
            (at := first_with.get(name, 0)) > last and name not in names_defined_in([self._new.lines[at]])
            for name in names_defined_in(here.lost)
        )

    @cached_property
    def _first_with(self) -> dict[str, int]:
        """The first line of the new code with each name."""
        new, first = self._new, dict[str, int]()
        for index, (line, kind) in enumerate(zip(new.lines, new.kinds, strict=True)):
            for name in names_in([line]) if kind is Kind.CODE else ():
                first.setdefault(name, index)
        return first

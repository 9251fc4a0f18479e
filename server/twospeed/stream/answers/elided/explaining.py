"""Tell from its place a comment that explains new code, whatever it says and in which language, for `elision`.

A marker is all that came for the lines it stands for. So a comment is no marker where the answer makes up for what is
lost, and where its author also changes comments: where nothing is lost near it, or where the new code near it is as
deeply indented and uses names that the lost code used. New code beside a marker goes on with what the omitted lines
defined, so few comments are believed above code that uses a name which only lost lines defined.

An author who leaves lines out writes few comments, and one who explains writes many. So less new code is enough where
the answer has new comments in many places, or also where nothing is lost.

Measured on 29,763 answers made from four corpora, with a comment in the place of three lines or more, half of them
right beside other changes: 956 are not refused for it, 655 of which parse; 1,738 and 925 before comments without code
to explain were refused. Of 2,577 whole files by models 5 % are refused for a comment, 12 % where only authors who
change comments were believed. None of 546 everyday edits and 2 of 1,161 edits from public histories are.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property

from twospeed.stream.answers.line_kinds import LineKind

from .rewrites import names_defined_in, names_in
from .stretches import AnswerText, Stretch

MADE_UP, NEAR = 1.0, 0.5
"""New lines of code for each one lost: in the whole scope, and near the comment."""

SPOKEN_OF = 0.25
"""Share of the names of lost lines that the new code has to use."""

MANY_COMMENTS, ELSEWHERE = 4, 0.3
"""Places with new comments, and share of them where nothing is lost, from which the author of an answer explains code."""

MORE = 1.5
"""New lines of code for each one lost that are no omission of it where the author explains code elsewhere, too."""

MANY_NAMES, SOME_NAMES = 6, 2
"""Names of lost lines that new code uses: it does the same work, if it is as long; it is about the same."""

REWORDED = 0.5
"""Share of what a comment is about that old comments in its place were about."""

FEW_LOST, MOST = 2, 0.75
"""Lines lost that are too few to leave them out, and new lines of code that come for each of them."""

_CLOSING = (")", "]", "}")


class Explanations:
    """Which comments of a new text explain what came.

    Args:
        old: The scope's lines.
        new: Those of the answer.
        around: What came and went around each place with new comments.
    """

    def __init__(self, old: AnswerText, new: AnswerText, around: Sequence[Stretch]) -> None:
        self._old, self._new, self._around = old, new, around
        # By the stretches in `around`: many places are in the same one.
        self._last_uses: dict[int, int] = {}
        self._names: dict[int, tuple[int, float]] = {}
        self._n_places = len(around)
        self._n_harmless = sum(here.n_lost < 1 for here in around)

    def holds(self, first: int, last: int, about: Collection[str], here: Stretch, whole: Stretch) -> bool:
        """Whether a comment explains new code.

        Args:
            first: The comment's first line in the new text.
            last: Its last.
            about: What it is about.
            here: What came and went around it.
            whole: What came and went in the scope.
        """
        explains = self._are_comments_gone or self._n_places >= MANY_COMMENTS
        if here.n_lost < 1 and explains and whole.n_free >= NEAR * whole.n_lost:
            return True
        if not self._is_beside_code(first, last):
            return False
        n_lost, n_names, share = max(1, len(here.lost)), *self._shared_names(here)
        if here.n_free >= n_lost and n_names >= MANY_NAMES:
            return True
        if self.needs_lost(last, here):
            return False
        return (
            self._is_made_up(here, whole, share)
            or self._is_of_one_who_explains(here, n_lost, n_names)
            or (n_names >= SOME_NAMES and len(here.gone_about & set(about)) >= REWORDED * max(1, len(about)))
            or self._are_few_replaced(here, whole)
        )

    def _is_made_up(self, here: Stretch, whole: Stretch, share: float) -> bool:
        """Whether new code came for what is lost, by one who also changes comments."""
        is_made_up = whole.n_free >= MADE_UP * whole.n_lost and here.n_free >= NEAR * here.n_lost
        return here.n_lost >= 1 and self._are_comments_gone and is_made_up and share >= SPOKEN_OF

    def _is_of_one_who_explains(self, here: Stretch, n_lost: int, n_names: int) -> bool:
        """Whether enough code came for an author who writes comments in many places, or where nothing is lost."""
        if self._n_places >= MANY_COMMENTS and n_names and len(here.came) >= NEAR * n_lost:
            return True
        return self._n_harmless >= ELSEWHERE * self._n_places and len(here.came) >= MORE * n_lost

    def _are_few_replaced(self, here: Stretch, whole: Stretch) -> bool:
        """Whether so few lines of code are lost that no comment stands for them, and others came."""
        are_few = bool(here.lost) and here.n_lost <= FEW_LOST
        return are_few and here.n_free >= MOST * len(here.lost) and whole.n_free >= NEAR * len(whole.lost)

    @cached_property
    def _are_comments_gone(self) -> bool:
        """Whether a comment is gone: models that explain what they write replace comments as well."""
        old, new = self._old, self._new
        return any(
            kind is LineKind.COMMENT and line not in new.counts
            for line, kind in zip(old.lines, old.kinds, strict=True)
        )

    def _is_beside_code(self, first: int, last: int) -> bool:
        """Whether a comment is behind code, or above a line that is as deep as it is, and not the end of its block."""
        new = self._new
        if new.kinds[first] is LineKind.CODE:
            return True
        below = next((at for at in range(last + 1, len(new.lines)) if new.lines[at]), first)
        is_end = new.lines[below].startswith(_CLOSING)
        return below > first and new.indents[below] == new.indents[first] and not is_end

    def _shared_names(self, here: Stretch) -> tuple[int, float]:
        """Count the names of what is lost that came again, as in code that does the same work; their share."""
        if id(here) not in self._names:
            names = names_in(here.lost) - self._old.openers
            n_again = len(names & names_in(here.came))
            self._names[id(here)] = n_again, n_again / len(names) if names else 1.0
        return self._names[id(here)]

    def is_beside_the_point(self, first: int, last: int, here: Stretch) -> bool:
        """Whether a comment has no code to explain, or code below it uses what only lost lines defined."""
        return not self._is_beside_code(first, last) or self.needs_lost(last, here)

    def needs_lost(self, last: int, here: Stretch) -> bool:
        """Whether code below the line ``last`` uses a name that lost lines defined, and that no code defines first."""
        if id(here) not in self._last_uses:
            first_with, lines = self._first_with, self._new.lines
            uses = {(first_with[name], name) for name in names_defined_in(here.lost) if name in first_with}
            needed = (at for at, name in uses if name not in names_defined_in([lines[at]]))
            self._last_uses[id(here)] = max(needed, default=-1)
        return self._last_uses[id(here)] > last

    @cached_property
    def _first_with(self) -> dict[str, int]:
        """The first line of the new code with each name."""
        new, first = self._new, dict[str, int]()
        for index, (line, kind) in enumerate(zip(new.lines, new.kinds, strict=True)):
            for name in names_in([line]) if kind is LineKind.CODE else ():
                first.setdefault(name, index)
        return first

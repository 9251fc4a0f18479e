"""Decide by its place whether a comment explains new code, for `elision`, in any language.

A marker is the only replacement of the lines that it omits. So a comment is no marker if the answer has new
code for the lost lines, and its author also changes comments. It is also no marker if nothing is lost near
it, or if new code near it has the same indentation and uses names of the lost code. New code after a marker
uses what the omitted lines defined, so few comments are accepted above code that uses a name which only lost
lines defined.

An author who omits lines writes few comments; an author who explains writes many. So less new code is enough
if the answer has new comments in many places, or comments where nothing is lost.

Measured on 29,763 answers made from four corpora, with a comment in place of three lines or more, half of
them directly beside other changes: 956 are accepted, of which 655 parse; before comments without code were
refused, 1,738 and 925. Of 2,577 whole files by models 5 % are refused for a comment, 12 % if only authors who
change comments are accepted. None of 546 everyday edits and 2 of 1,161 edits from public histories are
refused.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property

from twospeed.stream.answers.line_kinds import LineKind

from .rewrites import names_defined_in, names_in
from .stretches import AnswerText, Stretch

REPLACED, NEAR = 1.0, 0.5
"""New lines of code for each lost one: in the whole scope, and near the comment."""

SPOKEN_OF = 0.25
"""Share of the names of lost lines that the new code must use."""

MANY_COMMENTS, ELSEWHERE = 4, 0.3
"""An author explains code who has comments in this many new places, or this share of them where nothing is lost."""

MORE = 1.5
"""New lines of code for each lost one that prove a rewrite, if the author also explains code elsewhere."""

MANY_NAMES, SOME_NAMES = 6, 2
"""Names of lost lines in new code: enough, with equal length, for the same work; enough for the same topic."""

REWORDED = 0.5
"""Share of a comment's topics that old comments at its place had."""

FEW_LOST, MOST = 2, 0.75
"""Lost lines that are too few for an omission, and new lines of code for each of them."""

_CLOSING = (")", "]", "}")


class Explanations:
    """Decides which comments of a new text explain new code.

    Args:
        old: The scope's lines.
        new: The answer's lines.
        around: The stretch around each place with new comments.
    """

    def __init__(self, old: AnswerText, new: AnswerText, around: Sequence[Stretch]) -> None:
        self._old, self._new, self._around = old, new, around
        # Keyed by the id of the stretch: many places share one.
        self._last_uses: dict[int, int] = {}
        self._names: dict[int, tuple[int, float]] = {}
        self._n_places = len(around)
        self._n_without_loss = sum(here.n_lost < 1 for here in around)

    def is_explanation(
        self, first: int, last: int, about: Collection[str], here: Stretch, whole: Stretch
    ) -> bool:
        """Whether a comment explains new code.

        Args:
            first: The comment's first line in the new text.
            last: Its last line.
            about: Its topics.
            here: The stretch around it.
            whole: The scope as one stretch.
        """
        explains = self._are_comments_removed or self._n_places >= MANY_COMMENTS
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
            self._is_replaced(here, whole, share)
            or self._has_explaining_author(here, n_lost, n_names)
            or (
                n_names >= SOME_NAMES
                and len(here.removed_topics & set(about)) >= REWORDED * max(1, len(about))
            )
            or self._are_few_replaced(here, whole)
        )

    def _is_replaced(self, here: Stretch, whole: Stretch, share: float) -> bool:
        """Whether new code replaces the lost lines, by an author who also changes comments."""
        is_enough = whole.n_free >= REPLACED * whole.n_lost and here.n_free >= NEAR * here.n_lost
        return here.n_lost >= 1 and self._are_comments_removed and is_enough and share >= SPOKEN_OF

    def _has_explaining_author(self, here: Stretch, n_lost: int, n_names: int) -> bool:
        """Whether enough code is new, for an author with comments in many places or where nothing is lost."""
        if self._n_places >= MANY_COMMENTS and n_names and len(here.added) >= NEAR * n_lost:
            return True
        return self._n_without_loss >= ELSEWHERE * self._n_places and len(here.added) >= MORE * n_lost

    def _are_few_replaced(self, here: Stretch, whole: Stretch) -> bool:
        are_few = bool(here.lost) and here.n_lost <= FEW_LOST
        return are_few and here.n_free >= MOST * len(here.lost) and whole.n_free >= NEAR * len(whole.lost)

    @cached_property
    def _are_comments_removed(self) -> bool:
        """Whether a comment is missing: models that explain code also replace comments."""
        old, new = self._old, self._new
        return any(
            kind is LineKind.COMMENT and line not in new.counts
            for line, kind in zip(old.lines, old.kinds, strict=True)
        )

    def _is_beside_code(self, first: int, last: int) -> bool:
        """Whether a comment follows code, or is above a line of the same indentation inside its block."""
        new = self._new
        if new.kinds[first] is LineKind.CODE:
            return True
        below = next((at for at in range(last + 1, len(new.lines)) if new.lines[at]), first)
        is_end = new.lines[below].startswith(_CLOSING)
        return below > first and new.indents[below] == new.indents[first] and not is_end

    def _shared_names(self, here: Stretch) -> tuple[int, float]:
        """Return the number and the share of lost names that the new code uses."""
        if id(here) not in self._names:
            names = names_in(here.lost) - self._old.openers
            n_again = len(names & names_in(here.added))
            self._names[id(here)] = n_again, n_again / len(names) if names else 1.0
        return self._names[id(here)]

    def explains_nothing(self, first: int, last: int, here: Stretch) -> bool:
        """Whether a comment has no code to explain, or code below it uses what only lost lines defined."""
        return not self._is_beside_code(first, last) or self.needs_lost(last, here)

    def needs_lost(self, last: int, here: Stretch) -> bool:
        """Whether code below ``last`` uses a name that only lost lines defined."""
        if id(here) not in self._last_uses:
            first_line_with, lines = self._first_line_with, self._new.lines
            uses = {
                (first_line_with[name], name)
                for name in names_defined_in(here.lost)
                if name in first_line_with
            }
            needed = (at for at, name in uses if name not in names_defined_in([lines[at]]))
            self._last_uses[id(here)] = max(needed, default=-1)
        return self._last_uses[id(here)] > last

    @cached_property
    def _first_line_with(self) -> dict[str, int]:
        new, first = self._new, dict[str, int]()
        for index, (line, kind) in enumerate(zip(new.lines, new.kinds, strict=True)):
            for name in names_in([line]) if kind is LineKind.CODE else ():
                first.setdefault(name, index)
        return first

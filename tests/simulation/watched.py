"""What is known of one edit by those who watch it: its lines by identity, what was answered, what the person did there.

Nothing here asks the engine: the lines of an edit are the characters that stood in its scope, and those it brought.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from .answers import Answer
from .ledger import Change, Ledger, Text

FIRST_RUNE = "\u4e00"
"""From here on are the characters that only a person types, each of them once."""


class TypingInScope(IntEnum):
    """What a person did in an edit's lines since its model was asked."""

    NOTHING = 0
    OPENED_LINES = 1  # lines of their own, between the others
    TYPED_IN_LINES = 2
    DELETED = 3  # or split: what should stand there then is the engine's laws' business
    TAKEN_BACK = 4  # undid or did again something there: what they did not take away has to be there
    ANYTHING = 5  # another edit changed them, or parts of lines went: then no line proves anything


@dataclass(eq=False)
class Watched:
    """One edit.

    Attributes:
        label: In its instruction.
        ledger: Its document.
        edit: The server's record of it; read for its state and scope.
        old: The scope's text that the model was given, from then on.
        answer: What the model answers.
        asked_about: The version of the document that the model was given last.
        n_steered: How often it was steered when its model was asked last.
        scope: Identities of the scope's characters.
        own: Identities of what the edit brought.
        above: Identity of a character above the scope, if there is one; so is ``below``.
        last: Identity of its last character.
        blank_lines_differ: Whether the server is told which of several blank lines came or went.
        removed: Identities of what the edit took away.
        newest: What its newest shipment brought, and what it took away.
        taken_back: What an undo or a redo took from its lines.
        lost: Lines that the person changed or took away in the document while it was there.
        written: Lines of all its answers.
        made_stale: Lines that the editor made where it applied a change to another text than it is for.
        touch: The most a person did in its lines.
        cancelled_at: When the server knew that it is to stop.
        keeps_part: Whether it was to keep what was certain.
        taken_at: When the person had the editor apply its answer.
        was_turned_down: Whether the editor refused or dropped a change of it, or said yes to one in vain.
        was_decided_in_part: Whether the person decided about some of it alone.
        is_mended: Whether no parser could read its first answer, so that another one was asked for.
        undone_at: The first version in which an undo had taken something that it brought, while it was running.
        was_overwritten: Whether another edit took away something that this one brought.
        outcome: Once there is one.
    """

    label: str
    ledger: Ledger
    edit: Any
    old: str | None = None
    answer: Answer | None = None
    asked_about: int = -1
    n_steered: int = 0
    scope: set[str] = field(default_factory=set)
    own: set[str] = field(default_factory=set)
    above: str | None = None
    below: str | None = None
    last: str | None = None
    blank_lines_differ: bool = True
    taken_back: set[str] = field(default_factory=set)
    touch: TypingInScope = TypingInScope.NOTHING
    cancelled_at: float | None = None
    keeps_part: bool = False
    taken_at: float | None = None
    was_turned_down: bool = False
    was_decided_in_part: bool = False
    is_mended: bool = False
    undone_at: int | None = None
    removed: set[str] = field(default_factory=set)
    newest: tuple[frozenset[str], frozenset[str]] = (frozenset(), frozenset())
    lost: set[str] = field(default_factory=set)
    written: set[str] = field(default_factory=set)
    made_stale: set[str] = field(default_factory=set)
    was_overwritten: bool = False
    outcome: str | None = None
    verdict: str | None = None

    @property
    def was_taken(self) -> bool:
        """Whether the person had the editor apply its answer."""
        return self.taken_at is not None

    @property
    def is_preview(self) -> bool:
        """Whether its document is left alone."""
        return bool(self.edit.is_preview)

    @property
    def is_offered(self) -> bool:
        """Whether its answer waits, or waited, until it is taken."""
        return bool(self.edit.decision.offered.is_set())

    @property
    def scope_text(self) -> str:
        """What stands in its scope, in the document that the server asks about."""
        scope = self.edit.scope
        return "".join(self.edit.request.document.lines[scope.start : scope.end])

    def note_asked(self, version: int, earlier: Sequence[str]) -> None:
        """Take note that its model is asked.

        Args:
            version: The version of the document it is asked about.
            earlier: The instructions it was steered away from.
        """
        if self.asked_about != version:  # one that is steered begins anew
            self.asked_about, self.touch = version, TypingInScope.NOTHING
        if len(earlier) > self.n_steered:  # what is undone is of the answer that it was steered away from
            self.newest = frozenset(), frozenset()
            if self.undone_at is not None and self.undone_at <= version:
                self.undone_at = None
        self.n_steered = len(earlier)

    def note_scope(self, text: Text, start: int, end: int, *, blank_lines_differ: bool) -> None:
        """Take the scope from the text that the server asked about.

        What was its own before it was steered stays so: an undo may bring it back.

        Args:
            text: That text.
            start: Index of the scope's first character.
            end: Index behind its last one.
            blank_lines_differ: Whether the server is told which of several blank lines came or went.
        """
        self.scope.update(text.ids[start:end])
        self.blank_lines_differ = blank_lines_differ
        above, below = start - 1, end
        while not blank_lines_differ and above >= 0 and text.text[above].isspace():
            above -= 1
        while not blank_lines_differ and below < len(text.ids) and text.text[below].isspace():
            below += 1
        self.above = text.ids[above] if above >= 0 else None
        self.below = text.ids[below] if below < len(text.ids) else None
        self.last = text.ids[end - 1] if end > start else None

    @property
    def around(self) -> list[str]:
        """Identities of the characters above and below its place, of those there are."""
        return [each for each in (self.above, self.below) if each]

    def is_mine(self, char_id: str) -> bool:
        """Whether a character is one of its lines."""
        return char_id in self.scope or char_id in self.own

    def has_borrowed_end(self, text: Text) -> bool:
        """Whether the end of its last line has gone, so that the one below it is that line's now."""
        at = text.ids.find(self.below) if self.below else -1
        return at >= 0 and text.text[at] in "\r\n" and self.last not in {None, *text.ids}

    def reach(self, text: Text) -> tuple[int, int] | None:
        """Return the indices of its first character and behind its last; ``None`` where all of them have gone."""
        mine, n_chars = self.scope | self.own, len(text.ids)
        first = next((at for at, char in enumerate(text.ids) if char in mine), None)
        if first is None:
            return None
        return first, next(at for at in range(n_chars, 0, -1) if text.ids[at - 1] in mine)

    def lines(self, text: Text) -> list[str]:
        """Return its whole lines as they stand."""
        reach = self.reach(text)
        if reach is None:
            return []
        start, end = reach
        while start and text.text[start - 1] not in "\r\n":
            start -= 1
        if text.text[end - 1] not in "\r\n":
            while end < len(text.text) and text.text[end] not in "\r\n":
                end += 1
        return text.text[start:end].splitlines()

    def is_fresh(self, char: str) -> bool:
        """Whether a character was typed since the model was asked, so that nobody may touch it."""
        return char >= FIRST_RUNE and char not in (self.old or "")

    def is_typed(self, line: str) -> bool:
        """Whether something was typed in a line meanwhile."""
        return any(map(self.is_fresh, line))

    def is_theirs(self, line: str) -> bool:
        """Whether all of a line was typed meanwhile."""
        return not any(char.isalnum() and not self.is_fresh(char) for char in line)

    def note_change(
        self, before: Text, change: Change, *, at_least: TypingInScope = TypingInScope.NOTHING
    ) -> None:
        """Take note of a change that is not the edit's own, in its lines or elsewhere.

        Args:
            before: The text before it.
            change: What changed.
            at_least: What it counts as if it was in its lines: an undo, or another edit's change, is more than typing.
        """
        if self.old is not None and (touch := self._touch_of(before, change)):
            touch = at_least if at_least is TypingInScope.TAKEN_BACK else max(touch, at_least)
            self.touch = max(self.touch, touch)
        if at_least is not TypingInScope.ANYTHING:
            self.lost |= lines_at(before, change)
        if not self.scope:
            self.note_beside(before.with_span(change.start, change.end, change.new))

    def note_beside(self, text: Text) -> None:
        """Take note of what stands beside its place by now, of one that had no lines to begin with.

        What has gone from there may come back on either side of it. Lines that came right there may stand on either side
        of what the edit brings, so the characters around them go on to be what it may not pass.
        """
        self.above, self.below = (
            each if each and each in text.ids else None for each in (self.above, self.below)
        )

    def is_newest_undone(self, text: Text) -> bool:
        """Whether a text has nothing of what the newest shipment brought, and all that it took away."""
        brought, removed = self.newest
        return bool(brought or removed) and brought.isdisjoint(text.ids) and removed <= {*text.ids}

    def is_undo_of_ours(self, change: Change) -> bool:
        """Whether an undo takes away what the edit brought, or brings back what it took away."""
        return not (self.own.isdisjoint(change.old.ids) and self.removed.isdisjoint(change.new.ids))

    def note_undo(self, before: Text, change: Change) -> None:
        """Take note that what a person took back, or did again, stands in the place of its lines: it is its lines.

        So is a line that comes back in the midst of them, or at their edge if it went from them.
        """
        if change.old.ids:
            is_in_place = all(map(self.is_mine, change.old.ids))
            self.taken_back |= {change.old.text} if is_in_place else set()
        else:
            reach = self.reach(before)
            is_in_place = reach is not None and (
                reach[0] < change.start < reach[1]
                or (change.start in reach and change.new.text in self.taken_back)
            )
        if is_in_place:
            self.scope.update(change.new.ids)

    def _touch_of(self, before: Text, change: Change) -> TypingInScope:
        if any(map(self.is_mine, change.new.ids)):
            return TypingInScope.ANYTHING  # they came back
        if any(map(self.is_mine, change.old.ids)):
            return TypingInScope.DELETED if change.old.text.endswith(("\n", "\r")) else TypingInScope.ANYTHING
        reach = self.reach(before)
        if reach is None:
            is_across = bool(self.scope) or self._is_across_place(before, change)
            return TypingInScope.ANYTHING if is_across else TypingInScope.NOTHING
        return self._touch_within(before, change, *reach)

    def is_place_gone(self, text: Text) -> bool:
        """Whether an edit had no lines to begin with, and what stood around its place has gone."""
        return not self.scope and not {self.above, self.below} & {None, *text.ids}

    def _is_across_place(self, before: Text, change: Change) -> bool:
        """Whether a change takes away what stood around the place of an edit that has no lines yet."""
        gone = {*change.old.ids, None}  # what has gone already stands nowhere
        is_line_start = change.start == 0 or before.text[change.start - 1] in "\r\n"
        # Its place may be behind lines that were typed there, and go now with the character below them.
        goes_with_below = bool(self.below) and change.old.ids.find(self.below or "") > 0
        is_above_gone = self.above in gone and (self.below in gone or not is_line_start)
        return bool(change.old.ids) and (is_above_gone or goes_with_below)

    def _touch_within(self, before: Text, change: Change, start: int, end: int) -> TypingInScope:
        """Tell what a change is that takes away none of its characters, which reach from ``start`` to ``end``."""
        new, at = change.new.text, change.start
        is_last = end == len(before.ids) or before.text[end - 1] not in "\r\n"
        is_line_above = at == start and new.endswith(("\n", "\r")) and not change.old.text
        if at < start or at > end or (at == end and not is_last) or is_line_above:
            return TypingInScope.NOTHING
        is_at_end = at == len(before.text) or before.text[at] in "\r\n"
        if new.startswith(("\n", "\r")) and is_at_end:
            return TypingInScope.OPENED_LINES
        if any(char in "\r\n" for char in new + change.old.text):
            return TypingInScope.DELETED
        line = self._line_around(before, change)
        return TypingInScope.TYPED_IN_LINES if any(map(self.is_mine, line)) else TypingInScope.OPENED_LINES

    @staticmethod
    def _line_around(text: Text, change: Change) -> Sequence[str]:
        """Return the identities of a line, without its end."""
        start, end = change.start, change.end
        while start and text.text[start - 1] not in "\r\n":
            start -= 1
        while end < len(text.text) and text.text[end] not in "\r\n":
            end += 1
        return text.ids[start:end]


def lines_at(text: Text, change: Change) -> set[str]:
    """Return the lines of a text that a change takes away or changes."""
    start, end = change.start, change.end
    while start and text.text[start - 1] not in "\r\n":
        start -= 1
    while end < len(text.text) and text.text[end] not in "\r\n":
        end += 1
    return {*text.text[start:end].splitlines()}

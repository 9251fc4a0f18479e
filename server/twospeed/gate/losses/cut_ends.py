"""Notice an answer that may be a stretch of what it replaces: it begins below the first lines, or ends above the last ones.

An answer from which the user wanted these lines removed looks the same, so this is no reason to refuse it. It is a reason
to ask once more for all of the lines; an answer that is meant so comes again. Structure alone decides: the first or the last
lines of the scope, or of a class in it, are gone, next to nothing came in their place, and something else was changed.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from twospeed.gate.facts import PROSE, GateFacts
from twospeed.text.code.scope_code import Definition

from .dropped_definitions import Path, gone_from, path_of
from .lost_imports import newly_imported

MIN_LINES = 3
"""Lines at an end that are gone, at least, where no definition is gone with them; one is enough at the end of a file, outside
of its definitions. In 1,161 scopes edited by people one or two lines at an end were gone beside another change eight times, and more lines never."""

GONE_FOR_ONE = 5
"""Lines that are gone at an end for each one that came there, from which it is no replacement if definitions are gone."""

MAX_DEPTH = 3
"""Classes in each other that are looked at."""

MAX_NAMED = 3
"""Definitions that a message names."""

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class CutEnd:
    """Lines that are gone from an end.

    Attributes:
        line: Where they were, in the document with the answer in place.
        n_lines: How many they are, without blank lines and brackets.
        is_head: Whether they were the first lines, and not the last ones.
        names: The definitions that are gone with them.
    """

    line: int
    n_lines: int
    is_head: bool
    names: tuple[str, ...] = ()

    @property
    def message(self) -> str:
        """What a model is told that is asked once more."""
        lines = (
            f"{'first' if self.is_head else 'last'} {f'{self.n_lines} lines' if self.n_lines > 1 else 'line'}"
        )
        named = ", ".join(f'"{name}"' for name in self.names[:MAX_NAMED])
        more = f" and {len(self.names) - MAX_NAMED} more" if len(self.names) > MAX_NAMED else ""
        of = f", with {named}{more}," if named else ""
        return f"the answer may be a part of these lines: the {lines}{of} would be gone"


def cut_end(facts: GateFacts) -> CutEnd | None:
    """Return what is gone from an end of the scope, or of a class in it, if the answer may be a stretch of it.

    Returns:
        The lines; ``None`` where nothing else was changed, where the instruction names all definitions that are gone, or
        where one of them is imported now.

    Cost: linear in the lines, the classes at most `MAX_DEPTH` deep.
    """
    if facts.parts or facts.language_id in PROSE or not facts.removed_at or facts.errors_added > 0:
        return None
    return next(_Ends(facts).cut(), None)


class _Ends:
    """Look at the ends of a scope and of its classes.

    Args:
        facts: The edit.
    """

    def __init__(self, facts: GateFacts) -> None:
        self._facts = facts
        self._old, self._new = _told(facts.old_lines), _told(facts.new_lines)
        self._removed = {row for row in facts.removed_at if _WORD.search(facts.old_lines[row])}
        self._lost = [(each.first_line - facts.first_line, each.name) for each in gone_from(facts)]
        self._before = _by_path(facts.definitions_before)
        self._after = _by_path(facts.definitions_after or ())
        ends = {
            self._rows_of(each, facts.old_lines)[-1] for each in gone_from(facts)
        }  # which equal other ends
        kept = {row: facts.kept[row] for row in self._old if row in facts.kept and row not in ends}
        self._lines = sorted(kept.items())
        self._functions = sorted({**dict(self._ends_of("function")), **kept}.items())
        self._definitions = sorted({**dict(self._ends_of("class")), **dict(self._functions)}.items())

    def cut(self) -> Iterator[CutEnd]:
        """Yield the ends that are gone: of the scope, and of each class that is there still.

        What is between two lines that stayed is seen first, then what is between functions and classes that were changed.
        """
        facts = self._facts
        old, new = range(len(facts.old_lines)), range(len(facts.new_lines))
        for stayed in (self._lines, self._definitions):
            yield from self._cut_of(stayed, old, new)
        for path, each in self._before.items():
            if each.kind == "class" and len(path) <= MAX_DEPTH and (now := self._after.get(path)):
                old = _inside(self._rows_of(each, facts.old_lines), facts.old_lines)
                new = _inside(self._rows_of(now, facts.new_lines), facts.new_lines)
                for stayed in (self._lines, self._functions):
                    yield from self._cut_of(stayed, old, new)

    def _ends_of(self, kind: str) -> Iterator[tuple[int, int]]:
        """Yield where the first and the last row of each definition are now that is there still, whatever was changed in it."""
        facts = self._facts
        for path, each in self._before.items():
            if each.kind == kind and (now := self._after.get(path)):
                rows, rows_now = self._rows_of(each, facts.old_lines), self._rows_of(now, facts.new_lines)
                yield rows[0], rows_now[0]
                yield rows[-1], rows_now[-1]

    def _rows_of(self, definition: Definition, lines: Sequence[str]) -> range:
        """Return the rows of a definition; its end may be below the scope."""
        start = self._facts.first_line
        return range(definition.first_line - start, min(definition.last_line + 1 - start, len(lines)))

    def _cut_of(self, stayed: Sequence[tuple[int, int]], old: range, new: range) -> Iterator[CutEnd]:
        """Yield the head and the tail of some rows, as far as they are gone."""
        here = stayed[bisect_left(stayed, (old.start,)) : bisect_left(stayed, (old.stop,))]
        here = [(row, place) for row, place in here if place in new]
        if not here:
            return
        (first, place), (last, last_place) = here[0], here[-1]
        places = [at for _, at in here]
        head, head_now = _within(self._old, old.start, first), _within(self._new, new.start, place)
        if place == min(places) and self._is_lost(head, len(head_now)):
            yield self._end(head, is_head=True)
        tail, tail_now = (
            _within(self._old, last + 1, old.stop),
            _within(self._new, last_place + 1, new.stop),
        )
        if last_place == max(places) and self._is_lost(tail, len(tail_now)):
            yield self._end(tail, is_head=False)

    def _is_lost(self, gone: Sequence[int], n_came: int) -> bool:
        """Whether an end is gone that may not have been meant to go."""
        if not gone or len(gone) < GONE_FOR_ONE * n_came:
            return False
        if not self._facts.added and len(self._removed) == sum(row in self._removed for row in gone):
            return False  # they were to be removed: nothing else was changed
        names = self._names(gone)
        if not names:
            return not n_came and (len(gone) >= MIN_LINES or self._is_outside(gone))
        return not self._facts.words_asked.issuperset(names) and self._imported.isdisjoint(
            name.strip("_") for name in names
        )

    def _is_outside(self, gone: Sequence[int]) -> bool:
        """Whether rows of a file are in none of its definitions."""
        if self._facts.kind != "file":
            return False
        start = self._facts.first_line
        return not any(
            each.first_line - start <= gone[-1] and gone[0] <= each.last_line - start
            for each in self._facts.definitions_before
        )

    def _end(self, gone: Sequence[int], *, is_head: bool) -> CutEnd:
        return CutEnd(self._facts.place_of_old(gone[0]), len(gone), is_head, self._names(gone))

    def _names(self, gone: Sequence[int]) -> tuple[str, ...]:
        """Return the outermost definitions that are gone with some rows."""
        return tuple(name for row, name in self._lost if gone[0] <= row <= gone[-1])

    @cached_property
    def _imported(self) -> set[str]:
        return newly_imported(self._facts.old_lines, self._facts.new_lines)


def _inside(rows: range, lines: Sequence[str]) -> range:
    """Return the rows of a class without its head, and without its end where that is a line of its own."""
    head, end = lines[rows[0]], lines[rows[-1]]
    is_closed = len(end) - len(end.lstrip()) <= len(head) - len(head.lstrip())
    return rows[1:-1] if is_closed else rows[1:]


def _by_path(definitions: Sequence[Definition]) -> dict[Path, Definition]:
    """Return the definitions whose path is their own."""
    times = Counter(map(path_of, definitions))
    return {path: each for each in definitions if times[path := path_of(each)] == 1}


def _within(rows: Sequence[int], start: int, end: int) -> Sequence[int]:
    return rows[bisect_left(rows, start) : bisect_left(rows, end)]


def _told(lines: Sequence[str]) -> list[int]:
    return [row for row, line in enumerate(lines) if _WORD.search(line)]

"""Detect an answer that may omit the beginning or the end of the scope.

The first or last lines of the scope, or of a class in it, are missing, almost nothing replaces them, and
something else changed. An intended deletion looks the same, so another answer is requested, and then repeats
an intended answer.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from twospeed.gate.facts import PROSE, GateFacts, by_unique_path
from twospeed.text.code.scope import Definition
from twospeed.text.lines import indent_width

from .import_lines import newly_imported

MIN_LINES = 3
"""Missing lines at an end that count without a missing definition. At the end of a file, outside its
definitions, one line counts. Of 1,161 scopes edited by people, eight lack one or two lines in addition to
another change, and none more.
"""

REMOVED_PER_ADDED = 5
"""Missing lines at an end for each new one, from which the new ones replace no missing definitions."""

MAX_DEPTH = 3
"""Nesting depth of classes that are checked."""

MAX_NAMED = 3

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class CutEnd:
    """Lines missing at one end, without blank lines and brackets, and definitions missing with them."""

    line: int
    n_lines: int
    is_head: bool
    names: tuple[str, ...] = ()

    @property
    def message(self) -> str:
        """The reason for the second request."""
        lines = (
            f"{'first' if self.is_head else 'last'} {f'{self.n_lines} lines' if self.n_lines > 1 else 'line'}"
        )
        named = ", ".join(f'"{name}"' for name in self.names[:MAX_NAMED])
        more = f" and {len(self.names) - MAX_NAMED} more" if len(self.names) > MAX_NAMED else ""
        of = f", with {named}{more}," if named else ""
        return f"the answer may be only a part of the scope: the {lines}{of} would be removed"


def cut_end(facts: GateFacts) -> CutEnd | None:
    """Return the missing lines at an end of the scope, or of a class in it, if the answer may be partial.

    It is not if nothing else changed, if the instruction names the missing definitions, or if one is now
    imported. Cost: linear in the lines.
    """
    if facts.parts or facts.language_id in PROSE or not facts.removed_at or facts.errors_added > 0:
        return None
    return next(_Ends(facts).cut(), None)


class _Ends:
    def __init__(self, facts: GateFacts) -> None:
        self._facts = facts
        self._old, self._new = _rows_with_words(facts.old_lines), _rows_with_words(facts.new_lines)
        self._removed = {row for row in facts.removed_at if _WORD.search(facts.old_lines[row])}
        self._lost = [(each.first_line - facts.first_line, each.name) for each in facts.missing_definitions]
        self._before = by_unique_path(facts.definitions_before)
        self._after = by_unique_path(facts.definitions_after or ())
        ends = {
            self._rows_of(each, facts.old_lines)[-1] for each in facts.missing_definitions
        }  # which equal other ends
        kept = {row: facts.kept[row] for row in self._old if row in facts.kept and row not in ends}
        self._lines = sorted(kept.items())
        self._functions = sorted({**dict(self._ends_of("function")), **kept}.items())
        self._definitions = sorted({**dict(self._ends_of("class")), **dict(self._functions)}.items())

    def cut(self) -> Iterator[CutEnd]:
        """Yield the missing ends of the scope and of each kept class."""
        facts = self._facts
        old, new = range(len(facts.old_lines)), range(len(facts.new_lines))
        for kept in (self._lines, self._definitions):
            yield from self._cut_of(kept, old, new)
        for path, each in self._before.items():
            if each.kind == "class" and len(path) <= MAX_DEPTH and (now := self._after.get(path)):
                old = _inside(self._rows_of(each, facts.old_lines), facts.old_lines)
                new = _inside(self._rows_of(now, facts.new_lines), facts.new_lines)
                for kept in (self._lines, self._functions):
                    yield from self._cut_of(kept, old, new)

    def _ends_of(self, kind: str) -> Iterator[tuple[int, int]]:
        facts = self._facts
        for path, each in self._before.items():
            if each.kind == kind and (now := self._after.get(path)):
                rows, rows_now = self._rows_of(each, facts.old_lines), self._rows_of(now, facts.new_lines)
                yield rows[0], rows_now[0]
                yield rows[-1], rows_now[-1]

    def _rows_of(self, definition: Definition, lines: Sequence[str]) -> range:
        start = self._facts.first_line
        return range(definition.first_line - start, min(definition.last_line + 1 - start, len(lines)))

    def _cut_of(self, kept: Sequence[tuple[int, int]], old: range, new: range) -> Iterator[CutEnd]:
        here = kept[bisect_left(kept, (old.start,)) : bisect_left(kept, (old.stop,))]
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

    def _is_lost(self, removed: Sequence[int], n_added: int) -> bool:
        if not removed or len(removed) < REMOVED_PER_ADDED * n_added:
            return False
        if not self._facts.added and len(self._removed) == sum(row in self._removed for row in removed):
            return False  # nothing else was changed, so the removal is intended
        names = self._names(removed)
        if not names:
            return not n_added and (len(removed) >= MIN_LINES or self._is_outside_definitions(removed))
        return not self._facts.instruction_words.issuperset(names) and self._imported.isdisjoint(
            name.strip("_") for name in names
        )

    def _is_outside_definitions(self, removed: Sequence[int]) -> bool:
        if self._facts.kind != "file":
            return False
        start = self._facts.first_line
        return not any(
            each.first_line - start <= removed[-1] and removed[0] <= each.last_line - start
            for each in self._facts.definitions_before
        )

    def _end(self, removed: Sequence[int], *, is_head: bool) -> CutEnd:
        return CutEnd(self._facts.line_of_removed(removed[0]), len(removed), is_head, self._names(removed))

    def _names(self, removed: Sequence[int]) -> tuple[str, ...]:
        return tuple(name for row, name in self._lost if removed[0] <= row <= removed[-1])

    @cached_property
    def _imported(self) -> set[str]:
        return newly_imported(self._facts.old_lines, self._facts.new_lines)


def _inside(rows: range, lines: Sequence[str]) -> range:
    head, end = lines[rows[0]], lines[rows[-1]]
    is_closed = indent_width(end) <= indent_width(head)
    return rows[1:-1] if is_closed else rows[1:]


def _within(rows: Sequence[int], start: int, end: int) -> Sequence[int]:
    return rows[bisect_left(rows, start) : bisect_left(rows, end)]


def _rows_with_words(lines: Sequence[str]) -> list[int]:
    return [row for row, line in enumerate(lines) if _WORD.search(line)]

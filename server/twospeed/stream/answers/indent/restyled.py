"""Detect an answer that changes only the unit of indentation: tabs to spaces, two spaces to four.

If every line equals the old one except for the unit, the unit was the request. In addition to other changes,
it was if the instruction names it; otherwise `indentation` restores the document's.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import permutations

from twospeed.text.lines import indent_of

_UNITS = ("\t", "    ", "  ", "        ", "   ")

_NAMES_TABS = re.compile(r"\btab(?:s|ulator\w*)?\b", re.IGNORECASE)
_NAMES_SPACES = re.compile(r"\b(?:spaces|(?:re)?indent\w*)\b", re.IGNORECASE)

_ALIGNED = 7
"""Spaces after tabs that may align a line."""

_DROPPED = 1
"""Old lines that may disappear without replacement in an answer that changes the unit."""


class Restyling:
    """Holds the lines of an answer from the first that differs from its old line only in indentation.

    They change nothing in the document's own indentation, so the delay is not visible. A line with other text
    ends the hold. If the instruction names a unit, a line of the first level that equals the old one does.
    """

    def __init__(self, old: Sequence[str], instruction: str = "") -> None:
        self._old = [line for line in old if line.strip()]
        indents = list(map(indent_of, self._old))
        # If the old lines have tabs, an instruction that names tabs may want to remove them.
        have_tabs = "\t" in "".join(indents)
        self._pairs = [
            (unit, to)
            for unit, to in permutations(_UNITS, 2)
            if self._old and _is_named(to, instruction) and not (to == "\t" and have_tabs)
        ]
        self._is_named = bool(self._pairs)
        first = min({*indents} - {""}, key=len, default="")
        self._first_level = {
            line for line, indent in zip(self._old, indents, strict=True) if first and indent == first
        }
        self._n_read = 0
        self._is_over = False
        self._held: list[str] = []

    def receive_line(self, line: str) -> Sequence[str]:
        """Return the lines that get the document's indentation."""
        if self._is_named:
            return self._receive_named(line)
        if self._is_over:
            return (line,)
        if line.strip():
            if self._n_read == len(self._old) or self._old[self._n_read].strip() != line.strip():
                self._is_over = True
                held, self._held = self._held, []
                return (*held, line)
            is_same = self._old[self._n_read] == line
            self._n_read += 1
            if not (is_same or self._held):
                self._held = [line]
                return ()
        if not self._held:
            return (line,)
        self._held.append(line)
        return ()

    def _receive_named(self, line: str) -> Sequence[str]:
        self._held.append(line)
        if line not in self._first_level:
            return ()
        self._is_named, self._is_over = False, True
        held, self._held = self._held, []
        return held

    def finish(self) -> tuple[Sequence[str], bool]:
        """Return the held lines, and whether to keep their indentation."""
        held, self._held = self._held, []
        new = [line for line in held if line.strip()]
        if self._is_named:
            return held, any(_is_converted_in_part(self._old, new, unit, to) for unit, to in self._pairs)
        is_whole = not self._is_over and self._n_read == len(self._old)
        old = self._old[len(self._old) - len(new) :]
        return held, bool(new) and is_whole and any(
            _is_converted(old, new, unit, to) for unit, to in permutations(_UNITS, 2)
        )


def _is_converted(old: Sequence[str], new: Sequence[str], unit: str, to: str) -> bool:
    # Aligned lines, deeper by more than a level, may stay.
    n_converted, above = 0, ""
    for old_line, new_line in zip(old, new, strict=True):
        before, after = indent_of(old_line), indent_of(new_line)
        if before and (_convert(before, unit, to) == after or _convert(after, to, unit) == before):
            n_converted += before != after
        elif before != after or (before and len(before) <= len(above) + len(unit)):
            return False
        above = before
    return n_converted > 0


def _is_named(to: str, instruction: str) -> bool:
    return bool((_NAMES_TABS if to == "\t" else _NAMES_SPACES).search(instruction))


def _is_converted_in_part(old: Sequence[str], new: Sequence[str], unit: str, to: str) -> bool:
    # The lines equal to old ones must have another unit, and be most of the answer.
    indents = defaultdict[str, set[str]](set)
    for line in old:
        indents[line.strip()].add(indent_of(line))
    n_known, n_converted, above = 0, 0, ""
    for line in new:
        after = indent_of(line)
        before = indents.get(line.strip(), set())
        is_converted = any(
            _convert(each, unit, to) == after or (each != after and _convert(after, to, unit) == each)
            for each in before
        )
        is_aligned = len(after) > len(above) + len(to)
        if before and not (is_converted or (after in before and is_aligned)):
            return False
        if not before and not (_is_multiple(after, to) or (is_aligned and "\t" not in after)):
            return False
        n_known += bool(before)
        n_converted += is_converted and after not in before
        above = after
    n_gone = (Counter(line.strip() for line in old) - Counter(line.strip() for line in new)).total()
    is_changed_little = 2 * n_known >= len(new) and n_gone <= len(new) - n_known + _DROPPED
    return n_converted > 0 and is_changed_little


def _is_multiple(indent: str, to: str) -> bool:
    rest = indent
    while rest.startswith(to):
        rest = rest.removeprefix(to)
    # A few spaces may align lines indented by tabs.
    return not rest or (to == "\t" and len(rest) <= _ALIGNED and not rest.strip(" ") and rest != indent)


def _convert(indent: str, unit: str, to: str) -> str:
    rest = indent
    while rest.startswith(unit):
        rest = rest.removeprefix(unit)
    return to * ((len(indent) - len(rest)) // len(unit)) + rest

"""An answer that changes the unit of indentation and nothing else: tabs become spaces, two spaces become four.

A model may write another unit than the document has while it changes something; then the document's comes back, in
`indentation`. Where every line reads as the old one and every indentation is the old one in another unit, the unit is
what was asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

from .evidence import indent_of

_UNITS = ("\t", "    ", "  ", "        ", "   ")


class Restyling:
    """Hold the lines of an answer from the first that differs from its old line in indentation alone.

    Nothing that could be shown waits for it: in the document's own indentation these lines are the old ones. A line
    that reads otherwise ends it.

    Args:
        old: The scope's lines.
    """

    def __init__(self, old: Sequence[str]) -> None:
        self._old = [line for line in old if line.strip()]
        self._n_read = 0
        self._is_over = False
        self._held: list[str] = []

    def receive_line(self, line: str) -> Sequence[str]:
        """Take a line of code; return those that the document's indentation is to be given to."""
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

    def finish(self) -> tuple[Sequence[str], bool]:
        """Take the end of the code; return the lines held and whether they are to be taken as they are."""
        held, self._held = self._held, []
        new = [line for line in held if line.strip()]
        is_whole = not self._is_over and self._n_read == len(self._old)
        old = self._old[len(self._old) - len(new) :]
        return held, bool(new) and is_whole and any(
            _is_converted(old, new, unit, to) for unit, to in permutations(_UNITS, 2)
        )


def _is_converted(old: Sequence[str], new: Sequence[str], unit: str, to: str) -> bool:
    """Whether each indentation has another unit; what is aligned, deeper by more than a level, may stay."""
    n_converted, above = 0, ""
    for old_line, new_line in zip(old, new, strict=True):
        before, behind = indent_of(old_line), indent_of(new_line)
        if before and (_convert(before, unit, to) == behind or _convert(behind, to, unit) == before):
            n_converted += before != behind
        elif before != behind or (before and len(before) <= len(above) + len(unit)):
            return False
        above = before
    return n_converted > 0


def _convert(indent: str, unit: str, to: str) -> str:
    """Write the units that an indentation begins with as others; what is left stays."""
    rest = indent
    while rest.startswith(unit):
        rest = rest.removeprefix(unit)
    return to * ((len(indent) - len(rest)) // len(unit)) + rest

"""Parses ``FILE[:LINE[:COL] | :FIRST-LAST]``, whose lines and columns (code points) count from 1.

A column past the end means the line's end, as in LSP. A name that exists is always a file, even ``notes:12``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from twospeed.cli.exits import BadInput
from twospeed.text.lines import body_of
from twospeed.text.positions import Position, Range, units

_NUMBER = "[0-9]{1,9}"
_FORMS = tuple(
    re.compile(form, re.DOTALL)
    for form in (
        "(?P<path>.+)",
        f"(?P<path>.+):(?P<first>{_NUMBER})-(?P<last>{_NUMBER})",
        f"(?P<path>.+):(?P<first>{_NUMBER})",
        f"(?P<path>.+):(?P<first>{_NUMBER}):(?P<column>{_NUMBER})",
    )
)
_USAGE = "write FILE, FILE:LINE, FILE:LINE:COL or FILE:FIRST-LAST"


@dataclass(frozen=True, slots=True)
class Target:
    """A parsed argument."""

    path: Path  # as the user wrote it
    first: int | None = None  # line of the cursor, or first line of the selection; None for the whole file
    last: int | None = None  # last line of the selection; None for a cursor
    column: int | None = None

    @property
    def scope(self) -> str:
        """The default scope."""
        if self.first is None:
            return "file"
        return "auto" if self.last is None else "selection"

    def range_in(self, lines: Sequence[str]) -> Range:
        """Return the range in UTF-16 code units; raises `BadInput` if a line is past the end."""
        if self.first is None:
            return Range(Position(0, 0), _after(lines, len(lines) - 1))
        if (past := self.last or self.first) > len(lines):
            raise BadInput(f"{self.path}: there is no line {past}; the last line is {len(lines)}")
        if self.last is not None:
            return Range(Position(self.first - 1, 0), _after(lines, self.last - 1))
        body = body_of(lines[self.first - 1])
        # Without a column, the first character that is not blank, which is inside a nested `def`.
        before = body[: self.column - 1] if self.column else body[: len(body) - len(body.lstrip())]
        cursor = Position(self.first - 1, units(before, "utf-16"))
        return Range(cursor, cursor)


def parse_target(text: str) -> Target:
    """Parse the argument; raises `BadInput` if the file is missing or the position invalid."""
    matches = [found for form in _FORMS if (found := form.fullmatch(text))]
    match_ = next((found for found in matches if os.path.lexists(found["path"])), None)
    if match_ is None:
        raise BadInput(_why_missing(text, matches[-1]["path"] if matches else text))
    numbers = {name: int(digits) for name, digits in match_.groupdict().items() if digits and name != "path"}
    if 0 in numbers.values():
        raise BadInput(f"{text}: lines and columns count from 1")
    if "last" in numbers and numbers["last"] < numbers["first"]:
        raise BadInput(f"{text}: the last line of the range is before the first")
    return Target(Path(match_["path"]), **numbers)


def _why_missing(text: str, path: str) -> str:
    for head in _heads(text):
        if os.path.lexists(head):
            return f"{text}: {text[len(head) + 1 :]!r} is not a position; {_USAGE}"
    return f"{path}: no such file" if path else f"no file was named; {_USAGE}"


def _heads(text: str) -> Iterator[str]:
    return (text[: colon.start()] for colon in re.finditer(":", text) if colon.start())


def _after(lines: Sequence[str], line: int) -> Position:
    if line + 1 < len(lines):
        return Position(line + 1, 0)
    return Position(line, units(lines[line], "utf-16"))

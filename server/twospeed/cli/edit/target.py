"""``FILE[:LINE[:COL] | :FIRST-LAST]`` on the command line to a path and a range of the document.

Lines and columns count from 1 here and from 0 on the wire. A column counts characters (code points) and means the
line's end where it lies past it, as in LSP; a line past the end is an error, for it is a mistake of the caller.
A line alone means its first character that is not blank, so that ``FILE:LINE`` of a nested ``def`` is inside it.
A name that exists is a file, whatever it looks like: ``notes:12`` can be one.
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
    """What the user pointed at; numbers as written, from 1.

    Attributes:
        path: As the user wrote it.
        first: Line of the cursor, or first line of the selection; ``None`` for the whole file.
        last: Last line of the selection; ``None`` for a cursor.
        column: Column of the cursor in code points, where one was written.
    """

    path: Path
    first: int | None = None
    last: int | None = None
    column: int | None = None

    @property
    def scope(self) -> str:
        """The scope that is meant where none is asked for: a bare file is meant whole, a line range as it is."""
        if self.first is None:
            return "file"
        return "auto" if self.last is None else "selection"

    def range_in(self, lines: Sequence[str]) -> Range:
        """Turn the target into a range of the document, in UTF-16 code units.

        Args:
            lines: The document's lines, as ``split_lines`` gives them.

        Raises:
            BadInput: A line lies past the end.
        """
        if self.first is None:
            return Range(Position(0, 0), _after(lines, len(lines) - 1))
        if (past := self.last or self.first) > len(lines):
            raise BadInput(f"{self.path}: there is no line {past}, the last one is {len(lines)}")
        if self.last is not None:
            return Range(Position(self.first - 1, 0), _after(lines, self.last - 1))
        body = body_of(lines[self.first - 1])
        before = body[: self.column - 1] if self.column else body[: len(body) - len(body.lstrip())]
        cursor = Position(self.first - 1, units(before, "utf-16"))
        return Range(cursor, cursor)


def parse_target(text: str) -> Target:
    """Read what stands on the command line.

    Raises:
        BadInput: No such file, or the position makes no sense.
    """
    readings = [found for form in _FORMS if (found := form.fullmatch(text))]
    reading = next((found for found in readings if os.path.lexists(found["path"])), None)
    if reading is None:
        raise BadInput(_why_missing(text, readings[-1]["path"] if readings else text))
    numbers = {name: int(digits) for name, digits in reading.groupdict().items() if digits and name != "path"}
    if 0 in numbers.values():
        raise BadInput(f"{text}: lines and columns count from 1")
    if "last" in numbers and numbers["last"] < numbers["first"]:
        raise BadInput(f"{text}: the line range runs backwards")
    return Target(Path(reading["path"]), **numbers)


def _why_missing(text: str, path: str) -> str:
    for head in _heads(text):
        if os.path.lexists(head):
            return f"{text}: {text[len(head) + 1 :]!r} is not a position; {_USAGE}"
    return f"{path}: no such file" if path else f"no file was named; {_USAGE}"


def _heads(text: str) -> Iterator[str]:
    return (text[: colon.start()] for colon in re.finditer(":", text) if colon.start())


def _after(lines: Sequence[str], line: int) -> Position:
    """Return where a selection of whole lines ends: at the start of the next one, as editors select them."""
    if line + 1 < len(lines):
        return Position(line + 1, 0)
    return Position(line, units(lines[line], "utf-16"))

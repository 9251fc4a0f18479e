"""Lines of the document by which an answer's code is known, and where in the document it begins."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise

from twospeed.stream.aligner import is_trivial

from .evidence import OldText, Surroundings, to_last_line
from .fences import fence_of
from .line_kinds import text_of
from .patch.patches import opens_patch
from .whole_file import BYTE_ORDER_MARK

MAX_ECHO = 100
"""Lines above the scope among which an answer may begin; one that begins farther up is a whole file, or wrong."""


_FILE_KEY = re.compile(r"(?:\w+: *)?(?:\S*[/\\])?")
"""What stands before a file's name where nothing but its path is told: a key, folders."""


class Landmarks:
    """What an answer may begin with.

    Args:
        old: The scope's lines.
        around: The scope's place.

    Attributes:
        above: The last ``MAX_ECHO`` lines above the scope, without blank ones at the end.
    """

    def __init__(self, old: OldText, around: Surroundings) -> None:
        self._old = old
        self._around = around
        self.above = list(to_last_line(around.above)[-MAX_ECHO:])
        self._above = {line for line in self.above if not is_trivial(line)}
        self._head = _first_lines(around.above)

    def opens_patch(self, line: str) -> bool:
        """Whether a line opens a patch, and is not an old one."""
        return opens_patch(line) and line not in self._old.exact

    def is_label(self, line: str) -> bool:
        """Whether a line names the document's file, as models do in a comment above code that is not its beginning."""
        name, text = self._around.file_name, line.strip()
        for marker in self._around.comment_markers:
            text = text.removeprefix(marker)
        text = text_of(text.strip())
        if not name or not text.endswith(name) or line in self._old.exact or not self._above:
            return False
        if line in self._outside:
            return False
        return bool(_FILE_KEY.fullmatch(text.removesuffix(name)))

    @cached_property
    def _outside(self) -> frozenset[str]:
        return frozenset((*self._around.above, *self._around.below))

    @cached_property
    def is_document_patch(self) -> bool:
        """Whether the old text is a patch itself."""
        return any(map(opens_patch, self._old.lines))

    def opens_code(self, line: str) -> bool:
        """Whether a line vouches for itself and those that follow."""
        return (
            self._old.tells_of(line)
            or self._old.may_begin_with(line)
            or line.rstrip() in self._above
            or (bool(self._head) and _bare(line) == self._head[0])
        )

    def are_above(self, lines: Sequence[str]) -> bool:
        """Whether lines that are not blank at their ends are the last ones above the scope."""
        if len(lines) > MAX_ECHO * 2:
            return False
        lines = list(to_last_line(lines))
        return bool(lines) and self.above[-len(lines) :] == lines

    def open_file(self, lines: Sequence[str]) -> bool:
        """Whether lines that end with the first telling one are the document's first, so that more may be the rest."""
        telling = [_bare(line) for line in lines if line.strip()]
        return telling == self._head and not self._old.tells_of(telling[-1])

    def are_fences_paired(self, depth: int) -> bool:
        """Whether as many blocks may be open behind an answer as behind the old text, or the whole document."""
        around = self._around
        return depth in (
            _depth_of(self._old.lines),
            _depth_of((*around.above, *self._old.lines, *around.below)),
        )

    def lines_behind(self, line: str) -> Sequence[str]:
        """Return the old lines behind the first that is this one, or which this one may be, changed."""
        text = line.strip()
        for index, old in enumerate(self._old.lines):
            if old.strip() == text:
                return self._old.lines[index + 1 :]
        return self._old.lines[self._old.lines.index(self._old.first) + 1 :] if self._old.first else ()

    def stand_together(self, before: Sequence[str], line: str) -> bool:
        """Whether the old text holds this line right behind the last of those that is not blank."""
        last = next((text for text in reversed(before) if text.strip()), "")
        return (last, line) in self._neighbours

    @cached_property
    def _neighbours(self) -> set[tuple[str, str]]:
        return set(pairwise(line for line in self._old.lines if line.strip()))


def _first_lines(above: Sequence[str]) -> list[str]:
    """Return the document's lines up to the first telling one, blank ones left out; empty where none tells."""
    lines: list[str] = []
    for line in above:
        if line.strip():
            lines.append(_bare(line))
        if not is_trivial(line):
            return lines
    return []


def _bare(line: str) -> str:
    return line.removeprefix(BYTE_ORDER_MARK).rstrip()


def _depth_of(lines: Sequence[str]) -> int:
    depth = 0
    for line in lines:
        if fence := fence_of(line):
            depth = fence.depth_behind(depth)
    return depth

"""Lines of the document that identify the code of an answer."""

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

MAX_LINES_ABOVE = 100
"""Lines above the scope at which an answer may begin; further up it is a whole file or an error."""


_FILE_KEY = re.compile(r"(?:\w+: *)?(?:\S*[/\\])?")
"""The text before a file's name: a key, folders."""


class Landmarks:
    """The lines that an answer may begin with; ``above`` are the last ones above the scope."""

    def __init__(self, old: OldText, around: Surroundings) -> None:
        self._old = old
        self._around = around
        self.above = list(to_last_line(around.above)[-MAX_LINES_ABOVE:])
        self._above = {line for line in self.above if not is_trivial(line)}
        self._first_lines = _lines_to_distinctive(around.above)

    def opens_patch(self, line: str) -> bool:
        """Whether a line opens a patch and is no old line."""
        return opens_patch(line) and line not in self._old.exact

    def only_names_file(self, line: str) -> bool:
        """Whether a line only names the document's file, as models write above code."""
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
        """Whether the old text is a patch."""
        return any(map(opens_patch, self._old.lines))

    def opens_code(self, line: str) -> bool:
        """Whether a line proves that it and the lines after it are code."""
        return (
            self._old.has_distinctive(line)
            or self._old.may_begin_with(line)
            or line.rstrip() in self._above
            or (bool(self._first_lines) and _bare(line) == self._first_lines[0])
        )

    def are_above(self, lines: Sequence[str]) -> bool:
        """Whether lines are the last ones above the scope, ignoring trailing blank ones."""
        if len(lines) > MAX_LINES_ABOVE * 2:
            return False
        lines = list(to_last_line(lines))
        return bool(lines) and self.above[-len(lines) :] == lines

    def begin_like_document(self, lines: Sequence[str]) -> bool:
        """Whether lines up to the first distinctive one begin the document."""
        distinctive = [_bare(line) for line in lines if line.strip()]
        return distinctive == self._first_lines and not self._old.has_distinctive(distinctive[-1])

    def are_fences_paired(self, depth: int) -> bool:
        """Whether as many blocks are open as after the old text or the document."""
        around = self._around
        return depth in (
            _depth_of(self._old.lines),
            _depth_of((*around.above, *self._old.lines, *around.below)),
        )

    def lines_after(self, line: str) -> Sequence[str]:
        """Return the old lines after an equal one, or else after the first old line."""
        text = line.strip()
        for index, old in enumerate(self._old.lines):
            if old.strip() == text:
                return self._old.lines[index + 1 :]
        return self._old.lines[self._old.lines.index(self._old.first) + 1 :] if self._old.first else ()

    def are_adjacent(self, before: Sequence[str], line: str) -> bool:
        """Whether this line follows the last of ``before`` in the old text, ignoring blank lines."""
        last = next((text for text in reversed(before) if text.strip()), "")
        return (last, line) in self._neighbours

    @cached_property
    def _neighbours(self) -> set[tuple[str, str]]:
        return set(pairwise(line for line in self._old.lines if line.strip()))


def _lines_to_distinctive(above: Sequence[str]) -> list[str]:
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
            depth = fence.depth_after(depth)
    return depth

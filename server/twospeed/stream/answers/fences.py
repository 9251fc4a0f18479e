"""Code fences of Markdown (CommonMark 0.31, section 4.5)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

_FENCE = re.compile(r"(\s*)(?:(`{3,})([^`]*)|(~{3,})(.*))")


@dataclass(frozen=True, slots=True)
class Fence:
    """A line that opens or closes a block."""

    indent: str
    mark: str  # backticks or tildes, three or more
    info: str  # the text after them, such as ``python title="x"``

    @property
    def holds_patch(self) -> bool:
        """Whether the info names a diff."""
        return self.info.split(maxsplit=1)[:1] in (["diff"], ["patch"])

    def may_close(self, opening: Fence) -> bool:
        """Whether it has no info, and the opening's character, at least as often."""
        return not self.info and self.mark.startswith(opening.mark)

    def depth_after(self, depth: int) -> int:
        """Return the number of open blocks after this fence."""
        return depth + 1 if self.info or not depth else depth - 1


def blocks_in(lines: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield the content of each block of a text; the last one may be open."""
    opening: Fence | None = None
    first = 0
    for number, line in enumerate(lines):
        fence = fence_of(line)
        if fence and opening is None:
            opening, first = fence, number + 1
        elif fence and opening and fence.may_close(opening):
            yield lines[first:number]
            opening = None
    if opening:
        yield lines[first:]


def only_block(lines: Sequence[str]) -> Sequence[str]:
    """Return the content of the only block, or the whole text."""
    blocks = list(islice(blocks_in(lines), 2))
    return blocks[0] if len(blocks) == 1 else lines


def whole_code(lines: Sequence[str], *, complete_if_it_parses: bool) -> Sequence[str]:
    """Return the content of the only block if it is closed, else nothing.

    A text without fences is returned only if ``complete_if_it_parses``: the caller parses it.
    """
    if not any(map(fence_of, lines)):
        return lines if complete_if_it_parses else ()
    blocks, others = ([*islice(blocks_in(text), 2)] for text in (lines, [*lines, ""]))
    is_closed = len(blocks[0]) == len(others[0])  # an added line changes only an open block
    return blocks[0] if is_closed and len(blocks) == 1 else ()


def fence_of(line: str) -> Fence | None:
    """Parse a line as a fence; ``None`` if it is not one."""
    if "```" not in line and "~~~" not in line:
        return None
    match = _FENCE.fullmatch(line)
    if match is None:
        return None
    indent, ticks, ticks_info, tildes, tildes_info = match.groups()
    return Fence(indent, ticks or tildes, (ticks_info or tildes_info or "").strip())

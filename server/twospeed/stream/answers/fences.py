"""Code fences: the lines by which Markdown sets code off (CommonMark 0.31, section 4.5)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_FENCE = re.compile(r"(\s*)(?:(`{3,})([^`]*)|(~{3,})(.*))")


@dataclass(frozen=True, slots=True)
class Fence:
    """A line that opens or closes a block.

    Attributes:
        indent: White space before it.
        mark: Its backticks or tildes, three or more.
        info: What follows them, such as ``python title="x"``; empty where nothing does.
    """

    indent: str
    mark: str
    info: str

    @property
    def holds_patch(self) -> bool:
        """Whether it says that what it encloses is a diff."""
        return self.info.split(maxsplit=1)[:1] in (["diff"], ["patch"])

    def may_close(self, opening: Fence) -> bool:
        """Whether it is of the opening's kind, at least as long, and bare."""
        return not self.info and self.mark.startswith(opening.mark)

    def depth_behind(self, depth: int) -> int:
        """Count the blocks that are open behind it in a text: one with an info opens, a bare one closes if it can."""
        return depth + 1 if self.info or not depth else depth - 1


def only_block(lines: Sequence[str]) -> Sequence[str]:
    """Return what the only block of a text holds, also one that is never closed; the whole text where there is no such."""
    blocks: list[tuple[int, int]] = []
    opening: Fence | None = None
    first = 0
    for number, line in enumerate(lines):
        fence = fence_of(line)
        if fence is None:
            continue
        if opening is None:
            opening, first = fence, number + 1
        elif fence.may_close(opening):
            blocks.append((first, number))
            opening = None
    if opening:
        blocks.append((first, len(lines)))
    if len(blocks) != 1:
        return lines
    [(start, end)] = blocks
    return lines[start:end]


def fence_of(line: str) -> Fence | None:
    """Read a line as a fence; ``None`` if it is none."""
    if "```" not in line and "~~~" not in line:
        return None
    match = _FENCE.fullmatch(line)
    if match is None:
        return None
    indent, ticks, ticks_info, tildes, tildes_info = match.groups()
    return Fence(indent, ticks or tildes, (ticks_info or tildes_info or "").strip())

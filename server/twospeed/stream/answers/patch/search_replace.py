"""Read search/replace blocks, as ``<<<<<<< SEARCH``, ``=======`` and ``>>>>>>> REPLACE`` enclose them.

Models count the marks and choose the words behind them freely. So a marker is five to nine of its characters and any
words; where several lines of a block could be its divider, the one in the block's own style is, or none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import dropwhile, pairwise

from twospeed.stream.answers.evidence import Refusal
from twospeed.stream.answers.fences import fence_of

from .block_places import Patch, PatchBlock

_OPENING = re.compile(r"(<{5,9}|-{5,9}(?= SEARCH))( .*|>)?")
_DIVIDER = re.compile(r"={5,9}")
_CLOSING = re.compile(r"(>{5,9}|\+{5,9}(?= REPLACE))( .*)?")
_BASE = re.compile(r"\|{5,9}( .*)?")
_LINE_HINT = re.compile(r":(start|end)_line: ?\d+|-{5,9}")


def opens_block(line: str) -> bool:
    """Whether a line is the opening marker of a block."""
    return bool(_OPENING.fullmatch(line.rstrip()))


def read_blocks(lines: Sequence[str]) -> Patch | Refusal:
    """Read all blocks of an answer, from the first opening marker on.

    Returns:
        The blocks and the talk between them, or why they cannot be read.
    """
    blocks: list[PatchBlock] = []
    beside: list[str] = []  # lines outside of blocks; for a block its opening marker
    rest = iter(lines)
    for line in rest:
        text = line.rstrip()
        if opens_block(text):
            block = _read_block(text, rest)
            if isinstance(block, Refusal):
                return block
            blocks.append(block)
        elif _DIVIDER.fullmatch(text) or _CLOSING.fullmatch(text):
            return Refusal("not-code", "the answer closes a search/replace block that it has not opened")
        if text:
            beside.append(text)
    talk = _talk(beside)
    return talk if isinstance(talk, Refusal) else Patch(blocks, talk)


def _read_block(opening: str, rest: Iterator[str]) -> PatchBlock | Refusal:
    body: list[str] = []
    for line in rest:
        text = line.rstrip()
        if closing := _CLOSING.fullmatch(text):
            style = _OPENING.fullmatch(opening)
            assert style
            return _block_of(body, {len(style[1]), len(closing[1])})
        if opens_block(text) or _BASE.fullmatch(text):
            return Refusal("ambiguous", "the answer holds a merge conflict or nested search/replace blocks")
        body.append(line)
    return Refusal("truncated", "the answer ends inside a search/replace block")


def _block_of(body: list[str], style: set[int]) -> PatchBlock | Refusal:
    """Part a block's lines at its divider.

    Args:
        body: The lines between the markers.
        style: How many characters the markers have.
    """
    dividers = [index for index, line in enumerate(body) if _DIVIDER.fullmatch(line.rstrip())]
    if len(dividers) > 1:
        dividers = [index for index in dividers if {len(body[index].rstrip())} == style]
    if len(dividers) != 1:
        return Refusal("ambiguous", "a search/replace block does not tell its two parts apart")
    search, replace = body[: dividers[0]], body[dividers[0] + 1 :]
    if search and search[0].startswith(":"):  # some put line numbers first; content decides here
        search = list(dropwhile(_LINE_HINT.fullmatch, search))
    return PatchBlock(search, replace)


def _talk(beside: Sequence[str]) -> list[str] | Refusal:
    """Return the talk around the blocks; inside a fence there may be none but a file's name above a block."""
    in_fence = sum(fence_of(line) is not None for line in beside) % 2 == 1  # the last one closes
    talk: list[str] = []
    for line, below in pairwise([*beside, ""]):
        if fence_of(line):
            in_fence = not in_fence
        elif in_fence and not opens_block(line) and not opens_block(below):
            return Refusal("not-code", "the answer has code beside its search/replace blocks")
        elif not opens_block(line):
            talk.append(line)
    return talk

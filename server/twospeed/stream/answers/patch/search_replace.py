"""Parse search/replace blocks: ``<<<<<<< SEARCH``, ``=======`` and ``>>>>>>> REPLACE``.

Models vary the length of the markers and the words after them.
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


def read_blocks(lines: Sequence[str], title: str = "") -> Patch | Refusal:
    """Parse all blocks of an answer, from the first opening marker on; ``title`` is the line above."""
    blocks: list[PatchBlock] = []
    outside: list[str] = []  # lines outside of blocks; for a block its opening marker
    rest = iter(lines)
    for line in rest:
        text = line.rstrip()
        if opens_block(text):
            title = next((above for above in reversed(outside) if not fence_of(above)), title)
            block = _read_block(text, rest, title)
            if isinstance(block, Refusal):
                return block
            blocks.append(block)
        elif _DIVIDER.fullmatch(text) or _CLOSING.fullmatch(text):
            return Refusal("not-code", "the answer closes a search/replace block that was not opened")
        if text:
            outside.append(text)
    prose = _prose_around(outside)
    return prose if isinstance(prose, Refusal) else Patch(blocks, prose)


def _read_block(opening: str, rest: Iterator[str], title: str) -> PatchBlock | Refusal:
    body: list[str] = []
    for line in rest:
        text = line.rstrip()
        if closing := _CLOSING.fullmatch(text):
            marker_lengths = _OPENING.fullmatch(opening)
            assert marker_lengths
            return _block_of(body, {len(marker_lengths[1]), len(closing[1])}, title)
        if opens_block(text) or _BASE.fullmatch(text):
            return Refusal(
                "ambiguous", "the answer contains a merge conflict or nested search/replace blocks"
            )
        body.append(line)
    return Refusal("truncated", "the answer ends inside a search/replace block")


def _block_of(body: list[str], marker_lengths: set[int], title: str) -> PatchBlock | Refusal:
    dividers = [index for index, line in enumerate(body) if _DIVIDER.fullmatch(line.rstrip())]
    if len(dividers) > 1:  # the divider has the length of the other markers
        dividers = [index for index in dividers if {len(body[index].rstrip())} == marker_lengths]
    if len(dividers) != 1:
        return Refusal("ambiguous", "a search/replace block has no clear divider")
    search, replace = body[: dividers[0]], body[dividers[0] + 1 :]
    if search and search[0].startswith(":"):  # some models put line numbers first, which are ignored
        search = list(dropwhile(_LINE_HINT.fullmatch, search))
    return PatchBlock(search, replace, title=title)


def _prose_around(outside: Sequence[str]) -> list[str] | Refusal:
    # A fence may contain only blocks, and file names above them.
    in_fence = sum(fence_of(line) is not None for line in outside) % 2 == 1  # the last one closes
    prose: list[str] = []
    for line, below in pairwise([*outside, ""]):
        if fence_of(line):
            in_fence = not in_fence
        elif in_fence and not opens_block(line) and not opens_block(below):
            return Refusal("not-code", "the answer has code outside its search/replace blocks")
        elif not opens_block(line):
            prose.append(line)
    return prose

"""Immutable lines of a document whose versions share unchanged blocks.

One keystroke costs the same in 1,000 and in 50,000 lines. For these sizes a flat list of blocks is faster
than a rope or a balanced tree.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, chain, pairwise
from typing import NamedTuple, overload

from .lines import EolCounts, body_of

BLOCK_LINES = 256
"""Lines of a new block, which is split at twice as many."""


class Block(tuple[str, ...]):  # noqa: SLOT001  # the cached counts need a place
    """Adjacent lines with cached counts."""

    @cached_property
    def n_bytes(self) -> int:
        """Bytes of the text for a parser."""
        return len(self.parsed())

    @cached_property
    def longest(self) -> int:
        """Length of the longest line, in code points, with its line end."""
        return max(map(len, self))

    @cached_property
    def eols(self) -> EolCounts:
        """Number of lines with each line end."""
        return EolCounts.of(self)

    def parsed(self) -> bytes:
        r"""Return UTF-8 for a parser: ``\n`` for every line end, ``?`` for a lone surrogate."""
        text = "".join(self)
        if "\r" in text:
            text = "".join([body_of(line) + "\n" for line in self])
        elif not self[-1].endswith("\n"):  # the last line of a document, which may be empty
            text += "\n"
        return text.encode("utf-8", "replace")


class Gap(NamedTuple):
    """A difference: lines ``start`` up to ``end`` became lines ``new_start`` up to ``new_end``."""

    start: int
    end: int
    new_start: int
    new_end: int


class Lines(Sequence[str]):
    """Lines of text, each with its line end except the last.

    Args:
        family: One object shared by all versions that derive from one another.

    Attributes:
        starts: Index of the first line of each block, and the number of lines.
    """

    __slots__ = ("blocks", "family", "starts")

    def __init__(self, blocks: tuple[Block, ...], family: object) -> None:
        self.blocks = blocks
        self.family = family
        self.starts = (0, *accumulate(map(len, blocks)))

    @classmethod
    def of(cls, lines: Iterable[str]) -> Lines:
        """Create lines of a new family."""
        return cls(tuple(_cut(tuple(lines))), object())

    def __len__(self) -> int:
        return self.starts[-1]

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...
    def __getitem__(self, index: int | slice) -> str | tuple[str, ...]:
        if isinstance(index, slice):
            start, stop, step = index.indices(self.starts[-1])
            return self._between(start, stop) if step == 1 else tuple(self)[index]
        if index < 0:
            index += self.starts[-1]
        if not 0 <= index < self.starts[-1]:
            raise IndexError("line out of range")
        number = bisect_right(self.starts, index) - 1
        return self.blocks[number][index - self.starts[number]]

    def __iter__(self) -> Iterator[str]:
        return chain.from_iterable(self.blocks)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Lines | tuple) or len(self) != len(other):
            return False
        if isinstance(other, tuple):
            return tuple(self) == other
        gaps = list(self.gaps_to(other))
        if all(gap.end - gap.start == gap.new_end - gap.new_start for gap in gaps):
            return all(self[gap.start : gap.end] == other[gap.new_start : gap.new_end] for gap in gaps)
        # Shared blocks at different lines: with repeated lines, both versions may still be equal.
        return tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]

    def equals_but_for_ends(self, other: Lines) -> bool:
        """Return whether two versions differ in line ends only."""
        if len(self) != len(other):
            return False
        gaps = list(self.gaps_to(other))
        if any(gap.end - gap.start != gap.new_end - gap.new_start for gap in gaps):
            return _with_one_eol(self) == _with_one_eol(other)
        parts = ((self[gap.start : gap.end], other[gap.new_start : gap.new_end]) for gap in gaps)
        return all(old == new or _with_one_eol(old) == _with_one_eol(new) for old, new in parts)

    def __repr__(self) -> str:
        return f"<{len(self)} lines>"

    def _between(self, start: int, stop: int) -> tuple[str, ...]:
        if start >= stop:
            return ()
        first, last = self._block_of(start), self._block_of(stop - 1)
        if first == last:
            at = self.starts[first]
            return self.blocks[first][start - at : stop - at]
        return (
            *self.blocks[first][start - self.starts[first] :],
            *chain.from_iterable(self.blocks[first + 1 : last]),
            *self.blocks[last][: stop - self.starts[last]],
        )

    def _block_of(self, line: int) -> int:
        return bisect_right(self.starts, line) - 1

    def spliced(self, start: int, count: int, new: Sequence[str]) -> Lines:
        """Return the lines with ``count`` of them, from ``start`` on, replaced by ``new``.

        Cost: the cut blocks, and a copy of the list of blocks.
        """
        end = start + count
        first = min(self._block_of(start), len(self.blocks) - 1) if self.blocks else 0
        last = max(self._block_of(end - 1), first) if end > start else first
        head, tail = self.blocks[first : first + 1], self.blocks[last : last + 1]
        touched = (
            *(head[0][: start - self.starts[first]] if head else ()),
            *new,
            *(tail[0][end - self.starts[last] :] if tail else ()),
        )
        return Lines((*self.blocks[:first], *_cut(touched), *self.blocks[last + 1 :]), self.family)

    def gaps_to(self, other: Lines) -> Iterator[Gap]:
        """Yield the differing ranges of another version, to the precision of blocks."""
        # Blocks keep their order through splices, and a cut block is part of no other version.
        known = {id(block): number for number, block in enumerate(self.blocks)}
        shared = [(-1, -1)]
        for new_number, block in enumerate(other.blocks):
            number = known.get(id(block), -1)
            if number > shared[-1][0]:
                shared.append((number, new_number))
        shared.append((len(self.blocks), len(other.blocks)))
        for (number, new_number), (next_number, next_new) in pairwise(shared):
            if next_number - number > 1 or next_new - new_number > 1:
                yield Gap(
                    self.starts[number + 1],
                    self.starts[next_number],
                    other.starts[new_number + 1],
                    other.starts[next_new],
                )

    @property
    def n_bytes(self) -> int:
        """Bytes of the text for a parser."""
        return sum(block.n_bytes for block in self.blocks)

    @property
    def eols(self) -> EolCounts:
        """Number of lines with each line end."""
        counts = [block.eols for block in self.blocks]
        return EolCounts(*map(sum, zip(*counts, strict=True))) if counts else EolCounts(0, 0, 0)

    @property
    def longest(self) -> int:
        """Length of the longest line, in code points with its line end; 0 without lines."""
        return max((block.longest for block in self.blocks), default=0)


def _with_one_eol(lines: Iterable[str]) -> str:
    text = "".join(lines)
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _cut(lines: tuple[str, ...]) -> Iterator[Block]:
    # Up to two blocks stay one, so that typing does not cut the block at each keystroke.
    size = len(lines) if len(lines) <= 2 * BLOCK_LINES else BLOCK_LINES
    for start in range(0, len(lines), size or 1):
        yield Block(lines[start : start + size])

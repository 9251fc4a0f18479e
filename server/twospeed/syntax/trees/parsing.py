r"""Parse lines into a tree, completely or from the tree of an earlier version.

The parser receives ``\n`` for every line end, so that its rows are LSP lines. It holds the GIL. Its
``progress_callback``, called every 100 operations, lets other threads run and aborts a slow parse.
"""

from __future__ import annotations

import logging
import time
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from twospeed.syntax.languages import LanguageProfile, profile_for
from twospeed.syntax.languages.profile import unknown_kinds
from twospeed.text.edits import common_ends
from twospeed.text.line_blocks import Block, Gap, Lines
from twospeed.text.positions import is_inside_character

if TYPE_CHECKING:  # tree_sitter is loaded by the first parse, not by the import of this room
    from tree_sitter import Language, Point, Tree

logger = logging.getLogger(__name__)

_PIECE_BYTES = 64 * 1024
"""Pieces are large because the binding keeps a reference to each one (see `_Reader`)."""

LEAST_SPEED = 1_500_000
"""Bytes per second of processor time after `_HEAD_START_S`. Parsers read ordinary code at 6,000,000,
broken code at 3,000,000, and C++ with ``A<`` in each line at 700,000, with 300 MB of memory."""

_HEAD_START_S = 0.1
_spare_buffers: list[bytearray] = []
"""Buffers of `_Reader`: as many as ever parsed at once."""


class ByteEdit(NamedTuple):
    """A change for tree-sitter: byte offsets, and rows with byte columns."""

    start_byte: int
    old_end_byte: int
    new_end_byte: int
    start_point: tuple[int, int]
    old_end_point: tuple[int, int]
    new_end_point: tuple[int, int]


def parse_lines(
    profile: LanguageProfile, lines: Lines, *, limit_s: float, base: tuple[Tree, Lines] | None = None
) -> Tree | None:
    """Parse a document, from the tree of an earlier version if ``base`` is given.

    ``None`` if it takes more than ``limit_s`` seconds of processor time (see also `LEAST_SPEED`), or if the
    grammar cannot be used.
    """
    from tree_sitter import Parser  # noqa: PLC0415 # loaded by the first parse for a fast start

    grammar = grammar_of(profile.language_id)
    if grammar is None:
        return None
    earlier: dict[str, Tree] = {}  # the binding does not accept None
    if base:
        earlier["old_tree"] = shifted(*base, lines)
    start = time.thread_time()
    parser = Parser(grammar)

    def is_too_slow(offset: int, _has_error: bool) -> bool:  # noqa: FBT001  # as tree-sitter calls it
        elapsed = time.thread_time() - start
        return elapsed > limit_s or (elapsed - _HEAD_START_S) * LEAST_SPEED > offset

    reader = _Reader(lines)
    # A progress callback needs tree-sitter 0.26: 0.25.2 crashes in it on more than a few lines.
    try:
        with reader.parsing():
            return parser.parse(
                reader,
                **earlier,
                encoding="utf8",
                progress_callback=is_too_slow,
            )
    except ValueError:  # raised after an abort (tree-sitter 0.26)
        return None


def shifted(tree: Tree, old: Lines, new: Lines) -> Tree:
    """Return a copy of a tree with its nodes at their places in another version."""
    moved = tree.copy()
    for edit in byte_edits(old, new):
        moved.edit(*edit)
    return moved


def byte_edits(old: Lines, new: Lines) -> Iterator[ByteEdit]:
    """Yield the edits between two versions, last first, so that each can be applied directly.

    They are minimal: after a change of a whole line, the parser may parse the rest of the document again.
    """
    for gap in reversed(trimmed_gaps(old, new)):
        before, after = _bytes_of(old, gap.start, gap.end), _bytes_of(new, gap.new_start, gap.new_end)
        head, tail = _common_characters(before, after)
        start = _byte_offset(old, gap.start)
        yield ByteEdit(
            start + head,
            start + len(before) - tail,
            start + len(after) - tail,
            _point_behind(gap.start, before[:head]),
            _point_behind(gap.start, before[: len(before) - tail]),
            _point_behind(gap.start, after[: len(after) - tail]),
        )


def trimmed_gaps(old: Lines, new: Lines) -> list[Gap]:
    """Return the differences of two versions without equal lines at both ends."""
    gaps: list[Gap] = []
    for start, end, new_start, new_end in old.gaps_to(new):
        head, tail = common_ends(old[start:end], new[new_start:new_end])
        gap = Gap(start + head, end - tail, new_start + head, new_end - tail)
        if gap.start < gap.end or gap.new_start < gap.new_end:
            gaps.append(gap)
    return gaps


def _bytes_of(lines: Lines, start: int, end: int) -> bytes:
    read = Block(lines[start:end]).parsed() if start < end else b""
    return read[:-1] if read and end == len(lines) else read


def _common_characters(old: bytes, new: bytes) -> tuple[int, int]:
    """Return the lengths of the common ends in bytes, without cutting a UTF-8 character."""
    head, tail = common_ends(old, new)
    while head and (is_inside_character(old, head) or is_inside_character(new, head)):
        head -= 1
    while tail and is_inside_character(old, len(old) - tail):
        tail -= 1
    return head, tail


def _byte_offset(lines: Lines, line: int) -> int:
    number = bisect_right(lines.starts, line) - 1
    above = lines.blocks[number][: line - lines.starts[number]]
    return sum(block.n_bytes for block in lines.blocks[:number]) + (
        len(Block(above).parsed()) if above else 0
    )


def _point_behind(row: int, text: bytes) -> tuple[int, int]:
    return row + text.count(b"\n"), len(text) - (text.rfind(b"\n") + 1)


class _Reader:
    """Passes bytes to tree-sitter in pieces, during a parse and when the text of a node is read.

    During a parse all pieces use one buffer, because the binding (tree-sitter 0.26.1, ``parser_read_wrapper``)
    never releases them: 0.3 MB for 10,000 lines. ``node_get_text`` needs ``bytes`` and releases them.
    """

    def __init__(self, lines: Lines) -> None:
        self._blocks = lines.blocks
        self._starts = [0, *accumulate(block.n_bytes for block in lines.blocks)]
        self._end = self._starts[-1] - 1  # a block ends in a line end; the last line has none
        self._buffer: bytearray | None = None
        self._number, self._bytes = -1, b""

    @contextmanager
    def parsing(self) -> Iterator[None]:
        """Use the buffer while a parser runs."""
        try:
            self._buffer = _spare_buffers.pop()  # atomic: threads share the list
        except IndexError:
            self._buffer = bytearray()
        try:
            yield
        finally:
            _spare_buffers.append(self._buffer)
            self._buffer, self._number, self._bytes = None, -1, b""

    def __call__(self, offset: int, _point: Point | tuple[int, int]) -> bytes | bytearray:
        number = bisect_right(self._starts, offset, hi=len(self._blocks)) - 1
        start = offset - self._starts[number]
        end = min(start + _PIECE_BYTES, self._end - self._starts[number])
        if self._buffer is None:
            return self._blocks[number].parsed()[start:end]
        if number != self._number:
            self._number, self._bytes = number, self._blocks[number].parsed()
        self._buffer[:] = self._bytes[start:end]
        return self._buffer


@cache
def grammar_of(language_id: str) -> Language | None:
    """Load a grammar. Return ``None``, and log a warning, if it does not fit our tables."""
    from tree_sitter import Language  # noqa: PLC0415 # see parse_lines

    profile = profile_for(language_id)
    assert profile
    try:
        language = Language(getattr(import_module(profile.module), profile.accessor)())
    except (ImportError, AttributeError, ValueError) as error:
        logger.warning(
            "documents in %s are not parsed: their grammar cannot be loaded (%s)", language_id, error
        )
        return None
    if unknown := unknown_kinds(profile, language):
        names = ", ".join(unknown)
        logger.warning("documents in %s are not parsed: their grammar does not know %s", language_id, names)
        return None
    return language

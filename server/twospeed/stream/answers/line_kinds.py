"""Tell lines of code from comments and documentation, by how they are written; nothing here parses."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import Enum, auto

from twospeed.stream.aligner import is_trivial

_BLOCKS = (("{/*", "*/"), ("/*", "*/"), ("<!--", "-->"), ('"""', '"""'), ("'''", "'''"))
_STRING_PREFIX = re.compile(r"^[rRbBuUfF]{1,2}(?=[\"'])")
_TRIPLE_QUOTE = {quote: re.compile(f"(?<![\"'\\\\]){quote}(?![\"'])") for quote in ('"""', "'''")}
_OPENING = re.compile(r"""^(\{?/\*+!?|//+|<!--+|#+|--+|;+|%+|\"{3}|'{3})""")
_LINE_MARKS = ("#", "//", "--", ";", "%")
_CLOSINGS = ("*/}", "*/", "-->", '"""', "'''")


class LineKind(Enum):
    """What a line is."""

    CODE = auto()
    TRIVIAL = auto()  # blank, or a bracket: proves nothing, and nobody misses it
    COMMENT = auto()  # a whole comment
    TEXT = auto()  # part of a comment, or of a documentation string, that spans several lines


def line_kinds(lines: Iterable[str], markers: tuple[str, ...]) -> Iterator[LineKind]:
    """Give the kind of each line.

    Args:
        lines: Without indentation, from the start of a piece of code; each is read when its kind is asked for.
        markers: What opens a line comment in this language; what opens a block is the same everywhere.
    """
    end, is_text = "", False
    for line in lines:
        kind = LineKind.TRIVIAL if is_trivial(line) else LineKind.CODE
        if end and is_text:
            kind = LineKind.TEXT if kind is LineKind.CODE else kind
        elif line.startswith(markers):
            kind = LineKind.COMMENT
        elif not end:
            kind, end, is_text = _opened(line, kind)
            yield kind
            continue
        if end and end in line:
            end = ""
        yield kind


def _opened(line: str, kind: LineKind) -> tuple[LineKind, str, bool]:
    """Return what a line is, what ends the block it leaves open, if it does, and whether that block is text."""
    if not ("/*" in line or "<!--" in line or '"""' in line or "'''" in line):
        return kind, "", False  # most lines
    bare = _STRING_PREFIX.sub("", line)
    for opening, closing in _BLOCKS:
        if bare.startswith(opening):
            if closing not in bare[len(opening) :]:
                return LineKind.TEXT, closing, True
            return LineKind.COMMENT if bare.rstrip("}").endswith(closing) else kind, "", False
        if opening == closing and len(_TRIPLE_QUOTE[opening].findall(line)) % 2:
            return kind, closing, False  # a string that code works with: its lines are missed like code
    return kind, "", False


def text_of(comment: str) -> str:
    """Return what a comment says, without the marks that make it one."""
    text = _OPENING.sub("", comment)
    if comment.startswith(_LINE_MARKS):
        return text.strip()  # nothing closes it
    for closing in _CLOSINGS:
        text = text.removesuffix(closing)
    return text.strip()

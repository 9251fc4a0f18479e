"""Classify lines as code, comment or documentation by how they are written, without parsing."""

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
    """The kind of a line."""

    CODE = auto()
    TRIVIAL = auto()  # blank, or a bracket: no evidence
    COMMENT = auto()  # a whole comment
    TEXT = auto()  # part of a comment or documentation string of several lines


def line_kinds(lines: Iterable[str], markers: tuple[str, ...]) -> Iterator[LineKind]:
    """Yield the kind of each line, without reading further, from the start of a piece of code.

    The lines have no indentation. ``markers`` are those of line comments; block comments are the same for all
    languages.
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
    """Return the kind of a line, the end of the block it leaves open, and whether that block is text."""
    if not ("/*" in line or "<!--" in line or '"""' in line or "'''" in line):
        return kind, "", False  # most lines
    bare = _STRING_PREFIX.sub("", line)
    for opening, closing in _BLOCKS:
        if bare.startswith(opening):
            if closing not in bare[len(opening) :]:
                return LineKind.TEXT, closing, True
            return LineKind.COMMENT if bare.rstrip("}").endswith(closing) else kind, "", False
        if opening == closing and len(_TRIPLE_QUOTE[opening].findall(line)) % 2:
            return kind, closing, False  # a string used by code: its lines count as code
    return kind, "", False


def text_of(comment: str) -> str:
    """Return the text of a comment without its markers."""
    text = _OPENING.sub("", comment)
    if comment.startswith(_LINE_MARKS):
        return text.strip()  # line comments have no closing marker
    for closing in _CLOSINGS:
        text = text.removesuffix(closing)
    return text.strip()

"""Positions on the wire, in code units of the negotiated encoding (LSP 3.17, "Position").

Only this module converts them to indexes of Python strings, in code points.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Encoding = Literal["utf-8", "utf-16", "utf-32"]


class Position(NamedTuple):
    """A 0-based line, and a character in code units of the negotiated encoding."""

    line: int
    character: int


class Range(NamedTuple):
    """From ``start`` up to, but not including, ``end``."""

    start: Position
    end: Position


def units(text: str, encoding: Encoding) -> int:
    """Return the number of code units of a text. A lone surrogate counts as one UTF-16 unit and three bytes."""
    if encoding == "utf-32" or text.isascii():
        return len(text)
    if encoding == "utf-16":
        return len(text.encode("utf-16-le", "surrogatepass")) // 2
    return len(text.encode("utf-8", "surrogatepass"))


_CONTINUATION = 0b10
"""The first two bits of a continuation byte (UTF-8, RFC 3629)."""


def is_inside_character(raw: bytes, at: int) -> bool:
    """Return whether an index into UTF-8 bytes is inside a character."""
    return at < len(raw) and raw[at] >> 6 == _CONTINUATION


_HIGH_SURROGATE, _LOW_SURROGATE = 0b110110, 0b110111
"""The first six bits of the halves of a surrogate pair (UTF-16, RFC 2781)."""


def column_of(body: str, character: int, encoding: Encoding) -> int:
    """Convert code units from the start of a line (without its end) to an index of the line.

    Past the end, it is clamped; inside a character, it is the start of that character.
    """
    if encoding == "utf-32" or body.isascii():
        return min(character, len(body))
    codec, width = ("utf-16-le", 2) if encoding == "utf-16" else ("utf-8", 1)
    raw = body.encode(codec, "surrogatepass")
    end = character * width
    if end >= len(raw):
        return len(body)
    if encoding == "utf-8":
        while is_inside_character(raw, end):
            end -= 1
    elif end and raw[end - 1] >> 2 == _HIGH_SURROGATE and raw[end + 1] >> 2 == _LOW_SURROGATE:
        end -= 2
    return len(raw[:end].decode(codec, "surrogatepass"))  # "ignore" would lose a lone surrogate

"""Know secrets that no issuer's prefix gives away: by the name in front of them, and private keys by their frame.

A value counts if it stands next to a name that holds ``key``, ``token``, ``secret`` or ``passw``, is long enough and
reads like chance: at least 24 characters without a space and 4.0 bits a character, or 32 hexadecimal digits, which have
no more than 4.0. What stands next to a name without quotes has to hold a digit and a letter, for it may be code.
A private key counts where most of what stands in its frame is base64; a frame alone is a text about keys.
All of it takes linear time on any text. Sources: RFC 7468 (PEM), RFC 4880 (armour); C. E. Shannon (1948) for entropy.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence

LEAST_BITS = 4.0
"""Of entropy a character: English has about 4.1 with its spaces, identifiers less, chance in base64 more than 4.2."""

LEAST_HEX_BITS = 3.0

_NAMES = ("key", "token", "secret", "passw")

_REST_OF_NAME = r"""[\w.\-]{0,40}+["'\])]{0,3}+"""
_QUOTED = re.compile(
    _REST_OF_NAME
    # "=", ":", "(" and the like, and at most one word between: a type, a function
    + r"""[^\n"'`\w]{0,12}+(?:\w[\w.]{0,30}+[^\n"'`\w]{1,8}+)?(?:[bfruBFRU]{0,2}+)["'`]"""
    + r"""(?P<secret>[^\s"'`\\]{24,1024}+)["'`]"""
)
_BARE = re.compile(
    _REST_OF_NAME
    + r"""[ \t]{0,8}+(?:=>|:=|[=:>])[ \t]{0,8}+(?P<secret>[A-Za-z0-9+/_\-=.~]{24,1024}+)(?![\w(\[])"""
)
_TEMPLATE = re.compile(r"[{}<>]|://|%[sd(]|\*\*\*|^\.{0,2}/")
_HEX = re.compile(r"(?:0x)?[0-9a-fA-F]{32,}+")
_DOTTED_NAME = re.compile(r"[A-Za-z_]\w*+(?:\.[A-Za-z_]\w*+)+")
_CODE = re.compile(r"[a-z_]++|[A-Z_]++|[^0-9]*+|[^A-Za-z]*+")

_FRAME = "PRIVATE KEY"
_DASHES, _END = "-----", "-----END"
_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_BASE64 = re.compile(r"[A-Za-z0-9+/=]{16,}+")
_PIECE = re.compile(r"""(?:[\s"',;#*>|()]|\\[nrt])*[A-Za-z0-9+/=]{16,}+""")
_LAST_PIECE = re.compile(r"(?:\s|\\[nrt])*[A-Za-z0-9+/=]++\s*+\Z")
_MOSTLY = 0.5
_MAX_LINES = 400
"""Of a private key: one of 16,384 bits has 200."""


def named_values(text: str) -> Iterator[tuple[int, int]]:
    """Find values next to the names of secrets.

    Yields:
        Offsets of each value, in code points; the same value perhaps twice.
    """
    lower = lower_case(text)
    for name in _NAMES:
        at = lower.find(name)
        while at >= 0:
            at += len(name)
            match = _QUOTED.match(text, at) or _BARE.match(text, at)
            if match and _reads_like_chance(match["secret"], is_quoted=match.re is _QUOTED):
                yield match.span("secret")
            at = lower.find(name, at)


def lower_case(text: str) -> str:
    """Write a text in small letters, each character in its place."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(
        each.lower() if each.isascii() else each for each in text
    )  # a Turkish capital I becomes two


def _reads_like_chance(value: str, *, is_quoted: bool) -> bool:
    if _TEMPLATE.search(value) or _DOTTED_NAME.fullmatch(value):
        return False
    if not is_quoted and _CODE.fullmatch(value):
        return False
    if _HEX.fullmatch(value):
        return bits_per_character(value) >= LEAST_HEX_BITS
    return bits_per_character(value) >= LEAST_BITS


def bits_per_character(text: str) -> float:
    """Return the entropy of a text's characters, in bits; 0 for an empty text."""
    counts = Counter(text).values()
    return sum(n / len(text) * math.log2(len(text) / n) for n in counts)


def private_keys(text: str, *, begins_inside: bool = False) -> Iterator[tuple[int, int]]:
    """Find what stands in the frames of private keys: to the last line, or as far as it goes in a text cut off.

    Args:
        text: Where to look.
        begins_inside: Whether the text begins inside of a frame.

    Yields:
        Offsets, in code points, of the lines between the frame's.
    """
    starts = [0] if begins_inside else []
    if _FRAME in text:
        starts += [match.end() for match in _BEGIN.finditer(text)]
    for start in starts:
        end = text.find(_DASHES, start)
        if not text.startswith(_END, end) or not _is_mostly_base64(text[start:end]):
            end = _end_of_pieces(text, start)
        if text[start:end].strip():
            yield start, end


def _end_of_pieces(text: str, start: int) -> int:
    """Follow a key that has no end: as far as base64 goes. In one pattern Python 3.11.2 would take it too far."""
    end = start
    while piece := _PIECE.match(text, end):
        end = piece.end()
    last = _LAST_PIECE.match(text, end)
    return last.end() if last else end


def ends_in_key(lines: Sequence[str], *, begins_inside: bool = False) -> bool:
    """Tell whether lines end between the first and the last line of a private key; so many as a key may have count."""
    for line in reversed(lines[-_MAX_LINES:]):
        if _FRAME in line and (mark := line.rfind("-----END")) != (first := line.rfind("-----BEGIN")):
            return first > mark
    return begins_inside and len(lines) < _MAX_LINES


def _is_mostly_base64(body: str) -> bool:
    """Whether a frame holds a key, with its headers perhaps, and not code that speaks of frames."""
    n_all = sum(map(len, body.split()))
    return _MOSTLY * n_all <= sum(map(len, _BASE64.findall(body)))

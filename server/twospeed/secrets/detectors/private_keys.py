"""Find private keys by their frames, and PuTTY's by their headers, in linear time.

A frame counts only if most of its content is base64. Sources: RFC 7468, RFC 4880, RFC 4716, PuTTY's manual,
appendix C.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_FRAME = "PRIVATE KEY"
_DASHES, _ENDS = "----", ("-----END", "---- END")
_BEGIN = re.compile(r"-----?[ ]?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?[ ]?-----?")
_BASE64 = re.compile(r"[A-Za-z0-9+/=]{16,}+")
_PIECE = re.compile(r"""(?:[\s"',;#*>|().&]|\+\s|\\[nrt])*+[A-Za-z0-9+/=]{16,}+""")
_LAST_PIECE = re.compile(r"(?:\s|\\[nrt])*[A-Za-z0-9+/=]++\s*+\Z")
_MOSTLY = 0.5
_MAX_LINES = 400
"""Longest private key; one of 16,384 bits has 200 lines."""


_PUTTY = re.compile(r"Private-Lines:[ ]?[0-9]{1,4}")
_PUTTY_MAC = re.compile(r"Private-(?:MAC|Hash):[ ]?(?P<mac>[0-9a-f]{32,128}+)")


def private_keys(text: str, *, begins_inside: bool) -> Iterator[tuple[int, int]]:
    """Yield the offsets of the lines inside frames; a truncated key ends with its base64."""
    starts = [0] if begins_inside else []
    if _FRAME in text:
        starts += [match.end() for match in _BEGIN.finditer(text)]
    for start in starts:
        end = text.find(_DASHES, start)
        if not text.startswith(_ENDS, end) or not _is_mostly_base64(text[start:end]):
            end = _end_of_pieces(text, start)
        if text[start:end].strip():
            yield start, end
    if "Private-Lines" in text:
        for match in _PUTTY.finditer(text):
            if (end := _end_of_pieces(text, match.end())) > match.end():
                yield match.end(), end
        for match in _PUTTY_MAC.finditer(text):
            yield match.span("mac")


def _end_of_pieces(text: str, start: int) -> int:
    # One combined pattern would match too much in Python 3.11.2.
    end = start
    while piece := _PIECE.match(text, end):
        end = piece.end()
    last = _LAST_PIECE.match(text, end)
    return last.end() if last else end


def ends_in_key(lines: Sequence[str], *, begins_inside: bool = False) -> bool:
    """Return whether the lines end inside a private key's frame, at most `_MAX_LINES` after its begin."""
    for line in reversed(lines[-_MAX_LINES:]):
        if _FRAME in line and (mark := line.rfind("-----END")) != (first := line.rfind("-----BEGIN")):
            return first > mark
    return begins_inside and len(lines) < _MAX_LINES


def _is_mostly_base64(body: str) -> bool:
    n_all = sum(map(len, body.split()))
    return _MOSTLY * n_all <= sum(map(len, _BASE64.findall(body)))

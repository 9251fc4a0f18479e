"""Find values of Kubernetes secrets (Secret v1) below ``data`` and ``stringData``, in base64 or plain.

In a text with ``kind: Secret`` every value counts; otherwise only base64 of a text, or a random value.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator

from .values import looks_random

_NAMES = ("data", "stringData", "binaryData")
_MARKS = ("ata:", 'ata":', "ata':")
_OPENING = re.compile(r"[ \t]{0,8}\{?[ \t]{0,8}\r?$", re.MULTILINE)
_MAX_INDENT = 80
_ENTRY = re.compile(
    r"""\n(?P<indent>[ \t]{1,80})["']?(?P<name>[\w.\-/]{1,253}+)["']?:[ \t]{0,8}(?:[|>][+-]?\s{1,80}+)?["']?(?P<value>[^\s"'#]{4,65536}+)"""
)
_KIND = re.compile(r"""["']?kind["']?:[ \t]{0,8}["']?Secret\b""")
_BASE64 = re.compile(r"[A-Za-z0-9+/]{8,}+={0,2}")
_QUARTET = 4
_TEMPLATES = ("{{", "${", "<", "$(")


def kubernetes_values(text: str) -> Iterator[tuple[int, int]]:
    """Yield the offsets of each value, in code points."""
    blocks = [block for mark in _MARKS for block in _blocks(text, mark)]
    is_secret = bool(blocks) and _KIND.search(text) is not None
    for indent, start in blocks:
        at = start
        while (entry := _ENTRY.match(text, at)) and len(entry["indent"]) > indent:
            value = entry["value"].rstrip(",")
            if not value.startswith(_TEMPLATES) and (is_secret or _is_base64_of_text(value)):
                yield entry.start("value"), entry.start("value") + len(value)
            at = text.find("\n", entry.end())
            if at < 0:
                break


def _blocks(text: str, mark: str) -> Iterator[tuple[int, int]]:
    at = text.find(mark)
    while at >= 0:
        start = text.rfind("\n", max(at - _MAX_INDENT, 0), at) + 1 or max(at - _MAX_INDENT, 0)
        before = text[start : at + 3]
        name = before.strip(" \t-\"'")
        at += len(mark)
        if name in _NAMES and (opening := _OPENING.match(text, at)):
            yield before.index(name[0]), opening.end()
        at = text.find(mark, at)


def _is_base64_of_text(value: str) -> bool:
    if not _BASE64.fullmatch(value) or len(value) % _QUARTET:
        return False
    if looks_random(value, is_quoted=False):
        return True
    decoded = base64.b64decode(value)
    return decoded.isascii() and decoded.decode().replace("\n", "").isprintable()

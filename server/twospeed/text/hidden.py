"""Invisible characters: where they are legitimate, and how to escape them.

They can send text to a model that no user sees, or reorder code on the screen (CVE-2021-42574). They are
escaped in context, not in the scope, which must come back unchanged.
"""

from __future__ import annotations

import re

_HIDDEN_IN_BMP = (
    r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # C0 and C1 without tab and line ends
    r"\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e"  # soft hyphen, joiners, Arabic letter mark, fillers
    r"\u200b-\u200f\u2028-\u202e\u2060-\u206f"  # zero-width, line separators, bidi, invisible operators
    r"\u3164\ufeff\uffa0\ufff0-\ufffb"  # fillers, byte order mark, annotation marks
    r"\ud800-\udfff"  # a lone surrogate cannot be sent at all
    r"\ufdd0-\ufdef\ufffe\uffff"  # noncharacters, which are not meant for interchange (Unicode 16, 23.7)
)
_HIDDEN = (
    _HIDDEN_IN_BMP
    + r"\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"  # controls of shorthand and of musical notation
    + r"\U000e0000-\U000e0fff"  # tags, variation selector supplement
    + "".join(f"\\U{plane:04x}fffe\\U{plane:04x}ffff" for plane in range(0x01, 0x11))  # noncharacters
)

SELECTORS = r"\u180b-\u180d\u180f\ufe00-\ufe0f"
"""Variation selectors, for a character class. They are visible: each changes the character before it."""

_SELECTABLE = rf"[^\x00-\"$-)+-/:-\x7f{SELECTORS}{_HIDDEN}]"  # of ASCII: the bases of keycap emoji
_JOINABLE = rf"[^\x00-\u024f{SELECTORS}{_HIDDEN}]"

LEGITIMATE_SELECTOR = rf"(?<={_SELECTABLE})[{SELECTORS}]"
"""A selector after a character with variants. A second one can carry hidden text."""

LEGITIMATE_JOINER = rf"(?:(?<={_JOINABLE})|(?<={_SELECTABLE}[{SELECTORS}]))[\u200c\u200d](?={_JOINABLE})"
"""A single joiner, as Persian, Hindi and emoji need. Two in a row can carry hidden text."""


def hidden_or(others: str) -> str:
    """Return the pattern of a character that is hidden or in the character class ``others``.

    Only characters beyond the Basic Multilingual Plane are matched twice: a class of them is ten times
    slower.
    """
    return rf"[{_HIDDEN_IN_BMP}{others}\U00010000-\U0010ffff](?<=[{_HIDDEN}{others}])"


_HIDDEN_CHARACTER = re.compile(hidden_or(""))

_HIDDEN_OR_LINE_END = re.compile(hidden_or(r"\t\r\n"))

_NOT_HIDDEN = " \t\r\n"

_FEW = 8
"""Up to this many kinds are replaced one after the other."""

_JOINERS = "\u200c\u200d"
_JOINER = re.compile(LEGITIMATE_JOINER)


def make_visible(text: str) -> str:
    r"""Escape hidden characters except tabs and line ends, such as U+202E as ``\u{202e}``.

    The caller strips the byte order mark of a document first.
    """
    bare = text.strip(_NOT_HIDDEN)
    if bare.isascii() and bare.isprintable():
        return text  # most lines of code end here
    # Each kind is tested once: a function call for each of a million characters took 0.6 s.
    found = _HIDDEN_CHARACTER.findall("".join(set(text)))
    if len(found) > _FEW:
        return text.translate({ord(each): _code(each) for each in found})
    for each in found:  # ten times faster than translate
        text = text.replace(each, _code(each))
    return text


def make_visible_in_prose(text: str) -> str:
    """Escape hidden characters in a user's sentence, except joiners between characters that need them."""
    if not any(joiner in text for joiner in _JOINERS):
        return make_visible(text)
    pieces = _JOINER.split(text)
    joiners = _JOINER.findall(text)
    visible = [make_visible(piece) for piece in pieces]
    return "".join(piece + joiner for piece, joiner in zip(visible, [*joiners, ""], strict=True))


def make_visible_in_line(text: str) -> str:
    """Escape hidden characters, tabs and line ends, for a name on one line."""
    return _HIDDEN_OR_LINE_END.sub(_spelt_out, text)


def _spelt_out(match: re.Match[str]) -> str:
    return _code(match[0])


def _code(character: str) -> str:
    return f"\\u{{{ord(character):x}}}"

r"""Make characters visible that a reader of the text would not see.

Bidi controls, tag characters, zero-width characters, variation selector supplements and control characters
can carry words to a model that no human sees, or make code read in another order than it runs (CVE-2021-42574).
Context goes to a model with each of them spelt out as ``\u{202e}``; the scope itself is left alone, because it
has to come back as it was.
"""

from __future__ import annotations

import re

_HIDDEN = (
    r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # C0 and C1 without tab and line ends
    r"\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e"  # soft hyphen, joiners, Arabic letter mark, fillers
    r"\u200b-\u200f\u2028-\u202e\u2060-\u206f"  # zero-width, line separators, bidi, invisible operators
    r"\u3164\ufeff\uffa0\ufff9-\ufffb"  # fillers, byte order mark, annotation marks
    r"\ud800-\udfff"  # a lone surrogate cannot be sent at all
    r"\U000e0000-\U000e0fff"  # tags, variation selector supplement
)

_HIDDEN_CHARACTER = re.compile(f"[{_HIDDEN}]")

_HIDDEN_OR_LINE_END = re.compile(rf"[{_HIDDEN}\t\r\n]")

# Persian, Hindi and emoji need joiners between their own characters; two in a row spell nothing but a message.
_JOINER_AT_WORK = re.compile(rf"(?<=[^\x00-\u024f{_HIDDEN}])[\u200c\u200d](?=[^\x00-\u024f{_HIDDEN}])")


def make_visible(text: str) -> str:
    r"""Spell out hidden characters, such as U+202E as ``\u{202e}``; tabs and line ends stay.

    A byte order mark is spelt out too: whoever has a whole document takes it off first.

    Returns:
        The text without a hidden character; the same text where there was none.
    """
    return _HIDDEN_CHARACTER.sub(_spelt_out, text)


def make_visible_in_prose(text: str) -> str:
    """Spell out hidden characters of a human's sentence; a joiner that joins stays."""
    pieces = _JOINER_AT_WORK.split(text)
    joiners = _JOINER_AT_WORK.findall(text)
    visible = [make_visible(piece) for piece in pieces]
    return "".join(piece + joiner for piece, joiner in zip(visible, [*joiners, ""], strict=True))


def make_visible_in_line(text: str) -> str:
    """Spell out hidden characters, tabs and line ends: for a name that has to stay on its line."""
    return _HIDDEN_OR_LINE_END.sub(_spelt_out, text)


def _spelt_out(match: re.Match[str]) -> str:
    return f"\\u{{{ord(match[0]):x}}}"

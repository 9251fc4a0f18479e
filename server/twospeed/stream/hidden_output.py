"""Take hidden characters out of an answer, line by line.

A model can be talked into writing what nobody sees in a review: code that runs in another order than it reads
(CVE-2021-42574), instructions in tag characters, a payload in variation selectors, escapes for a terminal.
What stays, and nothing else:

* a character that the old lines hold: it is content, and nobody asked to lose it;
* a joiner or a selector that is at work (`text.hidden`), so that Persian, Hindi and emoji come through whole;
* the tags of the three flags that Unicode recommends (England, Scotland, Wales): any other tags could be words.

Halves of a surrogate pair are joined first: a provider's JSON may have cut them apart. A lone half is hidden, and
no document here holds one.
Laws: cleaning twice is cleaning once; a text of the old lines' characters stays as it is; what is left of a line's
head is the head of what is left of the line, so that chunks make no difference.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache

from twospeed.text.hidden import JOINER_AT_WORK, SELECTOR_AT_WORK, SELECTORS, hidden_or

_FLAG_TAGS = [
    "".join(chr(0xE0000 + ord(letter)) for letter in subdivision)
    for subdivision in ("gbeng", "gbsct", "gbwls")
]
"""Unicode Technical Standard 51, ``RGI_Emoji_Tag_Sequence``."""

_FLAG = f"\U0001f3f4(?:{'|'.join(_FLAG_TAGS)})\U000e007f"


@cache  # large, and few edits need them
def _suspect() -> re.Pattern[str]:
    return re.compile(hidden_or(SELECTORS))


@cache
def _at_work_or_suspect() -> re.Pattern[str]:
    return re.compile(f"({_FLAG}|{JOINER_AT_WORK}|{SELECTOR_AT_WORK})|{hidden_or(SELECTORS)}")


class HiddenOutput:
    """Clean one answer, and count what is taken out.

    Args:
        old: The scope's lines: what they hold may stay.

    Attributes:
        dropped: How often each character was taken out.
    """

    def __init__(self, old: Sequence[str]) -> None:
        self.dropped = Counter[str]()
        self._content = {
            character for line in old if not _is_plain(line) for character in _suspect().findall(line)
        }

    def clean_line(self, line: str) -> str:
        """Take a whole line without its line end; return what may stay of it."""
        return line if _is_plain(line) else _at_work_or_suspect().sub(self._judge, _join_halves(line))

    def _judge(self, match: re.Match[str]) -> str:
        if match[1] or match[0] in self._content:
            return match[0]
        self.dropped[match[0]] += 1
        return ""


def _is_plain(text: str) -> bool:
    """Whether all of it can be seen; of most lines a glance tells."""
    return (text.isascii() and text.isprintable()) or not _suspect().search(text)


def _join_halves(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")

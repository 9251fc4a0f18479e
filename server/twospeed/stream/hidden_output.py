"""Remove hidden characters from an answer, line by line.

Prompt injection can make a model write what a review does not show: code that runs in another order than it
reads (CVE-2021-42574), instructions in tag characters, data in variation selectors, terminal escapes. Kept
are characters of the old lines, joiners and selectors with an effect (`text.hidden`), which Persian, Hindi
and emoji need, and the tags of the three flags that Unicode recommends (England, Scotland, Wales).

Surrogate halves are joined first, because a provider's JSON may have split them; a lone half is hidden. Laws:
cleaning is idempotent and does not depend on chunks; a text of the old lines' characters is unchanged.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache

from twospeed.text.hidden import LEGITIMATE_JOINER, LEGITIMATE_SELECTOR, SELECTORS, hidden_or

_FLAG_TAGS = [
    "".join(chr(0xE0000 + ord(letter)) for letter in subdivision)
    for subdivision in ("gbeng", "gbsct", "gbwls")
]
"""Unicode Technical Standard 51, ``RGI_Emoji_Tag_Sequence``."""

_FLAG = f"\U0001f3f4(?:{'|'.join(_FLAG_TAGS)})\U000e007f"


@cache  # the patterns are large, and few edits need them
def _suspect() -> re.Pattern[str]:
    return re.compile(hidden_or(SELECTORS))


@cache
def _at_work_or_suspect() -> re.Pattern[str]:
    return re.compile(f"({_FLAG}|{LEGITIMATE_JOINER}|{LEGITIMATE_SELECTOR})|{hidden_or(SELECTORS)}")


class HiddenOutput:
    """Cleans one answer, except for characters of the old lines; ``dropped`` counts each removed character."""

    def __init__(self, old: Sequence[str]) -> None:
        self.dropped = Counter[str]()
        self._content = {
            character for line in old if not _is_plain(line) for character in _suspect().findall(line)
        }

    def clean_line(self, line: str) -> str:
        """Return a line, received without its line end, without hidden characters."""
        return line if _is_plain(line) else _at_work_or_suspect().sub(self._replacement, _join_halves(line))

    def _replacement(self, match: re.Match[str]) -> str:
        if match[1] or match[0] in self._content:
            return match[0]
        self.dropped[match[0]] += 1
        return ""


def _is_plain(text: str) -> bool:
    return (text.isascii() and text.isprintable()) or not _suspect().search(text)


def _join_halves(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")

"""Find secrets in what people write for people: an instruction, a report, notes.

Such texts name a secret in a sentence, "the password is …", or do not name it at all. So a word that only chance makes
counts by itself, and one that a person may have chosen behind the name of a secret. A wrong guess costs little here:
what is hidden in an instruction comes back into the answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .values import (
    LEAST_CHANCE_CHARS,
    reads_like_chance,
    reads_like_password,
    reads_like_token,
)

_WORD = re.compile(r"""[^\s"'`,;<>()\[\]{}|]{6,1024}+""")
_NAME = re.compile(
    r"passw|passphrase|pass\b|pwd|secret|token|credential|api.?key|access.?key|\bsalt\b|\bauth\b|login|\bpin\b|pw\b|\bpsk\b"
)
_REACH = 80
_PUNCTUATION = ".:!?"


def prose_secrets(text: str, lower: str) -> Iterator[tuple[int, int]]:
    """Find the secrets; ``lower`` is the text in small letters.

    Yields:
        Offsets of each, in code points.
    """
    for match in _WORD.finditer(text):
        word = match[0].rstrip(_PUNCTUATION)
        start, value = match.start(), word
        if "=" in word and not word.endswith("="):
            value = word.rpartition("=")[2]
            start += len(word) - len(value)
        if reads_like_token(value) or (
            len(value) >= LEAST_CHANCE_CHARS and reads_like_chance(value, is_quoted=False)
        ):
            yield start, start + len(value)
    done = 0
    for name in _NAME.finditer(lower):
        start = max(name.end(), done)
        end = name.end() + _REACH
        for match in _WORD.finditer(text, start, end):
            word = match[0].rstrip(".:?,")
            if reads_like_password(word, is_quoted=True):
                yield match.start(), match.start() + len(word)
        done = max(done, end)

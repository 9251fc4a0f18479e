"""Find secrets in text written for people: an instruction, a report, notes.

Such text names a secret in a sentence, "the password is …", or not at all. So a random word always counts, and
a password-like word counts near a name. False positives do little harm: hidden words are restored in the
answer.
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
    """Yield the offsets of each secret, in code points; ``lower`` is the text in lower case."""
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

"""The requested form of an answer: the whole scope in one code block, or only its changes.

A whole scope streams from its first line and is the form that models get right most often. It costs the
tokens of every unchanged line, so a long scope is requested as search/replace blocks: some hundred tokens for
an ordinary change. An answer in the other form is accepted as well (`stream.answers`).

A code block is delimited on both sides: everything inside is code, and the closing fence proves that it is
complete.
"""

from __future__ import annotations

import re
from typing import Literal

AnswerForm = Literal["whole", "blocks", "findings"]
"""``findings`` requests no code but a list of the faults in it (`findings`)."""

MAX_WHOLE_CHARS = 12_000
"""Longest scope that is requested whole: about 300 lines, 3,000 tokens, half a minute of a reasoning model.
"""

_LIKE_A_MARK = re.compile(r"^(?:<{5,9}|={5,9}|>{5,9}|\|{5,9}|-{5,9}|\+{5,9})(?: .*)?\r?$", re.MULTILINE)
"""Lines that look like the marks of a block: merge conflicts, underlined titles."""


_FENCE_AT_START = re.compile(r"^[ \t]*+(`{3,})", re.MULTILINE)
_MIN_FENCE = 3
"""Shortest fence, in backticks (CommonMark 0.31, section 4.5)."""

_FENCE_IN_PROSE = 4
"""Backticks around prose, which may contain code blocks of its own."""

_PROSE = frozenset({"markdown", "mdx", "plaintext", "restructuredtext", "asciidoc", "quarto", "rmd"})
"""LSP language ids of texts that contain code blocks."""


def answer_fence_for(scope_text: str, language_id: str) -> str:
    """Return the fence for an answer: more backticks than any fence of the scope has."""
    longest = max(map(len, _FENCE_AT_START.findall(scope_text)), default=0)
    least = _FENCE_IN_PROSE if is_prose(language_id) else _MIN_FENCE
    return "`" * max(least, longest + 1 if longest else 0)


def is_prose(language_id: str) -> bool:
    """Return whether documents of a language are prose, which may contain code blocks."""
    return language_id in _PROSE


def answer_form_for(scope_text: str) -> AnswerForm:
    """Return the form for a scope. It depends only on the text, so a repeated request uses the same form."""
    is_long = len(scope_text) > MAX_WHOLE_CHARS
    return "blocks" if is_long and not _LIKE_A_MARK.search(scope_text) else "whole"
